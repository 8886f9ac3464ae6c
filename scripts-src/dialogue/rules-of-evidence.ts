import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { hasWord } from "../base/visible-text.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { expectFault } from "../protocol/evidence.ts";
import type { Judgement, Lack, Rule } from "./assess.ts";
import {
  evidenceId,
  isFor,
  isSeen,
  isValid,
  lastMet,
  neededFor,
  newestFor,
  ownClaim,
  recordsBrought,
  seenBy,
  seqOfEvidence,
} from "./claims.ts";
import { type Check, isFactId, ownRecord, recordOfFact } from "./facts.ts";
import { ownerKindIn } from "./message.ts";
import { unseenIn, waysToLook } from "./obligation-words.ts";
import { isSamePosition, positionOf } from "./positions.ts";
import { type Claim, roundOfNext, sideOf } from "./state.ts";

/** A script makes the evidence; what is claimed and checked points at it. */
export const rulesOfEvidence: Rule[] = [
  claimsAreThere,
  checksAreProved,
  factsAreShown,
  agreeIsEarned,
  closingIsWhole,
  closingIsFresh,
  everyClaimSeen,
];

/** What a claim cites is there: the script has read it. */
function claimsAreThere({ state, draft, sender, evidence }: Judgement): string | undefined {
  const records = (evidence ?? []).values();
  for (const [index, claim] of (draft.claims ?? []).entries()) {
    const { text = "", check = "", expect, withdrawn } = claim;
    const where = `claims[${index}] ${inline(text)}`;
    if (withdrawn !== undefined) {
      if (ownClaim(state, sender, text) !== undefined) continue;
      return `${where} is withdrawn, but is no claim of yours; write its id or its words`;
    }
    const spec = parseCheckSpec(check);
    const odd = "fault" in spec ? spec.fault : expect === undefined ? expect : expectFault(expect);
    if (odd !== undefined) return `${where}: ${odd}`;
    if ("fault" in spec || spec.kind === "run" || evidence === undefined) continue;
    if (records.next().value?.met === true) continue;
    const wanted = expect === undefined ? "" : ` that hold ${inline(expect)}`;
    return `${where}: ${inline(check)} shows no such lines${wanted}; cite what is there`;
  }
  return undefined;
}

/** `holds` and `fails` point at a record of one's own; `not_run` says why. */
function checksAreProved(attempt: Judgement): Lack | string | undefined {
  const { state, sender, draft } = attempt;
  for (const check of draft.checks ?? []) {
    const claim = state.claims.find(({ id }) => id === check.claim);
    const fault = claim && checkFault(attempt, check, claim);
    if (claim === undefined || fault === undefined) continue;
    const reason = `checks of ${claim.id}: ${fault}`;
    const isNamed = !isFactId(claim.id) || check.evidence !== undefined;
    return isNamed || recordOfFact(state, sender, claim) ? reason : { reason, toCheck: [""] };
  }
  return undefined;
}

function checkFault(attempt: Judgement, check: Check, claim: Claim): string | undefined {
  const { state, sender } = attempt;
  const { outcome, evidence, reason } = check;
  const isFact = isFactId(claim.id);
  const own = newestFor(state, sender, claim);
  const run = `run check --claim ${claim.id}`;
  if (outcome === "not_run") {
    const told = reason ?? evidence ?? "";
    if (own !== undefined && !isFact)
      return `not_run came, but your ${evidenceId(own)} shows that it was run; say ${own.met ? "holds" : "fails"}`;
    if (hasWord(told) && !/^\s*E\d+\s*$/.test(told)) return undefined;
    return "not_run needs a reason: what kept you from running it";
  }
  if (isFact) return factFault(attempt, check, claim);
  const named = seqOfEvidence(evidence);
  const orNot = `${run}, or say not_run with a reason`;
  if (evidence !== undefined && named === undefined)
    return `evidence is ${inline(evidence)}, expected the id of a record of yours; ${orNot}`;
  const record = named === undefined ? own : state.evidence.find(({ seq }) => seq === named);
  if (record === undefined)
    return `${named === undefined ? "you have no record of it" : `E${named} is no evidence of this session`}; ${orNot}`;
  if (record.by !== sender) return `E${record.seq} is not yours; ${run}`;
  if (!isFor(record, claim))
    return `E${record.seq} is about ${inline(record.spec)}, not about ${inline(claim.spec)}; ${run}`;
  if (outcome === "holds")
    return record.met ? undefined : `holds came, but E${record.seq} shows that it fails`;
  // That the lines are there does not make them show what the claim says.
  if (!record.met || hasWord(reason ?? "")) return undefined;
  return `fails came, and E${record.seq} shows what was expected; add reason: why it does not show the claim`;
}

function agreeIsEarned(attempt: Judgement): Lack | string | undefined {
  const { state, draft, sender } = attempt;
  if (draft.type !== "AGREE") return undefined;
  const fails = (draft.checks ?? []).find(({ outcome }) => outcome === "fails");
  if (fails !== undefined && !isOwnDispute(attempt, fails))
    return `claim ${fails.claim} fails, and AGREE would rest on it; send EVALUATE, so that its author can answer`;
  if (state.mode !== "profondo") return undefined;
  if (roundOfNext(state) < 2)
    return "deep: nobody may AGREE in round 1; send EVALUATE with what you checked";
  const isBrought = recordsBrought(attempt).length > 0;
  if (isBrought || state.evidence.some(({ by }) => by === sender)) return undefined;
  const way = "run check --cite FILE:LINES or check --claim ID";
  return { reason: `deep: AGREE needs evidence of your own; ${way}`, toCheck: [""] };
}

/** The AGREE that closes confirms a text, and adds nothing that the other has not seen. */
function closingIsWhole({ state, draft, sender }: Judgement): string | undefined {
  if (draft.type !== "AGREE") return undefined;
  const { offer } = state;
  const { content, specific_questions: asks = [] } = draft.question_or_proposal;
  if (offer === undefined || offer.by === sender) {
    if (content.length <= limits.decisionCharacters) return undefined;
    return `content, the text for the user, has ${content.length} characters, expected at most ${limits.decisionCharacters}; put the rest into a file and name it`;
  }
  const isClaiming = (draft.claims ?? []).length > 0;
  if (!isClaiming && asks.length === 0) return undefined;
  const field = isClaiming ? "claims" : "specific_questions";
  return `this AGREE closes with the text of message ${offer.seq} and brings nothing new, but ${field} came; send EVALUATE`;
}

/** What the decision rests on is still there when it is closed. */
function closingIsFresh({ state, draft, sender, evidence }: Judgement): string | undefined {
  if (evidence === undefined) return undefined;
  for (const [at, { claim: id }] of neededFor(state, draft, sender).entries()) {
    const claim = state.claims.find((it) => it.id === id);
    if (claim === undefined) continue;
    const seen = lastMet(state, claim);
    const now = evidence[at];
    if (now?.met === true && (seen === undefined || now.sha256 === seen.sha256)) continue;
    return (
      `${id} rests on ${inline(claim.spec)}, which has changed since it was seen; its author withdraws it ` +
      `or claims it anew: send EVALUATE`
    );
  }
  return undefined;
}

/** The user who began the session wants every claim seen by both. */
function everyClaimSeen({ state, draft, sender }: Judgement): Lack | string | undefined {
  if (draft.type !== "AGREE" || !state.requireSeen) return undefined;
  const valid = state.claims.filter(isValid);
  const rule = "this session was begun with --require seen";
  const kind = state.owner[0]?.kind ?? ownerKindIn(draft);
  if (kind !== undefined)
    return `${rule}, and the decision is the user's (${kind}): no more than a recommendation; send ESCALATE`;
  if (valid.length === 0 && (draft.claims ?? []).length === 0)
    return `${rule}, and nothing is claimed; send EVALUATE with claims that a script can check, or ESCALATE`;
  const isClosing = state.offer !== undefined && state.offer.by !== sender;
  const lacking = valid.find((it) => (isClosing ? !isSeen(it) : !seenBy(it).includes(sender)));
  if (lacking === undefined) return undefined;
  const who = seenBy(lacking);
  const seen = who.length > 1 ? "one process for both sides" : (who[0] ?? "nobody");
  const reason = `${rule}, and ${lacking.id} is seen by ${seen}: both sides run check --claim ${lacking.id}, its author withdraws it, or ESCALATE`;
  const toCheck = unseenIn(state, sender, valid);
  return isClosing || toCheck.length === 0 ? reason : { reason, toCheck };
}

/** What an objection rests on is a record; what an AGREE disputes is not agreed. */
function factsAreShown({ state, draft, sender }: Judgement): string | undefined {
  const { type, objections = [] } = draft;
  const disputed = objections.find(({ about }) => about === "fact");
  if (type === "AGREE" && disputed !== undefined)
    return `AGREE disputes a fact (${inline(disputed.point ?? "")}); send EVALUATE with that objection, or write it into reservations`;
  const at = objections.findIndex(
    ({ evidence }) =>
      seqOfEvidence(evidence) !== undefined && ownRecord(state, sender, evidence) === undefined,
  );
  const { evidence } = objections[at] ?? {};
  if (evidence === undefined) return undefined;
  return `objections[${at}].evidence is ${inline(evidence)}, which is no record of yours; run ${waysToLook}`;
}

/** What is wrong with the look at a fact that a side names; undefined when nothing is. */
function factFault(
  { state, sender }: Judgement,
  { outcome, evidence, reason }: Check,
  fact: Claim,
): string | undefined {
  if (outcome === "fails" && fact.by === sender)
    return `it is your own; add withdrawn: [{claim: ${fact.id}, because}]`;
  const record = recordOfFact(state, sender, fact, evidence);
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
export function areFactsChecked({ state, draft, assessment }: Judgement): boolean {
  if (assessment.disputes === "refuted") return true;
  const { facts = [] } = state.synthesis;
  const looked = (draft.checks ?? []).filter(({ outcome }) => outcome !== "not_run");
  const hasLook = (id: string) =>
    looked.some(({ claim }) => claim === id) ||
    state.claims.some((it) => it.id === id && it.records.length > 0);
  return facts.length > 0 && facts.every(hasLook);
}

/** Who finds the fact refuted that it disputes, and keeps its position, rests on nothing that fails. */
function isOwnDispute(attempt: Judgement, { claim }: Check): boolean {
  const { state, sender } = attempt;
  const fact = state.claims.find(({ id }) => id === claim);
  const { position } = sideOf(state, sender).held;
  return fact?.disputed?.by === sender && isSamePosition(positionOf(attempt), position);
}
