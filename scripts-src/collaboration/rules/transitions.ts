import type { JsonValue } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import type { LogEvent } from "../../log/event.ts";
import type { FaultCode } from "./faults.ts";
import { type Phase, phases } from "./settings.ts";
import type { CollaborationState, EventName, FrozenFile } from "./state.ts";

/** An event that someone wants to append, or has appended, as far as the rules look at it. */
export interface Attempt {
  readonly event: string;
  readonly from: string;
  readonly summary: string;
  readonly doc?: string | undefined;
  readonly role?: string | undefined;
  readonly sha256?: string | undefined;
}

/** A stored event as the rules look at it. */
export function attemptOf({ event, from, summary, doc, role, sha256 }: LogEvent): Attempt {
  return { event, from, summary, doc: text(doc), role: text(role), sha256: text(sha256) };
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** One row of the machine below: when an event may come, when it is expected, and what it changes. */
export interface Transition extends More {
  readonly event: EventName;
  readonly who: "any participant" | "the owner" | "who is waited for";
  readonly from: readonly (Phase | "new")[];
  readonly to: Phase | "same" | "before";
  readonly waitingFor: WaitingRule;
  readonly needs: readonly Condition[];
}

interface More {
  /** Only in this schema; in both where it is not said. */
  readonly schema?: 2;
  readonly role?: "primary" | "supporting";
  readonly needs?: readonly Condition[];
  /** What is read to decide on it; deliverables aside. */
  readonly documents?: readonly string[];
  /** Whether it is what those who are waited for have to bring about. */
  readonly isDue?: (state: CollaborationState) => boolean;
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
   * Where its fault is among those of a transition, in the originals' order: "first" before the fault of the
   * phase; "in phase" in the place of that one, so only when the phase is right; "after" after it.
   */
  readonly order: "first" | "in phase" | "after";
  readonly fault: FaultCode;
  holds(state: CollaborationState, attempt: Attempt): boolean;
}

const isFirst = ({ settings }: CollaborationState) => settings.schema === 1;
const isOpen = ({ frozen }: CollaborationState) => frozen === null;

export const conditions = {
  "first event": need("in phase", "not first", ({ seq }) => seq === 0),
  // Schema 1 has no deliverable to draft or to freeze.
  drafted: need("after", "not drafted", (state) => isFirst(state) || state.drafted),
  "a reviewer": need("after", "no reviewer", ({ settings, owner }) =>
    settings.participants.some((name) => name !== owner),
  ),
  classified: need("in phase", "not classified", ({ classified }) => classified),
  // Two names for one test: `deliverable_revised` and `deliverable_frozen` report different faults.
  "not frozen": need("first", "frozen before", isOpen),
  "not frozen yet": need("first", "frozen twice", isOpen),
  frozen: need("after", "not frozen", (state) => isFirst(state) || !isOpen(state)),
  "readiness passed": need("in phase", "readiness not passed", (state) => state.readinessPassed),
  "doc is conclusion.md": need("after", "no conclusion", (_, { doc }) => doc === "conclusion.md"),
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
  row("initialized", "any participant", ["new"], "drafting", "owner", {
    needs: ["first event"],
    changes: (state, { from }) => ({ owner: from, ...answered(state) }),
  }),
  row("proposal_submitted", "the owner", ["drafting", "revising"], "reviewing", "others", {
    needs: ["drafted", "a reviewer"],
    isDue: (state) => state.phase === "drafting" && (isFirst(state) || state.drafted),
    documents: ["proposal.md"],
    changes: decidedAnew,
  }),
  row("review_submitted", "who is waited for", ["reviewing"], "reviewing", "the rest", {
    isDue: () => true,
    last: { to: "revising", waitingFor: "owner" },
  }),
  row("proposal_revised", "the owner", ["revising"], "decision_review", "owner", {
    isDue: () => true,
    documents: ["proposal.md"],
    changes: decidedAnew,
  }),
  row(
    "decision_proposed",
    "the owner",
    ["revising", "decision_review"],
    "decision_review",
    "owner",
    { changes: decidedAnew },
  ),
  row("question_classified", "the owner", ["decision_review"], "decision_review", "everyone", {
    isDue: ({ classified }) => !classified,
    documents: ["readiness.md"],
    changes: (state) => ({ ...decidedAnew(state), classified: true }),
  }),
  row(
    "decision_accepted",
    "who is waited for",
    ["decision_review"],
    "decision_review",
    "the rest",
    {
      needs: ["classified"],
      isDue: ({ classified }) => classified,
      documents: ["readiness.md"],
      last: { to: "readiness_check", waitingFor: "owner" },
      changes: ({ accepted }, { from }) => ({ accepted: [...accepted, from] }),
    },
  ),
  row("readiness_passed", "the owner", ["readiness_check"], "readiness_check", "owner", {
    needs: ["frozen"],
    isDue: (state) => !state.readinessPassed && (isFirst(state) || !isOpen(state)),
    documents: ["readiness.md"],
    changes: (state) => ({ readinessPassed: true, ...answered(state) }),
  }),
  row("completed", "the owner", ["readiness_check"], "completed", "nobody", {
    needs: ["readiness passed", "doc is conclusion.md"],
    isDue: ({ readinessPassed }) => readinessPassed,
    documents: ["readiness.md", "conclusion.md"],
    changes: answered,
  }),
  primary("deliverable_drafted", ["drafting", "revising", "decision_review"], {
    isDue: ({ phase, drafted }) => phase === "drafting" && !drafted,
    changes: deliverableChanged,
  }),
  primary("deliverable_revised", ["revising", "decision_review"], {
    needs: ["not frozen"],
    changes: deliverableChanged,
  }),
  primary("deliverable_frozen", ["readiness_check"], {
    needs: ["not frozen yet"],
    isDue: isOpen,
    changes: (state, attempt) => ({ frozen: frozenBy(state, attempt), ...answered(state) }),
  }),
  supporting("deliverable_drafted"),
  supporting("deliverable_revised"),
  supporting("deliverable_frozen", { changes: supportingFrozen }),
  row("blocked", "any participant", anywhere, "blocked", "nobody", {
    changes: (state, attempt) => ({ blocked: blockOf(state, attempt) }),
  }),
  row("unblocked", "the owner", ["blocked"], "before", "as before the block", {
    needs: ["blocked in a phase"],
    changes: () => ({ blocked: null }),
  }),
];

function row(
  event: EventName,
  who: Transition["who"],
  from: Transition["from"],
  to: Transition["to"],
  waitingFor: WaitingRule,
  more: More = {},
): Transition {
  return { event, who, from, to, waitingFor, needs: [], ...more };
}

function primary(event: EventName, from: Transition["from"], more: More): Transition {
  return row(event, "the owner", from, "same", "as before", {
    schema: 2,
    role: "primary",
    ...more,
  });
}

function supporting(event: EventName, more: More = {}): Transition {
  const of = { schema: 2, role: "supporting" } as const;
  return row(event, "any participant", anywhere, "same", "as before", { ...of, ...more });
}

/** The next events answer this one. */
function answered({ seq }: CollaborationState): Pick<CollaborationState, "proposalSeq"> {
  return { proposalSeq: seq + 1 };
}

/** Who accepted, accepted another decision. */
function decidedAnew(state: CollaborationState): Partial<CollaborationState> {
  return { ...answered(state), classified: false, accepted: [], staleAcceptances: [] };
}

/** The decision is about the deliverable: who accepted it before a revision accepted another one. */
function deliverableChanged(state: CollaborationState): Partial<CollaborationState> {
  return { ...answered(state), drafted: true, staleAcceptances: state.accepted };
}

function supportingFrozen(state: CollaborationState, attempt: Attempt) {
  const others = state.supportingFrozen.filter(({ path }) => path !== attempt.doc);
  return { supportingFrozen: [...others, frozenBy(state, attempt)] };
}

function frozenBy({ seq }: CollaborationState, { doc = "", sha256 = "" }: Attempt): FrozenFile {
  return { seq: seq + 1, path: doc, sha256 };
}

/** Blocked a second time, it goes back to where it was blocked first. */
function blockOf(state: CollaborationState, { from, summary }: Attempt) {
  const { phase, waitingFor, blocked, seq } = state;
  if (phase === "new" || (phase === "blocked" && blocked === null)) return null;
  const place =
    blocked === null
      ? { phase, waitingFor }
      : { phase: blocked.phase, waitingFor: blocked.waitingFor };
  const reason = summary.slice(0, limits.itemCharacters).toWellFormed();
  return { ...place, by: from, seq: seq + 1, reason };
}
