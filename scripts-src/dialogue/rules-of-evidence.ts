import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { hasWord } from "../base/visible-text.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { expectFault } from "../protocol/evidence.ts";
import type { Judgement } from "./assess.ts";
import { blank } from "./blanks.ts";
import { isFactId, lookFor } from "./disputed-facts.ts";
import { evidenceId, isFor, newestFor, seqOfEvidence } from "./evidence.ts";
import { neededFor, recordsBrought } from "./evidence-needed.ts";
import { type Claim, type EvidenceNote, isSeen, seenBy, standsOf } from "./evidence-state.ts";
import { unseenIn } from "./form-fields.ts";
import { ownerKindIn } from "./message.ts";
import { roundOfNext } from "./rounds.ts";
import type { Lack, Rule } from "./rules-for-all.ts";
import { factFault, factsAreShown, isOwnDispute } from "./rules-of-facts.ts";
import { isBySynthesis, synthesisFits, synthesisIsOne } from "./rules-of-synthesis.ts";
import {
  acceptedBy,
  isSamePosition,
  lastStance,
  positionOf,
  readBecause,
  takesStand,
} from "./stance.ts";
import { type DialogueState, sideOf } from "./state.ts";

/** A script makes the evidence, positions are compared, and both accept the same one. */
export const rulesOfEvidence: Rule[] = [
  function positionGiven(attempt) {
    const { draft, state, sender } = attempt;
    const { position, synthesis } = draft;
    if (position !== undefined) return positionFault(attempt, position);
    if (draft.type === "AGREE" || !takesStand(draft) || synthesis !== undefined) return false;
    const reason =
      `position is missing; ${draft.type} needs your answer to the question in one sentence ` +
      `(at most ${limits.positionCharacters} characters)`;
    return { reason, add: { position: sideOf(state, sender).stance.position || blank.position } };
  },
  function acceptsAPosition(attempt) {
    const { draft } = attempt;
    if (draft.type !== "AGREE")
      return (
        draft.accepts !== undefined &&
        `accepts belongs to AGREE, ${draft.type} came; send AGREE, or leave it out`
      );
    const accepted = acceptedBy(attempt);
    if ("fault" in accepted) {
      const { fault: reason, accepts } = accepted;
      return accepts === undefined ? reason : { reason, add: { accepts } };
    }
    const { position } = draft;
    // Its own position is what the template had in this field.
    const own = sideOf(attempt.state, attempt.sender).stance.position;
    if (position === undefined) return false;
    if ([accepted.position, own].some((it) => isSamePosition(it, position))) return false;
    return (
      `AGREE takes over the position of message ${accepted.seq}, ${inline(accepted.position)}, but position is ` +
      `${inline(position)}; leave it out, or send EVALUATE with yours`
    );
  },
  changeHasACause,
  claimsAreThere,
  checksAreProved,
  factsAreShown,
  synthesisIsOne,
  synthesisFits,
  function agreeIsEarned(attempt) {
    return attempt.draft.type === "AGREE" && agreeFault(attempt);
  },
  closingIsWhole,
  closingIsFresh,
  everyClaimSeen,
];

function positionFault({ state, draft }: Judgement, position: string): string | undefined {
  if (!hasWord(position))
    return `position is ${inline(position)}; write your answer to the question in one sentence`;
  const max = limits.positionCharacters;
  if (position.length <= max) return undefined;
  // A synthesis, which is as long as its author wants, is copied as it is.
  const held = state.participants.map((name) => sideOf(state, name).stance.position);
  if ([...held, draft.synthesis ?? ""].some((it) => isSamePosition(it, position))) return undefined;
  return `position has ${position.length} characters, expected one sentence of at most ${max} characters; content takes the rest`;
}

/** A participant whose position changes says by which evidence, or that it is judgement. */
function changeHasACause(attempt: Judgement): Lack | string | undefined {
  const { state, draft, sender } = attempt;
  const { ids, judgement, other } = readBecause(draft.because);
  const [odd] = other;
  const old = sideOf(state, sender).stance;
  const now = positionOf(attempt);
  const isChange = old.seq > 0 && now !== "" && !isSamePosition(now, old.position);
  const how = `because: "judgement: ...", or the ids of evidence newer than message ${old.seq}`;
  if (odd !== undefined && isChange) return `because is ${inline(odd)}; expected ${how}`;
  const known = new Set(state.trust.evidence.map(({ seq }) => seq));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    return `because names E${unknown}, which is no evidence of this session`;
  if (!isChange || judgement !== "") return undefined;
  if (ids.length === 0 && isBySynthesis(attempt, now)) return undefined;
  const notes = ids.map((id) => state.trust.evidence.find(({ seq }) => seq === id));
  if (notes.some((note) => note !== undefined && isNews(state, sender, note))) return undefined;
  const [first] = ids;
  if (first !== undefined) {
    const why = ids.every((id) => id < old.seq)
      ? `is older than your position of message ${old.seq}`
      : `shows nothing that you had not seen when you wrote message ${old.seq}`;
    return `because names E${first}, which ${why}; expected ${how}`;
  }
  const reason = `your position changed (message ${old.seq} said ${inline(old.position)}); expected ${how}`;
  const news = state.trust.evidence.findLast((it) => it.by === sender && isNews(state, sender, it));
  return { reason, add: { because: news === undefined ? blank.judgement : [evidenceId(news)] } };
}

/** Whether a record shows what a side had not looked at when it last stood by its position. */
function isNews(state: DialogueState, sender: string, note: EvidenceNote): boolean {
  const { seq } = lastStance(state, sender);
  const { evidence } = state.trust;
  // Lines and searches of a claim are read when it is sent, and stored after it.
  const cameWithClaim = (it: EvidenceNote) =>
    it.kind !== "run" &&
    state.trust.claims.some(({ id, by }) => id === it.claim && by === sender) &&
    evidence.find(({ by, claim }) => by === sender && claim === it.claim) === it;
  const isKnown = (it: EvidenceNote) => it.seq < seq || (it.by === sender && cameWithClaim(it));
  const isSameLook = (it: EvidenceNote) =>
    it.spec === note.spec &&
    it.met === note.met &&
    (it.kind === "run" || it.sha256 === note.sha256);
  if (isKnown(note)) return false;
  return !evidence.some((it) => it.by === sender && isKnown(it) && isSameLook(it));
}

/** What a claim cites is there: the script has read it. */
function claimsAreThere({ draft, evidence, sender, state }: Judgement): string | undefined {
  let at = 0;
  for (const [index, { text = "", check = "", expect, withdrawn }] of (
    draft.claims ?? []
  ).entries()) {
    const where = `claims[${index}] ${inline(text)}`;
    if (withdrawn !== undefined) {
      if (ownClaim(state, sender, text) !== undefined) continue;
      return `${where} is withdrawn, but is no claim of yours; write its id or its words`;
    }
    const spec = parseCheckSpec(check);
    if ("fault" in spec) return `${where}: ${spec.fault}`;
    const odd = expect === undefined ? undefined : expectFault(expect);
    if (odd !== undefined) return `${where}: ${odd}`;
    if (spec.kind === "run" || evidence === undefined) continue;
    const record = evidence[at];
    at += 1;
    if (record?.met !== true) {
      const wanted = expect === undefined ? "" : ` that hold ${inline(expect)}`;
      return `${where}: ${inline(check)} shows no such lines${wanted}; cite what is there`;
    }
  }
  return undefined;
}

/** A claim of a side by its id, or by its words. */
export function ownClaim(state: DialogueState, by: string, words: string): Claim | undefined {
  return state.trust.claims.find(
    (it) => it.by === by && it.withdrawn === "" && (it.id === words || it.text === words),
  );
}

/** `holds` and `fails` point at a record of one's own; `not_run` says why. */
function checksAreProved(attempt: Judgement): Lack | string | undefined {
  for (const check of attempt.draft.checks ?? []) {
    const claim = attempt.state.trust.claims.find(({ id }) => id === check.claim);
    const fault = claim === undefined ? undefined : checkFault(attempt, check, claim);
    if (claim === undefined || fault === undefined) continue;
    const reason = `checks of ${claim.id}: ${fault}`;
    const isUnlooked = isFactId(claim.id) && check.evidence === undefined;
    const { state, sender } = attempt;
    return isUnlooked && lookFor(state, sender, claim) === undefined
      ? { reason, looks: [""] }
      : reason;
  }
  return undefined;
}

type Check = NonNullable<Judgement["draft"]["checks"]>[number];

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
  if (evidence !== undefined && named === undefined)
    return `evidence is ${inline(evidence)}, expected the id of a record of yours; ${run}, or say not_run with a reason`;
  const record = named === undefined ? own : state.trust.evidence.find(({ seq }) => seq === named);
  if (record === undefined)
    return `${named === undefined ? "you have no record of it" : `E${named} is no evidence of this session`}; ${run}, or say not_run with a reason`;
  if (record.by !== sender) return `E${record.seq} is not yours; ${run}`;
  if (!isFor(record, claim))
    return `E${record.seq} is about ${inline(record.spec)}, not about ${inline(claim.spec)}; ${run}`;
  if (outcome === "holds")
    return record.met ? undefined : `holds came, but E${record.seq} shows that it fails`;
  // That the lines are there does not make them show what the claim says.
  if (!record.met || /[\p{L}\p{N}]/u.test(reason ?? "")) return undefined;
  return `fails came, and E${record.seq} shows what was expected; add reason: why it does not show the claim`;
}

function agreeFault(attempt: Judgement): Lack | string | undefined {
  const fails = (attempt.draft.checks ?? []).find(({ outcome }) => outcome === "fails");
  if (fails !== undefined && !isOwnDispute(attempt, fails))
    return `claim ${fails.claim} fails, and AGREE would rest on it; send EVALUATE, so that its author can answer`;
  return deepFault(attempt);
}

function deepFault(attempt: Judgement): Lack | string | undefined {
  const { state, sender } = attempt;
  if (state.mode !== "profondo") return undefined;
  if (roundOfNext(state) < 2)
    return "deep: nobody may AGREE in round 1; send EVALUATE with what you checked";
  const isBrought = recordsBrought(attempt).length > 0;
  if (isBrought || state.trust.evidence.some(({ by }) => by === sender)) return undefined;
  const reason =
    "deep: AGREE needs evidence of your own; run check --cite FILE:LINES or check --claim ID";
  return { reason, looks: [""] };
}

/** The AGREE that closes confirms a text, and adds nothing that the other has not seen. */
function closingIsWhole({ state, draft, sender }: Judgement): string | undefined {
  if (draft.type !== "AGREE") return undefined;
  const { offer } = state.trust;
  const { content, specific_questions: asks = [] } = draft.question_or_proposal;
  if (offer === undefined || offer.by === sender) {
    if (content.length <= limits.decisionCharacters) return undefined;
    return `content, the text for the user, has ${content.length} characters, expected at most ${limits.decisionCharacters}; put the rest into a file and name it`;
  }
  const field =
    (draft.claims ?? []).length > 0 ? "claims" : asks.length > 0 ? "specific_questions" : undefined;
  return (
    field &&
    `this AGREE closes with the text of message ${offer.seq} and brings nothing new, but ${field} came; send EVALUATE`
  );
}

/** What the decision rests on is still there when it is closed. */
function closingIsFresh({ state, draft, sender, evidence }: Judgement): string | undefined {
  if (evidence === undefined) return undefined;
  for (const [at, { claim: id }] of neededFor(state, draft, sender).entries()) {
    const claim =
      typeof id === "string" ? state.trust.claims.find((it) => it.id === id) : undefined;
    if (claim === undefined) continue;
    const seen = state.trust.evidence.findLast((it) => it.met && isFor(it, claim));
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
  if (draft.type !== "AGREE" || !state.trust.requireSeen) return undefined;
  const standing = state.trust.claims.filter(standsOf);
  const rule = "this session was begun with --require seen";
  const [owner] = state.trust.owner;
  if (owner !== undefined || ownerKindIn(draft) !== undefined)
    return `${rule}, and the decision is the user's (${owner?.kind ?? ownerKindIn(draft)}): no more than a recommendation; send ESCALATE`;
  if (standing.length === 0 && (draft.claims ?? []).length === 0)
    return `${rule}, and nothing is claimed; send EVALUATE with claims that a script can check, or ESCALATE`;
  const isClosing = state.trust.offer !== undefined && state.trust.offer.by !== sender;
  const lacking = standing.find((it) => (isClosing ? !isSeen(it) : !seenBy(it).includes(sender)));
  if (lacking === undefined) return undefined;
  const who = seenBy(lacking);
  const seen =
    who.length === 0 ? "nobody" : who.length > 1 ? "one process for both sides" : who.join(" and ");
  const reason = `${rule}, and ${lacking.id} is seen by ${seen}: both sides run check --claim ${lacking.id}, its author withdraws it, or ESCALATE`;
  const looks = unseenIn(state, sender, standing);
  return isClosing || looks.length === 0 ? reason : { reason, looks };
}
