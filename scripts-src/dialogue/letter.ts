import { defined } from "../base/omit-undefined.ts";
import { fileStamp, stampIn } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import type { Delivery } from "../protocol/protocol.ts";
import { openPoints } from "./ending.ts";
import { type LetterFields, parseDialogueEvent, unseal } from "./event.ts";
import { defaultProjectState, type Message } from "./message.ts";
import { type DialogueState, goalOf, roundOfNext, sideOf } from "./state.ts";

/**
 * The file that a delivery puts into an inbox: the message of its event, the position that was
 * sealed in it, or the ESCALATE message in which a rule tells both sides of the end.
 */
export function letter(state: DialogueState, delivery: Delivery, event: LogEvent): string {
  const known = parseDialogueEvent(event);
  const sent = known.event === "position_sealed" ? unseal(known.sealed, event.from) : known;
  const message =
    sent?.event === "message_sent" && sent.file === delivery.file
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
