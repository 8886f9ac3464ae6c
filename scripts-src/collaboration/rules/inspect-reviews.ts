import { pythonRepr } from "../../base/python-text.ts";
import type { LogEvent } from "../../log/event.ts";
import { reviewHeadings } from "./review-headings.ts";

/** Whether review.md has a heading for every review of the log, and none beyond. */
export function headingFaults(events: readonly LogEvent[], review: string | undefined): string[] {
  if (review === undefined) return [];
  const headings = reviewHeadings(review);
  const bySeq = new Map(events.map((event) => [event.seq, event]));
  const missing = events
    .filter(({ seq, event }) => event === "review_submitted" && !headings.has(seq))
    .map(({ seq }) => `seq ${seq}: review_submitted requires matching review.md heading`);
  const wrong = [...headings].flatMap(([seq, participant]) => {
    const fault = headingFault(participant, bySeq.get(seq));
    return fault === undefined ? [] : [`review.md heading seq ${seq}: ${fault}`];
  });
  return [...missing, ...wrong];
}

function headingFault(participant: string, event: LogEvent | undefined): string | undefined {
  if (event === undefined) return "no matching event";
  if (event.event !== "review_submitted") {
    return `matching event is ${event.event}, not review_submitted`;
  }
  if (event.from === participant) return undefined;
  return `participant ${pythonRepr(participant)} does not match event from ${pythonRepr(event.from)}`;
}
