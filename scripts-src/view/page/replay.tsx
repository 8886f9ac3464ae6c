import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { phaseText, timeText } from "./display-format.ts";
import type { Item, SessionModel } from "./model.ts";

/** What a mark above the line means. */
const markTexts = {
  flip: "changed its mind",
  objection: "objects",
  check: "checked",
  person: "you",
} as const;

/** A place of the log that is worth a look; `step` is any other. */
interface Moment {
  readonly seq: number;
  readonly what: keyof typeof markTexts | "step";
  readonly text: string;
}

function momentOf(item: Item, isDialogue: boolean): Moment | undefined {
  const { as, seq, by } = item;
  if (as === "evidence") {
    const { claim = "", spec } = item.record;
    return { seq, what: "check", text: `${by} checked ${claim || spec}` };
  }
  if (as === "person") return { seq, what: "person", text: `you: ${item.what}` };
  if (as === "step")
    return isDialogue ? undefined : { seq, what: "step", text: `${by}: ${phaseText(item.what)}` };
  if (item.flip !== undefined) return { seq, what: "flip", text: `${by} changed its position` };
  const objects = (item.message.objections ?? []).length > 0;
  return objects ? { seq, what: "objection", text: `${by} objects` } : undefined;
}

interface Props {
  /** The newest that there is. */
  readonly live: SessionModel;
  /** The event that is looked at; undefined for the newest. */
  readonly at: number | undefined;
  /** The session as of that event; undefined as long as it is not there. */
  readonly past: SessionModel | undefined;
  readonly onMove: (seq: number | undefined) => void;
}

/** A scrubber over the log: the session as it was after any event. It changes nothing. */
export function Replay({ live, at, past, onMove }: Props) {
  const { lastSeq, items, part, status } = live;
  const moments = items.flatMap((it) => momentOf(it, part.of === "dialogue") ?? []);
  const shown = at ?? lastSeq;
  const moment = past && moments.find(({ seq }) => seq === at);
  const told = moment === undefined ? "" : oneLine(moment.text);
  const now = `${status.ended ? "Ended" : "Live"}, ${plural(lastSeq, "event")}`;
  const then =
    past === undefined
      ? `Going to event ${at}`
      : `As of event ${at} of ${lastSeq}, ${timeText(past.status.lastAt)} UTC`;
  return (
    <section class="replay" aria-label="Replay">
      <input
        type="range"
        aria-label="As of event"
        min={1}
        max={Math.max(1, lastSeq)}
        value={shown}
        aria-valuetext={`event ${shown} of ${lastSeq}${told === "" ? "" : `: ${told}`}`}
        onInput={({ currentTarget }) => {
          const seq = Number(currentTarget.value);
          onMove(seq >= lastSeq ? undefined : seq);
        }}
      />
      <Ticks moments={moments} lastSeq={lastSeq} />
      <p class="buttons">
        <output>{at === undefined ? now : then}</output>
        <span class="quiet">{told}</span>
        {at === undefined ? (
          <Legend moments={moments} />
        ) : (
          <button type="button" onClick={() => onMove(undefined)}>
            To the newest event
          </button>
        )}
      </p>
    </section>
  );
}

function Ticks({ moments, lastSeq }: { moments: readonly Moment[]; lastSeq: number }) {
  // The drawing is 1000 wide, with a margin of 8 at each end.
  const x = (seq: number) => 8 + ((seq - 1) / Math.max(1, lastSeq - 1)) * 984;
  return (
    <svg class="ticks" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
      {moments.map(({ seq, what }) => (
        <line class={what} x1={x(seq)} x2={x(seq)} y1={what === "flip" ? 0 : 4} y2={10} />
      ))}
    </svg>
  );
}

/** What the marks above the line mean; only those that there are. */
function Legend({ moments }: { moments: readonly Moment[] }) {
  const kinds = Object.entries(markTexts).filter(([kind]) =>
    moments.some(({ what }) => what === kind),
  );
  return (
    <span class="legend place">
      {kinds.map(([kind, text]) => (
        <span>
          <svg class="ticks" viewBox="0 0 4 10" aria-hidden="true">
            <line class={kind} x1={2} x2={2} y1={kind === "flip" ? 0 : 4} y2={10} />
          </svg>
          {text}
        </span>
      ))}
    </span>
  );
}
