import { quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { plainWord } from "../../base/quote-text.ts";
import { instantOf } from "../../base/time.ts";
import type { LogEvent } from "../../log/event.ts";
import { takesNoPart } from "../../protocol/protocol.ts";
import { deliverableFault } from "./deliverable-rules.ts";
import { primaryReference } from "./deliverables.ts";
import { type Fault, fault, hasFault, textsOf } from "./faults.ts";
import { byCodePoint, type CollaborationState, type EventName } from "./state.ts";
import {
  type Attempt,
  attemptOf,
  conditions,
  type Transition,
  transitions,
  type WaitingRule,
} from "./transitions.ts";

/**
 * Folds one stored event into the state. Others write this log as well: an event that breaks a rule
 * is remembered and changes nothing, so that nobody can stop the rest by it.
 */
export function evolve(state: CollaborationState, event: LogEvent): CollaborationState {
  const { seq, from, at } = event;
  const attempt = attemptOf(event);
  const faults = transitionFaults(state, attempt);
  const transition = findTransition(state, attempt);
  const next =
    transition === undefined || faults.length > 0
      ? withFault(state, seq, textsOf(faults).join("; "))
      : applied(state, attempt, transition);
  return {
    ...next,
    seq,
    startedAt: state.phase === "new" && next.phase !== "new" ? at : state.startedAt,
    lastAt: instantOf(at) === undefined ? state.lastAt : at,
    last: { seq, event: cut(event.event), from: cut(from), summary: cut(event.summary) },
  };
}

function withFault(state: CollaborationState, seq: number, reason: string): CollaborationState {
  const { faults, faultsCount } = state;
  const isFull = faults.length >= limits.rememberedItems;
  const kept = isFull ? faults : [...faults, { seq, reason: cut(reason) }];
  return { ...state, faults: kept, faultsCount: faultsCount + 1 };
}

/** A checkpoint is written with every event and must stay small. */
function cut(text: string): string {
  return text.slice(0, limits.itemCharacters).toWellFormed();
}

/** The state after a transition that breaks no rule. */
function applied(
  before: CollaborationState,
  attempt: Attempt,
  { to, last, waitingFor, changes }: Transition,
): CollaborationState {
  const state = { ...before, ...changes?.(before, attempt) };
  const awaited = (rule: WaitingRule) => awaitedBy[rule](state, before, attempt);
  if (last !== undefined && awaited(waitingFor).length === 0) {
    const proposalSeq = state.seq + 1;
    return { ...state, phase: last.to, waitingFor: awaited(last.waitingFor), proposalSeq };
  }
  const back = before.blocked?.phase ?? before.phase;
  const phase = to === "same" ? before.phase : to === "before" ? back : to;
  return { ...state, phase, waitingFor: awaited(waitingFor) };
}

type Awaited = (
  state: CollaborationState,
  before: CollaborationState,
  attempt: Attempt,
) => string[];

const awaitedBy: Record<WaitingRule, Awaited> = {
  owner: ({ owner }) => [owner],
  others: ({ settings, owner }) =>
    byCodePoint(settings.participants.filter((name) => name !== owner)),
  everyone: ({ settings }) => byCodePoint(settings.participants),
  "the rest": (_, { waitingFor }, { from }) => waitingFor.filter((name) => name !== from),
  nobody: () => [],
  "as before": (_, { waitingFor }) => waitingFor,
  "as before the block": (_, { blocked }) => blocked?.waitingFor ?? [],
};

/** The rules that an attempt breaks, in the contract's order and words; empty when none. */
export function transitionFaults(state: CollaborationState, attempt: Attempt): Fault[] {
  if (!isKnownEvent(state, attempt.event)) return [fault("unknown event", quote(attempt.event))];
  const ofDeliverable = deliverableFault(state.settings, attempt);
  if (ofDeliverable !== undefined) return [ofDeliverable];
  const transition = findTransition(state, attempt);
  if (transition === undefined) return [];
  const unmet = (order: "first" | "in phase" | "after") =>
    transition.needs
      .map((need) => conditions[need])
      .filter((rule) => rule.order === order && !rule.holds(state, attempt))
      .map((rule) => fault(rule.fault));
  const inPhase = transition.from.includes(state.phase);
  const untimely = inPhase ? unmet("in phase") : [outOfPhase(transition, state.phase)];
  const awaited = untimely.length === 0 ? state.waitingFor : [];
  return [
    ...unmet("first"),
    ...untimely,
    ...unmet("after"),
    ...whoFault(state, attempt, transition, awaited),
  ];
}

function outOfPhase({ event }: Transition, phase: CollaborationState["phase"]): Fault {
  if (event === "initialized") return fault("not first");
  if (event === "completed") return fault("readiness not passed");
  return fault("wrong phase", event, phase === "new" ? "None" : phase);
}

function whoFault(
  { settings, owner }: CollaborationState,
  { from }: Attempt,
  { event, who }: Transition,
  awaited: readonly string[],
): Fault[] {
  const isListed = settings.participants.includes(from);
  if (who === "any participant") return isListed ? [] : [fault("not listed", event)];
  const allowed = who === "the owner" ? [owner] : awaited;
  // Before `initialized` there is no owner; the phase says all.
  if (allowed.includes(from) || (who === "the owner" && owner === "")) return [];
  const names = allowed.length === 0 ? "no participant" : allowed.join(", ");
  return [fault("reserved", event, names, isListed ? from : plainWord(from))];
}

/** The row of the table that says what the attempt does in its schema; undefined when none does. */
function findTransition(state: CollaborationState, attempt: Attempt): Transition | undefined {
  return transitions.find(
    (it) =>
      it.event === attempt.event &&
      isOfSchema(state, it) &&
      (it.role === undefined || it.role === attempt.role),
  );
}

/** Whether the rules allow an attempt now, documents aside. */
export function isAllowed(state: CollaborationState, attempt: Omit<Attempt, "summary">): boolean {
  return transitionFaults(state, { ...attempt, summary: "" }).length === 0;
}

/** Whether the collaboration's schema, or ours, has such an event. */
export function isKnownEvent(state: CollaborationState, event: string): event is EventName {
  return knownEvents(state).some((known) => known === event);
}

/** The events that the collaboration's schema, or ours, has. */
export function knownEvents(state: CollaborationState): EventName[] {
  return transitions.filter((it) => isOfSchema(state, it)).map(({ event }) => event);
}

/** Whether the collaboration's schema has such a transition. */
export function isOfSchema({ settings }: CollaborationState, { schema }: Transition): boolean {
  return schema === undefined || schema === settings.schema;
}

/** What those who are waited for have to bring about. */
export function dueEvent(state: CollaborationState): EventName | undefined {
  return transitions.find(
    (it) => isOfSchema(state, it) && it.from.includes(state.phase) && it.isDue?.(state),
  )?.event;
}

/**
 * The events that a participant may append now, documents aside, in the table's order. Those of
 * supporting deliverables are possible at any time and not listed.
 */
export function allowedEvents(state: CollaborationState, from: string): EventName[] {
  const primary = primaryReference(state.settings) || undefined;
  return transitions
    .filter(({ event, role }) => {
      if (role === "supporting") return false;
      // Nothing is lacking that a row could want.
      const doc = role === undefined ? "conclusion.md" : primary;
      return isAllowed(state, { event, from, doc, role, sha256: "0".repeat(64) });
    })
    .map(({ event }) => event);
}

/**
 * What is wrong with a stored event at its place, in the words and the order of the original's
 * validator, whose `seq N: ` is the caller's. Documents are not looked at here.
 */
export function eventFaults(state: CollaborationState, event: LogEvent): string[] {
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
  return last === undefined || instant >= last ? [] : [fault("time runs back")];
}
