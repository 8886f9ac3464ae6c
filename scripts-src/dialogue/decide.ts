import { inline, type JsonObject, type JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { nameHint } from "../base/nearest-name.ts";
import { fileStamp, millisecondsOf, nextStamp, notBefore, stampIn } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { type Closing, type Decision, refuse, type Submission } from "../protocol/protocol.ts";
import { type Judgement, judge, newDisagreements } from "./assess.ts";
import { blanksIn } from "./blanks.ts";
import { decidePerson } from "./decide-person-event.ts";
import { failText } from "./disputed-facts.ts";
import { type DialogueEvent, parseMessage, seal } from "./event.ts";
import { decideEvidence } from "./evidence.ts";
import { evolve } from "./evolve.ts";
import { contextOf, letterFields } from "./letter.ts";
import { type Message, type MessageType, parseDraft } from "./message.ts";
import { hashOf, normalized } from "./prose.ts";
import { isEarly, refusalsFor } from "./refusals.ts";
import { roundOfNext } from "./rounds.ts";
import { isSamePosition, positionOf, takesStand } from "./stance.ts";
import { type DialogueState, hasEnded, otherThan, sideOf } from "./state.ts";

/** Decides on one submission; see DESIGN section 6 for the rules it enforces. */
export function decide(state: DialogueState, submission: Submission): Decision {
  const { participant, fields } = submission;
  if (submission.origin === "person") return decidePerson(state, submission);
  if (submission.origin === "close") return decideClosing(state, submission);
  if (!state.participants.includes(participant)) return refuse(strangerText(state, participant));
  if (fields["evidence"] !== undefined) return decideEvidence(state, submission);
  const { message } = fields;
  if (message === undefined)
    return refuse("a dialogue event carries a message; give --message FILE, or - and the text");
  const foreign = submission.origin === "inbox";
  const unfilled = foreign ? [] : blanksIn(message);
  if (unfilled.length > 0) return refuse(unfilledText(unfilled));
  const draft = parseDraft(message, !foreign);
  if (Array.isArray(draft))
    return {
      ...refuse(`the message is malformed: ${draft.slice(0, 4).join("; ")}`),
      reasons: draft,
    };
  const hash = hashOf(JSON.stringify(draft));
  const repeated = repeatedDraft(state, participant, hash);
  if (repeated !== undefined) return repeated;
  const { files, evidence } = submission;
  const attempt = judge({ state, draft, sender: participant, foreign, files, evidence });
  const refusals = refusalsFor(attempt);
  if (refusals.length > 0)
    return { ...refuse(refusals.join("; also: "), isEarly(attempt)), reasons: refusals };
  const unread = unreadLetter(attempt);
  if (unread !== undefined) return refuse(unread);
  const complete: JsonValue = toJson(completeMessage(attempt, submission.at));
  // What is filled in counts towards the limits too: nothing is stored that cannot be read back.
  const whole = parseMessage(complete);
  if (Array.isArray(whole))
    return refuse(`completed, the message is too large: ${whole.join("; ")}`);
  const event = eventFor(attempt, submission, whole, hash);
  return { ok: true, event, remarks: remarksOn(attempt) };
}

/** What to do with a draft that is, word for word, the participant's last one; undefined for any other. */
function repeatedDraft(
  state: DialogueState,
  participant: string,
  hash: string,
): Decision | undefined {
  const { lastDraft, unanswered } = sideOf(state, participant);
  if (lastDraft.hash !== hash) return undefined;
  const answered =
    state.turn.includes(participant) && unanswered.some(({ seq }) => seq > lastDraft.seq);
  if (!answered) return { ok: true, already: lastDraft.seq };
  return refuse(
    `word for word your message ${lastDraft.seq}, which is sent and has been answered since; ` +
      "run next-action, and say what is new",
  );
}

function strangerText({ id, participants }: DialogueState, participant: string): string {
  const hint = nameHint(participant, participants, "its participants are");
  return `${participant} is not in session ${id}; ${hint}`;
}

/** A letter by hand may come at any time: nobody answers one that was never put before it. */
function unreadLetter({ state, draft, sender, foreign }: Judgement): string | undefined {
  if (foreign || draft.type === "ESCALATE" || draft.reply_to !== undefined) return undefined;
  const other = otherThan(state, sender);
  if (!sideOf(state, other).byHand) return undefined;
  const letter = sideOf(state, sender).unanswered.find(
    ({ from, inTurn }) => from === other && inTurn === undefined,
  );
  if (letter === undefined) return undefined;
  return `${other} has sent message ${letter.seq} by hand, which you have not read: run next-action, then send yours`;
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
  if (position !== undefined && synthesis !== undefined && type !== "AGREE") {
    const own = sideOf(state, sender).stance.position;
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
  hash: string,
): LogEvent {
  const { state, draft, sender, assessment } = attempt;
  const dropped = droppedBy(attempt);
  const sent: Sent = {
    event: "message_sent",
    message,
    origin: submission.origin,
    file: fileNameOf(state, message, submission),
    draft: hash,
    assessment,
    ...(dropped.length > 0 ? { dropped } : {}),
    ...confirmsIn(attempt),
  };
  const envelope = {
    seq: state.seq + 1,
    from: sender,
    event: "message_sent",
    at: notBefore(state.lastAt, submission.at),
    summary: `${draft.type} to ${message.to}`,
    id: submission.id,
  };
  const isBlind = state.phase === "sealing" && draft.type === "RESPONSE";
  const after = isBlind ? state : evolve(state, { ...envelope, ...toJson(sent) });
  const whole = toJson({ ...sent, ...settled(attempt, message, after) });
  if (!isBlind) return { ...envelope, ...whole };
  const sealed = seal(whole);
  return {
    ...envelope,
    event: "position_sealed",
    summary: "position, sealed",
    sealed,
    draft: hash,
  };
}

type Sent = Extract<DialogueEvent, { event: "message_sent" }>;

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

/** The second AGREE confirms the text for the user that the first one carried. */
function confirmsIn({ state, draft, sender, foreign }: Judgement) {
  const { offer } = state.trust;
  if (foreign || draft.type !== "AGREE" || offer === undefined || offer.by === sender) return {};
  return { confirms: { seq: offer.seq, hash: offer.hash } };
}

/** Leaves out what is absent, as the log will. */
function toJson(value: DialogueEvent | Message): JsonObject {
  return JSON.parse(JSON.stringify(value));
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
  const event = {
    seq: state.seq + 1,
    from: state.participants.includes(by) ? by : "consulta",
    event: "closed",
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
function completeMessage(attempt: Judgement, at: string): Message {
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
    expects_reply: draft.expects_reply ?? expectsReply(draft.type),
    context: { ...contextOf(state), ...filledIn(draft.context) },
    question_or_proposal: { ...proposal, type: proposal.type ?? kindOf(draft.type) },
    agreements_so_far: draft.agreements_so_far ?? state.agreements,
    disagreements_pending: disagreements,
    ...(foreign ? {} : { ...positionField(attempt), ...agreedFields(attempt) }),
    meta: { ...draft.meta, round_budget_remaining: Math.max(0, state.budget) },
  };
}

/** What a sender left blank is filled in as what it left out. */
function filledIn(context: Message["context"] = {}): NonNullable<Message["context"]> {
  return Object.fromEntries(Object.entries(context).filter(([, text]) => text?.trim() !== ""));
}

/** What its sender holds from then on. */
function positionField(attempt: Judgement): Partial<Message> {
  return takesStand(attempt.draft) ? { position: positionOf(attempt) } : {};
}

/**
 * What an AGREE says beside its words and its position: the disputes of the side that
 * it accepts as settled, and as reservations everything that still speaks against it.
 */
function agreedFields(attempt: Judgement): Partial<Message> {
  const { state, draft, sender } = attempt;
  if (draft.type !== "AGREE") return {};
  const settled = new Set((draft.resolved ?? []).map(({ point = "" }) => normalized(point)));
  const open = state.disagreements.filter(({ point }) => !settled.has(normalized(point)));
  const [own, theirs] = [
    open.filter(({ by }) => by === sender),
    open.filter(({ by }) => by !== sender),
  ];
  const because = `accepted with the position of message ${draft.accepts ?? state.seq}`;
  const kept = [
    ...(draft.reservations ?? []),
    ...(draft.objections ?? []).map((it) => `${it.point}, because ${it.because}`),
    ...newDisagreements(attempt),
    ...own.map(({ point }) => point),
  ];
  return {
    objections: [],
    // Word for word the accepted position.
    synthesis: undefined,
    reservations: distinct(kept.map((it) => it.slice(0, limits.itemCharacters).toWellFormed())),
    resolved: [...(draft.resolved ?? []), ...theirs.map(({ point }) => ({ point, because }))],
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

/** What is disputed once this message stands: only a reason, or a newer check, settles a point. */
function pendingAfter(attempt: Judgement): string[] {
  const { draft, foreign } = attempt;
  // What still speaks against it then stands in its reservations.
  if (!foreign && draft.type === "AGREE") return [];
  const failed = (draft.checks ?? []).filter(({ outcome }) => outcome === "fails").map(failText);
  const before = stillDisputed(attempt);
  const known = new Set(before.map(normalized));
  return [
    ...before,
    ...newDisagreements(attempt),
    ...failed.filter((point) => !known.has(normalized(point))),
  ];
}

function stillDisputed({ state, draft, sender }: Judgement): string[] {
  const { resolved = [], checks = [], withdrawn = [] } = draft;
  // That its author has looked as well settles no dispute.
  const own = new Set(state.trust.claims.filter(({ by }) => by === sender).map(({ id }) => id));
  const holds = checks.filter(({ claim = "", outcome }) => outcome === "holds" && !own.has(claim));
  const over = [...holds, ...withdrawn];
  const settled = new Set(
    [...resolved.map(({ point = "" }) => point), ...over.map(failText)].map(normalized),
  );
  const points = state.disagreements.map(({ point }) => point);
  return points.filter((point) => !settled.has(normalized(point)));
}

/** What a letter by hand leaves out of its list: that settles nothing, and is told. */
function droppedBy(attempt: Judgement): string[] {
  const { state, draft, foreign } = attempt;
  if (!foreign || draft.disagreements_pending === undefined) return [];
  const listed = new Set(draft.disagreements_pending.map(normalized));
  const told = new Set(state.dropped.map(({ point }) => normalized(point)));
  const isNews = (point: string) => !listed.has(normalized(point)) && !told.has(normalized(point));
  return stillDisputed(attempt).filter(isNews);
}

/**
 * A letter by hand keeps its name where that is one of this session and its sender, and not of a time
 * to come: our own stamps go on from it. All else is named by our own stamp.
 */
function fileNameOf(state: DialogueState, message: Message, { fields, at }: Submission): string {
  const end = `-${message.from}-${message.type.toLowerCase()}.json`;
  const { file } = fields;
  const stamp = typeof file === "string" ? stampIn(file) : undefined;
  if (
    typeof file === "string" &&
    stamp !== undefined &&
    millisecondsOf(stamp) <= millisecondsOf(at)
  ) {
    if (file === `${state.id}-${fileStamp(stamp)}${end}`) return file;
  }
  return `${state.id}-${fileStamp(nextStamp(state.lastStamp, at))}${end}`;
}

/** Until both have agreed each side waits for the other's AGREE: see `settled`. */
function expectsReply(type: MessageType): boolean {
  return type !== "CONSENSUS" && type !== "ESCALATE";
}

function kindOf(type: MessageType): "question" | "proposal" {
  return type === "REQUEST" || type === "CLARIFY" || type === "TASK_ASSIGN"
    ? "question"
    : "proposal";
}
