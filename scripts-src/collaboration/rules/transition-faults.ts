import type { Attempt } from "./attempt.ts";
import { conditions } from "./conditions.ts";
import { type Fault, fault } from "./faults.ts";
import { foreignName } from "./foreign-name.ts";
import type { CollaborationState, EventName } from "./state.ts";
import type { Transition } from "./transition.ts";

/** Why a transition is not possible for this attempt, in the contract's order and words. */
export function faultsOf(
  state: CollaborationState,
  attempt: Attempt,
  transition: Transition,
): Fault[] {
  const inPhase = transition.from.includes(state.phase);
  const unmet = (looked: "first" | "in phase" | "after") =>
    transition.needs
      .map((need) => conditions[need])
      .filter((rule) => rule.looked === looked && !rule.holds(state, attempt))
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

/** What the contract calls the doing that is reserved for somebody. */
const doings: Partial<Record<EventName, string>> = {
  proposal_submitted: "proposal submission",
  review_submitted: "review submission",
  proposal_revised: "proposal revision",
  decision_proposed: "decision proposal",
  question_classified: "question classification",
  decision_accepted: "decision acceptance",
  readiness_passed: "readiness pass",
  completed: "completion",
  deliverable_drafted: "deliverable draft",
  deliverable_revised: "deliverable revision",
  deliverable_frozen: "deliverable freeze",
  unblocked: "unblocking",
};

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
  const got = foreignName(from, settings.participants.includes(from));
  return [fault("reserved", doings[event] ?? event, names, got)];
}
