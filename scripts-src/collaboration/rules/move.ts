import type { Attempt } from "./attempt.ts";
import { applyEffects } from "./effects.ts";
import { type CollaborationState, everyone, others } from "./state.ts";
import type { Transition, Waiting } from "./transition.ts";

/** The state after a transition that nothing stands against. */
export function move(
  before: CollaborationState,
  attempt: Attempt,
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
  waiting: Waiting,
  before: CollaborationState,
  state: CollaborationState,
  { from }: Attempt,
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
