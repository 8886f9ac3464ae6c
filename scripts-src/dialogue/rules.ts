import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { plainPlace } from "../base/quote-text.ts";
import { hasWord } from "../base/visible-text.ts";
import { newAgreements, settledPoints } from "./assess.ts";
import { doubtedClaims, ownersOf } from "./audit.ts";
import {
  changedText,
  evidenceId,
  factsNamed,
  isFactId,
  isSeen,
  isValid,
  lastMet,
  neededFor,
  newestOf,
  recordsBrought,
  rulesOfClaims,
  seenBy,
} from "./claims.ts";
import { closesByOriginal, consensusBlockers } from "./ending.ts";
import { blank, ownerKindIn } from "./message.ts";
import {
  answersTo,
  defers,
  dueLines,
  idsShort,
  obligationsOf,
  settles,
  unseenIn,
  wantedFor,
  wordings,
} from "./obligations.ts";
import { isSamePosition, peerNameFor, positionOf, rulesOfPositions } from "./positions.ts";
import { holdsText } from "./prose.ts";
import {
  hasEnded,
  type Judgement,
  type Lack,
  type Obligation,
  type ObligationCode,
  obligationCodes,
  otherThan,
  type Rule,
  roundOfNext,
  sideOf,
} from "./state.ts";

/** All that is wrong with an attempt, in words. */
export function refusalsFor(attempt: Judgement): string[] {
  return brokenBy(attempt).map((broken) => {
    if (typeof broken === "string") return broken;
    const fields = Object.entries(broken.add ?? {});
    const shown = fields.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
    return shown === "" ? broken.reason : `${broken.reason}; add ${shown}`;
  });
}

/**
 * All that is wrong with an attempt, gravest first, for who can do something about it: a lack tells what. Where
 * the session or the turn forbids any message, nothing else is said.
 */
export function brokenBy(attempt: Judgement): (Lack | string)[] {
  const barred =
    ended(attempt) || addressing(attempt) || turn(attempt) || typeInPhase(attempt) || undefined;
  if (barred !== undefined) return [barred];
  const rules = attempt.foreign ? rulesForAll : [...rulesForAll, ...rulesForOurs];
  return rules.flatMap((rule) => rule(attempt) || []);
}

/** Out of turn and nothing else that bars it: the same message may be right in its turn. */
export function isEarly(attempt: Judgement): boolean {
  return !ended(attempt) && !addressing(attempt) && turn(attempt) !== false;
}

/**
 * After CONSENSUS its author has said all. The other side may still confirm the text or object to it,
 * which reopens; one that works by hand may close as well, in the same moment.
 */
function ended({ state, draft, sender, foreign, assessment }: Judgement): string | false {
  const { outcome, id, phase } = state;
  if (!hasEnded(state)) return false;
  const mayAnswer =
    outcome?.kind === "consensus" && sender !== outcome.by && outcome.confirmed !== "agreed";
  const answers =
    draft.type === "CONSENSUS"
      ? foreign && outcome?.kind === "consensus" && outcome.ownWords === undefined
      : draft.type === "AGREE" || assessment.objects;
  if (mayAnswer && answers) return false;
  return `session ${id} has ended (${phase}); open a new one with init if there is more to say`;
}

function addressing({ state, draft, sender }: Judgement): string | false {
  const expected = { from: sender, to: otherThan(state, sender), session_id: state.id };
  for (const field of ["from", "to", "session_id"] as const) {
    const came = draft[field];
    if (came !== undefined && came !== expected[field])
      return `${field} is ${plainPlace(came)}, expected ${expected[field]}; leave it out, it is filled in`;
  }
  return false;
}

function turn({ state, draft, sender, foreign }: Judgement): string | false {
  const { type } = draft;
  const { phase, mode } = state;
  if (hasEnded(state) || state.turn.includes(sender) || type === "ESCALATE") return false;
  if (mode === "parallelo" && phase === "talking") return false;
  // The participant that was to close may have gone: the other may do it as well.
  if (phase === "agreed" && type === "CONSENSUS") return false;
  // A colleague by hand knows no turns: a few messages in one turn are taken in their order. It may be
  // asked back at any time, for it does not hear why a letter of its was refused.
  const other = sideOf(state, otherThan(state, sender));
  const mayAdd = foreign
    ? other.unanswered.length < limits.lettersInTurn
    : type === "CLARIFY" && (other.byHand || other.sentCount === 0);
  if (mayAdd && (phase === "talking" || phase === "agreed")) return false;
  const who = state.turn.map(() => peerNameFor(state, sender)).join(" and ");
  return `it is the turn of ${who}, not of ${sender}`;
}

function typeInPhase({ state, draft, sender, foreign }: Judgement): string | false {
  const { type, confidence } = draft;
  const { phase } = state;
  if (type === "ESCALATE" || hasEnded(state)) return false;
  if (phase === "asking")
    return type !== "REQUEST" && `the session has no question yet; send type REQUEST, not ${type}`;
  if (type === "REQUEST")
    return "this session already has its REQUEST; use another type, or open a new session with init";
  if (phase === "sealing")
    return (
      type !== "RESPONSE" && `state your position blind first: send type RESPONSE, not ${type}`
    );
  if (type === "CONSENSUS" && phase !== "agreed") {
    if (!foreign && !sideOf(state, otherThan(state, sender)).byHand)
      return "CONSENSUS is not reached, and nobody sends it: the second AGREE closes the session";
    const closes = foreign && closesByOriginal(state, sender, confidence);
    return !closes && `CONSENSUS is not reached: ${consensusBlockers(state).join("; ")}`;
  }
  const isTask = obligationsOf(state, sender).some(({ code }) => code === "task");
  if (type !== "TASK_RESULT" || isTask) return false;
  return "nobody assigned you a task, so there is no TASK_RESULT to give; use RESPONSE";
}

/** What binds every message, also one by hand. */
const rulesForAll: Rule[] = [roundGoesOn, agreementsOnlyGrow, consensusAddsNothing, openPointsMax];

function roundGoesOn({ state, draft: { round }, foreign }: Judgement) {
  if (round === undefined) return false;
  // A colleague that counted faster does not shut out one that counts as we do.
  const least = Math.min(state.lastRound, state.round);
  // What a round is the original files never say: one may count slower, or every message as one.
  if (round < least && !foreign)
    return `round is ${round}, but the session is at ${least}; leave round out`;
  const most = Math.max(roundOfNext(state), foreign ? state.seq : state.lastRound);
  if (round <= most) return false;
  return `round is ${round}, but the next message is of round ${most} at most; leave round out`;
}

function agreementsOnlyGrow({ state, draft, foreign }: Judgement) {
  const { type, agreements_so_far: kept } = draft;
  // What ends a session by hand ends it: the list is kept all the same.
  const ends = foreign && (type === "CONSENSUS" || type === "ESCALATE");
  const lost = kept && state.agreements.find((point) => !holdsText(kept, point));
  if (lost === undefined || ends) return false;
  return `agreements_so_far drops ${inline(lost)}; agreements only grow: leave the field out to keep them all`;
}

/** A colleague by hand closes as the original files say; what is open then is told with it. */
function consensusAddsNothing(attempt: Judgement) {
  const { draft, foreign } = attempt;
  if (draft.type !== "CONSENSUS" || foreign) return false;
  const [added] = newAgreements(attempt);
  if (added !== undefined)
    return `CONSENSUS adds ${inline(added)}, which your peer never saw; use EVALUATE`;
  const open = draft.disagreements_pending?.[0];
  if (open !== undefined)
    return `CONSENSUS lists ${inline(open)} as pending; use EVALUATE to reopen it`;
  const { objections, claims, synthesis, needs_user } = draft;
  const { specific_questions } = draft.question_or_proposal;
  const brought = { objections, claims, synthesis, needs_user, specific_questions };
  const [field] = Object.entries(brought).find(([, value]) => value && value.length > 0) ?? [];
  return field && `CONSENSUS closes and brings nothing new, but ${field} came; use EVALUATE`;
}

function openPointsMax({ state, draft }: Judgement) {
  const open = (...codes: ObligationCode[]) =>
    state.obligations.filter(({ code }) => codes.includes(code)).length;
  const questions = open("answer") + (draft.question_or_proposal.specific_questions ?? []).length;
  // Both sides may have to look at a fact.
  const facts = 2 * factsNamed(state, draft).length;
  const claims = open("check", "look") + (draft.claims ?? []).length + facts;
  const most = limits.listItems;
  if (Math.max(questions, claims) <= most) return false;
  return `more than ${most} questions or claims would be open; settle some first`;
}

/** What binds messages of our scripts. */
const rulesForOurs: Rule[] = [
  answersAMessage,
  saysSomething,
  disagreementsResolved,
  namesWhatIsThere,
  objectionsAcknowledge,
  ...obligationCodes.map(
    (code): Rule =>
      (attempt) =>
        obligationsMet(attempt, code),
  ),
  ...rulesOfPositions,
  ...rulesOfClaims,
  agreeIsEarned,
  closingIsWhole,
  everyClaimSeen,
];

/** It says up to which message the sender has read: one of the peer's, not what nobody wrote. */
function answersAMessage({ state, draft: { reply_to: seq }, sender }: Judgement) {
  if (seq === undefined) return false;
  const other = otherThan(state, sender);
  const { unanswered, unansweredEarlier } = sideOf(state, sender);
  const known = unanswered.map((mail) => mail.seq);
  const isLast = seq === sideOf(state, other).lastDraft.seq && state.phase !== "sealing";
  // Of the oldest ones only the number is remembered.
  const isEarlier = unansweredEarlier > 0 && seq < (known[0] ?? 0);
  if (known.includes(seq) || isLast || isEarlier) return false;
  const expected = known.length === 0 ? "" : `, expected one of ${known.join(", ")}`;
  return `reply_to is ${seq}, which is no message of ${other} that you have to answer${expected}; leave it out to answer all that you have read`;
}

function saysSomething({ draft, files }: Judgement): Lack | string | false {
  const { type, confidence, question_or_proposal, progress = [] } = draft;
  const isSure = !["RESPONSE", "EVALUATE", "COUNTER_PROPOSE", "AGREE"].includes(type);
  if (!isSure && confidence === undefined) {
    const reason = `confidence is missing; ${type} needs a number from 0 to 1`;
    return { reason, add: { confidence: blank.confidence } };
  }
  if (!hasWord(question_or_proposal.content))
    return `content is ${inline(question_or_proposal.content, 60)}; write what your peer is to read`;
  const at = progress.findIndex(({ kind, path = "" }) => kind === "artifact" && !files.has(path));
  const { path = "" } = progress[at] ?? {};
  if (at < 0) return false;
  return `progress[${at}] names ${plainPlace(path)}, which is not a file of this project; drop the entry`;
}

/** A record, or more than one word: "ok" ends no dispute, in any language. */
function isReason(text: string): boolean {
  if (/\bE\d+\b/.test(text)) return true;
  const parts = [...new Intl.Segmenter("und", { granularity: "word" }).segment(text)];
  return parts.filter(({ isWordLike }) => isWordLike).length > 1;
}

function disagreementsResolved(attempt: Judgement) {
  const { state, draft } = attempt;
  const { resolved = [], disagreements_pending: pending } = draft;
  const bare = resolved.find(({ because }) => !isReason(because));
  if (bare !== undefined)
    return `resolved: because is ${inline(bare.because)}; say in a few words what settles ${inline(bare.point)}`;
  const kept = pending && [...pending, ...settledPoints(attempt)];
  const dropped = kept && state.disagreements.find(({ point }) => !holdsText(kept, point));
  if (dropped === undefined) return false;
  return `disagreements_pending drops ${inline(dropped.point)} without a reason; add resolved: [{point, because}]`;
}

/** Questions, claims of the peer, and claims of one's own. */
function namesWhatIsThere({ state, draft, sender }: Judgement) {
  const { answers = [], checks = [], withdrawn = [], kept = [] } = draft;
  const due = obligationsOf(state, sender);
  const asked = due.filter(({ code }) => code === "answer" || code === "aside");
  const answer = answers.find(({ question }) => !asked.some((it) => answersTo(question, it)));
  if (answer !== undefined) {
    const open = dueLines(due.filter(({ code }) => code === "answer")).join("");
    return `answers names ${inline(answer.question)}, which is no question to you; ${open || "no question is open to you"}`;
  }
  const valid = state.claims.filter((it) => it.withdrawn === "");
  // A check once given may be corrected, and either side may look at a fact.
  const theirs = valid.filter(({ id, by }) => by !== sender || isFactId(id));
  const check = checks.find(({ claim }) => !theirs.some(({ id }) => id === claim));
  if (check !== undefined)
    return `checks names ${inline(check.claim)}; claims you can check: ${idsShort(theirs) || "none"}`;
  const doubted = due.filter(({ code }) => code === "doubt");
  const odd = kept.find(
    ({ claim, because }) => !isReason(because) || !doubted.some(({ id }) => id === claim),
  );
  if (odd !== undefined)
    return `kept has ${inline(odd.claim)} because ${inline(odd.because)}; it is for claims that the auditor doubts (${idsShort(doubted) || "none"}), each with a reason in a few words`;
  const own = valid.filter(({ by }) => by === sender);
  const stray = withdrawn.find(({ claim }) => !own.some(({ id }) => id === claim));
  if (stray === undefined) return false;
  return `withdrawn names ${inline(stray.claim)}; claims of yours: ${idsShort(own) || "none"}`;
}

function objectionsAcknowledge({ draft, assessment }: Judgement): Lack | false {
  const isDone = draft.type === "AGREE" || (draft.acknowledged ?? []).length > 0;
  const reason = "an objection names the other side's strong points first";
  return assessment.objects && !isDone && { reason, add: { acknowledged: [blank.strong] } };
}

/** What its sender has to do first, or in it: each kind is one lack. */
function obligationsMet(attempt: Judgement, wanted: ObligationCode): Lack | string | false {
  const { state, draft, sender } = attempt;
  const { blocks } = wordings[wanted];
  if (blocks === "nothing" || (blocks === "agreement" && draft.type !== "AGREE")) return false;
  const open = obligationsOf(state, sender).filter(
    (it) => it.code === wanted && !isMet(attempt, it),
  );
  for (const { id } of open) {
    const claim = state.claims.find((it) => it.id === id);
    const own = claim && newestOf(claim, sender);
    // What its own look refuted no field of an AGREE helps.
    if (wanted === "check" && own?.met === false)
      return `your ${evidenceId(own)} shows that ${id} does not hold; send EVALUATE with outcome fails`;
  }
  const [reason] = dueLines(open, true);
  if (reason === undefined) return false;
  const { fields: add, toCheck } = wantedFor(state, open);
  // What is met by another type is met by no field.
  return wanted === "task" ? reason : { reason, add, toCheck };
}

function isMet(attempt: Judgement, it: Obligation): boolean {
  const { state, draft, sender, assessment } = attempt;
  const { type, synthesis, self_check, reply_to } = draft;
  switch (it.code) {
    case "answer":
      return defers(draft) || settles(state, draft, sender, false, it);
    case "task":
      return state.mode === "parallelo" || defers(draft) || type === "TASK_RESULT";
    case "self_check":
      return type === "ESCALATE" || self_check !== undefined;
    case "synthesis":
    case "facts":
      if (defers(draft) || synthesis !== undefined || type === "TASK_RESULT") return true;
      return assessment.accepts || areFactsChecked(attempt);
    case "offer":
      // What does not compete with it leaves it open; what was written before it was read is no answer.
      if (synthesis !== undefined || assessment.objects || !assessment.competes) return true;
      return reply_to !== undefined && reply_to < Number(it.id);
    default:
      return settles(state, draft, sender, false, it);
  }
}

/** Whether scripts have looked at all that the positions differ over: there is nothing to make one of. */
function areFactsChecked({ state, draft, assessment }: Judgement): boolean {
  if (assessment.disputes === "refuted") return true;
  const { facts = [] } = state.synthesis;
  const looked = (draft.checks ?? []).filter(({ outcome }) => outcome !== "not_run");
  const hasLook = (id: string) =>
    looked.some(({ claim }) => claim === id) ||
    state.claims.some((it) => it.id === id && it.records.length > 0);
  return facts.length > 0 && facts.every(hasLook);
}

function agreeIsEarned(attempt: Judgement): Lack | string | false {
  const { state, draft, sender } = attempt;
  if (draft.type !== "AGREE") return false;
  // Who finds the fact refuted that it disputes, and keeps its position, rests on nothing that fails.
  const keeps = isSamePosition(positionOf(attempt), sideOf(state, sender).held.position);
  const disputes = (claim: string) =>
    state.claims.find(({ id }) => id === claim)?.disputed?.by === sender;
  const fails = (draft.checks ?? []).find(({ outcome }) => outcome === "fails");
  if (fails !== undefined && !(keeps && disputes(fails.claim)))
    return `claim ${fails.claim} fails, and AGREE would rest on it; send EVALUATE, so that its author can answer`;
  if (state.mode !== "profondo") return false;
  if (roundOfNext(state) < 2)
    return "deep: nobody may AGREE in round 1; send EVALUATE with what you checked";
  const isBrought = recordsBrought(attempt).length > 0;
  if (isBrought || state.evidence.some(({ by }) => by === sender)) return false;
  const way = "run check --cite FILE:LINES or check --claim ID";
  return { reason: `deep: AGREE needs evidence of your own; ${way}`, toCheck: [""] };
}

/** The AGREE that closes confirms a text, adds nothing that the other has not seen, and rests on what is still there. */
function closingIsWhole({ state, draft, sender, evidence }: Judgement): string | false {
  const { offer } = state;
  const { content, specific_questions: asks = [] } = draft.question_or_proposal;
  if (draft.type !== "AGREE") return false;
  if (offer === undefined || offer.by === sender) {
    if (content.length <= limits.decisionCharacters) return false;
    return `content, the text for the user, has ${content.length} characters, expected at most ${limits.decisionCharacters}; put the rest into a file and name it`;
  }
  const isClaiming = (draft.claims ?? []).length > 0;
  if (isClaiming || asks.length > 0)
    return `this AGREE closes with the text of message ${offer.seq} and brings nothing new, but ${isClaiming ? "claims" : "specific_questions"} came; send EVALUATE`;
  const needed = evidence === undefined ? [] : neededFor(state, draft, sender);
  for (const [at, { claim: id }] of needed.entries()) {
    const claim = state.claims.find((it) => it.id === id);
    const seen = claim && lastMet(state, claim);
    const now = evidence?.[at];
    if (claim === undefined) continue;
    if (now?.met === true && (seen === undefined || now.sha256 === seen.sha256)) continue;
    return (
      `${id} rests on ${inline(claim.spec)}, which has changed since it was seen; its author withdraws it ` +
      `or claims it anew: send EVALUATE`
    );
  }
  return false;
}

/** Why a session that takes only what is seen cannot close: of which kind of the user's it is, or what is not shown. */
export function notClosable(
  kind: string | undefined,
  doubted: readonly { readonly id: string }[],
): string | undefined {
  if (kind !== undefined)
    return `the decision is the user's (${kind}): no more than a recommendation; send ESCALATE`;
  if (doubted.length === 0) return undefined;
  return `not shown, says the auditor: ${idsShort(doubted)}: its author withdraws it, or ESCALATE`;
}

/** The user who began the session wants every claim seen by both. */
function everyClaimSeen({ state, draft, sender, assessment }: Judgement): Lack | string | false {
  if (draft.type !== "AGREE" || !state.requireSeen) return false;
  const left = (draft.withdrawn ?? []).map(({ claim }) => claim);
  const valid = state.claims.filter((it) => isValid(it) && !left.includes(it.id));
  const rule = "this session was begun with --require seen";
  const kind = ownerKindIn(draft) ?? ownersOf(state)[0]?.kind;
  const doubted = doubtedClaims(state).filter(({ id }) => !left.includes(id));
  const stop = notClosable(kind, doubted);
  if (stop !== undefined) {
    const reason = `${rule}, and ${stop}`;
    // Its own it may withdraw with this message.
    const mayWithdraw = kind === undefined && doubted.every(({ by }) => by === sender);
    return mayWithdraw ? { reason } : reason;
  }
  if (valid.length === 0 && (draft.claims ?? []).length === 0)
    return `${rule}, and nothing is claimed; send EVALUATE with claims that a script can check, or ESCALATE`;
  const isClosing = state.offer !== undefined && state.offer.by !== sender;
  const [gone] = assessment.changed ?? [];
  if (gone !== undefined)
    return `${rule}, and ${gone.claim} is ${changedText(gone.files)}; run check --claim ${gone.claim}, then send it again`;
  const lacking = valid.find((it) => (isClosing ? !isSeen(it) : !seenBy(it).includes(sender)));
  if (lacking === undefined) return false;
  const who = seenBy(lacking);
  const seen = who.length > 1 ? "one process for both sides" : (who[0] ?? "nobody");
  const reason = `${rule}, and ${lacking.id} is seen by ${seen}: both sides run check --claim ${lacking.id}, its author withdraws it, or ESCALATE`;
  const toCheck = unseenIn(sender, valid);
  return isClosing || toCheck.length === 0 ? reason : { reason, toCheck };
}
