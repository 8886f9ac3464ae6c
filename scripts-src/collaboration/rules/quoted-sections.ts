import { linesOf } from "../../base/document-lines.ts";
import { reviewHeading } from "./review-headings.ts";

/** The text below a `## heading`, without blank lines around it; empty when there is none. */
export function sectionUnder(text: string, heading: string): string[] {
  const lines = linesOf(text);
  const start = lines.findIndex((line) => /^##\s/.test(line) && line.slice(2).trim() === heading);
  return start === -1 ? [] : trimmed(upToHeading(lines.slice(start + 1)));
}

/**
 * What a review requires: the lines below `Required Changes:` in the entry that `author` wrote
 * under its event's seq. The last entry of a seq counts, as for the validator.
 */
export function requiredChanges(reviews: string, author: string, seq: number): string[] {
  return trimmed(entryPart(reviewEntry(reviews, author, seq), "Required Changes:"));
}

/** The lines of a review below one of its labels, as they are written. */
export function entryPart(entry: readonly string[], label: string): string[] {
  const start = entry.findIndex((line) => line.trim() === label);
  if (start === -1) return [];
  const below = entry.slice(start + 1);
  const end = below.findIndex((line) => /^[A-Z][A-Za-z ]*:\s*$/.test(line));
  return end === -1 ? below : below.slice(0, end);
}

/** The lines below the heading of a review; none when it has no such heading. The last of a seq counts. */
export function reviewEntry(reviews: string, author: string, seq: number): string[] {
  const lines = linesOf(reviews);
  const start = lines.findLastIndex((line) => {
    const heading = reviewHeading(line);
    return heading?.seq === seq && heading.participant === author;
  });
  return start === -1 ? [] : upToHeading(lines.slice(start + 1));
}

function upToHeading(lines: string[]): string[] {
  const end = lines.findIndex((line) => /^##?\s/.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

function trimmed(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first === -1 ? [] : lines.slice(first, last + 1);
}

/** What a template or its writer puts where there is nothing to say. */
export function isEmptyLine(line: string): boolean {
  return /^(?:[-*]\s*)?(?:none\.?|n\/a\.?|nothing\.?|TBD\.?)?$/i.test(line.trim());
}
