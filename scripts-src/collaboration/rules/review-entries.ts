import { quote } from "../../base/json.ts";
import { linesOf, trimmedLines, upToHeading } from "../../base/markdown.ts";
import type { LogEvent } from "../../log/event.ts";
import { fault } from "./faults.ts";

export interface ReviewHeading {
  participant: string;
  seq: number;
}

/**
 * Reads `## <time> - <participant> - seq <n>`, the line above a review; undefined for any other.
 * The participant is all between the first and the last dash, so it may contain dashes itself. By
 * hand, because a pattern tries every pair of dashes of a long line.
 */
export function reviewHeading(line: string): ReviewHeading | undefined {
  const text = line.replace(/^\ufeff/, "").trimEnd();
  if (!/^##\s/.test(text)) return undefined;
  const seq = /\d{1,16}$/.exec(text.slice(-16))?.[0];
  if (seq === undefined) return undefined;
  const beforeSeq = cutEnd(text.slice(0, -seq.length), "seq");
  const beforeDash = beforeSeq === undefined ? undefined : cutEnd(beforeSeq, "-");
  if (beforeDash === undefined) return undefined;
  // A blank and one character stand at least between the hashes and the first dash.
  const body = beforeDash.slice(4);
  const dash = body.search(/\s-\s/);
  const participant = dash === -1 ? "" : body.slice(dash + 2).trim();
  return participant === "" ? undefined : { participant, seq: Number(seq) };
}

/** Who is named for which seq, in the order of the text; a later heading of a seq wins. */
export function reviewHeadings(text: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const line of linesOf(text)) {
    const heading = reviewHeading(line);
    if (heading !== undefined) found.set(heading.seq, heading.participant);
  }
  return found;
}

/** What stands before `word`, blanks around it, at the end of `text`; undefined when it does not. */
function cutEnd(text: string, word: string): string | undefined {
  const trimmed = text.trimEnd();
  if (trimmed === text || !trimmed.endsWith(word)) return undefined;
  const before = trimmed.slice(0, -word.length);
  return before.trimEnd() === before ? undefined : before;
}

/** Whether review.md has a heading for every review of the log, and none beyond. */
export function headingFaults(events: readonly LogEvent[], review: string | undefined): string[] {
  if (review === undefined) return [];
  const headings = reviewHeadings(review);
  const bySeq = new Map(events.map((event) => [event.seq, event]));
  const missing = events
    .filter(({ seq, event }) => event === "review_submitted" && !headings.has(seq))
    .map(({ seq }) => `seq ${seq}: ${fault("no heading").text}`);
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
  return `participant ${quote(participant)} does not match event from ${quote(event.from)}`;
}

/**
 * What a review requires: the lines below `Required Changes:` in the entry that `author` wrote
 * under its event's seq. The last entry of a seq counts, as for the validator.
 */
export function requiredChanges(reviews: string, author: string, seq: number): string[] {
  return trimmedLines(entryPart(reviewEntry(reviews, author, seq), "Required Changes:"));
}

/** The lines of a review below one of its labels, as they are written. */
export function entryPart(entry: readonly string[], label: string): readonly string[] {
  const start = entry.findIndex((line) => line.trim() === label);
  if (start === -1) return [];
  const below = entry.slice(start + 1);
  const end = below.findIndex((line) => /^[A-Z][A-Za-z ]*:\s*$/.test(line));
  return end === -1 ? below : below.slice(0, end);
}

/** The lines below the heading of a review; none when it has no such heading. The last of a seq counts. */
export function reviewEntry(reviews: string, author: string, seq: number): readonly string[] {
  const lines = linesOf(reviews);
  const start = lines.findLastIndex((line) => {
    const heading = reviewHeading(line);
    return heading?.seq === seq && heading.participant === author;
  });
  return start === -1 ? [] : upToHeading(lines.slice(start + 1));
}

/** What a template or its writer puts where there is nothing to say. */
export function isEmptyLine(line: string): boolean {
  return /^(?:[-*]\s*)?(?:none\.?|n\/a\.?|nothing\.?|TBD\.?)?$/i.test(line.trim());
}
