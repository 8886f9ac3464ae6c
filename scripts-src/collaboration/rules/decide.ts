import { type JsonObject, type JsonValue, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { meantHint } from "../../base/nearest-name.ts";
import { defined } from "../../base/omit-undefined.ts";
import { instantOf, isoSecond } from "../../base/time.ts";
import type { LogEvent } from "../../log/event.ts";
import {
  type Addition,
  type Closing,
  type Decision,
  type Files,
  refuse,
  type Submission,
} from "../../protocol/protocol.ts";
import {
  deliverableFault,
  deliverableFileFault,
  deliverableOf,
  isDeliverableEvent,
} from "./deliverable-rules.ts";
import { type CollaborationDraft, parseEventDraft } from "./draft.ts";
import { fault } from "./faults.ts";
import { marker } from "./files.ts";
import { allowedEvents, isKnownEvent, knownEvents, transitionFaults } from "./machine.ts";
import { obligationLines, obligationsBefore } from "./obligations.ts";
import { acceptanceFaults } from "./readiness.ts";
import { reviewAddition, reviewFault } from "./reviews.ts";
import { standing } from "./session-status.ts";
import { participantFault, type Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";

/** Decides on one event, in the original's order of checks (originals.md 2.3). */
export function decide(state: CollaborationState, submission: Submission): Decision {
  const { settings } = state;
  const { participant, fields, files } = submission;
  if (settings.fault !== "") return refuse(settings.fault);
  const closed = submission.origin === "close" ? closedAlready(state, fields) : undefined;
  if (closed !== undefined) return closed;
  const draft = whoFault(state, submission) ?? parseEventDraft(fields, participant);
  const reason = typeof draft === "string" ? draft : firstFault(state, draft, files);
  if (typeof draft === "string" || reason !== undefined) {
    return refuse(`${reason}${wayOut(state, participant, fields["event"])}`);
  }
  const event = eventOf(state, draft, submission.at);
  const additions = additionsOf(event, draft.review, files);
  return additions.length === 0 ? { ok: true, event } : { ok: true, event, additions };
}

function whoFault(state: CollaborationState, { participant, fields }: Submission) {
  const { event: name } = fields;
  if (typeof name !== "string" || isKnownEvent(state, name)) {
    return participantFault(state.settings, participant);
  }
  return `${fault("unknown event", quote(name)).text}${meantHint(name, knownEvents(state))}`;
}

/** The review that comes with an event; of a proposal a copy, for its next version replaces it. */
function additionsOf(event: LogEvent, review: string | undefined, files: Files): Addition[] {
  if (review !== undefined) return [reviewAddition(review, event)];
  const path = proposalVersion(event);
  const text = files.get("proposal.md")?.text;
  return path === undefined || text === undefined ? [] : [{ as: "file", path, text }];
}

/** Where an event keeps the proposal as it then was; undefined for one that keeps none. */
export function proposalVersion({ event, seq }: Pick<LogEvent, "event" | "seq">) {
  const isHandedIn = event === "proposal_submitted" || event === "proposal_revised";
  return isHandedIn ? `.versions/${seq}-proposal.md` : undefined;
}

/** The submission of `close`: only participants can write events, so the owner enters what the user says. */
export function closing(state: CollaborationState, by: string, reason: string): Closing {
  const { seq } = state;
  const { initiator } = standing(state);
  const summary = `closed by ${by}: ${reason}`.slice(0, limits.summaryCharacters).toWellFormed();
  const fields = { event: "blocked", summary, ...(seq === 0 ? {} : { reply_to: seq }) };
  return { participant: by === initiator ? by : initiator, origin: "close", fields };
}

/** Two that close at once close it once. */
function closedAlready(state: CollaborationState, fields: JsonObject): Decision | undefined {
  const { phase, blocked } = state;
  if (blocked !== null && blocked.reason === fields["summary"])
    return { ok: true, already: blocked.seq };
  if (phase !== "blocked" && phase !== "completed") return undefined;
  return refuse(`the collaboration has ended (${phase}); see its report`);
}

/** The first reason against a draft; the next one is told when this one is fixed. */
function firstFault(
  state: CollaborationState,
  draft: CollaborationDraft,
  files: Files,
): string | undefined {
  const { settings } = state;
  return (
    replyFault(state, draft) ??
    deliverableFault(settings, draft)?.text ??
    deliverableFileFault(settings, draft, files) ??
    ruleFault(state, draft, files) ??
    extensionFault(draft, files) ??
    documentFault(state, draft, files) ??
    submittedReviewFault(draft, settings)
  );
}

function documentFault(
  state: CollaborationState,
  draft: CollaborationDraft,
  files: Files,
): string | undefined {
  const { settings } = state;
  const view = { state, participant: draft.from, files };
  const owed = obligationsBefore(view, draft.event, deliverableOf(settings, draft));
  const blocking = owed.filter(({ blocks }) => blocks);
  const faults = [...obligationLines(view, blocking), ...docFaults(settings, draft, files)];
  return faults.length === 0 ? undefined : faults.join("; ");
}

/** What is wrong with the document that an event names; `blocked` must always be possible. */
function docFaults(settings: Settings, draft: CollaborationDraft, files: Files): string[] {
  const { event, doc, review } = draft;
  const isWrittenNow = review !== undefined && doc === "review.md";
  if (doc === undefined || isWrittenNow || event === "blocked") return [];
  const fact = files.get(doc);
  if (isDeliverableEvent(settings, event) || (fact && fact.fault === undefined)) return [];
  if (fact !== undefined) return [`doc ${quote(doc)} ${fact.fault}`];
  return [`doc ${quote(doc)} is no file in the collaboration folder: write it, or leave --doc out`];
}

function replyFault(
  { seq, proposalSeq }: CollaborationState,
  draft: CollaborationDraft,
): string | undefined {
  const { replyTo } = draft;
  if (replyTo === undefined) {
    if (seq === 0) return undefined;
    const answered = proposalSeq > 0 ? proposalSeq : seq;
    return `${fault("no reply").text}: give --reply-to ${answered}, or the event that you answer`;
  }
  if (replyTo >= 1 && replyTo <= seq) return undefined;
  const range = seq === 0 ? "there is none yet, leave it out" : `give 1 to ${seq}`;
  return `reply_to must point to an existing event: it is ${replyTo}; ${range}`;
}

/** What the rules hold against it; of an acceptance the original tells the open questions as well. */
function ruleFault(
  state: CollaborationState,
  draft: CollaborationDraft,
  files: Files,
): string | undefined {
  const faults = transitionFaults(state, draft);
  if (faults.length === 0) return undefined;
  const readiness = draft.event === "decision_accepted" ? files.get("readiness.md")?.text : "";
  const all = [...faults, ...acceptanceFaults(readiness ?? "")];
  return all
    .map(({ code, text }) => (code === "not first" ? text : `seq ${state.seq + 1}: ${text}`))
    .join("; ");
}

function extensionFault(
  { event, allowExtension }: CollaborationDraft,
  files: Files,
): string | undefined {
  if (event !== "unblocked" || allowExtension || files.has(marker)) return undefined;
  return (
    "unblocked is an event of Consulta alone, and this folder was not made by it: a peer with " +
    "the original scripts could not append any more; give --allow-extension when there is none, " +
    "or begin a new collaboration with init"
  );
}

function submittedReviewFault(
  { event, review }: CollaborationDraft,
  settings: Settings,
): string | undefined {
  if (review === undefined) return undefined;
  if (event === "review_submitted") return reviewFault(review, settings);
  return `a review belongs to review_submitted, not to ${event}: leave --review out`;
}

/** Readers of the original compare lines: these keys in this order and no others. */
function eventOf(state: CollaborationState, draft: CollaborationDraft, at: string): LogEvent {
  const { event, from, summary, doc, replyTo, role, sha256 } = draft;
  return {
    seq: state.seq + 1,
    from,
    event,
    at: timeAfter(state.lastAt, at),
    summary,
    ...defined({ doc, reply_to: replyTo, role, sha256 }),
  };
}

/** Whole UTC seconds, never before the last event, whose clock may have been ahead. */
function timeAfter(last: string, now: string): string {
  const seconds = Math.floor((instantOf(now) ?? 0) / 1_000);
  const lastSeconds = Math.ceil((instantOf(last) ?? 0) / 1_000);
  return isoSecond(Math.min(Math.max(seconds, lastSeconds), lastSecond) * 1_000);
}

/** 9999-12-31T23:59:59Z: years of five digits are no times to the original. */
const lastSecond = 253_402_300_799;

/** What ends every refusal: what would be accepted now beside it, or who has to act before. */
function wayOut(
  state: CollaborationState,
  participant: string,
  rejected: JsonValue | undefined,
): string {
  const { waitingFor } = state;
  const isTurn = waitingFor.includes(participant);
  const awaited = isTurn || waitingFor.length === 0 ? "" : `; waiting for ${waitingFor.join(", ")}`;
  const possible = allowedEvents(state, participant);
  const again = possible.some((event) => event === rejected)
    ? `; then append ${rejected} again`
    : "";
  const allowed = possible.filter((event) => event !== rejected).join(", ");
  if (allowed === "") return `${again}${awaited}; run next-action`;
  const supporting = state.settings.deliverables?.supporting.length ?? 0;
  const more = supporting === 0 ? "" : ", or a deliverable event with --role supporting";
  return `${again}${awaited}; you may append now: ${allowed}${more}; run next-action`;
}
