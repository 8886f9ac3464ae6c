import {
  durationText,
  isoSecond,
  millisecondsOf,
  notBefore,
  unreadableTime,
} from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { type DeliveryNote, isDeliveryNote, type Stage } from "../protocol/delivery-note.ts";
import type { Delivery, Pending } from "../protocol/protocol.ts";
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

/** What was said to a participant and not answered yet, oldest first. */
export function unanswered(state: DialogueState, to: string): Delivery[] {
  return sideOf(state, to).unanswered.map(({ seq, from, file }) => ({ seq, from, file, to }));
}

/** What awaits an act of this participant, oldest first; a sealed position is one. */
export function pending(state: DialogueState, participant: string): Pending[] {
  if (!state.participants.includes(participant)) return [];
  const { unanswered, sealed } = sideOf(state, participant);
  return sealed === "" ? unanswered.map((mail) => ({ ...mail, to: participant })) : [];
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
  // Audit tells of a note that a stranger made.
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

/** A message on its way, and the event by which its recipient acted on it. */
export interface Journey {
  message: Pending;
  actedOn?: LogEvent;
}

/** How far each message of these events came; `evolve` folds one, `before` is the state before them. */
export function journeysIn(
  events: readonly LogEvent[],
  before: DialogueState,
  evolve: (state: DialogueState, event: LogEvent) => DialogueState,
): Journey[] {
  const journeys: Journey[] = [];
  let state = before;
  for (const event of events) {
    const after = evolve(state, event);
    state = after;
    const left = after.participants.flatMap((name) => pending(after, name));
    const open = journeys.filter(({ actedOn }) => actedOn === undefined);
    for (const journey of open) {
      const message = left.find((it) => isSame(it, journey.message));
      if (message !== undefined) journey.message = message;
      // Of very much mail the state counts the oldest only: its recipient's next act is the answer.
      else if (event.from === journey.message.to && !isDeliveryNote(event)) journey.actedOn = event;
    }
    const fresh = left.filter((message) => !open.some((it) => isSame(it.message, message)));
    journeys.push(...fresh.map((message) => ({ message })));
  }
  return journeys.sort((one, other) => one.message.seq - other.message.seq);
}

/**
 * Where nobody knows the state before some events: one in which all mail is answered and the session
 * goes on. Journeys that begin with these events are told by it as by any other.
 */
export function withoutMail({ outcome: _, ...state }: DialogueState): DialogueState {
  const sides = Object.entries(state.sides).map(([name, side]) => [
    name,
    { ...side, unanswered: [], unansweredEarlier: 0, sealed: "" },
  ]);
  return { ...state, phase: "talking", sides: Object.fromEntries(sides) };
}

function isSame(one: Pending, other: Pending): boolean {
  return one.file === other.file && one.to === other.to;
}

/** How a message came to its recipient, with the times since it was stored. */
export function journeyLine({ message, actedOn }: Journey): string {
  const { seq, from, to, type, storedAt, rung, inTurn } = message;
  const stored = millisecondsOf(storedAt);
  const after = (at: string) => `+${durationText((millisecondsOf(at) - stored) / 1_000)}`;
  const steps = [
    `stored ${Number.isNaN(stored) ? `at ${unreadableTime}` : isoSecond(stored)}`,
    ...(rung === undefined ? [] : [`notified ${after(rung.at)} (${rung.by})`]),
    ...(inTurn === undefined ? [] : [`seen ${after(inTurn.at)} (${inTurn.by})`]),
    ...(actedOn === undefined ? [] : [`answered ${after(actedOn.at)} (message ${actedOn.seq})`]),
  ];
  return `- message ${seq}, ${from} ${type} to ${to}: ${steps.join(", ")}`;
}
