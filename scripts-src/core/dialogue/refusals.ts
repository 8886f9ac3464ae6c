import { plainPlace } from "../findings/plain-place.ts";
import { inline } from "../json.ts";
import { limits } from "../limits.ts";
import { type Judged, newAgreements } from "./assess.ts";
import { closedByOriginal, consensusBlockers } from "./consensus.ts";
import { fewPoints, idsShort } from "./few-points.ts";
import { normalized, statesAcknowledgement } from "./markers.ts";
import type { Draft } from "./message.ts";
import { type DialogueState, hasEnded, type OwedHypothesis, otherThan, sideOf } from "./state.ts";

/** A rule says what is wrong with an attempt and what to do, or nothing. */
type Rule = (attempt: Judged) => string | undefined | false;

/**
 * All that is wrong with an attempt, gravest first. Where the session or the turn forbids any
 * message, nothing else is said.
 */
export function refusalsFor(attempt: Judged): string[] {
  const barred = firstOf(attempt, [ended, addressing, turn, typeInPhase]);
  if (barred !== undefined) return [barred];
  const rules = attempt.foreign ? rulesForAll : [...rulesForAll, ...rulesForOurs];
  const broken = rules.map((rule) => rule(attempt)).filter((reason) => typeof reason === "string");
  const progress = fewPoints(
    attempt.progressFaults,
    (fault) => fault,
    (rest) => `${rest.length} more entries of progress[] do not count`,
  );
  return [...broken, ...progress];
}

function firstOf(attempt: Judged, rules: Rule[]): string | undefined {
  for (const rule of rules) {
    const reason = rule(attempt);
    if (typeof reason === "string") return reason;
  }
  return undefined;
}

function ended(attempt: Judged) {
  const { state } = attempt;
  return (
    hasEnded(state) &&
    !answersClosing(attempt) &&
    `session ${state.id} has ended (${state.phase}); open a new one with init if there is more to say`
  );
}

/**
 * After CONSENSUS its author has said all. The other side may still confirm the text or object to it,
 * which reopens; one that works by hand may close as well, in the same moment.
 */
function answersClosing({ state, draft, sender, foreign, assessment }: Judged): boolean {
  const { outcome } = state;
  if (outcome?.kind !== "consensus" || sender === outcome.by) return false;
  if (outcome.confirmed === "agreed") return false;
  if (draft.type === "AGREE") return true;
  if (draft.type === "CONSENSUS") return foreign && outcome.ownWords === undefined;
  return assessment.objects;
}

function addressing({ state, draft, sender }: Judged) {
  const other = otherThan(state, sender);
  const wrong: [field: string, came: string | undefined, expected: string][] = [
    ["from", draft.from, sender],
    ["to", draft.to, other],
    ["session_id", draft.session_id, state.id],
  ];
  const [field, came, expected] =
    wrong.find(([, given, right]) => given !== undefined && given !== right) ?? [];
  return (
    field !== undefined &&
    `${field} is ${plainPlace(came ?? "")}, expected ${expected}; leave it out, it is filled in`
  );
}

function turn({ state, draft, sender, foreign }: Judged) {
  if (hasEnded(state)) return false;
  if (state.mode === "parallelo" && state.phase === "talking") return false;
  if (state.turn.includes(sender) || draft.type === "ESCALATE") return false;
  // Whoever was to close may have gone: the other may do it as well.
  if (state.phase === "agreed" && draft.type === "CONSENSUS") return false;
  if (mayAdd(state, sender, foreign, draft.type)) return false;
  return `it is the turn of ${state.turn.join(" and ")}, not of ${sender}`;
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

/** Out of turn and nothing else that bars it: the same message may be right in its turn. */
export function isEarly(attempt: Judged): boolean {
  return firstOf(attempt, [ended, addressing]) === undefined && typeof turn(attempt) === "string";
}

function typeInPhase({ state, draft, sender, foreign }: Judged) {
  const { type } = draft;
  if (type === "ESCALATE" || hasEnded(state)) return false;
  if (state.phase === "asking") {
    return type !== "REQUEST" && `the session has no question yet; send type REQUEST, not ${type}`;
  }
  if (type === "REQUEST") {
    return "this session already has its REQUEST; use another type, or open a new session with init";
  }
  if (state.phase === "sealing") {
    return (
      type !== "RESPONSE" && `state your position blind first: send type RESPONSE, not ${type}`
    );
  }
  const closes = foreign && closedByOriginal(state, sender, draft.confidence);
  if (type === "CONSENSUS" && state.phase !== "agreed" && !closes) {
    return `CONSENSUS is not reached: ${consensusBlockers(state).join("; ")}`;
  }
  if (type !== "TASK_RESULT" || state.tasks.some((task) => task.by === sender)) return false;
  return "nobody assigned you a task, so there is no TASK_RESULT to give; use RESPONSE";
}

/** It says up to which message the sender has read: one of the peer's, not what nobody wrote. */
function answersAMessage({ state, draft, sender }: Judged) {
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

const rulesForAll: Rule[] = [
  function roundGoesOn({ state, draft, foreign }) {
    const { round } = draft;
    if (round === undefined) return false;
    // A colleague that counted faster does not shut out one that counts as we do.
    const least = Math.min(state.lastRound, state.round);
    // What a round is the original files never say: one that counts slower is heard as well.
    if (round < least && !foreign)
      return `round is ${round}, but the session is at ${least}; leave round out`;
    const most = roundMax(state, foreign);
    return (
      round > most &&
      `round is ${round}, but the next message is of round ${most} at most; leave round out`
    );
  },
  function agreementsOnlyGrow({ state, draft, foreign }) {
    if (draft.agreements_so_far === undefined || (foreign && draft.type === "CONSENSUS"))
      return false;
    const kept = new Set(draft.agreements_so_far.map(normalized));
    const lost = state.agreements.find((point) => !kept.has(normalized(point)));
    return (
      lost !== undefined &&
      `agreements_so_far drops ${inline(lost)}; agreements only grow: leave the field out to keep them all`
    );
  },
  function consensusAddsNothing(attempt) {
    // A colleague by hand closes as the original files say; what is open then is told with it.
    if (attempt.draft.type !== "CONSENSUS" || attempt.foreign) return false;
    const [added] = newAgreements(attempt);
    if (added !== undefined)
      return `CONSENSUS adds ${inline(added)}, which your colleague never saw; use EVALUATE`;
    const { draft } = attempt;
    const open = draft.disagreements_pending?.[0];
    if (open !== undefined)
      return `CONSENSUS lists ${inline(open)} as pending; use EVALUATE to reopen it`;
    const brought = (
      ["objections", "claims", "hypotheses", "synthesis", "needs_user"] as const
    ).find((field) =>
      Array.isArray(draft[field]) ? draft[field].length > 0 : draft[field] !== undefined,
    );
    const asks = (draft.question_or_proposal.specific_questions ?? []).length > 0;
    const field = brought ?? (asks ? "specific_questions" : undefined);
    return (
      field !== undefined &&
      `CONSENSUS closes and brings nothing new, but ${field} came; use EVALUATE`
    );
  },
  function openPointsBounded({ state, draft }) {
    const questions =
      state.questions.length + (draft.question_or_proposal.specific_questions ?? []).length;
    const claims = state.claims.length + (draft.claims ?? []).length;
    const many = Math.max(questions, claims) > limits.listItems;
    return (
      many && `more than ${limits.listItems} questions or claims would be open; settle some first`
    );
  },
];

const confident = new Set(["RESPONSE", "EVALUATE", "COUNTER_PROPOSE", "AGREE"]);

/** Types that put an obligation off instead of meeting it. */
function defers({ draft }: Judged): boolean {
  return draft.type === "CLARIFY" || draft.type === "ESCALATE";
}

const rulesForOurs: Rule[] = [
  answersAMessage,
  function confidenceGiven({ draft }) {
    const missing = confident.has(draft.type) && draft.confidence === undefined;
    return missing && `confidence is missing; ${draft.type} needs a number from 0 to 1`;
  },
  function disagreementsResolved({ state, draft }) {
    if (draft.disagreements_pending === undefined) return false;
    const kept = new Set([
      ...draft.disagreements_pending.map(normalized),
      ...(draft.resolved ?? []).map(({ point }) => normalized(point ?? "")),
    ]);
    const dropped = state.disagreements.find(({ point }) => !kept.has(normalized(point)));
    return (
      dropped !== undefined &&
      `disagreements_pending drops ${inline(dropped.point)} without a reason; add resolved: [{point, because}]`
    );
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
  function questionsAnswered(attempt) {
    const { state, draft, sender } = attempt;
    const owed = state.questions.filter(({ by }) => by === sender);
    const given = (draft.answers ?? []).map(({ question }) => question ?? "");
    const stray = given.find((name) => !owed.some((q) => answersTo(name, q.id, q.question)));
    if (stray !== undefined)
      return `answers names ${inline(stray)}, which is no question to you; ${listOf(owed)}`;
    const open = owed.filter((q) => !given.some((name) => answersTo(name, q.id, q.question)));
    if (open.length === 0 || defers(attempt)) return false;
    return `${listOf(open)}; add answers: [{question: "${open[0]?.id}", answer: "..."}]`;
  },
  function checksExist({ state, draft, sender }) {
    // A check once given may be corrected: the newer one counts.
    const owed = [...state.checkedClaims, ...state.claims].filter(({ by }) => by === sender);
    const stray = (draft.checks ?? []).find(({ claim }) => !owed.some(({ id }) => id === claim));
    return (
      stray !== undefined &&
      `checks names ${inline(stray.claim ?? "")}; claims you can check: ${idsShort(owed) || "none"}`
    );
  },
  function withdrawnExist({ state, draft, sender }) {
    const own = [...state.checkedClaims, ...state.claims].filter(({ by }) => by !== sender);
    const stray = (draft.withdrawn ?? []).find(({ claim }) => !own.some(({ id }) => id === claim));
    return (
      stray !== undefined &&
      `withdrawn names ${inline(stray.claim ?? "")}; claims of yours: ${idsShort(own) || "none"}`
    );
  },
  function objectionsAcknowledge(attempt) {
    const { draft } = attempt;
    if (!attempt.assessment.objects || draft.type === "AGREE") return false;
    if ((draft.acknowledged ?? []).length > 0) return false;
    if (statesAcknowledgement(draft.question_or_proposal.content)) return false;
    return 'an objection names the other side\'s strong points first; add acknowledged: ["..."]';
  },
  function agreeDoesNotObject(attempt) {
    const objects = attempt.draft.type === "AGREE" && attempt.assessment.objects;
    return objects && "AGREE raises an objection; send EVALUATE, or agree without it";
  },
  function selfCheckGiven({ state, draft, sender }) {
    const owed = sideOf(state, sender).owesSelfCheck && draft.type !== "ESCALATE";
    return (
      owed &&
      draft.self_check === undefined &&
      'three rounds of nothing but objections; add self_check: answer "am I defending a position or looking for the truth?"'
    );
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
  function taskReported(attempt) {
    const { state, draft, sender } = attempt;
    const owed = state.tasks.find(({ by }) => by === sender);
    if (owed === undefined || draft.type === "TASK_RESULT" || defers(attempt)) return false;
    return (
      state.mode !== "parallelo" && `task ${owed.id} is yours; report it with type TASK_RESULT`
    );
  },
  function agreeIsEarned(attempt) {
    return attempt.draft.type === "AGREE" && agreeFault(attempt);
  },
];

/** Whether a tool refuted every fact that the other side disputes. */
function refutesAll({ state, draft, sender }: Judged): boolean {
  const refuted = (draft.hypotheses ?? []).filter(({ outcome }) => outcome === "refuted");
  const facts = factsOwed(state, sender);
  if (facts.length === 1 && refuted.length > 0) return true;
  return facts.length > 0 && facts.every((it) => settlesFact(it, refuted));
}

/** The disputed facts that a side has to check. */
export function factsOwed({ hypotheses }: DialogueState, by: string): OwedHypothesis[] {
  return hypotheses.filter((it) => it.by === by && !it.open);
}

/** Whether one of these checks is of this fact. */
export function settlesFact(
  { claim }: Pick<OwedHypothesis, "claim">,
  hypotheses: NonNullable<Draft["hypotheses"]>,
): boolean {
  return hypotheses.some(
    (it) => it.outcome !== "open" && normalized(it.claim ?? "") === normalized(claim),
  );
}

function agreeFault({ state, draft, sender }: Judged): string | undefined {
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
    return "profondo: nobody may AGREE in round 1; send EVALUATE with what you checked";
  const evident =
    sideOf(state, sender).checked || (draft.hypotheses ?? []).some((it) => it.outcome !== "open");
  if (evident || checked.length > 0) return undefined;
  return "profondo: AGREE needs a check of your own; add hypotheses: [{claim, tool, outcome, evidence}]";
}

/** How much of a point an example of ours repeats. */
const pointCharacters = 240;

/** Only the whole point settles it: one that is too long to be shown is not shown in part. */
function acceptance(point = ""): string {
  const whole = point.length > pointCharacters ? "<the whole point, word for word>" : inline(point);
  return `progress: [{kind: accepted, point: ${whole}}]`;
}

/** The round that the next message belongs to. */
export function roundOfNext(state: DialogueState): number {
  return state.sentInRound.length >= state.participants.length ? state.round + 1 : state.round;
}

/** The original files never say what a round is: a colleague may count every message as one. */
function roundMax(state: DialogueState, foreign: boolean): number {
  return Math.max(roundOfNext(state), foreign ? state.seq : state.lastRound);
}

/** The round of the next message, or the one in which the session ended. */
export function roundToTell(state: DialogueState): number {
  return hasEnded(state) ? state.round : Math.min(roundOfNext(state), state.rules.max_rounds);
}

/** Giving a disputed fact up is an answer as good as checking it. */
export function concedes(
  { resolved = [], progress = [] }: Pick<Draft, "resolved" | "progress">,
  claim: string,
): boolean {
  const accepted = progress.filter(({ kind }) => kind === "accepted");
  return [...resolved, ...accepted].some(
    ({ point }) => normalized(point ?? "") === normalized(claim),
  );
}

export function answersTo(name: string, id: string, question: string): boolean {
  return name === id || normalized(name) === normalized(question);
}

function listOf(questions: { id: string; question: string }[]): string {
  if (questions.length === 0) return "no question is open to you";
  const lines = fewPoints(
    questions,
    ({ id, question }) => `${id} ${inline(question)}`,
    (rest) => `and ${rest.length} more: ${idsShort(rest)} (see next-action)`,
  );
  return `unanswered: ${lines.join(", ")}`;
}
