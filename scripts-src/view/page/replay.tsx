import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import type { Moment, SessionModel } from "./model.ts";
import { timeText } from "./words.ts";

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
  /** Whether the page shows that event already; of a long log, how far it was folded for it. */
  isThere: boolean;
  folded: number;
  onMove: (seq: number | undefined) => void;
}) {
  const { lastSeq, moments } = model;
  const shown = at ?? lastSeq;
  const moment = moments.findLast(({ seq }) => seq <= shown);
  return (
    <section class={`replay ${at === undefined ? "" : "past"}`} aria-label="Replay">
      <label>
        <span class="unseen">As of event</span>
        <input
          type="range"
          min={1}
          max={Math.max(1, lastSeq)}
          value={shown}
          aria-valuetext={`event ${shown} of ${lastSeq}`}
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
        <span class="quiet">
          {moment === undefined || at === undefined || !isThere ? "" : oneLine(moment.text)}
        </span>
        {at === undefined ? null : (
          <button type="button" onClick={() => onMove(undefined)}>
            To the newest event
          </button>
        )}
      </p>
    </section>
  );
}

function Ticks({ moments, lastSeq }: { moments: readonly Moment[]; lastSeq: number }) {
  const x = (seq: number) => 8 + ((seq - 1) / Math.max(1, lastSeq - 1)) * 984;
  return (
    <svg class="ticks" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
      {moments.map(({ seq, what }) => (
        <line
          class={what}
          x1={x(seq)}
          x2={x(seq)}
          y1={what === "check" || what === "step" ? 5 : 0}
          y2={12}
        />
      ))}
    </svg>
  );
}
