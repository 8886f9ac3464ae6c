import type { Condition } from "./conditions.ts";
import { type EventName, type Phase, phases } from "./state.ts";

/** One row of the machine that transitions.ts draws: what an event needs and where it leads. */
export interface Transition {
  readonly event: EventName;
  /** Only in this schema; in both where it is not said. */
  readonly schema?: 2;
  readonly role?: "primary" | "supporting";
  readonly from: readonly (Phase | "new")[];
  readonly who: "any participant" | "the owner" | "who is waited for";
  readonly needs: readonly Condition[];
  readonly to: Phase | "same" | "before";
  readonly waitingFor: WaitingRule;
  /** Where it leads instead when nobody is left to wait for. */
  readonly last?: { readonly to: Phase; readonly waitingFor: WaitingRule };
}

export type WaitingRule =
  | "owner"
  | "others"
  | "everyone"
  | "the rest"
  | "nobody"
  | "as before"
  | "as before the block";

const anywhere = ["new", ...phases] as const;

/**
 * The machine of a collaboration; what is not here is rejected. After each phase is who is waited for:
 * O the proposal owner, R the other participants, W everyone.
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
