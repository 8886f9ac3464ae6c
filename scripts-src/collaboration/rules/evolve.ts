import { type JsonValue, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { instantOf } from "../../base/parse-offset-time.ts";
import type { LogEvent } from "../../log/event.ts";
import { takesNoPart } from "../../protocol/protocol.ts";
import { type Fault, fault, hasFault, textsOf } from "./faults.ts";
import { isKnownEvent, step, transitionFaults } from "./machine.ts";
import type { CollaborationState } from "./state.ts";
import type { Attempt } from "./transitions.ts";

/**
 * Folds one stored event into the state. Others write this log as well: an event that breaks a rule
 * is remembered and changes nothing, so that nobody can stop the rest by it.
 */
export function evolve(state: CollaborationState, event: LogEvent): CollaborationState {
  const { seq, from, at } = event;
  const stepped = step(state, attemptOf(event));
  const next = typeof stepped === "string" ? withFault(state, seq, stepped) : stepped;
  const summary = cut(event.summary);
  return {
    ...next,
    seq,
    startedAt: state.phase === "new" && next.phase !== "new" ? at : state.startedAt,
    lastAt: instantOf(at) === undefined ? state.lastAt : at,
    last: { seq, event: cut(event.event), from: cut(from), summary },
  };
}

/** A stored event as the rules look at it. */
export function attemptOf(event: LogEvent): Attempt {
  return {
    event: event.event,
    from: event.from,
    summary: event.summary,
    doc: textOf(event["doc"]),
    role: textOf(event["role"]),
    sha256: textOf(event["sha256"]),
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function withFault(state: CollaborationState, seq: number, reason: string): CollaborationState {
  const { faults, faultsCount } = state;
  const isFull = faults.length >= limits.rememberedItems;
  return {
    ...state,
    faults: isFull ? faults : [...faults, { seq, reason: cut(reason) }],
    faultsCount: faultsCount + 1,
  };
}

/** A checkpoint is written with every event and must stay small. */
function cut(text: string): string {
  return text.slice(0, limits.itemCharacters).toWellFormed();
}

/**
 * What is wrong with a stored event at its place, in the words and the order of the original's
 * validator, whose `seq N: ` is the caller's. Documents are not looked at here.
 */
export function audit(state: CollaborationState, event: LogEvent): string[] {
  // The place is all that is wrong with a late `initialized`: `inspect` tells it without one.
  const faults = transitionFaults(state, attemptOf(event)).filter(
    ({ code }) => code !== "not first",
  );
  const own = [...replyFaults(event), ...timeFaults(state, event)];
  return textsOf(hasFault(faults, "unknown event") ? [...faults, ...own] : [...own, ...faults]);
}

/** Of its rules those that every script has kept; the others it notes as broken and goes on. */
export function intakeFault(state: CollaborationState, event: LogEvent): string | undefined {
  const { from, event: name } = event;
  if (!isKnownEvent(state, name)) return `is no event of a collaboration: ${quote(name)}`;
  return state.settings.participants.includes(from) ? undefined : takesNoPart(from);
}

function replyFaults({ seq, event, reply_to: replyTo }: LogEvent): Fault[] {
  if (replyTo === undefined || replyTo === null) {
    // The original wants it from everybody but the event that begins the log.
    return seq === 1 && event === "initialized" ? [] : [fault("no reply")];
  }
  const isEarlier =
    typeof replyTo === "number" && Number.isInteger(replyTo) && replyTo >= 1 && replyTo < seq;
  return isEarlier ? [] : [fault("reply to none")];
}

function timeFaults({ lastAt }: CollaborationState, { at }: LogEvent): Fault[] {
  const instant = instantOf(at);
  if (instant === undefined) return [fault("no time")];
  const last = instantOf(lastAt);
  if (last === undefined || instant >= last) return [];
  return [fault("time runs back")];
}
