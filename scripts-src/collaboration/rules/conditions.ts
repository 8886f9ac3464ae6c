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
  /** Whether it is looked at before the phase, only in the right phase, or after the phase. */
  readonly looked: "first" | "in phase" | "after";
  readonly fault: FaultCode;
  holds(state: CollaborationState, attempt: MoveAttempt): boolean;
}

export const conditions = {
  "first event": {
    looked: "in phase",
    fault: "not first",
    holds: ({ seq }) => seq === 0,
  },
  drafted: {
    looked: "after",
    fault: "not drafted",
    holds: ({ settings, drafted }) => settings.schema === 1 || drafted,
  },
  "a reviewer": {
    looked: "after",
    fault: "no reviewer",
    holds: ({ settings, owner }) => settings.participants.some((name) => name !== owner),
  },
  classified: {
    looked: "in phase",
    fault: "not classified",
    holds: ({ classified }) => classified,
  },
  "not frozen": {
    looked: "first",
    fault: "frozen before",
    holds: ({ frozen }) => frozen === null,
  },
  "not frozen yet": {
    looked: "first",
    fault: "frozen twice",
    holds: ({ frozen }) => frozen === null,
  },
  frozen: {
    looked: "after",
    fault: "not frozen",
    holds: ({ settings, frozen }) => settings.schema === 1 || frozen !== null,
  },
  "readiness passed": {
    looked: "in phase",
    fault: "readiness not passed",
    holds: ({ readinessPassed }) => readinessPassed,
  },
  "doc is conclusion.md": {
    looked: "after",
    fault: "no conclusion",
    holds: (_state, { doc }) => doc === "conclusion.md",
  },
  "blocked in a phase": {
    looked: "in phase",
    fault: "no phase before",
    holds: ({ blocked }) => blocked !== null,
  },
} as const satisfies Record<string, Rule>;
