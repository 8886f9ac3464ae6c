import type { JsonObject } from "../base/json.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { blank } from "./blanks.ts";
import { evidenceId, newestFor } from "./evidence.ts";
import { type DialogueState, otherThan, sideOf } from "./state.ts";
import type { Claim } from "./trust.ts";

/** Questions, each with a place for its answer. */
export function answersFor(questions: readonly { id: string }[]): { answers: JsonObject[] } {
  return { answers: questions.map(({ id }) => ({ question: id, answer: blank.answer })) };
}

/** An honest objection: what is right in it first. */
export const objection: JsonObject = {
  acknowledged: [blank.strong],
  objections: [{ point: blank.point, because: blank.because, about: blank.about }],
};

/** The beginning of a synthesis: both positions, with a place for what stays of each. */
export function bridge(state: DialogueState, participant: string): string {
  const sides = [participant, otherThan(state, participant)].map((name) => sideOf(state, name));
  return sides.map(({ stance }) => `From '${stance.position}': ${blank.kept}.`).join(" ");
}

/**
 * What a side can say of claims that it has not settled: a command needs the user's leave, so that a place for
 * the reason is there; what can be read it has to look at first.
 */
export function checksFor(
  state: DialogueState,
  by: string,
  unchecked: readonly { id: string }[],
): { checks: JsonObject[]; looks: string[] } {
  const ids = new Set(unchecked.map(({ id }) => id));
  const claims = state.trust.claims.filter(({ id }) => ids.has(id));
  const looks = unseenIn(state, by, claims);
  const checks = claims.flatMap((it): JsonObject[] => {
    if (looks.includes(it.id)) return [];
    const own = newestFor(state, by, it);
    if (own !== undefined)
      return [{ claim: it.id, outcome: own.met ? "holds" : "fails", evidence: evidenceId(own) }];
    return [{ claim: it.id, outcome: blank.outcome, reason: blank.notRun }];
  });
  return { checks, looks };
}

/** Claims on lines and searches that a side has no record of: nobody needs leave to read. */
export function unseenIn(state: DialogueState, by: string, claims: readonly Claim[]): string[] {
  return claims
    .filter((it) => isReadable(it) && newestFor(state, by, it) === undefined)
    .map(({ id }) => id);
}

function isReadable({ check }: Claim): boolean {
  const spec = parseCheckSpec(check);
  return !("fault" in spec) && spec.kind !== "run";
}
