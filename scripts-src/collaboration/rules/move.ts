import { limits } from "../../base/limits.ts";
import type { MoveAttempt } from "./conditions.ts";
import { type CollaborationState, everyone, others } from "./state.ts";
import type { Transition, WaitingRule } from "./transitions.ts";

/** The state after a transition that breaks no rule. */
export function move(
  before: CollaborationState,
  attempt: MoveAttempt,
  transition: Transition,
): CollaborationState {
  const state = applyEffects(before, attempt);
  const waitingFor = awaitedAfter(transition.waitingFor, before, state, attempt);
  const { to, last } = transition;
  if (last !== undefined && waitingFor.length === 0) {
    const next = awaitedAfter(last.waitingFor, before, state, attempt);
    return { ...state, phase: last.to, waitingFor: next, proposalSeq: state.seq + 1 };
  }
  const phase = to === "same" ? before.phase : to === "before" ? phaseBefore(before) : to;
  return { ...state, phase, waitingFor };
}

function phaseBefore({ blocked, phase }: CollaborationState): CollaborationState["phase"] {
  return blocked?.phase ?? phase;
}

function awaitedAfter(
  waiting: WaitingRule,
  before: CollaborationState,
  state: CollaborationState,
  { from }: MoveAttempt,
): string[] {
  switch (waiting) {
    case "owner":
      return [state.owner];
    case "others":
      return others(state);
    case "everyone":
      return everyone(state);
    case "the rest":
      return before.waitingFor.filter((name) => name !== from);
    case "nobody":
      return [];
    case "as before":
      return before.waitingFor;
    case "as before the block":
      return before.blocked?.waitingFor ?? [];
  }
}

/** What an accepted attempt changes beside phase and `waitingFor`. */
export function applyEffects(state: CollaborationState, attempt: MoveAttempt): CollaborationState {
  const { event, role } = attempt;
  if (event.startsWith("deliverable_")) {
    return role === "supporting" ? freezeSupporting(state, attempt) : treatPrimary(state, attempt);
  }
  const answered = { ...state, proposalSeq: state.seq + 1 };
  switch (event) {
    case "initialized":
      return { ...answered, owner: attempt.from };
    case "proposal_submitted":
    case "proposal_revised":
    case "decision_proposed":
      return { ...answered, classified: false, accepted: [], staleAcceptances: [] };
    case "question_classified":
      return { ...answered, classified: true, accepted: [], staleAcceptances: [] };
    case "decision_accepted":
      return { ...state, accepted: [...state.accepted, attempt.from] };
    case "readiness_passed":
      return { ...answered, readinessPassed: true };
    case "completed":
      return answered;
    case "blocked":
      return { ...state, blocked: blockOf(state, attempt) };
    case "unblocked":
      return { ...state, blocked: null };
    default:
      return state;
  }
}

/** The decision is about the deliverable: who accepted it before a revision accepted another one. */
function treatPrimary(state: CollaborationState, attempt: MoveAttempt): CollaborationState {
  const next = { ...state, proposalSeq: state.seq + 1 };
  if (attempt.event === "deliverable_frozen") return { ...next, frozen: frozenBy(state, attempt) };
  return { ...next, drafted: true, staleAcceptances: state.accepted };
}

function freezeSupporting(state: CollaborationState, attempt: MoveAttempt): CollaborationState {
  if (attempt.event !== "deliverable_frozen") return state;
  const others = state.supportingFrozen.filter(({ path }) => path !== attempt.doc);
  return { ...state, supportingFrozen: [...others, frozenBy(state, attempt)] };
}

function frozenBy(state: CollaborationState, { doc = "", sha256 = "" }: MoveAttempt) {
  return { seq: state.seq + 1, path: doc, sha256 };
}

/** Blocked a second time, it goes back to where it was blocked first. */
function blockOf(state: CollaborationState, attempt: MoveAttempt): CollaborationState["blocked"] {
  const { phase, waitingFor, blocked, seq } = state;
  if (phase === "new" || (phase === "blocked" && blocked === null)) return null;
  const reason = attempt.summary.slice(0, limits.itemCharacters).toWellFormed();
  const place = blocked ?? { phase: phase, waitingFor };
  return {
    phase: place.phase,
    waitingFor: place.waitingFor,
    by: attempt.from,
    seq: seq + 1,
    reason,
  };
}
