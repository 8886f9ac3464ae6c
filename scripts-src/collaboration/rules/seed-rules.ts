import { inline } from "../../base/json.ts";
import { linesOf } from "../../base/markdown.ts";
import type { LogEvent } from "../../log/event.ts";
import { citationsIn } from "../../protocol/citations.ts";
import type { Files } from "../../protocol/protocol.ts";
import { fault, hasFault } from "./faults.ts";
import { acceptanceFaults } from "./readiness.ts";
import {
  answeredIds,
  type Review,
  reviewItems,
  reviewSections,
  reviewsIn,
  withoutItemIds,
} from "./reviews.ts";
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
  const { phase, classified } = state;
  const reviews = reviewsIn(events, files);
  const isLate = phase === "readiness_check" || phase === "completed";
  const isPut = isLate || (phase === "decision_review" && classified);
  const readiness = files.get("readiness.md")?.text;
  const isOpen = readiness !== undefined && hasFault(acceptanceFaults(readiness), "unresolved");
  return [
    ...passedUnsound(events, errors),
    ...reviewsUnkept(reviews),
    ...templatesLeft(state, files, classified || isLate),
    ...(classified && isOpen
      ? ["readiness.md has unresolved questions after question_classified"]
      : []),
    ...(readiness !== undefined && isPut ? unansweredItems(reviews, readiness) : []),
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
function reviewsUnkept(reviews: readonly Review[]): string[] {
  const firstBy = new Map<string, number>();
  return reviews.flatMap(({ seq, text }) => {
    if (text === undefined) return [`seq ${seq}: ${fault("no heading").text}`];
    const lines = withoutItemIds(text).split("\n");
    const labels = new Set(lines.map((line) => line.trim()));
    const missing = reviewSections.filter((section) => !labels.has(section));
    const words = lines
      .join(" ")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
    const earlier = firstBy.get(words) ?? seq;
    firstBy.set(words, earlier);
    const isUncited = citationsIn(lines, new Set()).length === 0;
    const review = `the review of seq ${seq}`;
    const lacks = `review.md: ${review} lacks ${missing.join(" ")}`;
    const same = `${review} says word for word what that of seq ${earlier} says`;
    return [
      ...(missing.length === 0 ? [] : [lacks]),
      ...(earlier === seq ? [] : [same]),
      ...(isUncited ? [`${review} cites nothing: no FILE:LINE in it can be looked up`] : []),
    ];
  });
}

/** A proposal counts from its submission, the decisions from when the others are asked to accept them. */
function templatesLeft(
  { phase, settings }: CollaborationState,
  files: Files,
  isPut: boolean,
): string[] {
  if (phase === "new" || phase === "drafting") return [];
  const judged = ["proposal.md", ...(isPut ? ["decisions.md"] : [])];
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

/** What reviews require and ask that no classified line of readiness.md names, once the owner has classified. */
function unansweredItems(reviews: readonly Review[], readiness: string): string[] {
  const answered = answeredIds(readiness);
  return reviews
    .flatMap(({ from, seq, text = "" }) => reviewItems(text, seq).map((it) => ({ ...it, from })))
    .filter(({ id }) => !answered.has(id))
    .map(({ id, from, text }) => {
      const what = `which ${inline(from)} ${id.startsWith("R") ? "requires" : "asks"}: ${inline(text, 200)}`;
      const way = `write a line such as "- [resolved] ${id}: <what became of it>"`;
      return `readiness.md does not answer ${id}, ${what}; ${way}`;
    });
}
