import { inline, type JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import type { Guidance, Move } from "../protocol/protocol.ts";
import { askBack, blank } from "./blanks.ts";
import { openDuties, undecided } from "./consensus.ts";
import { factsOwed } from "./disputed-facts.ts";
import { fewPoints, idsShort } from "./few-points.ts";
import type { MessageType } from "./message.ts";
import { roundOfNext, roundToTell, stallText } from "./rounds.ts";
import { type DialogueState, hasEnded, otherThan, type Side, sideOf } from "./state.ts";

/** The turn, what is owed and what may be sent, under rules 1. */
export function guideBeforeEvidence(
  state: DialogueState,
  participant: string,
): Pick<Guidance, "turn" | "advice" | "obligations" | "moves"> {
  const isFree = state.mode === "parallelo" && state.phase === "talking";
  const obligations = obligationsOf(state, participant);
  const move = moveFor(state, participant, obligations);
  const owed = obligations.map(({ line }) => line);
  if (!hasTurn(state, participant)) {
    const advice = [
      `${isFree ? "You may write now, or wait" : "Wait"} for ${state.turn.join(" and ")}.`,
      ...(state.phase === "sealing"
        ? ["Your position is sealed; it is shown when both are in."]
        : []),
      ...absentAdvice(state, participant),
      ...(state.phase === "agreed"
        ? ["Both agree. If nobody closes the session, send CONSENSUS yourself."]
        : []),
    ];
    const free = { obligations: isFree ? owed : [], moves: isFree ? [move] : [] };
    const asks = !isFree && state.phase === "talking" && peerOf(state, participant).byHand;
    const back = asks ? { moves: [askBack(state, participant)] } : {};
    return { turn: "theirs", advice, ...free, ...back };
  }
  const advice = adviceFor(state, participant);
  return { turn: "yours", obligations: owed, advice, moves: [move] };
}

function peerOf(state: DialogueState, participant: string): Side {
  return sideOf(state, otherThan(state, participant));
}

/** A colleague by hand says itself when it stops listening. */
function absentAdvice(state: DialogueState, participant: string): string[] {
  const other = otherThan(state, participant);
  if (!sideOf(state, other).expectsNothing || !state.turn.includes(other)) return [];
  return [
    `${other} said that it expects no reply: it may have stopped listening. Do not wait long: ask the user ` +
      `to open ${other}'s CLI here, or send ESCALATE.`,
  ];
}

function moveFor(state: DialogueState, participant: string, obligations: Obligation[]): Move {
  const owed: JsonObject = Object.assign({}, ...obligations.map(({ field }) => field));
  return {
    purpose: "fill in (all fields: .consulta/PROTOCOL.md)",
    options: { message: "-" },
    input: draftFor(state, participant, owed),
    draft: sideOf(state, participant).sentCount + 1,
  };
}

function hasTurn(state: DialogueState, participant: string): boolean {
  return state.turn.includes(participant);
}

/** Where a session stands under rules 1, and how one of any rules ended. */
export function standsBeforeEvidence(state: DialogueState, participant: string): string[] {
  const round = `round ${roundToTell(state)} of ${state.rules.max_rounds}`;
  const confidences = state.participants
    .map((name) => `${name} ${sideOf(state, name).confidences.at(-1) ?? "-"}`)
    .join(", ");
  const yours = hasTurn(state, participant)
    ? "YOUR TURN"
    : `waiting for ${state.turn.join(" and ")}`;
  return [
    `session ${state.id}: ${hasEnded(state) ? "ENDED" : yours}`,
    `topic: ${inline(state.topic || state.goal, 120)}`,
    `phase: ${state.phase}, ${round}${hasEnded(state) ? "" : `, stall limit ${stallText(state)}, confidence ${confidences}`}`,
    ...(state.agreements.length > 0 ? [`agreed: ${listed(state.agreements)}`] : []),
    ...(state.disagreements.length > 0
      ? [`disputed: ${listed(state.disagreements.map(({ point }) => point))}`]
      : []),
    ...fewPoints(
      hasEnded(state) ? [] : state.dropped,
      ({ point, by, seq }) =>
        `left out by ${by} without a reason (message ${seq}), and still open: ${inline(point)}; ` +
        "resolved: [{point, because}] settles it",
      (rest) => `${rest.length} more were left out without a reason`,
    ),
    ...(state.deadlock !== "" ? [`deadlock: ${inline(state.deadlock)}`] : []),
  ];
}

interface Obligation {
  line: string;
  field: JsonObject;
}

function obligationsOf(state: DialogueState, participant: string): Obligation[] {
  if (state.phase === "agreed" || state.phase === "asking" || state.phase === "sealing") return [];
  const owed = [...answersOwed(state, participant), ...resultsOwed(state, participant)];
  owed.push(...factChecksOwed(state, participant));
  if (state.synthesis.owedBy === participant) {
    const line =
      "the positions diverge: offer a synthesis (best of both, or a third way), or accept the point" +
      (state.synthesis.overFacts ? "; a tool that refutes the fact settles it too" : "");
    owed.push({ line, field: { synthesis: blank.text } });
  }
  if (sideOf(state, participant).owesSelfCheck) {
    const line = 'self-check: answer "am I defending a position or looking for the truth?"';
    owed.push({ line, field: { self_check: blank.text } });
  }
  return [...owed, ...checksOwed(state, participant)];
}

function factChecksOwed(state: DialogueState, participant: string): Obligation[] {
  const facts = factsOwed(state, participant);
  const hypotheses = facts.slice(0, limits.pointsShown).map(({ claim }) => ({
    claim,
    tool: blank.text,
    outcome: blank.outcomeOfFact,
    evidence: blank.text,
  }));
  return fewPoints(
    facts,
    ({ claim }) =>
      `check this disputed fact with a tool: ${inline(claim)}; or accept it in progress[]`,
    (rest) => `check ${rest.length} more disputed facts in hypotheses[]`,
  ).map((line) => ({ line, field: { hypotheses } }));
}

function answersOwed(state: DialogueState, participant: string): Obligation[] {
  const questions = state.questions.filter(({ by }) => by === participant);
  const shown = questions.slice(0, limits.pointsShown);
  const answers = shown.map(({ id }) => ({ question: id, answer: blank.text }));
  return fewPoints(
    questions,
    ({ id, question }) => `answer ${id} in answers[]: ${inline(question)}`,
    (rest) => `answer ${rest.length} more in answers[]: ${idsShort(rest)} (${whereWhole})`,
  ).map((line) => ({ line, field: { answers } }));
}

/** Each id says which message it is from. */
const whereWhole =
  "Q2.13 is question 13 of message 2, C2.13 its claim 13; add an entry for each; " +
  "whole messages: .consulta/archive";

function resultsOwed(state: DialogueState, participant: string): Obligation[] {
  return fewPoints(
    state.tasks.filter(({ by }) => by === participant),
    ({ id, task }) => `report task ${id} with type TASK_RESULT: ${inline(task)}`,
    (rest) =>
      `then report ${rest.length} more: ${idsShort(rest)} (whole messages: .consulta/archive)`,
  ).map((line) => ({ line, field: { type: "TASK_RESULT" } }));
}

function checksOwed(state: DialogueState, participant: string): Obligation[] {
  const claims = state.claims.filter(({ by }) => by === participant);
  const checks = claims.slice(0, limits.pointsShown).map(({ id }) => ({
    claim: id,
    outcome: blank.outcomeOfCheck,
    evidence: blank.text,
  }));
  return fewPoints(
    claims,
    ({ id, text, check }) =>
      `re-check ${id} before you AGREE (checks[]): ${inline(text)}, checked by ${inline(check)}`,
    (rest) => `re-check ${rest.length} more before you AGREE: ${idsShort(rest)} (${whereWhole})`,
  ).map((line) => ({ line, field: { checks } }));
}

/** The types that are accepted now. */
function typeAdvice(state: DialogueState, participant: string): string {
  const defer = ["CLARIFY", "ESCALATE (to the user)"];
  const tasks = state.tasks.some(({ by }) => by === participant) ? ["TASK_RESULT"] : [];
  // Without turns a task is reported when it is done.
  if (tasks.length > 0 && state.mode !== "parallelo")
    return `type: ${[...tasks, ...defer].join(", ")}`;
  const agree = mayAgree(state) ? ["AGREE (no objection left)"] : [];
  const usual = ["EVALUATE", "COUNTER_PROPOSE", "RESPONSE", "TASK_ASSIGN"];
  return `type: ${[...agree, ...usual, ...tasks, ...defer].join(", ")}`;
}

function mayAgree(state: DialogueState): boolean {
  return state.mode !== "profondo" || roundOfNext(state) > 1;
}

function adviceFor(state: DialogueState, participant: string): string[] {
  switch (state.phase) {
    case "asking":
      return [
        "Ask the question: type REQUEST, with all the context that your peer needs to answer.",
      ];
    case "sealing":
      return [
        "State your position blind: type RESPONSE. Nobody reads it before both are in. Give facts first.",
      ];
    case "agreed":
      return [
        "Both agree. Close with type CONSENSUS: content is the merged solution, in full, for the user.",
        "It may add nothing that your peer has not seen. Not sure after all? Send EVALUATE instead.",
      ];
    default: {
      const deep = `no AGREE ${mayAgree(state) ? "" : "in round 1, nor "}without a check of your own`;
      return [
        "Verify first; claim only what you saw.",
        typeAdvice(state, participant),
        ...(state.mode === "profondo" ? [`deep: think first; ${deep}.`] : []),
        "progress[]: changed artifact, tool result, accepted point",
        ...(sideOf(state, participant).objecting
          ? [
              "You objected before: AGREE then needs resolved: [{point, because}], what changed your mind.",
            ]
          : []),
        ...consensusAdvice(state, participant),
      ];
    }
  }
}

/** What is disputed stands above already, what this side owes as well. */
function consensusAdvice(state: DialogueState, participant: string): string[] {
  const missing = undecided(state).map((name) => (name === participant ? "you" : name));
  const agree = `AGREE >= ${state.rules.consensus_confidence_threshold} of ${missing.join(" and ")}`;
  const needed = [
    ...(missing.length > 0 ? [agree] : []),
    ...openDuties(state).flatMap(({ by, line }) => (by === participant ? [] : [line])),
    ...fewPoints(
      state.hypotheses.filter(({ by, open }) => open && by === participant),
      ({ claim }) => `your open hypothesis checked, or given up: ${inline(claim)}`,
      (rest) => `${rest.length} more open hypotheses of yours`,
    ),
  ];
  return needed.length > 0 ? [`Consensus needs: ${needed.join("; ")}`] : [];
}

/** Nothing is open but the word of this side. */
function couldAgree(state: DialogueState, participant: string): boolean {
  const isOpen = openDuties(state).length + state.disagreements.length > 0;
  const [only, second] = undecided(state);
  return !isOpen && only === participant && second === undefined && mayAgree(state);
}

function draftFor(state: DialogueState, participant: string, owed: JsonObject): JsonObject {
  const types: Partial<Record<DialogueState["phase"], MessageType>> = {
    asking: "REQUEST",
    sealing: "RESPONSE",
    agreed: "CONSENSUS",
  };
  const content = { question_or_proposal: { content: blank.text } };
  const type = types[state.phase];
  if (type === "REQUEST") return { type, ...content, references: [blank.reference] };
  const confidence = { confidence: 0.5 };
  if (type === "CONSENSUS") return { type, ...content };
  const usual = sideOf(state, participant).sentCount > 0 ? "EVALUATE" : "RESPONSE";
  const answered = couldAgree(state, participant) ? blank.type : usual;
  // Without turns more may come while this is written: it answers what was shown, no more.
  const seen = sideOf(state, participant).unanswered.at(-1)?.seq;
  const reply = state.mode === "parallelo" && seen !== undefined ? { reply_to: seen } : {};
  return { type: type ?? answered, ...content, ...confidence, ...reply, ...owed };
}

/** At most the ten newest points; the messages and the report have them all. */
function listed(points: string[]): string {
  const shown = points.slice(-10).map((point) => inline(point));
  return points.length > shown.length
    ? `${points.length} points, the newest: ${shown.join(", ")}`
    : shown.join(", ");
}
