import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { timeText } from "./display-format.ts";
import type { Moment, SessionModel } from "./model.ts";

/** A scrubber over the log: the session as it was after any event. It changes nothing. */
export function Replay({
  model,
  at,
  isThere,
  folded,
  onMove,
}: {
  model: SessionModel;
  /** The event that is shown; undefined for the newest. */
  at: number | undefined;
  /** Whether the page shows the session as of that event already. */
  isThere: boolean;
  /** While it does not: up to which event the log has been read for it; 0 where that is not known. */
  folded: number;
  onMove: (seq: number | undefined) => void;
}) {
  const { lastSeq, moments } = model;
  const shown = at ?? lastSeq;
  const moment = moments.find(({ seq }) => seq === shown);
  const told = moment === undefined || at === undefined || !isThere ? "" : oneLine(moment.text);
  return (
    <section class={`replay ${at === undefined ? "" : "past"}`} aria-label="Replay">
      <label>
        <span class="unseen">As of event</span>
        <input
          type="range"
          min={1}
          max={Math.max(1, lastSeq)}
          value={shown}
          aria-valuetext={`event ${shown} of ${lastSeq}${told === "" ? "" : `: ${told}`}`}
          onInput={(event) => {
            const seq = Number(event.currentTarget.value);
            onMove(seq >= lastSeq ? undefined : seq);
          }}
        />
      </label>
      <Ticks moments={moments} lastSeq={lastSeq} />
      <p>
        <output>
          {at === undefined
            ? `${model.ended ? "Ended" : "Live"}, ${plural(lastSeq, "event")}`
            : isThere
              ? `As of event ${at} of ${lastSeq}, ${timeText(model.lastAt)} UTC`
              : `Going to event ${at}${folded === 0 ? "" : `: the log is read up to ${folded}`}`}
        </output>
        <span class="quiet">{told}</span>
        {at === undefined ? <Legend moments={moments} /> : null}
        {at === undefined ? null : (
          <button type="button" onClick={() => onMove(undefined)}>
            To the newest event
          </button>
        )}
      </p>
    </section>
  );
}

/** What the legend says of each kind of mark; `step` is not explained: it is any other mark. */
const markTexts = {
  flip: "changed its mind",
  objection: "objects",
  check: "checked",
  person: "you",
} as const;

/** What the marks above the line mean; only those that there are. */
function Legend({ moments }: { moments: readonly Moment[] }) {
  const kinds = (["flip", "objection", "check", "person"] as const).filter((kind) =>
    moments.some(({ what }) => what === kind),
  );
  return kinds.length === 0 ? null : (
    <span class="legend">
      {kinds.map((kind) => (
        <span>
          <svg class="ticks" viewBox="0 0 4 12" aria-hidden="true">
            <line class={kind} x1={2} x2={2} y1={isLow(kind) ? 5 : 0} y2={12} />
          </svg>
          {markTexts[kind]}
        </span>
      ))}
    </span>
  );
}

function isLow(what: Moment["what"]): boolean {
  return what === "check" || what === "step";
}

function Ticks({ moments, lastSeq }: { moments: readonly Moment[]; lastSeq: number }) {
  // The drawing is 1000 wide, with a margin of 8 at each end.
  const x = (seq: number) => 8 + ((seq - 1) / Math.max(1, lastSeq - 1)) * 984;
  return (
    <svg class="ticks" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
      {moments.map(({ seq, what }) => (
        <line class={what} x1={x(seq)} x2={x(seq)} y1={isLow(what) ? 5 : 0} y2={12} />
      ))}
    </svg>
  );
}
