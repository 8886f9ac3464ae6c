import { useState } from "preact/hooks";
import { plural } from "../../base/plural.ts";
import { oneLine, visibleText } from "../../base/visible-text.ts";
import { Markdown } from "./markdown.tsx";
import type {
  Chips,
  ClaimModel,
  EvidenceItem,
  Item,
  MessageItem,
  PersonItem,
  StepItem,
} from "./model.ts";
import { FaultText } from "./session-parts.tsx";
import { When, Who } from "./who.tsx";
import { colourOf, deedText, type Shown, timeText } from "./words.ts";

/** Fetches the rest of a text that was too long to send; returns what went wrong, "" for nothing. */
export type FetchBody = (seq: number) => Promise<string>;

/** What happened, in order: each kind of thing looks like itself, and like no other. */
export function Items({
  items,
  shown,
  isOpen,
  fetchBody,
}: {
  items: readonly Item[];
  shown: Shown;
  /** Whether a message is unfolded from the start. */
  isOpen: (item: MessageItem) => boolean;
  fetchBody?: FetchBody | undefined;
}) {
  return (
    <ol class="items">
      {items.map((item) => (
        <li key={item.seq} id={`seq-${item.seq}`} class={`item of-${item.as}`}>
          {item.as === "message" ? (
            <Message item={item} shown={shown} isOpen={isOpen(item)} fetchBody={fetchBody} />
          ) : item.as === "evidence" ? (
            <Evidence item={item} shown={shown} />
          ) : item.as === "person" ? (
            <Person item={item} shown={shown} />
          ) : (
            <Step item={item} shown={shown} />
          )}
        </li>
      ))}
    </ol>
  );
}

function Message({
  item,
  shown,
  isOpen,
  fetchBody,
}: {
  item: MessageItem;
  shown: Shown;
  isOpen: boolean;
  fetchBody: FetchBody | undefined;
}) {
  const { from, to, type, seq, at, confidence, flip } = item;
  return (
    <article
      class={`message ${colourOf(from, shown.names)}`}
      aria-label={`Message ${seq} from ${oneLine(from)}`}
    >
      <header>
        <Who name={from} shown={shown} />
        <span class="deed">{deedText(type)}</span>
        {confidence === undefined ? null : (
          <span class="sure" title="how sure it says that it is">{`sure ${confidence}`}</span>
        )}
        <span class="place">
          <When at={at} shown={shown} /> <span class="seq">{`#${seq}`}</span>
        </span>
      </header>
      <details open={isOpen}>
        <summary>
          <span class="summary">{oneLine(item.summary) || "(no text)"}</span>
        </summary>
        <Markdown words={item.body} />
        {item.more > 0 ? <Rest more={item.more} seq={seq} fetchBody={fetchBody} /> : null}
      </details>
      {flip === undefined ? null : (
        <p class="flip">
          <strong>Changed its position</strong> from “{oneLine(flip.from)}” to “{oneLine(flip.to)}”
          {flip.evidence.length > 0
            ? `, because of ${flip.evidence.join(", ")}`
            : `, on judgement${flip.judgement === "" ? "" : `: ${oneLine(flip.judgement)}`}`}
        </p>
      )}
      <Points item={item} />
      <Claims claims={item.claims} shown={shown} />
      {item.chips === undefined ? null : <Delivery chips={item.chips} to={to} />}
    </article>
  );
}

function Rest({
  more,
  seq,
  fetchBody,
}: {
  more: number;
  seq: number;
  fetchBody: FetchBody | undefined;
}) {
  const [fault, setFault] = useState("");
  const text = plural(more, "more character");
  return fetchBody === undefined ? (
    <p class="quiet">{`${text} are in the log, event ${seq}.`}</p>
  ) : (
    <>
      <button
        type="button"
        onClick={async () => setFault(await fetchBody(seq))}
      >{`Show all: ${text}`}</button>
      <FaultText text={fault} />
    </>
  );
}

/** What a message says under its own fields. */
function Points({ item }: { item: MessageItem }) {
  const rows: [what: string, texts: readonly string[]][] = [
    ["Asks you", item.needsUser === "" ? [] : [item.needsUser]],
    ["Agrees with", item.acknowledged],
    ["Objects", item.objections.map((it) => `${it.point}, because ${it.because}`)],
    ["Settles", item.settled.map((it) => `${it.point}, because ${it.because}`)],
    ["Answers", item.answers.map((it) => `${it.question}: ${it.text}`)],
    ["Asks", item.questions.map((it) => `${it.id}: ${it.text}`)],
    ["Reports", item.checks.map(checkText)],
    ["Synthesis", item.synthesis === "" ? [] : [item.synthesis]],
    ["Reserves", item.reservations],
  ];
  const filled = rows.filter(([, texts]) => texts.length > 0);
  if (filled.length === 0) return null;
  return (
    <dl class="points">
      {filled.map(([what, texts]) => (
        <div
          class={`point ${what === "Objects" ? "objects" : what === "Settles" ? "settles" : ""}`}
        >
          <dt>{what}</dt>
          {texts.map((text) => (
            <dd>{oneLine(text)}</dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

function checkText({ claim, outcome, text }: MessageItem["checks"][number]): string {
  const what = `${claim} ${outcome.replace("_", " ")}`;
  return text === "" ? what : `${what}: ${text}`;
}

const statuses: Readonly<Record<ClaimModel["status"], string>> = {
  seen: "both looked, and it holds",
  assumed: "not seen by both",
  fell: "did not hold, or was taken back",
};

/** Claims with their checks, and by whose script each was looked at. */
export function Claims({ claims, shown }: { claims: readonly ClaimModel[]; shown: Shown }) {
  if (claims.length === 0) return null;
  return (
    <ul class="claims">
      {claims.map(({ id, text, check, status, ranBy }) => (
        <li class={status}>
          <span class="mark" aria-hidden="true">
            {status === "seen" ? "✓" : status === "fell" ? "✕" : "○"}
          </span>
          <div>
            <p>
              <b>{id}</b> {oneLine(text)}
            </p>
            <p class="quiet">
              {statuses[status]}. Check: <code>{oneLine(check)}</code>
              {ranBy.map((it) => (
                <>
                  {"; "}
                  <Who name={it.by} shown={shown} /> {it.met ? "found it" : "did not find it"} (E
                  {it.seq})
                </>
              ))}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

const stages = ["stored", "notified", "seen", "answered"] as const;

/** How far a message has come to its reader. A stage that was passed over has no chip. */
function Delivery({ chips, to }: { chips: Chips; to: string }) {
  const last = stages.findLastIndex((stage) => chips[stage] !== "");
  const told = stages.filter((stage, index) => chips[stage] !== "" || index > last);
  return (
    <ul class="chips" aria-label={`How far it came to ${oneLine(to)}`}>
      {told.map((stage) => {
        const at = chips[stage];
        return (
          <li
            key={stage}
            class={at === "" ? "ahead" : "reached"}
            title={at === "" ? "" : `${timeText(at)} UTC`}
          >
            {at === "" ? <span class="unseen">not </span> : null}
            {stage}
          </li>
        );
      })}
    </ul>
  );
}

function Evidence({ item, shown }: { item: EvidenceItem; shown: Shown }) {
  const { by, seq, claim, spec, met, exit, ms, expect } = item;
  return (
    <details class={`line evidence ${met ? "met" : "unmet"}`}>
      <summary>
        <span class="mark" aria-hidden="true">
          {met ? "✓" : "✕"}
        </span>{" "}
        A script of <Who name={by} shown={shown} /> looked{claim === "" ? "" : ` at ${claim}`}:{" "}
        <code>{oneLine(spec)}</code> {met ? "as expected" : "not as expected"}
        {exit === undefined ? "" : `, exit ${exit}`}
        {ms > 0 ? `, ${ms} ms` : ""} <When at={item.at} shown={shown} />{" "}
        <span class="seq">{`E${seq}`}</span>
      </summary>
      {expect === "" ? null : <p>expected: {oneLine(expect)}</p>}
      {item.shown === "" ? (
        <p>nothing came out</p>
      ) : (
        <pre tabIndex={0}>{visibleText(item.shown)}</pre>
      )}
    </details>
  );
}

function Step({ item, shown }: { item: StepItem; shown: Shown }) {
  return (
    <p class="line step">
      <Who name={item.by} shown={shown} /> {oneLine(item.what)}
      {item.text === "" ? (
        ""
      ) : (
        <>
          {": "}
          <span class="said">{oneLine(item.text)}</span>
        </>
      )}{" "}
      <When at={item.at} shown={shown} /> <span class="seq">{`#${item.seq}`}</span>
    </p>
  );
}

function Person({ item, shown }: { item: PersonItem; shown: Shown }) {
  return (
    <article class="own" aria-label={`You, event ${item.seq}`}>
      <header>
        <b>You</b> <span class="deed">{oneLine(item.what)}</span>
        {item.to === "" ? null : <span class="deed">to {oneLine(item.to)}</span>}
        <span class="place">
          <When at={item.at} shown={shown} />
        </span>
      </header>
      {item.text === "" ? null : <p class="text">{visibleText(item.text)}</p>}
    </article>
  );
}
