import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import { fileStamp, millisecondsOf, nextStamp, notBefore, stampIn } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { type EvidenceRecord, parseEvidence } from "../protocol/evidence.ts";
import { type Closing, type Decision, refuse, type Submission } from "../protocol/protocol.ts";
import { judge, newDisagreements, settledPoints } from "./assess.ts";
import { changedRuns } from "./changed-runs.ts";
import { changedText, failText } from "./claims.ts";
import { contextOf, letterFields } from "./delivery.ts";
import { type Sent, seal, toJson } from "./event.ts";
import { evolve } from "./fold.ts";
import { blanksIn, type Message, parseDraft, parseMessage } from "./message.ts";
import { decidePerson } from "./person.ts";
import { isSamePosition, positionOf, statesPosition } from "./positions.ts";
import { hashOf, holdsText, normalized } from "./prose.ts";
import { isEarly, refusalsFor } from "./rules.ts";
import {
  type Claim,
  type DialogueState,
  hasEnded,
  type Judgement,
  otherThan,
  roundOfNext,
  sideOf,
} from "./state.ts";

/** Decides on one submission; see DESIGN section 6 for the rules it enforces. */
export function decide(state: DialogueState, submission: Submission): Decision {
  const { participant, origin, fields } = submission;
  if (origin === "person") return decidePerson(state, submission);
  if (origin === "close") return decideClosing(state, submission);
  if (!state.participants.includes(participant)) return refuse(strangerText(state, participant));
  return fields["evidence"] === undefined
    ? decideMessage(state, submission)
    : decideEvidence(state, submission);
}

function decideMessage(state: DialogueState, submission: Submission): Decision {
  const { participant: sender, origin, fields, files, evidence } = submission;
  const { message } = fields;
  if (message === undefined)
    return refuse("a dialogue event carries a message; give --message FILE, or - and the text");
  const foreign = origin === "inbox";
  const unfilled = foreign ? [] : blanksIn(message);
  if (unfilled.length > 0) return refuse(unfilledText(unfilled));
  const draft = parseDraft(message, !foreign);
  if (Array.isArray(draft))
    return {
      ...refuse(`the message is malformed: ${draft.slice(0, 4).join("; ")}`),
      reasons: draft,
    };
  const hash = hashOf(JSON.stringify(draft));
  const repeated = repeatedDraft(state, sender, hash);
  if (repeated !== undefined) return repeated;
  const judged = judge({ state, draft, sender, foreign, files, evidence });
  const changed = draft.type === "AGREE" && !foreign ? changedRuns(state, sender, files) : [];
  const found = changed.length > 0 ? { changed } : {};
  const attempt = { ...judged, assessment: { ...judged.assessment, ...found } };
  const reasons = refusalsFor(attempt);
  if (reasons.length > 0) return { ...refuse(reasons.join("; also: "), isEarly(attempt)), reasons };
  const unread = unreadLetter(attempt);
  if (unread !== undefined) return refuse(unread);
  // What is filled in counts towards the limits too: nothing is stored that cannot be read back.
  const whole = parseMessage(toJson(completeMessage(attempt, submission.at)));
  if (Array.isArray(whole))
    return refuse(`completed, the message is too large: ${whole.join("; ")}`);
  return {
    ok: true,
    event: eventFor(attempt, submission, whole, hash),
    remarks: remarksOn(attempt),
  };
}

/** What to do with a draft that is, word for word, the participant's last one; undefined for any other. */
function repeatedDraft(state: DialogueState, by: string, hash: string): Decision | undefined {
  const { lastDraft, unanswered } = sideOf(state, by);
  if (lastDraft.hash !== hash) return undefined;
  const isAnswered = state.turn.includes(by) && unanswered.some(({ seq }) => seq > lastDraft.seq);
  if (!isAnswered) return { ok: true, already: lastDraft.seq };
  return refuse(
    `word for word your message ${lastDraft.seq}, which is sent and has been answered since; ` +
      "run next-action, and say what is new",
  );
}

/** A letter by hand may come at any time: nobody answers one that was never put before it. */
function unreadLetter({ state, draft, sender, foreign }: Judgement): string | undefined {
  if (foreign || draft.type === "ESCALATE" || draft.reply_to !== undefined) return undefined;
  const other = otherThan(state, sender);
  const unread = sideOf(state, sender).unanswered.find(
    ({ from, inTurn }) => from === other && inTurn === undefined,
  );
  if (unread === undefined || !sideOf(state, other).byHand) return undefined;
  return `${other} has sent message ${unread.seq} by hand, which you have not read: run next-action, then send yours`;
}

function unfilledText(unfilled: string[]): string {
  const more = unfilled.length > 8 ? `, and ${unfilled.length - 8} more` : "";
  return (
    `the draft is not filled in: ${unfilled.slice(0, 8).join(", ")}${more}; write what you have to say, ` +
    "choose one of a|b, name a file that is there; leave out a list that you have nothing for"
  );
}

/** What was accepted and does less than its sender may think. */
function remarksOn(attempt: Judgement): string[] {
  const { state, draft, sender } = attempt;
  const { type, confidence = 0, position, synthesis } = draft;
  const { changed = [] } = attempt.assessment;
  if (changed.length > 0)
    return changed.map(({ claim, files }) => `${claim} does not count: ${changedText(files)}`);
  if (position !== undefined && synthesis !== undefined && type !== "AGREE") {
    const own = sideOf(state, sender).held.position;
    const isKept = [own, positionOf(attempt)].some((it) => isSamePosition(it, position));
    if (!isKept) return [`your position is now the synthesis; ${inline(position)} is not kept`];
  }
  const threshold = state.rules.consensus_confidence_threshold;
  if (type !== "AGREE" || confidence >= threshold) return [];
  return [`this AGREE does not count yet: confidence ${confidence} is below ${threshold}`];
}

function eventFor(
  attempt: Judgement,
  submission: Submission,
  message: Message,
  draft: string,
): LogEvent {
  const { state, sender, assessment } = attempt;
  const { origin, at, id } = submission;
  const file = fileNameOf(state, message, submission);
  const sent: Sent = { event: "message_sent", message, origin, file, draft, assessment };
  const { type, to } = message;
  const envelope: LogEvent = {
    ...{ seq: state.seq + 1, from: sender, event: sent.event, at: notBefore(state.lastAt, at) },
    ...{ summary: `${type} to ${to}`, id },
  };
  const isBlind = state.phase === "sealing" && type === "RESPONSE";
  const after = isBlind ? state : evolve(state, { ...envelope, ...toJson(sent) });
  const whole = toJson({ ...sent, ...settled(attempt, message, after) });
  if (!isBlind) return { ...envelope, ...whole };
  const sealed = seal(whole);
  return { ...envelope, event: "position_sealed", summary: "position, sealed", sealed, draft };
}

/**
 * What follows from the state that a message leads to: what its letter says, and that the AGREE which
 * completes the agreement expects no reply; until then each side waits for the other.
 */
function settled(attempt: Judgement, message: Message, after: DialogueState): Partial<Sent> {
  const { draft, foreign } = attempt;
  // Whose letter it is wrote it.
  if (foreign) return {};
  const letter = letterFields(after, message);
  const isLast = after.phase === "agreed" || after.phase === "consensus";
  if (draft.type !== "AGREE" || draft.expects_reply !== undefined || !isLast) return { letter };
  return { letter, message: { ...message, expects_reply: false } };
}

/**
 * Decides on a record that a script made for its participant: it changes no turn, and any number may
 * come while the session is open.
 */
export function decideEvidence(state: DialogueState, submission: Submission): Decision {
  const { participant: from, fields, at, id } = submission;
  const record = parseEvidence(fields["evidence"]);
  if (record === undefined || submission.origin !== "script")
    return refuse("evidence is made by check and append-event, and by nothing else");
  const fault = evidenceFault(state, from, record);
  if (fault !== undefined) return refuse(fault);
  const claim = record.claim === undefined ? "" : ` for ${record.claim}`;
  const summary = `${record.met ? "met" : "not met"}${claim}: ${record.spec}`;
  return {
    ok: true,
    event: {
      ...{ seq: state.seq + 1, from, event: "evidence", at: notBefore(state.lastAt, at) },
      summary: summary.slice(0, limits.summaryCharacters).toWellFormed(),
      ...{ id, record: JSON.parse(JSON.stringify(record)) },
    },
  };
}

/** What is wrong with a record at its place; undefined when nothing is. */
export function evidenceFault(
  state: DialogueState,
  by: string,
  record: EvidenceRecord,
): string | undefined {
  const { claim: id, spec, expect = "" } = record;
  const claim = state.claims.find((it) => it.id === id);
  if (hasEnded(state) && !cameWithTheEnd(state, by, claim))
    return `session ${state.id} has ended (${state.phase}): it takes no evidence`;
  if (state.phase === "new" || !state.participants.includes(by)) return strangerText(state, by);
  const { sealed, lastDraft } = sideOf(state, by);
  // Of the claim of a position that nobody reads yet nothing is known.
  if (id === undefined || (sealed !== "" && id.startsWith(`C${lastDraft.seq}.`))) return undefined;
  if (claim === undefined) {
    const known = state.claims.filter(({ withdrawn }) => withdrawn === "").map((it) => it.id);
    return `there is no claim ${id}; ${nameHint(id, known, "there are:")}`;
  }
  if (spec !== claim.spec) return `${id} is checked by ${claim.spec}, not by ${spec}`;
  if (expect === claim.expect) return undefined;
  return `${id} expects ${JSON.stringify(claim.expect)}, the record ${JSON.stringify(expect)}`;
}

export function strangerText({ id, participants }: DialogueState, participant: string): string {
  const hint = nameHint(participant, participants, "its participants are");
  return `${participant} is not in session ${id}; ${hint}`;
}

/** Of a claim in the message that ended the session: the script had read it before. */
function cameWithTheEnd({ outcome }: DialogueState, by: string, claim: Claim | undefined): boolean {
  const isOfEnd = claim?.by === by && claim.id.startsWith(`C${outcome?.seq}.`);
  return isOfEnd && claim.records.length === 0;
}

/** The submission of `close`. */
export function closing(_state: DialogueState, by: string, reason: string): Closing {
  return { participant: by, origin: "close", fields: { reason } };
}

/** Ends a session without a result; everything said stays. */
function decideClosing(state: DialogueState, submission: Submission): Decision {
  const { participant: by, at, id } = submission;
  const reason = String(submission.fields["reason"]);
  const { outcome } = state;
  if (outcome?.kind === "closed" && outcome.by === by && outcome.reason === reason)
    return { ok: true, already: outcome.seq };
  if (hasEnded(state))
    return refuse(`session ${state.id} has ended (${state.phase}); see its report`);
  const from = state.participants.includes(by) ? by : "consulta";
  const summary = `closed by ${by}: ${reason}`.slice(0, limits.summaryCharacters).toWellFormed();
  const event = {
    ...{ seq: state.seq + 1, from, event: "closed", at: notBefore(state.lastAt, at), summary, id },
    ...{ closed_by: by, reason },
  };
  return { ok: true, event };
}

/**
 * Fills in what the sender left out, in the seed's order of fields: who, when, which round, the
 * lists as they stand, and whether an answer is due (originals.md 1.2).
 */
function completeMessage(attempt: Judgement, at: string): Message {
  const { state, draft, sender, foreign } = attempt;
  const { type } = draft;
  // Only a foreign colleague stamps its own messages; a draft sent again must not keep old marks.
  const given = foreign ? draft : undefined;
  const timestamp = given?.timestamp ?? nextStamp(state.lastStamp, at);
  const said = Object.entries(draft.context ?? {}).filter(([, text]) => text?.trim() !== "");
  const proposal = draft.question_or_proposal;
  const asks = ["REQUEST", "CLARIFY", "TASK_ASSIGN"].includes(type);
  return {
    ...draft,
    id: given?.id ?? `${state.id}-${fileStamp(timestamp)}`,
    session_id: state.id,
    timestamp,
    from: sender,
    to: otherThan(state, sender),
    type,
    round: Math.max(draft.round ?? 0, roundOfNext(state), state.lastRound),
    // Until both have agreed each side waits for the other's AGREE: see `settled`.
    expects_reply: draft.expects_reply ?? !["CONSENSUS", "ESCALATE"].includes(type),
    context: { ...contextOf(state), ...Object.fromEntries(said) },
    question_or_proposal: { ...proposal, type: proposal.type ?? (asks ? "question" : "proposal") },
    agreements_so_far: draft.agreements_so_far ?? state.agreements,
    disagreements_pending: pendingAfter(attempt),
    ...(!foreign && statesPosition(draft) ? { position: positionOf(attempt) } : {}),
    ...(foreign || type !== "AGREE" ? {} : agreedFields(attempt)),
    meta: { ...draft.meta, round_budget_remaining: Math.max(0, state.budget) },
  };
}

/**
 * What an AGREE says beside its words and its position: the disputes of the side that
 * it accepts as settled, and as reservations everything that still speaks against it.
 */
function agreedFields(attempt: Judgement): Partial<Message> {
  const { state, draft, sender } = attempt;
  const { resolved = [], reservations = [], objections = [], accepts = state.seq } = draft;
  const settled = resolved.map(({ point }) => point);
  const open = state.disagreements.filter(({ point }) => !holdsText(settled, point));
  const because = `accepted with the position of message ${accepts}`;
  const kept = [
    ...reservations,
    ...objections.map((it) => `${it.point}, because ${it.because}`),
    ...newDisagreements(attempt),
    ...open.filter(({ by }) => by === sender).map(({ point }) => point),
  ];
  const theirs = open.filter(({ by }) => by !== sender);
  return {
    objections: [],
    // Word for word the accepted position.
    synthesis: undefined,
    reservations: distinct(kept.map((it) => it.slice(0, limits.itemCharacters).toWellFormed())),
    resolved: [...resolved, ...theirs.map(({ point }) => ({ point, because }))],
  };
}

/** Each once, and no point that a longer one says as well. */
function distinct(texts: readonly string[]): string[] {
  const byWords = new Map(texts.map((text) => [normalized(text), text]));
  const isPart = (words: string) =>
    [...byWords.keys()].some((it) => it !== words && ` ${it} `.includes(` ${words} `));
  const whole = [...byWords].flatMap(([words, text]) => (isPart(words) ? [] : [text]));
  return whole.slice(0, limits.listItems);
}

/** What is disputed once this message is sent: only a reason, or a newer check, settles a point. */
function pendingAfter(attempt: Judgement): string[] {
  const { state, draft, foreign } = attempt;
  const { checks = [] } = draft;
  // What still speaks against it then is in its reservations.
  if (!foreign && draft.type === "AGREE") return [];
  const settled = settledPoints(attempt);
  const points = state.disagreements.map(({ point }) => point);
  const before = points.filter((point) => !holdsText(settled, point));
  const failed = checks.filter(({ outcome }) => outcome === "fails").map(failText);
  const fresh = failed.filter((point) => !holdsText(before, point));
  return [...before, ...newDisagreements(attempt), ...fresh];
}

/**
 * A letter by hand keeps its name where that is one of this session and its sender, and not of a time
 * to come: our own stamps go on from it. All else is named by our own stamp.
 */
function fileNameOf(state: DialogueState, message: Message, { fields, at }: Submission): string {
  const end = `-${message.from}-${message.type.toLowerCase()}.json`;
  const named = (stamp: string) => `${state.id}-${fileStamp(stamp)}${end}`;
  const given = typeof fields["file"] === "string" ? fields["file"] : "";
  const stamp = stampIn(given);
  const isPast = stamp !== undefined && millisecondsOf(stamp) <= millisecondsOf(at);
  return isPast && given === named(stamp) ? given : named(nextStamp(state.lastStamp, at));
}
