import { inline } from "../../base/json.ts";
import { linesOf } from "../../base/markdown.ts";
import { plural } from "../../base/plural.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Files, Inspection, RuleGuide, Unkept } from "../../protocol/protocol.ts";
import { hasFault } from "./faults.ts";
import {
  type FirstSeen,
  firstSeenFile,
  printOf,
  readFirstSeen,
  reviewedDocuments,
} from "./first-seen.ts";
import { gateMarks } from "./gate-checks.ts";
import { acceptanceFaults } from "./readiness.ts";
import { changedSinceAcceptance, reviewMarks, unansweredItems } from "./review-marks.ts";
import type { Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";
import { documentsFor } from "./templates.ts";

/**
 * Which rules of the seed are not kept that the originals do not look at (originals.md 2.9): validate
 * warns, `next-action` tells who can put it right, the report marks it, a strict folder rejects it. Nothing
 * passes a folder that does not validate.
 */
export function unkeptRules(
  state: CollaborationState,
  events: readonly LogEvent[],
  files: Files,
  errors: readonly string[],
): Unkept[] {
  const seen = readFirstSeen(files.get(firstSeenFile)?.text ?? "");
  return [
    ...passedUnsound(state, events, errors),
    ...reviewMarks(events, files, seen),
    ...templatesLeft(state, files),
    ...classifiedUnsettled(state, files),
    ...unansweredItems(state, events, files).due,
    ...changedSinceAcceptance(state, events, seen, files),
    ...gateMarks(state, files),
    ...editedInReview(state, seen, files),
    ...rewritten(events, seen),
  ];
}

/** What a participant has to put right before it passes, and what it can put right. */
export function unkeptGuide(
  { phase, waitingFor }: CollaborationState,
  participant: string,
  { errors, unkept = [], ahead = [] }: Inspection,
): RuleGuide {
  const isOwn = ({ fixers }: Unkept) =>
    fixers.length === 0 || fixers.some((name) => name === participant);
  const isPassing = phase === "readiness_check" && waitingFor.includes(participant);
  const invalid = isPassing ? invalidText(errors) : undefined;
  // Then the fault itself is told.
  const own = unkept.filter((it) => isOwn(it) && (invalid === undefined || it.rule !== "sound"));
  return {
    obligations: invalid === undefined ? [] : [invalid],
    advice: [
      ...own.map(({ text }) => `Not kept: ${text}.`),
      ...ahead.filter(isOwn).map(({ text }) => `Before question_classified: ${text}.`),
    ],
  };
}

/** Whether an event is judged by all that the folder holds. */
export function isJudgedByAll({ settings }: CollaborationState, { event }: LogEvent): boolean {
  if (event === "blocked" || event === "unblocked") return false;
  return isPass(event) || isStrict(settings);
}

export function isStrict({ raw }: Settings): boolean {
  return raw["strict"] === true;
}

/** The seed lets both pass only where the validator does. */
function isPass(event: string): boolean {
  return event === "readiness_passed" || event === "completed";
}

/** Why an event is rejected that is judged so; undefined when it is not. */
export function unkeptFault(
  { settings }: CollaborationState,
  { event }: LogEvent,
  before: Inspection,
  after: Inspection,
): string | undefined {
  const invalid = isPass(event) ? invalidText(before.errors) : undefined;
  const [first, ...more] = isStrict(settings) ? unkeptAfter(event, before, after) : [];
  if (first === undefined && invalid === undefined) return undefined;
  const strict =
    first === undefined ? [] : [`this folder was begun with --strict: ${first}${andMore(more)}`];
  const told = [...(invalid === undefined ? [] : [invalid]), ...strict].join("; ");
  return `${told}; put it right and append ${event} again, or append blocked`;
}

/** What was reviewed must still be what was submitted; what is past nobody can put right. */
function unkeptAfter(event: string, before: Inspection, after: Inspection): string[] {
  const edited = (before.unkept ?? []).filter(
    ({ rule }) => rule === "reviewing" && event === "review_submitted",
  );
  const left = (after.unkept ?? []).filter(
    ({ rule }) => !["sound", "edited", "absent"].includes(rule),
  );
  return [...new Set([...edited, ...left].map(({ text }) => text))];
}

function invalidText([first, ...more]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  return `the folder does not validate: ${inline(first, 400)}${andMore(more)}`;
}

function andMore(more: readonly string[]): string {
  return more.length === 0 ? "" : `, and ${more.length} more like this (run validate)`;
}

function passedUnsound(
  { owner }: CollaborationState,
  events: readonly LogEvent[],
  errors: readonly string[],
): Unkept[] {
  const [first, ...more] = errors;
  const passed = events.findLast(({ event }) => isPass(event));
  if (passed === undefined || first === undefined) return [];
  const text = `seq ${passed.seq}: ${passed.event} over a folder that does not validate (${inline(first, 400)}${andMore(more)})`;
  return [{ rule: "sound", text, fixers: [owner] }];
}

/** A proposal counts from its submission, the decisions from when the others are asked to accept them. */
function templatesLeft(state: CollaborationState, files: Files): Unkept[] {
  const { phase, owner, settings, classified } = state;
  if (phase === "new" || phase === "drafting") return [];
  const asked = classified || phase === "readiness_check" || phase === "completed";
  const judged = ["proposal.md", ...(asked ? ["decisions.md"] : [])];
  const templates = new Map(documentsFor(settings).map(({ path, text }) => [path, text]));
  return judged.flatMap((path) => {
    const text = files.get(path)?.text;
    const isLeft = text !== undefined && isTemplate(text, templates.get(path) ?? "", settings);
    return isLeft
      ? [{ rule: "template", text: `${path} is still its template`, fixers: [owner] }]
      : [];
  });
}

/** Ours, or another's of which all that is left are headings, the objective and places to fill in. */
function isTemplate(text: string, template: string, { objective }: { objective: string }): boolean {
  const given = new Set([...linesOf(template), ...linesOf(objective)].map((line) => line.trim()));
  return linesOf(text)
    .map((line) => line.trim())
    .every((line) => line === "" || given.has(line) || /^(?:#|(?:[-*]\s+)?TBD\b)/.test(line));
}

function classifiedUnsettled({ classified, owner }: CollaborationState, files: Files): Unkept[] {
  const readiness = files.get("readiness.md")?.text;
  if (!classified || readiness === undefined) return [];
  const isOpen = hasFault(acceptanceFaults(readiness), "unresolved");
  const text = "readiness.md has unresolved questions after question_classified";
  return isOpen ? [{ rule: "classified", text, fixers: [owner] }] : [];
}

function editedInReview(
  { phase, proposalSeq, owner }: CollaborationState,
  seen: ReadonlyMap<number, FirstSeen>,
  files: Files,
): Unkept[] {
  const found: Unkept[] = [];
  let submitted: FirstSeen | undefined;
  for (const note of [...seen.values()].sort((one, other) => one.seq - other.seq)) {
    if (note.event === "proposal_submitted") submitted = note;
    if (note.event !== "review_submitted" || submitted === undefined) continue;
    const { seq } = submitted;
    for (const path of changed(submitted.docs, note.docs)) {
      const text = `${path} was edited between seq ${seq} and seq ${note.seq}, while others reviewed it`;
      found.push({ rule: "edited", text, fixers: [] });
    }
    submitted = note;
  }
  const base = phase === "reviewing" ? seen.get(proposalSeq) : undefined;
  const now = reviewedDocuments.flatMap((path) => {
    const hash = files.get(path)?.sha256;
    return hash === undefined ? [] : [[path, hash] as const];
  });
  for (const path of changed(base?.docs ?? {}, Object.fromEntries(now))) {
    const text = `${path} was edited after seq ${proposalSeq}, while others review it: restore it as it was submitted`;
    found.push({ rule: "reviewing", text, fixers: [owner] });
  }
  return found;
}

function changed(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(before).flatMap(([path, hash]) =>
    after[path] !== undefined && after[path] !== hash ? [path] : [],
  );
}

/** Whether an event says something else than when it was first seen. */
export function isRewritten(event: LogEvent, seen: ReadonlyMap<number, FirstSeen>): boolean {
  const note = seen.get(event.seq);
  return note !== undefined && note.print !== printOf(event);
}

function rewritten(events: readonly LogEvent[], seen: ReadonlyMap<number, FirstSeen>): Unkept[] {
  const seqs = events.filter((event) => isRewritten(event, seen)).map(({ seq }) => seq);
  if (seqs.length === 0) return [];
  const named = seqs.slice(0, 5).join(", ");
  const which = seqs.length > 5 ? `${named} and ${plural(seqs.length - 5, "more event")}` : named;
  const text = `events.jsonl was rewritten at seq ${which}: it says otherwise than when it was first read here`;
  return [{ rule: "log", text, fixers: [] }];
}
