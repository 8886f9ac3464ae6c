import { plainPlace } from "../base/escape-untrusted-text.ts";
import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { hasWord } from "../base/visible-text.ts";
import { type Judgement, type Lack, newAgreements, type Rule } from "./assess.ts";
import { blank } from "./blanks.ts";
import { evidenceId, newestFor } from "./claims.ts";
import { closesByOriginal, consensusBlockers } from "./ending.ts";
import { factsNamed, isFactId } from "./facts.ts";
import { dueLines, idsShort, listFirst, wantedFor, wordings } from "./obligation-words.ts";
import { answersTo, defers, obligationsOf, settles } from "./obligations.ts";
import { peerNameFor } from "./positions.ts";
import { normalized } from "./prose.ts";
import { areFactsChecked, rulesOfEvidence } from "./rules-of-evidence.ts";
import { rulesOfPositions } from "./rules-of-positions.ts";
import {
  type DialogueState,
  hasEnded,
  type Obligation,
  type ObligationCode,
  obligationCodes,
  otherThan,
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
  const broken = rules.flatMap((rule) => rule(attempt) || []);
  const progress = listFirst(
    attempt.progressFaults,
    (fault) => fault,
    (rest) => `${rest.length} more entries of progress[] do not count`,
  );
  return [...broken, ...progress];
}

/** Out of turn and nothing else that bars it: the same message may be right in its turn. */
export function isEarly(attempt: Judgement): boolean {
  return !ended(attempt) && !addressing(attempt) && turn(attempt) !== false;
}

function ended(attempt: Judgement): string | false {
  const { state } = attempt;
  if (!hasEnded(state) || answersClosing(attempt)) return false;
  return `session ${state.id} has ended (${state.phase}); open a new one with init if there is more to say`;
}

/**
 * After CONSENSUS its author has said all. The other side may still confirm the text or object to it,
 * which reopens; one that works by hand may close as well, in the same moment.
 */
function answersClosing({ state, draft, sender, foreign, assessment }: Judgement): boolean {
  const { outcome } = state;
  if (outcome?.kind !== "consensus" || sender === outcome.by) return false;
  if (outcome.confirmed === "agreed") return false;
  if (draft.type === "CONSENSUS") return foreign && outcome.ownWords === undefined;
  return draft.type === "AGREE" || assessment.objects;
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
  if (hasEnded(state) || state.turn.includes(sender) || type === "ESCALATE") return false;
  if (state.mode === "parallelo" && state.phase === "talking") return false;
  // The participant that was to close may have gone: the other may do it as well.
  if (state.phase === "agreed" && type === "CONSENSUS") return false;
  if (mayAdd(state, sender, foreign, type)) return false;
  const who = state.turn.map(() => peerNameFor(state, sender)).join(" and ");
  return `it is the turn of ${who}, not of ${sender}`;
}

/**
 * A colleague by hand knows no turns: a few messages in one turn are taken in their order. It may be
 * asked back at any time, for it does not hear why a letter of its was refused.
 */
function mayAdd(state: DialogueState, sender: string, foreign: boolean, type: string): boolean {
  if (state.phase !== "talking" && state.phase !== "agreed") return false;
  const other = sideOf(state, otherThan(state, sender));
  if (foreign) return other.unanswered.length < limits.lettersInTurn;
  return type === "CLARIFY" && (other.byHand || other.sentCount === 0);
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
const rulesForAll: Rule[] = [
  function roundGoesOn({ state, draft, foreign }) {
    const { round } = draft;
    if (round === undefined) return false;
    // A colleague that counted faster does not shut out one that counts as we do.
    const least = Math.min(state.lastRound, state.round);
    // What a round is the original files never say: one may count slower, or every message as one.
    if (round < least && !foreign)
      return `round is ${round}, but the session is at ${least}; leave round out`;
    const most = Math.max(roundOfNext(state), foreign ? state.seq : state.lastRound);
    if (round <= most) return false;
    return `round is ${round}, but the next message is of round ${most} at most; leave round out`;
  },
  function agreementsOnlyGrow({ state, draft, foreign }) {
    // What ends a session by hand ends it: the list is kept all the same.
    const ends = foreign && ["CONSENSUS", "ESCALATE"].includes(draft.type);
    if (draft.agreements_so_far === undefined || ends) return false;
    const kept = new Set(draft.agreements_so_far.map(normalized));
    const lost = state.agreements.find((point) => !kept.has(normalized(point)));
    if (lost === undefined) return false;
    return `agreements_so_far drops ${inline(lost)}; agreements only grow: leave the field out to keep them all`;
  },
  function consensusAddsNothing(attempt) {
    const { draft, foreign } = attempt;
    // A colleague by hand closes as the original files say; what is open then is told with it.
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
  },
  function openPointsBounded({ state, draft }) {
    const open = (...codes: ObligationCode[]) =>
      state.obligations.filter(({ code }) => codes.includes(code)).length;
    const questions = open("answer") + (draft.question_or_proposal.specific_questions ?? []).length;
    // Both sides may have to look at a fact.
    const facts = 2 * factsNamed(state, draft).length;
    const claims = open("check", "look") + (draft.claims ?? []).length + facts;
    const most = limits.listItems;
    if (Math.max(questions, claims) <= most) return false;
    return `more than ${most} questions or claims would be open; settle some first`;
  },
];

/** It says up to which message the sender has read: one of the peer's, not what nobody wrote. */
function answersAMessage({ state, draft, sender }: Judgement) {
  const { reply_to: seq } = draft;
  if (seq === undefined) return false;
  const other = otherThan(state, sender);
  const { unanswered, unansweredEarlier } = sideOf(state, sender);
  const known = unanswered.map((mail) => mail.seq);
  const last = sideOf(state, other).lastDraft.seq;
  if (known.includes(seq) || (seq === last && state.phase !== "sealing")) return false;
  // Of the oldest ones only the number is remembered.
  if (unansweredEarlier > 0 && seq < (known[0] ?? 0)) return false;
  const expected = known.length === 0 ? "" : `, expected one of ${known.join(", ")}`;
  return `reply_to is ${seq}, which is no message of ${other} that you have to answer${expected}; leave it out to answer all that you have read`;
}

/** A record, or more than one word: "ok" ends no dispute, in any language. */
function isReason(text: string): boolean {
  if (/\bE\d+\b/.test(text)) return true;
  const parts = [...new Intl.Segmenter("und", { granularity: "word" }).segment(text)];
  return parts.filter(({ isWordLike }) => isWordLike).length > 1;
}

/** What binds messages of our scripts. */
const rulesForOurs: Rule[] = [
  answersAMessage,
  function confidenceGiven({ draft: { type, confidence } }) {
    const isNeeded = ["RESPONSE", "EVALUATE", "COUNTER_PROPOSE", "AGREE"].includes(type);
    const reason = `confidence is missing; ${type} needs a number from 0 to 1`;
    return (
      isNeeded && confidence === undefined && { reason, add: { confidence: blank.confidence } }
    );
  },
  function contentSaysSomething({ draft }) {
    const { content } = draft.question_or_proposal;
    if (hasWord(content)) return false;
    return `content is ${inline(content, 60)}; write what your peer is to read`;
  },
  function resolvedForAReason({ draft }) {
    const bare = draft.resolved?.find(({ because = "" }) => !isReason(because));
    if (bare === undefined) return false;
    return `resolved: because is ${inline(bare.because ?? "")}; say in a few words what settles ${inline(bare.point ?? "")}`;
  },
  function disagreementsResolved({ state, draft }) {
    if (draft.disagreements_pending === undefined) return false;
    const resolved = (draft.resolved ?? []).map(({ point = "" }) => point);
    const kept = new Set([...draft.disagreements_pending, ...resolved].map(normalized));
    const dropped = state.disagreements.find(({ point }) => !kept.has(normalized(point)));
    if (dropped === undefined) return false;
    return `disagreements_pending drops ${inline(dropped.point)} without a reason; add resolved: [{point, because}]`;
  },
  function answersWereAsked({ state, draft, sender }) {
    const own = obligationsOf(state, sender);
    const asked = own.filter(({ code }) => code === "answer" || code === "aside");
    const given = (draft.answers ?? []).map(({ question }) => question ?? "");
    const stray = given.find((name) => !asked.some((it) => answersTo(name, it)));
    if (stray === undefined) return false;
    const open = dueLines(own.filter(({ code }) => code === "answer")).join("");
    return `answers names ${inline(stray)}, which is no question to you; ${open || "no question is open to you"}`;
  },
  function checksExist({ state, draft, sender }) {
    // A check once given may be corrected, and either side may look at a fact.
    const known = state.claims.filter(
      ({ id, by, withdrawn }) => withdrawn === "" && (by !== sender || isFactId(id)),
    );
    const stray = (draft.checks ?? []).find(({ claim }) => !known.some(({ id }) => id === claim));
    if (stray === undefined) return false;
    return `checks names ${inline(stray.claim ?? "")}; claims you can check: ${idsShort(known) || "none"}`;
  },
  function withdrawnExist({ state, draft, sender }) {
    const own = state.claims.filter(({ by, withdrawn }) => by === sender && withdrawn === "");
    const stray = (draft.withdrawn ?? []).find(({ claim }) => !own.some(({ id }) => id === claim));
    if (stray === undefined) return false;
    return `withdrawn names ${inline(stray.claim ?? "")}; claims of yours: ${idsShort(own) || "none"}`;
  },
  function objectionsAcknowledge({ draft, assessment }) {
    const isNeeded = assessment.objects && draft.type !== "AGREE";
    const reason = "an objection names the other side's strong points first";
    const add = { acknowledged: [blank.strong] };
    return isNeeded && (draft.acknowledged ?? []).length === 0 && { reason, add };
  },
  ...obligationCodes.map(
    (code): Rule =>
      (attempt) =>
        obligationsMet(attempt, code),
  ),
  ...rulesOfPositions,
  ...rulesOfEvidence,
];

/** What its sender has to do first, or in it: each kind is one lack. */
function obligationsMet(attempt: Judgement, wanted: ObligationCode): Lack | string | false {
  const { state, draft, sender } = attempt;
  const { blocks, field } = wordings[wanted];
  if (blocks === "nothing" || (blocks === "agreement" && draft.type !== "AGREE")) return false;
  const open = obligationsOf(state, sender).filter(
    (it) => it.code === wanted && !isMet(attempt, it),
  );
  const refuted = wanted === "check" && refutedByOwn(state, sender, open);
  if (refuted) return refuted;
  const [reason] = dueLines(open, true);
  if (reason === undefined) return false;
  const { fields: add, toCheck } = wantedFor(state, open);
  // What is met by another type is met by no field.
  return field === "type" ? reason : { reason, add, toCheck };
}

/** A claim that its own look refuted: no field of an AGREE helps. */
function refutedByOwn(state: DialogueState, by: string, open: readonly Obligation[]) {
  for (const { id } of open) {
    const claim = state.claims.find((it) => it.id === id);
    const own = claim && newestFor(state, by, claim);
    if (own?.met === false)
      return `your ${evidenceId(own)} shows that ${id} does not hold; send EVALUATE with outcome fails`;
  }
  return undefined;
}

function isMet(attempt: Judgement, it: Obligation): boolean {
  const { state, draft, sender, assessment } = attempt;
  const { type, synthesis, self_check, reply_to } = draft;
  switch (it.code) {
    case "answer":
      return defers(draft) || settles(draft, sender, it);
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
      return settles(draft, sender, it);
  }
}
