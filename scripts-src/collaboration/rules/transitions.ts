import { pythonRepr } from "../../base/python-text.ts";
import type { Attempt } from "./attempt.ts";
import { deliverableFault } from "./deliverable-events.ts";
import { type Fault, fault, textsOf } from "./faults.ts";
import { move } from "./move.ts";
import { type CollaborationState, type EventName, phases } from "./state.ts";
import type { Transition } from "./transition.ts";
import { faultsOf } from "./transition-faults.ts";

const anywhere = ["new", ...phases] as const;

/**
 * The machine of a collaboration; whatever is not here is refused. O is the proposal owner, R the other participants, W everyone;
 * behind each phase stands who is waited for.
 *
 *   new --initialized--> drafting (O)
 *   drafting (O) --proposal_submitted--> reviewing (R)
 *   reviewing (R) --review_submitted (last)--> revising (O)
 *   revising (O) --proposal_submitted--> reviewing (R)
 *   revising (O) --proposal_revised, decision_proposed--> decision_review (O)
 *   decision_review --question_classified--> decision_review (W)
 *   decision_review --decision_proposed--> decision_review (O)
 *   decision_review (W) --decision_accepted (last)--> readiness_check (O)
 *   readiness_check (O) --readiness_passed--> readiness_check (O) --completed--> completed
 *   any --blocked--> blocked --unblocked--> the phase before
 *
 * Schema 2 adds the primary deliverable: drafted while drafting, drafted or revised in revising and
 * decision_review, frozen in readiness_check; supporting ones move at any time and nothing else.
 */
export const transitions: readonly Transition[] = [
  {
    event: "initialized",
    from: ["new"],
    who: "any participant",
    needs: ["first event"],
    to: "drafting",
    waitingFor: "owner",
  },
  {
    event: "proposal_submitted",
    from: ["drafting", "revising"],
    who: "the owner",
    needs: ["drafted", "a reviewer"],
    to: "reviewing",
    waitingFor: "others",
  },
  {
    event: "review_submitted",
    from: ["reviewing"],
    who: "who is waited for",
    needs: [],
    to: "reviewing",
    waitingFor: "the rest",
    last: { to: "revising", waitingFor: "owner" },
  },
  {
    event: "proposal_revised",
    from: ["revising"],
    who: "the owner",
    needs: [],
    to: "decision_review",
    waitingFor: "owner",
  },
  {
    event: "decision_proposed",
    from: ["revising", "decision_review"],
    who: "the owner",
    needs: [],
    to: "decision_review",
    waitingFor: "owner",
  },
  {
    event: "question_classified",
    from: ["decision_review"],
    who: "the owner",
    needs: [],
    to: "decision_review",
    waitingFor: "everyone",
  },
  {
    event: "decision_accepted",
    from: ["decision_review"],
    who: "who is waited for",
    needs: ["classified"],
    to: "decision_review",
    waitingFor: "the rest",
    last: { to: "readiness_check", waitingFor: "owner" },
  },
  {
    event: "readiness_passed",
    from: ["readiness_check"],
    who: "the owner",
    needs: ["frozen"],
    to: "readiness_check",
    waitingFor: "owner",
  },
  {
    event: "completed",
    from: ["readiness_check"],
    who: "the owner",
    needs: ["readiness passed", "doc is conclusion.md"],
    to: "completed",
    waitingFor: "nobody",
  },
  {
    event: "deliverable_drafted",
    schema: 2,
    role: "primary",
    from: ["drafting", "revising", "decision_review"],
    who: "the owner",
    needs: [],
    to: "same",
    waitingFor: "as before",
  },
  {
    event: "deliverable_revised",
    schema: 2,
    role: "primary",
    from: ["revising", "decision_review"],
    who: "the owner",
    needs: ["not frozen"],
    to: "same",
    waitingFor: "as before",
  },
  {
    event: "deliverable_frozen",
    schema: 2,
    role: "primary",
    from: ["readiness_check"],
    who: "the owner",
    needs: ["not frozen yet"],
    to: "same",
    waitingFor: "as before",
  },
  supporting("deliverable_drafted"),
  supporting("deliverable_revised"),
  supporting("deliverable_frozen"),
  {
    event: "blocked",
    from: anywhere,
    who: "any participant",
    needs: [],
    to: "blocked",
    waitingFor: "nobody",
  },
  {
    event: "unblocked",
    from: ["blocked"],
    who: "the owner",
    needs: ["blocked in a phase"],
    to: "before",
    waitingFor: "as before the block",
  },
];

function supporting(event: EventName): Transition {
  return {
    event,
    schema: 2,
    role: "supporting",
    from: anywhere,
    who: "any participant",
    needs: [],
    to: "same",
    waitingFor: "as before",
  };
}

/**
 * The state after an attempt, or why the rules refuse it: in the contract's words, several joined
 * by `; `. Documents are not looked at; the event's seq, time and summary are the caller's to note.
 */
export function step(state: CollaborationState, attempt: Attempt): CollaborationState | string {
  const faults = transitionFaults(state, attempt);
  const transition = findTransition(state, attempt);
  if (transition === undefined || faults.length > 0) return textsOf(faults).join("; ");
  return move(state, attempt, transition);
}

/** The rules that an attempt breaks, in the contract's order and words; empty when none. */
export function transitionFaults(state: CollaborationState, attempt: Attempt): Fault[] {
  if (!isKnownEvent(state, attempt.event))
    return [fault("unknown event", pythonRepr(attempt.event))];
  const ofDeliverable = deliverableFault(state.settings, attempt);
  if (ofDeliverable !== undefined) return [ofDeliverable];
  const transition = findTransition(state, attempt);
  return transition === undefined ? [] : faultsOf(state, attempt, transition);
}

/** The row of the table that says what the attempt does in its schema; undefined when none does. */
function findTransition(state: CollaborationState, attempt: Attempt): Transition | undefined {
  return transitions.find(
    ({ event, schema, role }) =>
      event === attempt.event &&
      (schema === undefined || schema === state.settings.schema) &&
      (role === undefined || role === attempt.role),
  );
}

/** Whether the collaboration's schema, or ours, has such an event. */
export function isKnownEvent({ settings }: CollaborationState, event: string): event is EventName {
  return transitions.some(
    (it) => it.event === event && (it.schema === undefined || it.schema === settings.schema),
  );
}
