import { oneLine, visibleText } from "../../base/visible-text.ts";
import { type Shown, timeText, userLabel } from "./display-format.ts";
import { type FetchBody, Message } from "./message.tsx";
import type { EvidenceItem, Item, MessageItem, PersonItem, StepItem } from "./model.ts";
import { When, Who } from "./who.tsx";

/** Whether the page holds an event, so that one can be led there. */
export function isAmong(items: readonly Item[]): (seq: number) => boolean {
  const seqs = new Set(items.map(({ seq }) => seq));
  return (seq) => seqs.has(seq);
}

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
  const isHere = isAmong(items);
  return (
    <ol class="items">
      {items.slice(0, shown.drawnMax).map((item) => (
        <li key={item.seq} id={`seq-${item.seq}`} class={`item of-${item.as}`} tabIndex={-1}>
          {item.as === "message" ? (
            <Message
              item={item}
              shown={shown}
              isOpen={isOpen(item)}
              isHere={isHere}
              fetchBody={fetchBody}
            />
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
        {ms > 0 ? `, ${ms} ms` : ""}{" "}
        <span class="together">
          <When at={item.at} shown={shown} /> <span class="seq">{`E${seq}`}</span>
        </span>
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
      <span class="together">
        <When at={item.at} shown={shown} /> <span class="seq">{`#${item.seq}`}</span>
      </span>
    </p>
  );
}

function Person({ item, shown }: { item: PersonItem; shown: Shown }) {
  return (
    <article class="own" aria-label={`${userLabel(shown)}, event ${item.seq}`}>
      <header>
        <b>{userLabel(shown)}</b> <span class="deed">{oneLine(item.what)}</span>
        {item.to === "" ? null : <span class="deed">to {oneLine(item.to)}</span>}
        <span class="place">
          <When at={item.at} shown={shown} />
        </span>
      </header>
      {item.text === "" ? null : <p class="text">{visibleText(item.text)}</p>}
      {item.seenBy.length === 0 ? null : <SeenBy item={item} />}
    </article>
  );
}

/** How far the person's words came, to each whom they are for. */
function SeenBy({ item }: { item: PersonItem }) {
  return (
    <ul class="chips" aria-label="How far your words came">
      {item.seenBy.map(({ name, at }) => (
        <li
          key={name}
          class={at === "" ? "ahead" : "reached"}
          title={at === "" ? "" : `${timeText(at)} UTC`}
        >
          {at === "" ? `not yet seen by ${oneLine(name)}` : `seen by ${oneLine(name)}`}
        </li>
      ))}
    </ul>
  );
}
