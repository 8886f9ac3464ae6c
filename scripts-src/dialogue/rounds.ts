import { limits } from "../base/limits.ts";
import { type DialogueState, hasEnded } from "./state.ts";

/** The round that the next message belongs to. */
export function roundOfNext(state: DialogueState): number {
  return state.sentInRound.length >= state.participants.length ? state.round + 1 : state.round;
}

/** The original files never say what a round is: a colleague may count every message as one. */
export function roundMax(state: DialogueState, foreign: boolean): number {
  return Math.max(roundOfNext(state), foreign ? state.seq : state.lastRound);
}

/** The round of the next message, or the one in which the session ended. */
export function roundToTell(state: DialogueState): number {
  return hasEnded(state) ? state.round : Math.min(roundOfNext(state), state.rules.max_rounds);
}

/** How many rounds without progress are left, of how many. */
export function stallText({ budget }: DialogueState): string {
  return `${Math.max(budget, 0)} of ${limits.progressBudget}`;
}
