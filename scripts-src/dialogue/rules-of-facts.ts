import { inline } from "../base/json.ts";
import { hasWord } from "../base/visible-text.ts";
import type { Judgement } from "./assess.ts";
import { lookFor, ownRecord } from "./disputed-facts.ts";
import { evidenceId, seqOfEvidence } from "./evidence.ts";
import type { Claim } from "./evidence-state.ts";
import { waysToLook } from "./obligation-words.ts";
import { isSamePosition, positionOf } from "./stance.ts";
import { sideOf } from "./state.ts";

type Check = NonNullable<Judgement["draft"]["checks"]>[number];

/** What an objection rests on is a record; what an AGREE disputes is not agreed. */
export function factsAreShown(attempt: Judgement): string | undefined {
  const { type, objections = [] } = attempt.draft;
  const disputed = objections.find(({ about }) => about === "fact");
  if (type === "AGREE" && disputed !== undefined)
    return `AGREE disputes a fact (${inline(disputed.point ?? "")}); send EVALUATE with that objection, or write it into reservations`;
  const at = objections.findIndex(
    ({ evidence }) =>
      seqOfEvidence(evidence) !== undefined && ownRecord(attempt, evidence) === undefined,
  );
  const { evidence } = objections[at] ?? {};
  if (evidence === undefined) return undefined;
  return `objections[${at}].evidence is ${inline(evidence)}, which is no record of yours; run ${waysToLook}`;
}

/** What is wrong with the look at a fact that a side names; undefined when nothing is. */
export function factFault(
  { state, sender }: Judgement,
  { outcome, evidence, reason }: Check,
  fact: Claim,
): string | undefined {
  const { id, by } = fact;
  if (outcome === "fails" && by === sender)
    return `it is your own; add withdrawn: [{claim: ${id}, because}]`;
  const record = lookFor(state, sender, fact, evidence);
  const way = `run ${waysToLook}, or say not_run with a reason`;
  if (record === undefined)
    return evidence === undefined
      ? `you have made no record since; ${way}`
      : `evidence is ${inline(evidence)}, which is no record of this session; ${way}`;
  if (record.by !== sender) return `${evidenceId(record)} is not yours; ${way}`;
  if (record.met === (outcome === "holds") || hasWord(reason ?? "")) return undefined;
  const was = record.met ? "as expected" : "not as expected";
  return `${outcome} came, and ${evidenceId(record)} was ${was}; add reason: why it shows that`;
}

/** Whether scripts have looked at all that the positions differ over: there is nothing to make one of. */
export function isSettledByLook({ state, draft, assessment }: Judgement): boolean {
  if (assessment.disputes === "refuted") return true;
  const { facts = [] } = state.synthesis;
  const looked = (draft.checks ?? []).filter(({ outcome }) => outcome !== "not_run");
  const hasLook = (id: string) =>
    looked.some(({ claim }) => claim === id) ||
    state.trust.claims.some((it) => it.id === id && it.records.length > 0);
  return facts.length > 0 && facts.every(hasLook);
}

/** Who finds the fact refuted that it disputes, and keeps its position, rests on nothing that fails. */
export function isOwnDispute(attempt: Judgement, { claim }: Check): boolean {
  const { state, sender } = attempt;
  const fact = state.trust.claims.find(({ id }) => id === claim);
  const { position } = sideOf(state, sender).stance;
  return fact?.disputed?.by === sender && isSamePosition(positionOf(attempt), position);
}
