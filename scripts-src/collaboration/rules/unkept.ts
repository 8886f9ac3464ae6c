import { inline } from "../../base/json.ts";
import { linesOf } from "../../base/markdown.ts";
import type { LogEvent } from "../../log/event.ts";
import { citationsIn } from "../../protocol/citations.ts";
import type { Files } from "../../protocol/protocol.ts";
import { fault, hasFault } from "./faults.ts";
import { gateMarks } from "./gate-checks.ts";
import { acceptanceFaults } from "./readiness.ts";
import { reviewEntry, reviewHeadings } from "./review-entries.ts";
import { answeredIds, type ReviewItem, reviewItems, withoutItemIds } from "./review-items.ts";
import { reviewSections } from "./review-text.ts";
import type { Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";
import { documentsFor } from "./templates.ts";

/**
 * Which rules of the seed are not kept that the originals do not look at (originals.md 2.9), one line each,
 * as log and documents are now: `validate` warns, the report lists them.
 */
export function unkeptRules(
  state: CollaborationState,
  events: readonly LogEvent[],
  files: Files,
  errors: readonly string[],
): string[] {
  return [
    ...passedUnsound(events, errors),
    ...reviewsUnkept(events, files),
    ...templatesLeft(state, files),
    ...classifiedUnsettled(state, files),
    ...unansweredItems(state, events, files),
    ...gateMarks(state, files),
  ];
}

/** The seed lets both pass only where the validator does. */
export function isPass(event: string): boolean {
  return event === "readiness_passed" || event === "completed";
}

function passedUnsound(events: readonly LogEvent[], errors: readonly string[]): string[] {
  const [first, ...more] = errors;
  const passed = events.findLast(({ event }) => isPass(event));
  if (passed === undefined || first === undefined) return [];
  const others = more.length === 0 ? "" : `, and ${more.length} more like this (run validate)`;
  return [
    `seq ${passed.seq}: ${passed.event} over a folder that does not validate (${inline(first, 400)}${others})`,
  ];
}

/** What a script can tell of reviews: a form that is not kept, no citation, the words of another one. */
function reviewsUnkept(events: readonly LogEvent[], files: Files): string[] {
  const firstBy = new Map<string, number>();
  return reviewsIn(events, files).flatMap(({ seq, text }) => {
    if (text === undefined) return [`seq ${seq}: ${fault("no heading").text}`];
    const lines = new Set(text.split("\n").map((line) => line.trim()));
    const missing = reviewSections.filter((section) => !lines.has(section));
    const words = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
    const earlier = firstBy.get(words);
    if (earlier === undefined) firstBy.set(words, seq);
    const isUncited = citationsIn(text.split("\n"), new Set()).citations.length === 0;
    const lacks = `review.md: the review of seq ${seq} lacks ${missing.join(" ")}`;
    const same = `the review of seq ${seq} says word for word what that of seq ${earlier} says`;
    const uncited = `the review of seq ${seq} cites nothing: no FILE:LINE in it can be looked up`;
    return [
      ...(missing.length === 0 ? [] : [lacks]),
      ...(earlier === undefined ? [] : [same]),
      ...(isUncited ? [uncited] : []),
    ];
  });
}

/** A proposal counts from its submission, the decisions from when the others are asked to accept them. */
function templatesLeft(state: CollaborationState, files: Files): string[] {
  const { phase, settings, classified } = state;
  if (phase === "new" || phase === "drafting") return [];
  const asked = classified || phase === "readiness_check" || phase === "completed";
  const judged = ["proposal.md", ...(asked ? ["decisions.md"] : [])];
  const templates = new Map(documentsFor(settings).map(({ path, text }) => [path, text]));
  return judged
    .filter((path) => {
      const text = files.get(path)?.text;
      return text !== undefined && isTemplate(text, templates.get(path) ?? "", settings);
    })
    .map((path) => `${path} is still its template`);
}

/** Ours, or another's of which all that is left are headings, the objective and places to fill in. */
function isTemplate(text: string, template: string, { objective }: Settings): boolean {
  const given = new Set([...linesOf(template), ...linesOf(objective)].map((line) => line.trim()));
  return linesOf(text)
    .map((line) => line.trim())
    .every((line) => line === "" || given.has(line) || /^(?:#|(?:[-*]\s+)?TBD\b)/.test(line));
}

function classifiedUnsettled({ classified }: CollaborationState, files: Files): string[] {
  const readiness = files.get("readiness.md")?.text;
  if (!classified || readiness === undefined) return [];
  const isOpen = hasFault(acceptanceFaults(readiness), "unresolved");
  return isOpen ? ["readiness.md has unresolved questions after question_classified"] : [];
}

/** What reviews require and ask that no classified line of readiness.md names, once the owner has classified. */
function unansweredItems(
  { phase, classified }: CollaborationState,
  events: readonly LogEvent[],
  files: Files,
): string[] {
  const readiness = files.get("readiness.md")?.text;
  const isDue =
    (phase === "decision_review" && classified) ||
    phase === "readiness_check" ||
    phase === "completed";
  if (readiness === undefined || !isDue) return [];
  const answered = answeredIds(readiness);
  const reviews = files.get("review.md")?.text ?? "";
  return reviewsIn(events, files)
    .filter(({ text }) => text !== undefined)
    .flatMap(({ from, seq }) => reviewItems(reviews, from, seq))
    .filter(({ id }) => !answered.has(id))
    .map(unansweredText);
}

function unansweredText({ id, by, text }: ReviewItem): string {
  const what = id.startsWith("R") ? "requires" : "asks";
  return `readiness.md does not answer ${id}, which ${inline(by)} ${what}: ${inline(text, 200)}; write a line such as "- [resolved] ${id}: <what became of it>"`;
}

/** A review of the log with its text; undefined text where review.md has no such entry. */
interface Review {
  readonly seq: number;
  readonly from: string;
  readonly text: string | undefined;
}

function reviewsIn(events: readonly LogEvent[], files: Files): Review[] {
  const reviews = files.get("review.md")?.text;
  if (reviews === undefined) return [];
  const headings = reviewHeadings(reviews);
  return events
    .filter(({ event }) => event === "review_submitted")
    .map(({ seq, from }) => {
      if (headings.get(seq) !== from) return { seq, from, text: undefined };
      const entry = reviewEntry(reviews, from, seq);
      return { seq, from, text: withoutItemIds(entry.join("\n")) };
    });
}
