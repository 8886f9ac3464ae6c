import { useState } from "preact/hooks";
import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { Because, Claims } from "./claims.tsx";
import { colourOf, deedText, type Shown, timeText } from "./display-format.ts";
import { Markdown } from "./markdown.tsx";
import type { Chips, MessageItem } from "./model.ts";
import { FaultText } from "./session-parts.tsx";
import { When, Who } from "./who.tsx";

/** Fetches the rest of a text that was too long to send; gives what went wrong, "" for nothing. */
export type FetchBody = (seq: number) => Promise<string>;

/** Words of a participant: who, how sure, what in one line, and the rest unfolds. */
export function Message({
  item,
  shown,
  isOpen,
  isHere,
  fetchBody,
}: {
  item: MessageItem;
  shown: Shown;
  isOpen: boolean;
  isHere: (seq: number) => boolean;
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
          <strong>Changed its position</strong> from “{oneLine(flip.from)}” to “{oneLine(flip.to)}”,{" "}
          <Because flip={flip} isHere={isHere} />
        </p>
      )}
      <Points item={item} />
      <Claims claims={item.claims} shown={shown} isHere={isHere} />
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
    ["Answers", item.answers.map(answerText)],
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

/** A question is named by its words, or by the name that it has here. */
function answerText({ question, text }: MessageItem["answers"][number]): string {
  return /^Q\d+\.\d+$/.test(question) ? `${question}: ${text}` : `“${question}” ${text}`;
}

function checkText({ claim, outcome, text }: MessageItem["checks"][number]): string {
  const what = `${claim} ${outcome.replace("_", " ")}`;
  return text === "" ? what : `${what}: ${text}`;
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
