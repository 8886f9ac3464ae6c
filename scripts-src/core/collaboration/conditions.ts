import type { Attempt } from "./attempt.ts";
import type { CollaborationState } from "./state.ts";

/** What a transition needs beside phase and participant, by the words that a diagram shows. */
export type Condition = keyof typeof conditions;

interface Rule {
  /** Whether it is looked at before the phase, only in the right phase, or after the phase. */
  readonly looked: "first" | "in phase" | "after";
  /** In the contract's words. */
  readonly fault: string;
  holds(state: CollaborationState, attempt: Attempt): boolean;
}

export const conditions = {
  "first event": {
    looked: "in phase",
    fault: "initialized must be seq 1",
    holds: ({ seq }) => seq === 0,
  },
  drafted: {
    looked: "after",
    fault: "proposal_submitted requires prior primary deliverable_drafted",
    holds: ({ settings, drafted }) => settings.schema === 1 || drafted,
  },
  "a reviewer": {
    looked: "after",
    fault: "proposal_submitted requires at least one reviewer",
    holds: ({ settings, owner }) => settings.participants.some((name) => name !== owner),
  },
  classified: {
    looked: "in phase",
    fault: "decision_accepted requires question_classified after the latest proposal or decision",
    holds: ({ classified }) => classified,
  },
  "not frozen": {
    looked: "first",
    fault: "deliverable_revised is not allowed after deliverable_frozen",
    holds: ({ frozen }) => frozen === null,
  },
  "not frozen yet": {
    looked: "first",
    fault: "primary deliverable can be frozen only once",
    holds: ({ frozen }) => frozen === null,
  },
  frozen: {
    looked: "after",
    fault: "readiness_passed requires primary deliverable_frozen",
    holds: ({ settings, frozen }) => settings.schema === 1 || frozen !== null,
  },
  "readiness passed": {
    looked: "in phase",
    fault: "completed requires a prior readiness_passed event",
    holds: ({ readinessPassed }) => readinessPassed,
  },
  "doc is conclusion.md": {
    looked: "after",
    fault: "completed must reference conclusion.md",
    holds: (_state, { doc }) => doc === "conclusion.md",
  },
  "blocked in a phase": {
    looked: "in phase",
    fault: "unblocked has no phase to go back to: nothing was initialized before blocked",
    holds: ({ blocked }) => blocked !== null,
  },
} as const satisfies Record<string, Rule>;
