import { linesOf } from "../../base/markdown.ts";
import { readinessItems } from "./readiness.ts";
import { entryPart, isEmptyLine, reviewEntry } from "./review-entries.ts";

/** A change that a review requires, or a question that it asks. */
export interface ReviewItem {
  /** `R5.1` for the first change that the review of seq 5 requires, `Q5.1` for its first question. */
  readonly id: string;
  readonly by: string;
  readonly text: string;
}

const parts = [
  ["Required Changes:", "R"],
  ["Questions:", "Q"],
] as const;

/** What the review that `by` wrote under its event's seq asks of the owner. */
export function reviewItems(reviews: string, by: string, seq: number): ReviewItem[] {
  const entry = reviewEntry(reviews, by, seq);
  return parts.flatMap(([label, letter]) =>
    pointsOf(entryPart(entry, label)).map(({ text }, index) => {
      return { id: idOf(letter, seq, index), by, text };
    }),
  );
}

/** A review with the id of each required change and question in front of it. */
export function withItemIds(review: string, seq: number): string {
  const lines = linesOf(review);
  for (const [label, letter] of parts) {
    const start = lines.findIndex((line) => line.trim() === label);
    if (start === -1) continue;
    for (const [index, { at }] of pointsOf(entryPart(lines, label)).entries()) {
      const line = lines[start + 1 + at] ?? "";
      const mark = bullet.exec(line)?.[0] ?? "";
      const said = line.slice(mark.length).replace(ownId, "");
      lines[start + 1 + at] = `${mark}${idOf(letter, seq, index)}: ${said}`;
    }
  }
  return lines.join("\n");
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

/** The text of a review without the ids that a script put into it. */
export function withoutItemIds(review: string): string {
  return linesOf(review)
    .map((line) => {
      const mark = bullet.exec(line)?.[0] ?? "";
      return mark + line.slice(mark.length).replace(ownId, "");
    })
    .join("\n");
}

const bullet = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/;
const ownId = /^[RQ]\d{1,15}\.\d{1,5}:\s+/;
const anyId = /(?<![\p{L}\p{N}_.])[RQ]\d{1,15}\.\d{1,5}(?![\p{L}\p{N}_]|\.\d)/gu;

function idOf(letter: string, seq: number, index: number): string {
  return `${letter}${seq}.${index + 1}`;
}

interface Point {
  /** Its line in the part. */
  readonly at: number;
  readonly text: string;
}

/** One point for each bullet with what is written below it; without bullets one for all of the text. */
function pointsOf(lines: readonly string[]): Point[] {
  const bullets = lines.flatMap((line, at) =>
    bullet.test(line) ? [{ at, depth: depthOf(line) }] : [],
  );
  const least = bullets.reduce((depth, it) => Math.min(depth, it.depth), Number.POSITIVE_INFINITY);
  // Bullets below another bullet explain it.
  const starts = bullets.filter(({ depth }) => depth === least).map(({ at }) => at);
  if (starts.length === 0) {
    const first = lines.findIndex((line) => line.trim() !== "");
    if (first !== -1) starts.push(first);
  }
  return starts.flatMap((at, index) => {
    const own = lines.slice(at, starts[index + 1] ?? lines.length).map((line) => line.trim());
    const text = own.join(" ").trim().replace(bullet, "").replace(ownId, "");
    return isEmptyLine(text) ? [] : [{ at, text }];
  });
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length;
}
