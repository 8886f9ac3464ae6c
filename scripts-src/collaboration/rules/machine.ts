import { plainWord } from "../../base/escape-untrusted-text.ts";
import { quote } from "../../base/json.ts";
import { deliverableFault } from "./deliverable-events.ts";
import { referenceOf } from "./deliverables.ts";
import { type Fault, fault, textsOf } from "./faults.ts";
import { type CollaborationState, type EventName, everyone, others } from "./state.ts";
import {
  type Attempt,
  conditions,
  type Transition,
  transitions,
  type WaitingRule,
} from "./transitions.ts";

/**
 * The state after an attempt, or why the rules refuse it: in the contract's words, several joined
 * by `; `. Documents are not looked at; the event's seq, time and summary are the caller's to note.
 */
export function step(state: CollaborationState, attempt: Attempt): CollaborationState | string {
  const faults = transitionFaults(state, attempt);
  const transition = findTransition(state, attempt);
  if (transition === undefined || faults.length > 0) return textsOf(faults).join("; ");
  return applied(state, attempt, transition);
}

/** The rules that an attempt breaks, in the contract's order and words; empty when none. */
export function transitionFaults(state: CollaborationState, attempt: Attempt): Fault[] {
  if (!isKnownEvent(state, attempt.event)) return [fault("unknown event", quote(attempt.event))];
  const ofDeliverable = deliverableFault(state.settings, attempt);
  if (ofDeliverable !== undefined) return [ofDeliverable];
  const transition = findTransition(state, attempt);
  return transition === undefined ? [] : faultsOf(state, attempt, transition);
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

const awaitedBy: Record<
  WaitingRule,
  (state: CollaborationState, before: CollaborationState, attempt: Attempt) => string[]
> = {
  owner: ({ owner }) => [owner],
  others,
  everyone,
  "the rest": (_, { waitingFor }, { from }) => waitingFor.filter((name) => name !== from),
  nobody: () => [],
  "as before": (_, { waitingFor }) => waitingFor,
  "as before the block": (_, { blocked }) => blocked?.waitingFor ?? [],
};

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
  const isDue = (it: Transition) => isOfSchema(state, it) && it.from.includes(state.phase);
  return transitions.find((it) => isDue(it) && it.isDue?.(state))?.event;
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
      return isAllowed(state, { event, from, doc, role, sha256: "0".repeat(64) });
    })
    .map(({ event }) => event);
}

/** Why a transition is not possible for this attempt, in the contract's order and words. */
function faultsOf(state: CollaborationState, attempt: Attempt, transition: Transition): Fault[] {
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
  { from }: Attempt,
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
