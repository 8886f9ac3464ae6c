import { inline } from "../../base/json.ts";
import type { LogEvent } from "../../log/event.ts";
import { citedPlace } from "../../protocol/citations.ts";
import type { Files, Unkept } from "../../protocol/protocol.ts";
import { type FirstSeen, reviewCitations } from "./first-seen.ts";
import { reviewEntry, reviewHeadings } from "./review-entries.ts";
import { answeredIds, type ReviewItem, reviewItems, withoutItemIds } from "./review-items.ts";
import { reviewSections } from "./review-text.ts";
import { type CollaborationState, named } from "./state.ts";

/** A review of the log with its text; undefined text where review.md has no such entry. */
interface Review {
  readonly seq: number;
  readonly from: string;
  readonly text: string | undefined;
  /** As `citedPlace` shows it. */
  readonly cited: readonly string[];
}

/** What a script can tell of reviews: a form that is not kept, no citation, the words of another one. */
export function reviewMarks(
  events: readonly LogEvent[],
  files: Files,
  seen: ReadonlyMap<number, FirstSeen>,
): Unkept[] {
  const firstBy = new Map<string, Review>();
  return reviewsIn(events, files).flatMap((review): Unkept[] => {
    const { seq, from, text, cited } = review;
    const fixers = [from];
    // In the words of the validator.
    const headless = `seq ${seq}: review_submitted requires matching review.md heading`;
    if (text === undefined) return [{ rule: "review", text: headless, fixers }];
    const lines = new Set(text.split("\n").map((line) => line.trim()));
    const missing = reviewSections.filter((section) => !lines.has(section));
    const lacks = `review.md: the review of seq ${seq} lacks ${missing.join(" ")}`;
    const print = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
    const earlier = firstBy.get(print);
    if (earlier === undefined) firstBy.set(print, review);
    const same = `the review of seq ${seq} says word for word what that of seq ${earlier?.seq} says`;
    // Somebody else may have written the notes: only what the review itself says is ever told.
    const absent = (seen.get(seq)?.absent ?? []).filter((place) => cited.includes(place));
    const unseen = `the review of seq ${seq} cites ${absent.join(", ")}, which was not there when it was submitted`;
    const uncited = `the review of seq ${seq} cites nothing: no FILE:LINE in it can be looked up`;
    return [
      ...(missing.length === 0 ? [] : [{ rule: "review", text: lacks, fixers }]),
      ...(earlier === undefined ? [] : [{ rule: "same review", text: same, fixers }]),
      ...(cited.length > 0 ? [] : [{ rule: "citation", text: uncited, fixers }]),
      ...(absent.length === 0 ? [] : [{ rule: "absent", text: unseen, fixers: [] }]),
    ];
  });
}

/**
 * What reviews require and ask that no classified line of readiness.md names. Due as soon as the owner
 * has classified; before that it is what the owner has to do.
 */
export function unansweredItems(
  { owner, phase, classified }: CollaborationState,
  events: readonly LogEvent[],
  files: Files,
): { readonly due: Unkept[]; readonly ahead: Unkept[] } {
  const readiness = files.get("readiness.md")?.text;
  if (readiness === undefined || !["revising", ...decided].includes(phase)) return none;
  const answered = answeredIds(readiness);
  const reviews = files.get("review.md")?.text ?? "";
  const open = reviewsIn(events, files)
    .filter(({ text }) => text !== undefined)
    .flatMap(({ from, seq }) => reviewItems(reviews, from, seq))
    .filter(({ id }) => !answered.has(id))
    .map((item) => ({ rule: "answer", text: unansweredText(item), fixers: [owner] }));
  const isDue = phase !== "revising" && (classified || phase !== "decision_review");
  return isDue ? { due: open, ahead: [] } : { due: [], ahead: open };
}

const decided: readonly string[] = ["decision_review", "readiness_check", "completed"];
const none = { due: [], ahead: [] };

function unansweredText({ id, by, text }: ReviewItem): string {
  const what = id.startsWith("R") ? "requires" : "asks";
  return `readiness.md does not answer ${id}, which ${inline(by)} ${what}: ${inline(text, 200)}; write a line such as "- [resolved] ${id}: <what became of it>"`;
}

function reviewsIn(events: readonly LogEvent[], files: Files): Review[] {
  const reviews = files.get("review.md")?.text;
  if (reviews === undefined) return [];
  const headings = reviewHeadings(reviews);
  return events
    .filter(({ event }) => event === "review_submitted")
    .map(({ seq, from }) => {
      if (headings.get(seq) !== from) return { seq, from, text: undefined, cited: [] };
      const entry = reviewEntry(reviews, from, seq);
      const text = withoutItemIds(entry.join("\n"));
      return { seq, from, text, cited: reviewCitations(entry).map(citedPlace) };
    });
}

/** What an acceptance is about. */
export const acceptedDocuments = ["proposal.md", "decisions.md"] as const;

/** The documents that say something else than when a participant accepted them. */
export function changedSinceAcceptance(
  state: CollaborationState,
  events: readonly LogEvent[],
  seen: ReadonlyMap<number, FirstSeen>,
  files: Files,
): Unkept[] {
  const acceptances = acceptancesIn(state, events);
  return acceptedDocuments.flatMap((path) => {
    const now = files.get(path)?.sha256;
    const before = acceptances.filter(({ seq }) => {
      const then = seen.get(seq)?.docs[path];
      return then !== undefined && then !== now;
    });
    if (before.length === 0) return [];
    const who = before.map(({ seq, from }) => `${named([from])} (seq ${seq})`).join(", ");
    const text = `${path} was changed after it was accepted by ${who}: ${wayBack(state)}`;
    return [{ rule: "accepted", text, fixers: [state.owner] }];
  });
}

function wayBack({ phase }: CollaborationState): string {
  return phase === "decision_review"
    ? "put it again with decision_proposed, or restore it"
    : "restore it as it was accepted";
}

/** The acceptances that count: each participant's newest that broke no rule, since the last void. */
function acceptancesIn(state: CollaborationState, events: readonly LogEvent[]): LogEvent[] {
  const broken = new Set(state.faults.map(({ seq }) => seq));
  return state.accepted.flatMap((name) => {
    const own = events.findLast(
      ({ event, from, seq }) => event === "decision_accepted" && from === name && !broken.has(seq),
    );
    return own === undefined ? [] : [own];
  });
}
