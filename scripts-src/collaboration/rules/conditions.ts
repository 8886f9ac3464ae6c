import type { FaultCode } from "./faults.ts";
import type { CollaborationState } from "./state.ts";

/** An event that someone wants to append, or has appended, as far as the rules look at it. */
export interface MoveAttempt {
  readonly event: string;
  readonly from: string;
  readonly summary: string;
  readonly doc?: string | undefined;
  readonly role?: string | undefined;
  readonly sha256?: string | undefined;
}

/** What a transition needs beside phase and participant, by the words that a diagram shows. */
export type Condition = keyof typeof conditions;

interface Rule {
  /**
   * Where its fault is in the list that `faultsOf` (step.ts) makes, in the originals' order: "first" before the
   * fault of the phase; "in phase" in the place of that one, so only when the phase is right; "after" after it.
   */
  readonly order: "first" | "in phase" | "after";
  readonly fault: FaultCode;
  holds(state: CollaborationState, attempt: MoveAttempt): boolean;
}

export const conditions = {
  "first event": {
    order: "in phase",
    fault: "not first",
    holds: ({ seq }) => seq === 0,
  },
  // Schema 1 has no deliverable to draft.
  drafted: {
    order: "after",
    fault: "not drafted",
    holds: ({ settings, drafted }) => settings.schema === 1 || drafted,
  },
  "a reviewer": {
    order: "after",
    fault: "no reviewer",
    holds: ({ settings, owner }) => settings.participants.some((name) => name !== owner),
  },
  classified: {
    order: "in phase",
    fault: "not classified",
    holds: ({ classified }) => classified,
  },
  // Two names for one test: `deliverable_revised` and `deliverable_frozen` report different faults.
  "not frozen": {
    order: "first",
    fault: "frozen before",
    holds: ({ frozen }) => frozen === null,
  },
  "not frozen yet": {
    order: "first",
    fault: "frozen twice",
    holds: ({ frozen }) => frozen === null,
  },
  // Schema 1 has no deliverable to freeze.
  frozen: {
    order: "after",
    fault: "not frozen",
    holds: ({ settings, frozen }) => settings.schema === 1 || frozen !== null,
  },
  "readiness passed": {
    order: "in phase",
    fault: "readiness not passed",
    holds: ({ readinessPassed }) => readinessPassed,
  },
  "doc is conclusion.md": {
    order: "after",
    fault: "no conclusion",
    holds: (_state, { doc }) => doc === "conclusion.md",
  },
  "blocked in a phase": {
    order: "in phase",
    fault: "no phase before",
    holds: ({ blocked }) => blocked !== null,
  },
} as const satisfies Record<string, Rule>;
