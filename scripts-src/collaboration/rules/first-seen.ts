import { isRecord, isStringArray, parseJsonObject } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import type { LogEvent } from "../../log/event.ts";
import { type Citation, citationsIn } from "../../protocol/citations.ts";
import type { FirstSeenNotes, SeenThen } from "../../protocol/protocol.ts";
import { reviewEntry } from "./review-entries.ts";

/**
 * What our scripts saw of an event when they first met it, one JSON line each: the log cannot tell by
 * itself that one of its lines was rewritten, nor what the documents said when they were submitted.
 */
export const firstSeenFile = ".first-seen.jsonl";

/** What the owner leaves alone while the others review. */
export const reviewedDocuments = ["proposal.md", "decisions.md", "readiness.md"] as const;

/** See `KindTraits.firstSeen`. */
export const firstSeenNotes: FirstSeenNotes = {
  file: firstSeenFile,
  documentsOf,
  keptOf: ({ event }) =>
    event === "proposal_submitted" || event === "proposal_revised" ? ["proposal.md"] : [],
  keptIn: ".versions",
  citingDocument: ({ event }) => (event === "review_submitted" ? "review.md" : undefined),
  citationsOf: ({ from, seq }, reviews) => reviewCitations(reviewEntry(reviews, from, seq)),
  lineOf: firstSeenLine,
  lastSeq: (text) => Math.max(0, ...readFirstSeen(text).keys()),
};

export interface FirstSeen {
  readonly seq: number;
  readonly event: string;
  /** See `printOf`. */
  readonly print: string;
  /** SHA-256 of the documents at that time; only of the events that `documentsOf` names. */
  readonly docs: Readonly<Record<string, string>>;
  /** What a review cited and was not there then, as `citedPlace` shows it. */
  readonly absent: readonly string[];
}

/** What a review cites. */
export function reviewCitations(entry: readonly string[]): readonly Citation[] {
  return citationsIn(entry, new Set()).citations;
}

/** Documents are noted beside what was reviewed, and what was accepted. */
function documentsOf({ event }: LogEvent): readonly string[] {
  const isNoted = ["proposal_submitted", "review_submitted", "decision_accepted"].includes(event);
  return isNoted ? reviewedDocuments : [];
}

function firstSeenLine(event: LogEvent, { hashes, absent }: SeenThen): string {
  const { seq, event: name } = event;
  const noted = {
    ...(Object.keys(hashes).length === 0 ? {} : { docs: hashes }),
    ...(absent.length === 0 ? {} : { absent }),
  };
  return `${JSON.stringify({ seq, event: name, print: printOf(event), ...noted })}\n`;
}

/**
 * The notes by seq. Several may have noted one event: the first counts, and what any of them found
 * absent. What is no note is passed over.
 */
export function readFirstSeen(text: string): Map<number, FirstSeen> {
  const found = new Map<number, FirstSeen>();
  for (const line of text.split("\n")) {
    const seen = parse(line);
    if (seen === undefined) continue;
    const first = found.get(seen.seq);
    found.set(seen.seq, first === undefined ? seen : { ...first, absent: both(first, seen) });
  }
  return found;
}

function both(one: FirstSeen, other: FirstSeen): string[] {
  return [...new Set([...one.absent, ...other.absent])].slice(0, limits.absentCitations);
}

function parse(line: string): FirstSeen | undefined {
  const value = parseJsonObject(line);
  if (value === undefined) return undefined;
  const { seq, event, print, docs, absent } = value;
  if (typeof seq !== "number" || typeof event !== "string" || typeof print !== "string")
    return undefined;
  // Somebody else may have put the file here: only names of ours are ever told.
  const hashes = reviewedDocuments.flatMap((path) => {
    const hash = isRecord(docs) ? docs[path] : undefined;
    return typeof hash === "string" ? [[path, hash] as const] : [];
  });
  const absentThen = isStringArray(absent) ? absent.slice(0, limits.absentCitations) : [];
  return { seq, event, print, docs: Object.fromEntries(hashes), absent: absentThen };
}

/** 53 bits that tell an event from another text of it, whatever the order of its keys; no proof against forgery. */
export function printOf(event: LogEvent): string {
  // The log itself adds the hash of the line before it.
  const keys = Object.keys(event)
    .filter((key) => key !== "prev")
    .sort();
  const text = JSON.stringify(keys.map((key) => [key, event[key]]));
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (4_294_967_296 * (2_097_151 & low) + (high >>> 0)).toString(36);
}
