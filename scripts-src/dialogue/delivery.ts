import { notBefore } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import type { DeliveryNote, Stage } from "../protocol/delivery-note.ts";
import type { Pending } from "../protocol/protocol.ts";
import type { DialogueEvent } from "./event.ts";
import { type DialogueState, sideOf, unconfirmedBy, withSide } from "./state.ts";

/**
 * How far a message has come. Notes of our scripts tell of the two steps in between; a colleague that
 * works by hand makes none, and its answer alone shows that it has read.
 *
 *   stored --rung--> rung --in_turn--> in turn --an event of the recipient--> acted on
 *      |_____________in_turn______________^
 */

type Noted = Extract<DialogueEvent, { event: Stage }>;

/** What awaits an act of this participant, oldest first; a sealed position is one. */
export function pending(state: DialogueState, participant: string): Pending[] {
  if (!state.participants.includes(participant)) return [];
  const { unanswered, sealed } = sideOf(state, participant);
  if (sealed !== "") return [];
  return unanswered.map((mail) => ({ ...mail, to: participant }));
}

/** The event that enters a note: of its messages those that await an act and come further by it. */
export function note(state: DialogueState, draft: DeliveryNote): LogEvent | undefined {
  const { participant, stage, by, at, id } = draft;
  const news = pending(state, participant).filter(
    (mail) => draft.messages.includes(mail.seq) && isNews(mail, stage),
  );
  if (news.length === 0) return undefined;
  // A message that ends the session by a rule brings an ESCALATE of the same seq along.
  const messages = [...new Set(news.map(({ seq }) => seq))];
  const what = `message${messages.length === 1 ? "" : "s"} ${messages.join(", ")}`;
  return {
    seq: state.seq + 1,
    from: participant,
    event: stage,
    at: notBefore(state.lastAt, at),
    summary: `${what} to ${participant}: ${stage === "rung" ? "notified" : "seen"} (${by})`,
    id,
    messages,
    by,
  };
}

/** What has been put before its reader is not announced any more. */
function isNews({ rung, inTurn }: Pick<Pending, "rung" | "inTurn">, stage: Stage): boolean {
  return inTurn === undefined && (stage === "in_turn" || rung === undefined);
}

/** Marks what a note says; nothing but that changes. */
export function withStage(state: DialogueState, reader: string, noted: Noted): DialogueState {
  // Audit tells of a note that a stranger made.
  if (!state.participants.includes(reader)) return state;
  const { event: stage, messages, by } = noted;
  const { unanswered, readAt } = sideOf(state, reader);
  const reached = { at: state.lastAt, by };
  const step = stage === "rung" ? { rung: reached } : { inTurn: reached };
  const marked = unanswered.map((mail) =>
    messages.includes(mail.seq) && isNews(mail, stage) ? { ...mail, ...step } : mail,
  );
  const read = withSide(state, reader, {
    unanswered: marked,
    readAt: stage === "in_turn" ? state.lastAt : readAt,
  });
  return stage === "in_turn" ? withClosingSeen(read, reader, messages) : read;
}

/** Who has the closing text before it and does not object has confirmed it so far. */
function withClosingSeen(
  state: DialogueState,
  reader: string,
  messages: readonly number[],
): DialogueState {
  const { outcome } = state;
  if (outcome?.kind !== "consensus" || reader !== unconfirmedBy(state)) return state;
  return messages.includes(outcome.seq)
    ? { ...state, outcome: { ...outcome, confirmed: "seen" } }
    : state;
}

const strayMax = 5;

/** Which rules a stored note breaks at its place in the log. */
export function auditNote(state: DialogueState, reader: string, noted: Noted): string[] {
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
