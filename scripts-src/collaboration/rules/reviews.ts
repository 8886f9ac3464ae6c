import { quote } from "../../base/json.ts";
import { linesOf, trimmedLines, upToHeading } from "../../base/markdown.ts";
import { visibleText } from "../../base/visible-text.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Addition, Files } from "../../protocol/protocol.ts";
import { primaryReference } from "./deliverables.ts";
import { fault } from "./faults.ts";
import { isEmptyLine, readinessItems } from "./readiness.ts";
import type { Settings } from "./settings.ts";
import { exampleReview } from "./templates.ts";

/** The parts that a review must have, each a line of its own (seed, Review Format). */
export const reviewSections = [
  "Context:",
  "Position:",
  "Concerns:",
  "Required Changes:",
  "Questions:",
] as const;

/**
 * Reads `## <time> - <participant> - seq <n>`, the line above a review; undefined for any other.
 * The participant is all between the first and the last dash, so it may contain dashes itself. By
 * hand, because a pattern tries every pair of dashes of a long line.
 */
export function reviewHeading(line: string): { participant: string; seq: number } | undefined {
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

/** What stands before `word`, blanks around it, at the end of `text`; undefined when it does not. */
function cutEnd(text: string, word: string): string | undefined {
  const trimmed = text.trimEnd();
  if (trimmed === text || !trimmed.endsWith(word)) return undefined;
  const before = trimmed.slice(0, -word.length);
  return before.trimEnd() === before ? undefined : before;
}

/** Who is named for which seq, in the order of the text; a later heading of a seq wins. */
export function reviewHeadings(text: string): Map<number, string> {
  const headings = linesOf(text).flatMap((line) => reviewHeading(line) ?? []);
  return new Map(headings.map(({ seq, participant }) => [seq, participant]));
}

/** Whether review.md has a heading for every review of the log, and none beyond. */
export function headingFaults(events: readonly LogEvent[], review: string): string[] {
  const headings = reviewHeadings(review);
  const bySeq = new Map(events.map((event) => [event.seq, event]));
  return [
    ...events
      .filter(({ seq, event }) => event === "review_submitted" && !headings.has(seq))
      .map(({ seq }) => `seq ${seq}: ${fault("no heading").text}`),
    ...[...headings].flatMap(([seq, participant]) => {
      const told = headingFault(participant, bySeq.get(seq));
      return told === undefined ? [] : [`review.md heading seq ${seq}: ${told}`];
    }),
  ];
}

function headingFault(participant: string, event: LogEvent | undefined): string | undefined {
  if (event === undefined) return "no matching event";
  const { event: name, from } = event;
  if (name !== "review_submitted") return `matching event is ${name}, not review_submitted`;
  if (from === participant) return undefined;
  return `participant ${quote(participant)} does not match event from ${quote(from)}`;
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

/** What a review requires: the lines below `Required Changes:` in its entry. */
export function requiredChanges(reviews: string, author: string, seq: number): string[] {
  return trimmedLines(entryPart(reviewEntry(reviews, author, seq), "Required Changes:"));
}

function entryPart(entry: readonly string[], label: string): readonly string[] {
  const start = entry.findIndex((line) => line.trim() === label);
  if (start === -1) return [];
  const below = entry.slice(start + 1);
  const end = below.findIndex((line) => /^[A-Z][A-Za-z ]*:\s*$/.test(line));
  return end === -1 ? below : below.slice(0, end);
}

/** A review of the log with its text; undefined text where review.md has no such entry. */
export interface Review {
  readonly seq: number;
  readonly from: string;
  readonly text: string | undefined;
}

export function reviewsIn(events: readonly LogEvent[], files: Files): Review[] {
  const reviews = files.get("review.md")?.text;
  if (reviews === undefined) return [];
  const headings = reviewHeadings(reviews);
  return events
    .filter(({ event }) => event === "review_submitted")
    .map(({ seq, from }) => {
      const isThere = headings.get(seq) === from;
      return { seq, from, text: isThere ? reviewEntry(reviews, from, seq).join("\n") : undefined };
    });
}

/** A change that a review requires, or a question that it asks. */
export interface ReviewItem {
  /** `R5.1` for the first change that the review of seq 5 requires, `Q5.1` for its first question. */
  readonly id: string;
  readonly text: string;
}

interface PlacedItem extends ReviewItem {
  /** The line of the review that it begins in. */
  readonly line: number;
}

const bullet = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/;
const ownId = /^[RQ]\d{1,15}\.\d{1,5}:\s+/;
const anyId = /(?<![\p{L}\p{N}_.])[RQ]\d{1,15}\.\d{1,5}(?![\p{L}\p{N}_]|\.\d)/gu;

/** What a review asks of the owner: one item for each bullet, without bullets one for all of a part's text. */
export function reviewItems(review: string, seq: number): PlacedItem[] {
  const lines = linesOf(review);
  return ["Required Changes:", "Questions:"].flatMap((label) => {
    const first = lines.findIndex((line) => line.trim() === label) + 1;
    const points = pointsOf(entryPart(lines, label));
    return points.map(({ at, text }, index) => {
      return { id: `${label[0]}${seq}.${index + 1}`, text, line: first + at };
    });
  });
}

function pointsOf(lines: readonly string[]): { at: number; text: string }[] {
  const depthOf = (line: string) => line.length - line.trimStart().length;
  const bullets = lines.flatMap((line, at) =>
    bullet.test(line) ? [{ at, depth: depthOf(line) }] : [],
  );
  const least = bullets.reduce((depth, it) => Math.min(depth, it.depth), Number.POSITIVE_INFINITY);
  // Bullets below another bullet explain it.
  const found = bullets.filter(({ depth }) => depth === least).map(({ at }) => at);
  const filled = lines.findIndex((line) => line.trim() !== "");
  const starts = found.length > 0 || filled === -1 ? found : [filled];
  return starts.flatMap((at, index) => {
    const own = lines.slice(at, starts[index + 1] ?? lines.length).map((line) => line.trim());
    const text = own.join(" ").trim().replace(bullet, "").replace(ownId, "");
    return isEmptyLine(text) ? [] : [{ at, text }];
  });
}

/** A review with the id of each required change and question in front of it. */
function withItemIds(review: string, seq: number): string {
  const ids = new Map(reviewItems(review, seq).map(({ line, id }) => [line, `${id}: `]));
  const lines = linesOf(review).map((line, at) => {
    const id = ids.get(at);
    return id === undefined ? line : withId(line, id);
  });
  return lines.join("\n");
}

/** The text of a review without the ids that a script put into it. */
export function withoutItemIds(review: string): string {
  return linesOf(review)
    .map((line) => withId(line, ""))
    .join("\n");
}

function withId(line: string, id: string): string {
  const mark = bullet.exec(line)?.[0] ?? "";
  return `${mark}${id}${line.slice(mark.length).replace(ownId, "")}`;
}

/**
 * The ids that readiness.md answers: those in a classified line that says more than ids. A list of
 * bare ids answers nothing.
 */
export function answeredIds(readiness: string): Set<string> {
  const answered = readinessItems(readiness).flatMap(({ text }) => {
    const ids = text.match(anyId) ?? [];
    return /[\p{L}\p{N}]{2}/u.test(text.replace(anyId, "")) ? ids : [];
  });
  return new Set(answered);
}

/** What is wrong with the text of a review; undefined when it can go into review.md. */
export function reviewFault(review: string, settings: Settings): string | undefined {
  const lines = linesOf(review);
  const missing = reviewSections.filter((section) => !lines.some((it) => it.trim() === section));
  const unsaid = scopeOf(settings).filter(([words]) => !review.includes(words));
  if (missing.length > 0 || unsaid.length > 0) {
    const lacks = [...missing, ...unsaid.map(([words]) => words)].map((it) => quote(it)).join(", ");
    return `the review lacks ${lacks}: add each section as a line of its own and write below it`;
  }
  const form = new Set(linesOf(exampleReview(settings)).filter((line) => /^- <.*>$/.test(line)));
  const unwritten = lines.find((line) => form.has(line.trim()));
  if (unwritten !== undefined) {
    return `the review still has the line ${quote(unwritten)}: write what is true, or "- None."`;
  }
  const forged = lines.find((line) => reviewHeading(line) !== undefined);
  if (forged === undefined) return undefined;
  return (
    `the review has the line ${visibleText(quote(forged))}, which reads as the heading of a ` +
    "review: take it out, the heading is written for you"
  );
}

/** What schema 2 wants to read in review.md as soon as there is a review. */
export function reviewScopeFaults(settings: Settings, review: string): string[] {
  const unsaid = scopeOf(settings).filter(([words]) => !review.includes(words));
  return unsaid.map(([, lack]) => `review.md ${lack}`);
}

/** The words that schema 2 looks for, and what review.md does wrong without them. */
function scopeOf(settings: Settings): [words: string, lack: string][] {
  if (settings.schema === 1) return [];
  const scope = "Primary deliverable completeness";
  return [
    ["Reviewed primary deliverable:", "must declare Reviewed primary deliverable"],
    ["Review Scope:", "must declare Review Scope"],
    [scope, `Review Scope must include ${scope}`],
    [primaryReference(settings), "must reference the primary deliverable"],
  ];
}

/** The review as it goes into review.md: under the heading that names its event, each point with its id. */
export function reviewAddition(review: string, { at, from, seq }: LogEvent): Addition {
  const text = `## ${at} - ${from} - seq ${seq}\n\n${withItemIds(review.trim(), seq)}\n`;
  return { as: "section", path: "review.md", text };
}
