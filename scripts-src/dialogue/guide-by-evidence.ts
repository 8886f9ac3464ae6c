import { inline, type JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { Guidance, Move } from "../protocol/protocol.ts";
import { askBack, blank } from "./blanks.ts";
import { undecided } from "./consensus.ts";
import { isFactId, lookFor } from "./disputed-facts.ts";
import { evidenceId } from "./evidence.ts";
import { fewPoints, idsShort } from "./few-points.ts";
import type { MessageType } from "./message.ts";
import { roundOfNext, roundToTell } from "./rounds.ts";
import { newestFor } from "./rules-of-evidence.ts";
import { waysToLook } from "./rules-of-facts.ts";
import { isNamed, lastStance, openSynthesis, peerNameFor } from "./stance.ts";
import { type DialogueState, hasEnded, otherThan, sideOf } from "./state.ts";

/** Where a session under rules 2 stands, in few lines. */
export function standsByEvidence(state: DialogueState, participant: string): string[] {
  const topic = `topic: ${inline(state.topic || state.goal, 120)}`;
  const round = `round ${roundToTell(state)} of ${state.rules.max_rounds}`;
  if (hasEnded(state))
    return [`session ${state.id}: ENDED`, topic, `phase: ${state.phase}, ${round}`];
  const isMine = state.turn.includes(participant);
  const turn = isMine ? "YOUR TURN" : `waiting for ${whoHasTurn(state)}`;
  const points = state.disagreements.map(({ point }) => inline(point, 160));
  const { offer } = state.trust;
  return [
    `session ${state.id}: ${turn}`,
    `${round}${stallText(state)}`,
    topic,
    ...positionLines(state, participant),
    ...(points.length > 0 ? [`disputed: ${points.slice(-10).join(", ")}`] : []),
    ...(offer?.by === participant ? [`your AGREE ${offer.seq} waits for its confirmation`] : []),
    ...droppedLines(state),
    ...(state.deadlock === "" ? [] : [`deadlock: ${inline(state.deadlock)}`]),
  ];
}

/** How near the session is to its stall limit. */
function stallText({ budget }: DialogueState): string {
  if (budget >= limits.progressBudget) return "";
  return `, ${Math.max(budget, 0)} more without progress escalate it`;
}

/** What letters by hand left out of their lists. */
function droppedLines({ dropped }: DialogueState): string[] {
  return fewPoints(
    dropped,
    ({ point, by, seq }) =>
      `left out by ${by} without a reason (message ${seq}), and still open: ${inline(point)}; ` +
      "resolved: [{point, because}] settles it",
    (rest) => `${rest.length} more were left out without a reason`,
  );
}

/** What a message says that is shown as well is not said twice. */
function positionLines(state: DialogueState, participant: string): string[] {
  const other = otherThan(state, participant);
  const shown = sideOf(state, participant).unanswered.map(({ seq }) => seq);
  const named = [
    { who: "you", stance: lastStance(state, participant) },
    { who: peerNameFor(state, participant), stance: lastStance(state, other) },
  ];
  return named.flatMap(({ who, stance }) =>
    stance.seq === 0 || shown.includes(stance.seq)
      ? []
      : [`position of ${who} (message ${stance.seq}): ${inline(stance.position)}`],
  );
}

/** A waiting participant may have to say whose CLI the user shall open: here names are names. */
function whoHasTurn({ turn }: DialogueState): string {
  return turn.join(" and ");
}

type Guided = Omit<
  Guidance,
  "standing" | "received" | "receivedEarlier" | "obligations" | "documents"
>;

/** What a participant must send now, and what may wait. */
export function guideByEvidence(state: DialogueState, participant: string): Guided {
  const other = otherThan(state, participant);
  const unnamed = isNamed(state) ? {} : { unnamed: [other] };
  const isFree = state.mode === "parallelo" && state.phase === "talking";
  const isMine = state.turn.includes(participant);
  if (!isMine && !isFree) return { turn: "theirs", ...unnamed, ...waiting(state, participant) };
  const owed = owedBy(state, participant);
  const owedChecks = state.claims.filter(({ by, check }) => by === participant && check !== "");
  const toCheck = owedChecks.map(({ id }) => id);
  const told = {
    required: owed.required,
    todo: owed.todo,
    toCheck: toCheck.slice(0, limits.pointsShown),
    moves: [moveFor(state, participant, owed.fields)],
    ...unnamed,
  };
  if (isMine) return { turn: "yours", ...told, advice: adviceFor(state, participant) };
  const advice = [`You may write now, or wait for ${whoHasTurn(state)}.`];
  return { turn: "theirs", ...told, advice };
}

function waiting(state: DialogueState, participant: string): Pick<Guided, "advice" | "moves"> {
  const other = otherThan(state, participant);
  const { byHand, expectsNothing } = sideOf(state, other);
  const isGone = expectsNothing && state.turn.includes(other);
  const advice = [
    `Wait for ${whoHasTurn(state)}.`,
    ...(state.phase === "sealing"
      ? ["Your position is sealed; it is shown when both are in."]
      : []),
    ...(isGone
      ? [
          `${other} said that it expects no reply: it may have stopped listening. Do not wait long: ask the user ` +
            `to open ${other}'s CLI here, or send ESCALATE.`,
        ]
      : []),
    ...(state.phase === "agreed"
      ? ["Both agree. If nobody closes the session, send CONSENSUS yourself."]
      : []),
  ];
  const asks = state.phase === "talking" && byHand;
  return { advice, moves: asks ? [askBack(state, participant)] : [] };
}

interface Owed {
  readonly required: string[];
  readonly todo: string[];
  readonly fields: JsonObject;
}

function owedBy(state: DialogueState, participant: string): Owed {
  if (state.phase !== "talking") return { required: [], todo: [], fields: {} };
  const parts = [
    answersOwed(state, participant),
    taskOwed(state, participant),
    synthesisOwed(state, participant),
    synthesisOffered(state, participant),
    selfCheckOwed(state, participant),
    checksOwed(state, participant),
    asidesOwed(state, participant),
  ];
  return {
    required: parts.flatMap(({ required }) => required),
    todo: parts.flatMap(({ todo }) => todo),
    fields: Object.assign({}, ...parts.map(({ fields }) => fields)),
  };
}

const nothing: Owed = { required: [], todo: [], fields: {} };

function answersOwed(state: DialogueState, participant: string): Owed {
  const questions = state.questions.filter(({ by }) => by === participant);
  const shown = questions.slice(0, limits.pointsShown);
  if (shown.length === 0) return nothing;
  const answers = shown.map(({ id }) => ({ question: id, answer: blank.text }));
  const required = fewPoints(
    questions,
    ({ id, question }) => `answer ${id}: ${inline(question)}`,
    (rest) => `answer ${rest.length} more: ${idsShort(rest)} (${whereWhole})`,
  );
  return { required, todo: [], fields: { answers } };
}

/** Each id says which message it is from. */
const whereWhole =
  "Q2.13 is question 13 of message 2, C2.13 its claim 13; whole messages: .consulta/archive";

function taskOwed(state: DialogueState, participant: string): Owed {
  const tasks = state.tasks.filter(({ by }) => by === participant);
  if (tasks.length === 0) return nothing;
  const lines = fewPoints(
    tasks,
    ({ id, task }) => `report task ${id} with type TASK_RESULT: ${inline(task)}`,
    (rest) => `then report ${rest.length} more: ${idsShort(rest)}`,
  );
  // Without turns a task is reported when it is done.
  const isFree = state.mode === "parallelo";
  const fields = { type: "TASK_RESULT" };
  return isFree ? { required: [], todo: lines, fields } : { required: lines, todo: [], fields };
}

function synthesisOwed(state: DialogueState, participant: string): Owed {
  if (state.synthesis.owedBy !== participant) return nothing;
  const { facts = [] } = state.synthesis;
  const look = facts.length === 0 ? "" : `a look at ${facts.join(", ")} by a script in checks, or `;
  const line = `the positions differ: ${look}synthesis (one point of each side, equal to neither), or AGREE`;
  return { required: [line], todo: [], fields: { synthesis: blank.text } };
}

function synthesisOffered(state: DialogueState, participant: string): Owed {
  const offered = openSynthesis(state, participant);
  if (offered === undefined || offered.seq === 0) return nothing;
  const { seq } = offered;
  const line = `message ${seq} offers a synthesis: AGREE with accepts: ${seq}, or objections to it`;
  return { required: [line], todo: [], fields: {} };
}

function selfCheckOwed(state: DialogueState, participant: string): Owed {
  if (!sideOf(state, participant).owesSelfCheck) return nothing;
  const line = 'self_check: "am I defending a position or looking for the truth?"';
  return { required: [line], todo: [], fields: { self_check: blank.text } };
}

/** A claim with a record of one's own needs no more than its outcome. */
function checksOwed(state: DialogueState, participant: string): Owed {
  const claims = state.claims.filter(({ by }) => by === participant);
  const { lastDraft } = sideOf(state, participant);
  const known = state.trust.claims.filter(
    ({ by, id, withdrawn }) => (by !== participant || isFactId(id)) && withdrawn === "",
  );
  const checks = known.slice(-limits.pointsShown).flatMap((claim) => {
    const own = isFactId(claim.id)
      ? lookFor(state, participant, claim)
      : newestFor(state, participant, claim);
    if (own === undefined || own.seq < lastDraft.seq) return [];
    // Who finds its own fact refuted takes it back.
    if (claim.by === participant && !own.met) return [];
    return [{ claim: claim.id, outcome: own.met ? "holds" : "fails", evidence: evidenceId(own) }];
  });
  const todo = fewPoints(
    claims,
    ({ id, text, check }) =>
      isFactId(id)
        ? `look at ${id}, a disputed fact, before AGREE: ${inline(text)}: ${waysToLook}, then in checks holds or fails, or not_run with a reason`
        : `check ${id} before AGREE: ${inline(text)} by ${inline(check)}`,
    (rest) => `check ${rest.length} more before AGREE: ${idsShort(rest)} (${whereWhole})`,
  );
  return { required: [], todo, fields: checks.length === 0 ? {} : { checks } };
}

function asidesOwed(state: DialogueState, participant: string): Owed {
  const asides = state.trust.asides.filter(({ by }) => by === participant);
  const todo = asides
    .slice(-2)
    .map(({ id, text }) => `answers ${id}, asked in running text: ${inline(text, 160)}`);
  return { required: [], todo, fields: {} };
}

function moveFor(state: DialogueState, participant: string, owed: JsonObject): Move {
  return {
    purpose: "fill in",
    options: { message: "-" },
    input: draftFor(state, participant, owed),
    draft: sideOf(state, participant).sentCount + 1,
  };
}

const fixedTypes: Partial<Record<DialogueState["phase"], MessageType>> = {
  asking: "REQUEST",
  sealing: "RESPONSE",
  agreed: "CONSENSUS",
};

function draftFor(state: DialogueState, participant: string, owed: JsonObject): JsonObject {
  const side = sideOf(state, participant);
  const content = { question_or_proposal: { content: blank.text } };
  const type = fixedTypes[state.phase];
  if (type === "REQUEST") return { type, ...content, references: [blank.reference] };
  if (type === "CONSENSUS") return { type, ...content };
  // Without turns more may come while this is written: it answers what was shown, no more.
  const seen = side.unanswered.at(-1)?.seq;
  const reply = state.mode === "parallelo" && seen !== undefined ? { reply_to: seen } : {};
  const confidence = { confidence: blank.confidence };
  if (owed["type"] === "TASK_RESULT") return { ...content, ...reply, ...owed };
  const { offer } = state.trust;
  if (offer !== undefined && offer.by !== participant)
    return { type: blank.type, ...content, accepts: offer.seq, ...confidence, ...reply, ...owed };
  const isFirst = side.stance.seq === 0;
  const position = { position: isFirst ? blank.text : side.stance.position };
  const claims = isFirst ? { claims: [{ text: blank.text, check: blank.check }] } : {};
  const usual = type ?? (side.sentCount > 0 ? "EVALUATE" : "RESPONSE");
  return { type: usual, ...content, ...position, ...claims, ...confidence, ...reply, ...owed };
}

function adviceFor(state: DialogueState, participant: string): string[] {
  switch (state.phase) {
    case "asking":
      return ["Ask the question: all the context that an answer needs."];
    case "sealing":
      return ["State your position blind, unread until both are in.", claimAdvice];
    case "agreed":
      return [
        "Both agree. Close with type CONSENSUS: content is the merged solution, in full, for the user.",
        "It may add nothing that your peer has not seen. Not sure after all? Send EVALUATE instead.",
      ];
    default:
      return [
        ...typeAdvice(state, participant),
        ...(sideOf(state, participant).stance.seq === 0 ? [claimAdvice] : []),
        ...agreeAdvice(state, participant),
        ...needsAdvice(state, participant),
      ];
  }
}

const claimAdvice =
  'Verify. check: path:from-to, find "TEXT" path, or a command; expect: words there.';

function typeAdvice(state: DialogueState, participant: string): string[] {
  const owes = state.tasks.some(({ by }) => by === participant);
  const defer = "CLARIFY, ESCALATE";
  if (owes && state.mode !== "parallelo") return [`type: TASK_RESULT, ${defer}`];
  const { offer } = state.trust;
  const isAgreed = offer !== undefined && offer.by !== participant;
  return isAgreed
    ? [
        `AGREE confirms the text of message ${offer.seq} and closes. Not right? EVALUATE with position.`,
      ]
    : [
        `type: EVALUATE, COUNTER_PROPOSE, RESPONSE, TASK_ASSIGN, ${owes ? "TASK_RESULT, " : ""}${defer}`,
      ];
}

function agreeAdvice(state: DialogueState, participant: string): string[] {
  const own = sideOf(state, participant).stance;
  const { offer } = state.trust;
  const theirs = lastStance(state, otherThan(state, participant));
  const mayAgree = theirs.seq > 0 && (state.mode !== "profondo" || roundOfNext(state) > 1);
  const isOffered = offer !== undefined && offer.by !== participant;
  return [
    ...(mayAgree && !isOffered
      ? [
          `To agree: type AGREE, accepts: ${theirs.seq}, no position; content is the text for the user, in full.`,
        ]
      : []),
    ...(state.mode === "profondo"
      ? [`deep: no AGREE ${mayAgree ? "" : "in round 1, nor "}without evidence of your own.`]
      : []),
    ...(own.seq > 0
      ? [`A new position? because: ["E9"] (evidence after ${own.seq}) or "judgement: why"`]
      : []),
    ...(sideOf(state, otherThan(state, participant)).byHand
      ? ["Your peer works by hand: AGREE says in position what is agreed."]
      : []),
  ];
}

/** What the other side owes, where it is not this side's turn to wait for it. */
function needsAdvice(state: DialogueState, participant: string): string[] {
  const missing = undecided(state);
  const threshold = state.rules.consensus_confidence_threshold;
  const isUnsure = (sideOf(state, participant).confidences.at(-1) ?? 1) < threshold;
  return missing.includes(participant) && isUnsure
    ? [`AGREE counts from confidence ${threshold}`]
    : [];
}
