import type { Payoff } from "../protocol/protocol.ts";
import { isSamePosition } from "./stance.ts";
import { type DialogueState, hasEnded } from "./state.ts";
import { standsOf } from "./trust.ts";

/** What a session that has ended says of whether the second side paid; nothing of others. */
export function payoff(state: DialogueState): Payoff | undefined {
  const { outcome, person, trust } = state;
  if (!hasEnded(state) || outcome === undefined || outcome.kind === "closed") return undefined;
  return {
    decided: outcome.kind === "consensus" || person.decided !== undefined,
    changedFirst: changedFirst(state),
    fell: trust.claims.filter((it) => !standsOf(it)).length,
    judged: person.judged?.says,
  };
}

/** Undefined where nobody answered blind, or where nothing says what was decided. */
function changedFirst({ outcome, trust, participants }: DialogueState): boolean | undefined {
  const agreed = outcome?.kind === "consensus" ? outcome.agreed?.position : undefined;
  const blind = trust.firsts.filter((it) => it.blind && it.position !== "");
  const [first] = [...blind].sort(
    (one, other) => participants.indexOf(one.by) - participants.indexOf(other.by),
  );
  if (agreed === undefined || first === undefined) return undefined;
  return !isSamePosition(first.position, agreed);
}
