import { inline } from "../base/json.ts";
import { plainPlace } from "../base/quote.ts";
import type { Judgement } from "./assess.ts";
import { acceptance, concedes, factsOwed, settlesFact } from "./disputed-facts.ts";
import { normalized } from "./prose.ts";
import { roundOfNext } from "./rounds.ts";
import type { Rule } from "./rules-for-all.ts";
import { defers } from "./rules-for-ours.ts";
import { sideOf } from "./state.ts";

/** Rules 1, of logs that 0.1 to 0.3 began: what a side says of its checks is taken for them. */
export function rulesBeforeEvidence(): Rule[] {
  return rules;
}

const rules: Rule[] = [
  function checksAreSaid({ draft }) {
    const bare = (draft.checks ?? []).find(
      ({ outcome, evidence }) => outcome === "not_run" || evidence === undefined,
    );
    if (bare === undefined) return false;
    const what = bare.evidence === undefined ? "evidence is missing" : "outcome is not_run";
    return `checks of ${inline(bare.claim ?? "")}: ${what}; a session of these rules takes holds or fails with evidence`;
  },
  function resolvedExists({ state, draft, sender }) {
    const points = state.disagreements.map(({ point }) => point);
    // A fact that one disputed, or left open, can be taken back by oneself.
    const facts = state.hypotheses
      .filter(({ by, open }) => open === (by === sender))
      .map(({ claim }) => claim);
    const disputed = new Set([...points, ...facts].map(normalized));
    const unknown = (draft.resolved ?? []).find(
      ({ point }) => !disputed.has(normalized(point ?? "")),
    );
    if (unknown === undefined || (disputed.size === 0 && draft.type === "AGREE")) return false;
    return (
      `resolved names ${inline(unknown.point ?? "")}, which is not in disagreements_pending; use the words of the ` +
      `dispute, or accept an objection: ${acceptance(unknown.point)}`
    );
  },
  function agreeDoesNotObject(attempt) {
    const objects = attempt.draft.type === "AGREE" && attempt.assessment.objects;
    return objects && "AGREE raises an objection; send EVALUATE, or agree without it";
  },
  function synthesisGiven(attempt) {
    const { state, draft, sender } = attempt;
    if (state.synthesis.owedBy !== sender || defers(attempt) || draft.synthesis !== undefined)
      return false;
    if (attempt.assessment.accepts || draft.type === "TASK_RESULT") return false;
    if (state.synthesis.overFacts && refutesAll(attempt)) return false;
    return "the positions diverge; add synthesis: the best of both or a third way (or accept the other's point)";
  },
  function hypothesisChecked(attempt) {
    const { state, draft, sender } = attempt;
    const facts = factsOwed(state, sender);
    const checks = (draft.hypotheses ?? []).filter(({ outcome }) => outcome !== "open");
    if (defers(attempt) || (facts.length === 1 && checks.length > 0)) return false;
    const owed = facts.find((it) => !concedes(draft, it.claim) && !settlesFact(it, checks));
    return (
      owed !== undefined &&
      `a fact is disputed (${inline(owed.claim)}); check it: hypotheses: [{claim, tool, outcome, evidence}], ` +
        `or accept it: ${acceptance(owed.claim)}`
    );
  },
  function hypothesesProved({ draft }) {
    const bare = (draft.hypotheses ?? []).find(
      (it) => it.outcome !== "open" && it.evidence === undefined,
    );
    return (
      bare !== undefined &&
      `hypothesis ${inline(bare.claim ?? "")} has an outcome and no evidence; quote what ${plainPlace(bare.tool ?? "the tool")} showed`
    );
  },
  function agreeIsEarned(attempt) {
    return attempt.draft.type === "AGREE" && agreeFault(attempt);
  },
];

/** Whether a tool refuted every fact that the other side disputes. */
function refutesAll({ state, draft, sender }: Judgement): boolean {
  const refuted = (draft.hypotheses ?? []).filter(({ outcome }) => outcome === "refuted");
  const facts = factsOwed(state, sender);
  if (facts.length === 1 && refuted.length > 0) return true;
  return facts.length > 0 && facts.every((it) => settlesFact(it, refuted));
}

function agreeFault({ state, draft, sender }: Judgement): string | undefined {
  const checked = (draft.checks ?? []).map(({ claim }) => claim);
  const unchecked = state.claims.find(({ by, id }) => by === sender && !checked.includes(id));
  if (unchecked !== undefined) {
    return `re-check claim ${unchecked.id} before you AGREE (${inline(unchecked.check)}); add checks: [{claim, outcome, evidence}]`;
  }
  const leftOpen = state.hypotheses.find(
    (it) =>
      it.by === sender &&
      it.open &&
      !concedes(draft, it.claim) &&
      !settlesFact(it, draft.hypotheses ?? []),
  );
  if (leftOpen !== undefined) {
    return (
      `you left a hypothesis open (${inline(leftOpen.claim)}); check it: ` +
      "hypotheses: [{claim, tool, outcome, evidence}], or give it up: resolved: [{point, because}]"
    );
  }
  if (sideOf(state, sender).objecting && (draft.resolved ?? []).length === 0) {
    return "you objected before; say what changed your mind: resolved: [{point, because}]";
  }
  if (state.mode !== "profondo") return undefined;
  if (roundOfNext(state) < 2)
    return "deep: nobody may AGREE in round 1; send EVALUATE with what you checked";
  const evident =
    sideOf(state, sender).checked || (draft.hypotheses ?? []).some((it) => it.outcome !== "open");
  if (evident || checked.length > 0) return undefined;
  return "deep: AGREE needs a check of your own; add hypotheses: [{claim, tool, outcome, evidence}]";
}
