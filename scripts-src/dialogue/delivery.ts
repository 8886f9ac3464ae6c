import { defined } from "../base/omit-undefined.ts";
import { fileStamp, notBefore, stampIn } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import type { DeliveryNote, Stage } from "../protocol/person-step.ts";
import type { Delivery, Pending } from "../protocol/protocol.ts";
import { type DialogueEvent, type LetterFields, parseDialogueEvent, unseal } from "./event.ts";
import { defaultProjectState, type Message } from "./message.ts";
import {
  type DialogueState,
  goalOf,
  openPoints,
  roundOfNext,
  sideOf,
  unconfirmedBy,
  withSide,
} from "./state.ts";

/**
 * How far a message has come. Notes of our scripts tell of the two steps in between; a colleague that
 * works by hand makes none, and its answer alone shows that it has read.
 *
 *   stored --rung--> rung --in_turn--> in turn --an event of the recipient--> acted on
 *      |_____________in_turn______________^
 */
type Noted = Extract<DialogueEvent, { event: Stage }>;

/** What was said to a participant and not answered yet, oldest first. */
export function pending(state: DialogueState, to: string): Pending[] {
  return state.sides[to]?.unanswered.map((mail) => ({ ...mail, to })) ?? [];
}

/** The event that enters a note: of its messages those that await an act and come further by it. */
export function note(state: DialogueState, draft: DeliveryNote): LogEvent | undefined {
  const { participant: from, stage, by, at, id } = draft;
  const news = pending(state, from).filter(
    (mail) => draft.messages.includes(mail.seq) && isNews(mail, stage),
  );
  if (news.length === 0) return undefined;
  // A message that ends the session by a rule brings an ESCALATE of the same seq along.
  const messages = [...new Set(news.map(({ seq }) => seq))];
  const what = `message${messages.length === 1 ? "" : "s"} ${messages.join(", ")}`;
  return {
    ...{ seq: state.seq + 1, from, event: stage, at: notBefore(state.lastAt, at) },
    summary: `${what} to ${from}: ${stage === "rung" ? "notified" : "seen"} (${by})`,
    ...{ id, messages, by },
  };
}

/** What has been put before its reader is not announced any more. */
function isNews({ rung, inTurn }: Pick<Pending, "rung" | "inTurn">, stage: Stage): boolean {
  return inTurn === undefined && (stage === "in_turn" || rung === undefined);
}

/** Marks what a note says; nothing but that changes. Who has the closing text before it has seen it. */
export function withStage(state: DialogueState, reader: string, noted: Noted): DialogueState {
  // `eventFaults` tells of a note that a stranger made.
  if (!state.participants.includes(reader)) return state;
  const { event: stage, messages, by } = noted;
  const reached = { at: state.lastAt, by };
  const step = stage === "rung" ? { rung: reached } : { inTurn: reached };
  const unanswered = sideOf(state, reader).unanswered.map((mail) =>
    messages.includes(mail.seq) && isNews(mail, stage) ? { ...mail, ...step } : mail,
  );
  if (stage === "rung") return withSide(state, reader, { unanswered });
  const read = withSide(state, reader, { unanswered, readAt: state.lastAt });
  const { outcome } = state;
  if (outcome?.kind !== "consensus" || !messages.includes(outcome.seq)) return read;
  return reader === unconfirmedBy(state)
    ? { ...read, outcome: { ...outcome, confirmed: "seen" } }
    : read;
}

const strayMax = 5;

/** Which rules a stored note breaks at its place in the log. */
export function noteFaults(state: DialogueState, reader: string, noted: Noted): string[] {
  if (!state.participants.includes(reader)) return [`${reader} is not a participant`];
  const { event: stage, messages } = noted;
  const news = pending(state, reader).filter((mail) => isNews(mail, stage));
  const known = new Set(news.map(({ seq }) => seq));
  const stray = messages.filter((seq, index) => !known.has(seq) || messages.indexOf(seq) < index);
  if (messages.length === 0) return [`${stage} names no message`];
  if (stray.length === 0) return [];
  const more = stray.length > strayMax ? ` and ${stray.length - strayMax} more` : "";
  const names = `${stray.slice(0, strayMax).join(", ")}${more}`;
  return [`${stage} names ${names}, which did not await that step of ${reader}`];
}

/**
 * The file that a delivery puts into an inbox: the message of its event, the position that was
 * sealed in it, or the ESCALATE message in which a rule tells both sides of the end.
 */
export function letter(
  state: DialogueState,
  delivery: Delivery,
  event: LogEvent,
): string | undefined {
  const known = parseDialogueEvent(event);
  const sent = known.event === "position_sealed" ? unseal(known.sealed, event.from) : known;
  const isSent = sent?.event === "message_sent" && sent.file === delivery.file;
  const isByRule = !isSent && !state.participants.includes(delivery.from);
  // An answer of the user may have opened the session again.
  if (isByRule && state.outcome?.seq !== delivery.seq) return undefined;
  const message = isSent
    ? withEveryField(sent.message, sent.letter)
    : withEveryField(escalationMessage(state, delivery), {});
  return `${JSON.stringify({ ...message, seq: delivery.seq }, undefined, 2)}\n`;
}

/** All that a reader of the original files looks for; a letter by hand stays as it was sent. */
function withEveryField(message: Message, fields: LetterFields | undefined): Message {
  if (fields === undefined) return message;
  const { conclusions = "", ...said } = fields;
  const { discoveries = {}, question_or_proposal: proposal } = message;
  const { references = [], tried_and_discarded = [], meta } = message;
  const { specific_questions = [] } = proposal;
  const { analysis = "", code_examined = [] } = discoveries;
  // A program is shown the beginning of a long message: what was said stays first.
  return {
    ...message,
    question_or_proposal: { ...proposal, specific_questions },
    discoveries: {
      ...{ analysis, code_examined },
      conclusions: discoveries.conclusions || conclusions,
    },
    ...{ references, tried_and_discarded },
    meta: { model: "", session_cost_usd: 0, ...meta },
    ...said,
  };
}

/**
 * What a letter says that its sender left out, from the state that its message leads to: who gives no
 * confidence is as sure as it last was, and before that neither sure nor unsure; what it objects to is
 * disputed; an ESCALATE says where both stand.
 */
export function letterFields(after: DialogueState, message: Message): LetterFields {
  const { from, type, confidence, discoveries, disagreements_pending = [] } = message;
  const points = openPoints(after);
  const isSaid = type !== "ESCALATE" || (discoveries?.conclusions ?? "") !== "";
  return defined({
    confidence: confidence === undefined ? lastConfidence(after, from, 0.5) : undefined,
    disagreements_pending: points.length > disagreements_pending.length ? points : undefined,
    conclusions: isSaid ? undefined : endText(after),
  });
}

function escalationMessage(state: DialogueState, { from, to, file }: Delivery): Message {
  const timestamp = stampIn(file) ?? state.lastAt;
  const sureness = state.participants.map((name) => lastConfidence(state, name, 0));
  return {
    ...{ id: `${state.id}-${fileStamp(timestamp)}`, session_id: state.id, timestamp, from, to },
    ...{ type: "ESCALATE", round: Math.max(state.lastRound, 1), expects_reply: false },
    context: contextOf(state),
    // A rule is sure of nothing but what both sides are.
    confidence: Math.min(...sureness),
    question_or_proposal: { type: "proposal", content: endText(state) },
    agreements_so_far: state.agreements,
    disagreements_pending: openPoints(state),
    meta: { round_budget_remaining: Math.max(state.budget, 0) },
  };
}

function lastConfidence(state: DialogueState, name: string, none: number): number {
  return sideOf(state, name).confidences.at(-1) ?? none;
}

/** What a message says about where the session stands, where its sender says nothing else. */
export function contextOf(state: DialogueState): NonNullable<Message["context"]> {
  const agreed = state.agreements.join("; ") || "nothing yet";
  const disputed = openPoints(state).join("; ") || "nothing";
  return {
    user_instructions: goalOf(state),
    project_state: defaultProjectState,
    conversation_summary: `Round ${roundOfNext(state)}. Agreed: ${agreed}. Disputed: ${disputed}.`,
  };
}

/** What the letter of an end without a decision says that no participant wrote. */
function endText({ outcome, goal: asked }: DialogueState): string {
  if (outcome?.kind === "closed")
    return `Closed by ${outcome.by}, nothing was decided: ${outcome.reason}`;
  const none = { goal: asked, positions: [], disagreement: "", reasons: [] };
  const { goal, positions, disagreement, reasons } = outcome?.kind === "escalated" ? outcome : none;
  return [
    `Original goal: ${goal}`,
    ...positions.map((it) => `Position of ${it.participant}: ${it.position || "none"}`),
    `Point of disagreement: ${disagreement}`,
    `Why: ${reasons.map(({ code, text }) => `${code} (${text})`).join("; ")}`,
  ].join("\n");
}
