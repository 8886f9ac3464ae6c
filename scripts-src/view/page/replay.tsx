import { plural } from "../../base/plural.ts";
import { timeText } from "./display-format.ts";
import type { SessionModel } from "./model.ts";

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
  const { lastSeq, status } = live;
  const shown = at ?? lastSeq;
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
        aria-valuetext={`event ${shown} of ${lastSeq}`}
        onInput={({ currentTarget }) => {
          const seq = Number(currentTarget.value);
          onMove(seq >= lastSeq ? undefined : seq);
        }}
      />
      <p class="buttons">
        <output>{at === undefined ? now : then}</output>
        {at === undefined ? null : (
          <button type="button" onClick={() => onMove(undefined)}>
            To the newest event
          </button>
        )}
      </p>
    </section>
  );
}
