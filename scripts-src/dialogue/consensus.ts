import { inline } from "../base/json.ts";
import { listFirst } from "./abbreviate-lists.ts";
import { openLines } from "./obligation-words.ts";
import { normalized } from "./prose.ts";
import { type DialogueState, sideOf, unconfirmedBy } from "./state.ts";

/**
 * What stands between this session and consensus; empty when both agreed (seed 000's criterion:
 * both AGREE at or above the threshold) and nothing is open. Confidence is necessary and never
 * sufficient.
 */
export function consensusBlockers(state: DialogueState): string[] {
  const threshold = state.rules.consensus_confidence_threshold;
  return [
    ...undecided(state).map((name) => `${name} has not sent AGREE with confidence >= ${threshold}`),
    ...listFirst(
      state.disagreements,
      ({ point }) => `still disputed: ${inline(point)}`,
      (rest) => `${rest.length} more points are still disputed`,
    ),
    ...openLines(state),
  ];
}

/** What is disputed, word for word: what is pending, and the points of open objections. */
export function openPoints(state: DialogueState): string[] {
  const points = [
    ...state.disagreements,
    ...state.participants.flatMap((name) => sideOf(state, name).objections),
  ].map(({ point }) => point);
  const first = new Map(points.map((point) => [normalized(point), point]));
  return [...first.values()];
}

/**
 * By which of its three criteria a colleague that follows the original files may close (originals.md
 * 1.4): both sent AGREE; one did and the other was at 0.9 or above; both were sure twice running.
 */
export function closedByOriginal(
  state: DialogueState,
  closer: string,
  confidence: number | undefined,
): "a" | "b" | "c" | undefined {
  const threshold = state.rules.consensus_confidence_threshold;
  const sides = state.participants.map((name) => {
    const { agreed, confidences } = sideOf(state, name);
    const own = name === closer && confidence !== undefined ? [confidence] : [];
    return { agreed, confidences: [...confidences, ...own] };
  });
  if (sides.every(({ agreed }) => agreed)) return "a";
  const nearly = Math.max(threshold, originalSureness);
  const isNear = (confidences: number[]) => (confidences.at(-1) ?? 0) >= nearly;
  const isAgreed = sides.some(({ agreed }) => agreed);
  if (isAgreed && sides.every((it) => it.agreed || isNear(it.confidences))) return "b";
  const isSure = (confidences: number[]) =>
    confidences.length >= 2 && confidences.slice(-2).every((it) => it >= threshold);
  return sides.every((it) => isSure(it.confidences)) ? "c" : undefined;
}

const originalSureness = 0.9;

/** What anyone who reads a consensus has to know: who has not seen its text, and what was left open. */
export function closingFaults(state: DialogueState): string[] {
  const { outcome } = state;
  if (outcome?.kind !== "consensus") return [];
  const unconfirmed = unconfirmedBy(state);
  const { ownWords, open, by } = outcome;
  const also = ownWords === undefined ? "" : `, who closed in its own words (message ${ownWords})`;
  return [
    ...(unconfirmed === undefined ? [] : [`closing text not confirmed by ${unconfirmed}${also}`]),
    ...(open.length === 0 ? [] : [`closed by ${by} by the original rules, with points open`]),
  ];
}

/** Whose AGREE is missing, or counts no more, or was not sure enough. */
export function undecided(state: DialogueState): string[] {
  return state.participants.filter((name) => !sideOf(state, name).agreed);
}

/**
 * Why the dialogue is stuck, or "" (seed 000): the same point disputed for too many rounds,
 * counter-proposals from both sides twice in a row, or a confidence that swings and does not settle.
 */
export function findDeadlock(state: DialogueState): string {
  const rounds = state.rules.deadlock_detection_rounds;
  const stuck = state.disagreements.find(({ since }) => state.round - since + 1 >= rounds);
  if (stuck !== undefined) return `disputed for ${rounds} rounds: ${stuck.point}`;
  if (state.counterRounds >= 2) return "both sides made counter-proposals in two rounds running";
  const swinging = state.participants.find((name) => swings(sideOf(state, name).confidences));
  return swinging === undefined ? "" : `the confidence of ${swinging} swings without settling`;
}

/** Three swings of 0.1 or more in turn up and down, the last no smaller than the first. */
function swings(confidences: number[]): boolean {
  const [first, second, third, fourth] = confidences.slice(-4);
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
    return false;
  }
  const steps = [second - first, third - second, fourth - third] as const;
  const alternate = steps[0] * steps[1] < 0 && steps[1] * steps[2] < 0;
  const wide = steps.every((step) => Math.abs(step) >= 0.1 - 1e-9);
  return alternate && wide && Math.abs(steps[2]) >= Math.abs(steps[0]) - 1e-9;
}
