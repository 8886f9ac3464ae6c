import { durationText, isoSecond, millisecondsOf, unreadableTime } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { isDeliveryNote } from "../protocol/delivery-note.ts";
import type { Pending } from "../protocol/protocol.ts";
import { pending } from "./delivery.ts";
import { evolve } from "./evolve.ts";
import type { DialogueState } from "./state.ts";

/** A message on its way, and the event by which its recipient acted on it. */
export interface Journey {
  message: Pending;
  actedOn?: LogEvent;
}

/** How each message came to its recipient, a line for each, with the times since it was stored. */
export function deliveryLines(events: readonly LogEvent[], before: DialogueState): string[] {
  return journeysIn(events, before).map(lineOf);
}

/** How far each message of these events came. */
export function journeysIn(events: readonly LogEvent[], before: DialogueState): Journey[] {
  const journeys: Journey[] = [];
  let open: Journey[] = [];
  let state = before;
  for (const event of events) {
    state = evolve(state, event);
    const known = state;
    const left = known.participants.flatMap((name) => pending(known, name));
    for (const journey of open) settle(journey, left, event);
    open = open.filter(({ actedOn }) => actedOn === undefined);
    const fresh = left
      .filter((message) => !open.some((it) => isSame(it.message, message)))
      .map((message) => ({ message }));
    journeys.push(...fresh);
    open.push(...fresh);
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

function settle(journey: Journey, left: readonly Pending[], event: LogEvent): void {
  const message = left.find((it) => isSame(it, journey.message));
  if (message !== undefined) journey.message = message;
  // Of very much mail the state counts the oldest only: its recipient's next act is the answer.
  else if (event.from === journey.message.to && !isDeliveryNote(event)) journey.actedOn = event;
}

function isSame(one: Pending, other: Pending): boolean {
  return one.file === other.file && one.to === other.to;
}

function lineOf({ message, actedOn }: Journey): string {
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
