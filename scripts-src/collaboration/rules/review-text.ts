import { quote } from "../../base/json.ts";
import { linesOf } from "../../base/markdown.ts";
import { visibleText } from "../../base/visible-text.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Addition } from "../../protocol/protocol.ts";
import { primaryReference } from "./deliverables.ts";
import { reviewHeading } from "./review-entries.ts";
import { withItemIds } from "./review-items.ts";
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

/** What is wrong with the text of a review; undefined when it can go into review.md. */
export function reviewFault(review: string, settings: Settings): string | undefined {
  const lines = linesOf(review);
  const missing = reviewSections.filter((section) => !lines.some((it) => it.trim() === section));
  const unsaid = scopeOf(settings)
    .map(([words]) => words)
    .filter((words) => !review.includes(words));
  if (missing.length > 0 || unsaid.length > 0) {
    const lacks = [...missing, ...unsaid].map((words) => quote(words)).join(", ");
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
export function reviewScopeFaults(
  settings: Settings,
  events: readonly LogEvent[],
  review: string | undefined,
): string[] {
  const reviewed = events.some(({ event }) => event === "review_submitted");
  if (!reviewed || review === undefined) return [];
  return scopeOf(settings)
    .filter(([words]) => !review.includes(words))
    .map(([, lack]) => `review.md ${lack}`);
}

/** The words that schema 2 looks for, and what review.md does wrong without them. */
function scopeOf(settings: Settings): [words: string, lack: string][] {
  if (settings.schema === 1) return [];
  return [
    ["Reviewed primary deliverable:", "must declare Reviewed primary deliverable"],
    ["Review Scope:", "must declare Review Scope"],
    [
      "Primary deliverable completeness",
      "Review Scope must include Primary deliverable completeness",
    ],
    [primaryReference(settings), "must reference the primary deliverable"],
  ];
}

/** The review as it goes into review.md: under the heading that names its event, each point with its id. */
export function reviewAddition(review: string, { at, from, seq }: LogEvent): Addition {
  const heading = `## ${at} - ${from} - seq ${seq}`;
  return {
    as: "section",
    path: "review.md",
    text: `${heading}\n\n${withItemIds(review.trim(), seq)}\n`,
  };
}
