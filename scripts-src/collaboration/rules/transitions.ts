import { limits } from "../../base/limits.ts";
import type { FaultCode } from "./faults.ts";
import {
  type CollaborationState,
  type EventName,
  type FrozenFile,
  type Phase,
  phases,
} from "./state.ts";

/** An event that someone wants to append, or has appended, as far as the rules look at it. */
export interface Attempt {
  readonly event: string;
  readonly from: string;
  readonly summary: string;
  readonly doc?: string | undefined;
  readonly role?: string | undefined;
  readonly sha256?: string | undefined;
}

/** One row of the machine below: when an event may come, when it is expected, and what it changes. */
export interface Transition {
  readonly event: EventName;
  /** Only in this schema; in both where it is not said. */
  readonly schema?: 2;
  readonly role?: "primary" | "supporting";
  readonly from: readonly (Phase | "new")[];
  readonly who: "any participant" | "the owner" | "who is waited for";
  readonly needs: readonly Condition[];
  /** What is read to decide on it; deliverables aside. */
  readonly documents?: readonly string[];
  /** Whether it is what those who are waited for have to bring about. */
  readonly isDue?: (state: CollaborationState) => boolean;
  readonly to: Phase | "same" | "before";
  readonly waitingFor: WaitingRule;
  /** Where it leads instead when nobody is left to wait for. */
  readonly last?: { readonly to: Phase; readonly waitingFor: WaitingRule };
  /** What it changes beside phase, `waitingFor` and `last`. */
  readonly changes?: (state: CollaborationState, attempt: Attempt) => Partial<CollaborationState>;
}

export type WaitingRule =
  | "owner"
  | "others"
  | "everyone"
  | "the rest"
  | "nobody"
  | "as before"
  | "as before the block";

/** What a transition needs beside phase and participant, by the words that a diagram shows. */
export type Condition = keyof typeof conditions;

interface Rule {
  /**
   * Where its fault is in the list that `faultsOf` (machine.ts) makes, in the originals' order: "first" before the
   * fault of the phase; "in phase" in the place of that one, so only when the phase is right; "after" after it.
   */
  readonly order: "first" | "in phase" | "after";
  readonly fault: FaultCode;
  holds(state: CollaborationState, attempt: Attempt): boolean;
}

export const conditions = {
  "first event": need("in phase", "not first", ({ seq }) => seq === 0),
  // Schema 1 has no deliverable to draft.
  drafted: need(
    "after",
    "not drafted",
    ({ settings, drafted }) => settings.schema === 1 || drafted,
  ),
  "a reviewer": need("after", "no reviewer", ({ settings, owner }) =>
    settings.participants.some((name) => name !== owner),
  ),
  classified: need("in phase", "not classified", ({ classified }) => classified),
  // Two names for one test: `deliverable_revised` and `deliverable_frozen` report different faults.
  "not frozen": need("first", "frozen before", ({ frozen }) => frozen === null),
  "not frozen yet": need("first", "frozen twice", ({ frozen }) => frozen === null),
  // Schema 1 has no deliverable to freeze.
  frozen: need(
    "after",
    "not frozen",
    ({ settings, frozen }) => settings.schema === 1 || frozen !== null,
  ),
  "readiness passed": need(
    "in phase",
    "readiness not passed",
    ({ readinessPassed }) => readinessPassed,
  ),
  "doc is conclusion.md": need(
    "after",
    "no conclusion",
    (_state, { doc }) => doc === "conclusion.md",
  ),
  "blocked in a phase": need("in phase", "no phase before", ({ blocked }) => blocked !== null),
} as const;

function need(order: Rule["order"], fault: FaultCode, holds: Rule["holds"]): Rule {
  return { order, fault, holds };
}

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
    changes: ({ seq }, { from }) => ({ owner: from, proposalSeq: seq + 1 }),
  },
  {
    event: "proposal_submitted",
    from: ["drafting", "revising"],
    who: "the owner",
    needs: ["drafted", "a reviewer"],
    isDue: ({ phase, settings, drafted }) =>
      phase === "drafting" && (settings.schema === 1 || drafted),
    documents: ["proposal.md"],
    to: "reviewing",
    waitingFor: "others",
    changes: decidedAnew,
  },
  {
    event: "review_submitted",
    from: ["reviewing"],
    who: "who is waited for",
    needs: [],
    isDue: () => true,
    to: "reviewing",
    waitingFor: "the rest",
    last: { to: "revising", waitingFor: "owner" },
  },
  {
    event: "proposal_revised",
    from: ["revising"],
    who: "the owner",
    needs: [],
    isDue: () => true,
    documents: ["proposal.md"],
    to: "decision_review",
    waitingFor: "owner",
    changes: decidedAnew,
  },
  {
    event: "decision_proposed",
    from: ["revising", "decision_review"],
    who: "the owner",
    needs: [],
    to: "decision_review",
    waitingFor: "owner",
    changes: decidedAnew,
  },
  {
    event: "question_classified",
    from: ["decision_review"],
    who: "the owner",
    needs: [],
    isDue: ({ classified }) => !classified,
    documents: ["readiness.md"],
    to: "decision_review",
    waitingFor: "everyone",
    changes: (state) => ({ ...decidedAnew(state), classified: true }),
  },
  {
    event: "decision_accepted",
    from: ["decision_review"],
    who: "who is waited for",
    needs: ["classified"],
    isDue: ({ classified }) => classified,
    documents: ["readiness.md"],
    to: "decision_review",
    waitingFor: "the rest",
    last: { to: "readiness_check", waitingFor: "owner" },
    changes: ({ accepted }, { from }) => ({ accepted: [...accepted, from] }),
  },
  {
    event: "readiness_passed",
    from: ["readiness_check"],
    who: "the owner",
    needs: ["frozen"],
    isDue: ({ settings, frozen, readinessPassed }) =>
      !readinessPassed && (settings.schema === 1 || frozen !== null),
    documents: ["readiness.md"],
    to: "readiness_check",
    waitingFor: "owner",
    changes: ({ seq }) => ({ readinessPassed: true, proposalSeq: seq + 1 }),
  },
  {
    event: "completed",
    from: ["readiness_check"],
    who: "the owner",
    needs: ["readiness passed", "doc is conclusion.md"],
    isDue: ({ readinessPassed }) => readinessPassed,
    documents: ["readiness.md", "conclusion.md"],
    to: "completed",
    waitingFor: "nobody",
    changes: ({ seq }) => ({ proposalSeq: seq + 1 }),
  },
  {
    event: "deliverable_drafted",
    schema: 2,
    role: "primary",
    from: ["drafting", "revising", "decision_review"],
    who: "the owner",
    needs: [],
    isDue: ({ phase, drafted }) => phase === "drafting" && !drafted,
    to: "same",
    waitingFor: "as before",
    changes: deliverableChanged,
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
    changes: deliverableChanged,
  },
  {
    event: "deliverable_frozen",
    schema: 2,
    role: "primary",
    from: ["readiness_check"],
    who: "the owner",
    needs: ["not frozen yet"],
    isDue: ({ frozen }) => frozen === null,
    to: "same",
    waitingFor: "as before",
    changes: (state, attempt) => ({ frozen: frozenBy(state, attempt), proposalSeq: state.seq + 1 }),
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
    changes: (state, attempt) => ({ blocked: blockOf(state, attempt) }),
  },
  {
    event: "unblocked",
    from: ["blocked"],
    who: "the owner",
    needs: ["blocked in a phase"],
    to: "before",
    waitingFor: "as before the block",
    changes: () => ({ blocked: null }),
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
    ...(event === "deliverable_frozen" ? { changes: supportingFrozen } : {}),
  };
}

/** Who accepted, accepted another decision. */
function decidedAnew({ seq }: CollaborationState): Partial<CollaborationState> {
  return { proposalSeq: seq + 1, classified: false, accepted: [], staleAcceptances: [] };
}

/** The decision is about the deliverable: who accepted it before a revision accepted another one. */
function deliverableChanged({ seq, accepted }: CollaborationState): Partial<CollaborationState> {
  return { proposalSeq: seq + 1, drafted: true, staleAcceptances: accepted };
}

function supportingFrozen(
  state: CollaborationState,
  attempt: Attempt,
): Partial<CollaborationState> {
  const others = state.supportingFrozen.filter(({ path }) => path !== attempt.doc);
  return { supportingFrozen: [...others, frozenBy(state, attempt)] };
}

function frozenBy({ seq }: CollaborationState, { doc = "", sha256 = "" }: Attempt): FrozenFile {
  return { seq: seq + 1, path: doc, sha256 };
}

/** Blocked a second time, it goes back to where it was blocked first. */
function blockOf(state: CollaborationState, attempt: Attempt): CollaborationState["blocked"] {
  const { phase, waitingFor, blocked, seq } = state;
  if (phase === "new" || (phase === "blocked" && blocked === null)) return null;
  const reason = attempt.summary.slice(0, limits.itemCharacters).toWellFormed();
  const place = blocked ?? { phase, waitingFor };
  return {
    phase: place.phase,
    waitingFor: place.waitingFor,
    by: attempt.from,
    seq: seq + 1,
    reason,
  };
}
