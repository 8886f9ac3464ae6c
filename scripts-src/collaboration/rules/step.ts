import { quote } from "../../base/json.ts";
import { plainWord } from "../../base/quote.ts";
import { conditions, type MoveAttempt } from "./conditions.ts";
import { deliverableFault } from "./deliverable-events.ts";
import { referenceOf } from "./deliverables.ts";
import { type Fault, fault, textsOf } from "./faults.ts";
import { move } from "./move.ts";
import type { CollaborationState, EventName } from "./state.ts";
import { type Transition, transitions } from "./transitions.ts";

/**
 * The state after an attempt, or why the rules refuse it: in the contract's words, several joined
 * by `; `. Documents are not looked at; the event's seq, time and summary are the caller's to note.
 */
export function step(state: CollaborationState, attempt: MoveAttempt): CollaborationState | string {
  const faults = transitionFaults(state, attempt);
  const transition = findTransition(state, attempt);
  if (transition === undefined || faults.length > 0) return textsOf(faults).join("; ");
  return move(state, attempt, transition);
}

/** The rules that an attempt breaks, in the contract's order and words; empty when none. */
export function transitionFaults(state: CollaborationState, attempt: MoveAttempt): Fault[] {
  if (!isKnownEvent(state, attempt.event)) return [fault("unknown event", quote(attempt.event))];
  const ofDeliverable = deliverableFault(state.settings, attempt);
  if (ofDeliverable !== undefined) return [ofDeliverable];
  const transition = findTransition(state, attempt);
  return transition === undefined ? [] : faultsOf(state, attempt, transition);
}

/** The row of the table that says what the attempt does in its schema; undefined when none does. */
function findTransition(state: CollaborationState, attempt: MoveAttempt): Transition | undefined {
  return transitions.find(
    ({ event, schema, role }) =>
      event === attempt.event &&
      (schema === undefined || schema === state.settings.schema) &&
      (role === undefined || role === attempt.role),
  );
}

/** Whether the collaboration's schema, or ours, has such an event. */
export function isKnownEvent(state: CollaborationState, event: string): event is EventName {
  return knownEvents(state).some((known) => known === event);
}

/** The events that the collaboration's schema, or ours, has. */
export function knownEvents({ settings }: CollaborationState): EventName[] {
  return transitions
    .filter(({ schema }) => schema === undefined || schema === settings.schema)
    .map(({ event }) => event);
}

/**
 * The events that a participant may append now, documents aside, in the table's order. Those of
 * supporting deliverables are possible at any time and not listed.
 */
export function allowedEvents(state: CollaborationState, from: string): EventName[] {
  const { deliverables } = state.settings;
  const primary =
    deliverables === null ? undefined : referenceOf(deliverables, deliverables.primary);
  return transitions
    .filter(({ event, role }) => {
      if (role === "supporting") return false;
      // Nothing is lacking that a row could want.
      const doc = role === undefined ? "conclusion.md" : primary;
      const attempt = { event, from, summary: "", doc, role, sha256: "0".repeat(64) };
      return typeof step(state, attempt) !== "string";
    })
    .map(({ event }) => event);
}

/** Why a transition is not possible for this attempt, in the contract's order and words. */
function faultsOf(
  state: CollaborationState,
  attempt: MoveAttempt,
  transition: Transition,
): Fault[] {
  const inPhase = transition.from.includes(state.phase);
  const unmet = (order: "first" | "in phase" | "after") =>
    transition.needs
      .map((need) => conditions[need])
      .filter((rule) => rule.order === order && !rule.holds(state, attempt))
      .map((rule) => fault(rule.fault));
  const untimely = inPhase ? unmet("in phase") : [outOfPhase(transition, state.phase)];
  const awaited = untimely.length === 0 ? state.waitingFor : [];
  const reserved = whoFault(state, attempt, transition, awaited);
  return [...unmet("first"), ...untimely, ...unmet("after"), ...reserved];
}

function outOfPhase({ event }: Transition, phase: CollaborationState["phase"]): Fault {
  if (event === "initialized") return fault("not first");
  if (event === "completed") return fault("readiness not passed");
  return fault("wrong phase", event, phase === "new" ? "None" : phase);
}

function whoFault(
  state: CollaborationState,
  { from }: MoveAttempt,
  { event, who }: Transition,
  awaited: readonly string[],
): Fault[] {
  const { settings, owner } = state;
  if (who === "any participant") {
    if (settings.participants.includes(from)) return [];
    return [fault("not listed", event)];
  }
  const allowed = who === "the owner" ? [owner] : awaited;
  // Before `initialized` there is no owner; the phase says all.
  if (allowed.includes(from) || (who === "the owner" && owner === "")) return [];
  const names = allowed.length === 0 ? "no participant" : allowed.join(", ");
  const got = settings.participants.includes(from) ? from : plainWord(from);
  return [fault("reserved", event, names, got)];
}
