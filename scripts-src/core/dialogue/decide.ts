import type { JsonValue } from "../json.ts";
import { limits } from "../limits.ts";
import { type Closing, type Decision, refuse, type Submission } from "../protocol.ts";
import { fileStamp, nextStamp, notBefore } from "../time.ts";
import { type Judged, judge, newDisagreements } from "./assess.ts";
import { blanksIn } from "./blanks.ts";
import { type DialogueEvent, parseMessage, seal } from "./event.ts";
import { hashOf, normalized } from "./markers.ts";
import {
  type CheckedDraft,
  type Message,
  type MessageType,
  parseDraft,
  usualProjectState,
} from "./message.ts";
import { isEarly, refusalsFor, roundOfNext } from "./refusals.ts";
import { type DialogueState, hasEnded, otherThan, sideOf } from "./state.ts";

/** Decides on one submission; see DESIGN section 6 for the rules it enforces. */
export function decide(state: DialogueState, submission: Submission): Decision {
  const { participant, fields } = submission;
  if (submission.origin === "close") return decideClosing(state, submission);
  if (!state.participants.includes(participant)) {
    return refuse(
      `${participant} is not in session ${state.id}; its participants are ${state.participants.join(" and ")}`,
    );
  }
  const { message } = fields;
  if (message === undefined)
    return refuse("a dialogue event carries a message; give --message FILE, or - and the text");
  const foreign = submission.origin === "inbox";
  const unfilled = foreign ? [] : blanksIn(message);
  if (unfilled.length > 0) return refuse(unfilledText(unfilled));
  const draft = parseDraft(message, !foreign);
  if (Array.isArray(draft))
    return refuse(`the message is malformed: ${draft.slice(0, 4).join("; ")}`);
  const hash = hashOf(JSON.stringify(draft));
  const { lastDraft, unanswered } = sideOf(state, participant);
  if (lastDraft.hash === hash) {
    const answered =
      state.turn.includes(participant) && unanswered.some(({ seq }) => seq > lastDraft.seq);
    if (!answered) return { ok: true, already: lastDraft.seq };
    return refuse(
      `word for word your message ${lastDraft.seq}, which is sent and has been answered since; ` +
        "run next-action, and say what is new",
    );
  }
  const attempt = judge({ state, draft, sender: participant, foreign, files: submission.files });
  const refusals = refusalsFor(attempt);
  if (refusals.length > 0) return refuse(refusals.join("; also: "), isEarly(attempt));
  const complete: JsonValue = toJson(completeMessage(attempt, submission.at));
  // What is filled in counts towards the limits too: nothing is stored that cannot be read back.
  const whole = parseMessage(complete);
  if (Array.isArray(whole))
    return refuse(`completed, the message is too large: ${whole.join("; ")}`);
  const event = eventFor(attempt, submission, whole, hash);
  return { ok: true, event, remarks: remarksOn(attempt) };
}

function unfilledText(unfilled: string[]): string {
  const more = unfilled.length > 8 ? `, and ${unfilled.length - 8} more` : "";
  return (
    `the draft is not filled in: ${unfilled.slice(0, 8).join(", ")}${more}; write what you have to say, ` +
    "choose one of a|b, name a file that is there; leave out a list that you have nothing for"
  );
}

/** What was accepted and does less than its sender may think. */
function remarksOn({ state, draft }: Judged): string[] {
  const { type, confidence = 0 } = draft;
  const threshold = state.rules.consensus_confidence_threshold;
  if (type !== "AGREE" || confidence >= threshold) return [];
  return [`this AGREE does not count yet: confidence ${confidence} is below ${threshold}`];
}

function eventFor(attempt: Judged, submission: Submission, message: Message, hash: string) {
  const { state, draft, sender, assessment } = attempt;
  const sent: Extract<DialogueEvent, { event: "message_sent" }> = {
    event: "message_sent",
    message,
    origin: submission.origin,
    file: fileNameOf(state, message, submission.at),
    draft: hash,
    assessment,
  };
  const envelope = {
    seq: state.seq + 1,
    from: sender,
    event: "message_sent",
    at: notBefore(state.lastAt, submission.at),
    summary: `${draft.type} to ${message.to}`,
    id: submission.id,
  };
  if (state.phase !== "sealing" || draft.type !== "RESPONSE")
    return { ...envelope, ...toJson(sent) };
  const sealed = seal(toJson(sent));
  return {
    ...envelope,
    event: "position_sealed",
    summary: "position, sealed",
    sealed,
    draft: hash,
  };
}

/** Leaves out what is absent, as the log will. */
function toJson(value: DialogueEvent | Message) {
  return JSON.parse(JSON.stringify(value));
}

/** The submission of `close`. */
export function closing(_state: DialogueState, by: string, reason: string): Closing {
  return { participant: by, origin: "close", fields: { reason } };
}

/**
 * Ends a session without a result; everything said stays. The event is one that earlier versions
 * read: to them it is an escalation.
 */
function decideClosing(state: DialogueState, submission: Submission): Decision {
  const { participant: by, at, id } = submission;
  if (hasEnded(state)) return refuse(`session ${state.id} has ended (${state.phase})`);
  const reason = String(submission.fields["reason"]);
  const event = {
    seq: state.seq + 1,
    from: state.participants.includes(by) ? by : "consulta",
    event: "escalated",
    at: notBefore(state.lastAt, at),
    summary: `closed by ${by}: ${reason}`.slice(0, limits.summaryCharacters).toWellFormed(),
    id,
    closed_by: by,
    reason,
  };
  return { ok: true, event };
}

/**
 * Fills in what the sender left out, in the seed's order of fields: who, when, which round, the
 * lists as they stand, and whether an answer is due (originals.md 1.2).
 */
function completeMessage(attempt: Judged, at: string): Message {
  const { state, draft, sender, foreign } = attempt;
  // Only a foreign colleague stamps its own messages; a draft sent again must not keep old marks.
  const given = foreign ? draft : undefined;
  const timestamp = given?.timestamp ?? nextStamp(state.lastStamp, at);
  const round = Math.max(draft.round ?? 0, roundOfNext(state), state.lastRound);
  const disagreements = pendingAfter(attempt);
  const proposal = draft.question_or_proposal;
  return {
    ...draft,
    id: given?.id ?? `${state.id}-${fileStamp(timestamp)}`,
    session_id: state.id,
    timestamp,
    from: sender,
    to: otherThan(state, sender),
    type: draft.type,
    round,
    expects_reply: draft.expects_reply ?? expectsReply(draft.type, disagreements.length),
    context: completeContext(state, draft),
    question_or_proposal: { ...proposal, type: proposal.type ?? kindOf(draft.type) },
    agreements_so_far: draft.agreements_so_far ?? state.agreements,
    disagreements_pending: disagreements,
    meta: { ...draft.meta, round_budget_remaining: Math.max(0, state.budget) },
  };
}

function completeContext(state: DialogueState, draft: CheckedDraft): Message["context"] {
  const stands =
    `Round ${roundOfNext(state)}. Agreed: ${state.agreements.join("; ") || "nothing yet"}. ` +
    `Disputed: ${state.disagreements.map(({ point }) => point).join("; ") || "nothing"}.`;
  return {
    user_instructions: draft.context?.user_instructions ?? (state.goal || state.topic),
    project_state: draft.context?.project_state ?? usualProjectState,
    conversation_summary: draft.context?.conversation_summary ?? stands,
  };
}

/** What is disputed once this message stands. */
function pendingAfter(attempt: Judged): string[] {
  const { state, draft, foreign } = attempt;
  if (foreign && draft.disagreements_pending !== undefined) return draft.disagreements_pending;
  const settled = new Set((draft.resolved ?? []).map(({ point }) => normalized(point ?? "")));
  const failed = (draft.checks ?? [])
    .filter(({ outcome }) => outcome === "fails")
    .map(({ claim }) => `claim ${claim} does not hold`);
  return [
    ...state.disagreements
      .map(({ point }) => point)
      .filter((point) => !settled.has(normalized(point))),
    ...newDisagreements(attempt),
    ...failed,
  ];
}

/** Named by our own stamp, also where a foreign colleague chose another time or file name. */
function fileNameOf(state: DialogueState, message: Message, at: string): string {
  const stamp = fileStamp(nextStamp(state.lastStamp, at));
  return `${state.id}-${stamp}-${message.from}-${message.type.toLowerCase()}.json`;
}

function expectsReply(type: MessageType, disagreements: number): boolean {
  if (type === "AGREE") return disagreements > 0;
  return type !== "CONSENSUS" && type !== "ESCALATE";
}

function kindOf(type: MessageType): "question" | "proposal" {
  return type === "REQUEST" || type === "CLARIFY" || type === "TASK_ASSIGN"
    ? "question"
    : "proposal";
}
