import { inline, type JsonObject } from "../json.ts";
import type { Delivery, Guidance } from "../protocol.ts";
import { consensusBlockers } from "./consensus.ts";
import type { MessageType } from "./message.ts";
import { roundOfNext } from "./refusals.ts";
import { type DialogueState, hasEnded, otherThan, sideOf } from "./state.ts";

/**
 * What a participant must do now. Everything it says follows from the state that the decider will
 * judge the answer by, so that an agent that lost its memory continues correctly from here.
 */
export function nextAction(state: DialogueState, participant: string): Guidance {
  const base = {
    standing: standingLines(state, participant),
    received: unanswered(state, participant),
    receivedEarlier: sideOf(state, participant).unansweredEarlier,
    obligations: [],
    moves: [],
    documents: [],
  };
  if (hasEnded(state)) return { ...base, turn: "ended", advice: endAdvice(state) };
  if (!mayWrite(state, participant)) {
    const advice = [
      `Wait for ${state.turn.join(" and ")}.`,
      ...(state.phase === "sealing"
        ? ["Your position is sealed; it is shown when both are in."]
        : []),
      ...(state.phase === "agreed"
        ? ["Both agree. If nobody closes the session, send CONSENSUS yourself."]
        : []),
    ];
    return { ...base, turn: "theirs", advice };
  }
  const obligations = obligationsOf(state, participant);
  const owed: JsonObject = Object.assign({}, ...obligations.map(({ field }) => field));
  const input = draftFor(state, participant, owed);
  const draft = sideOf(state, participant).sentCount + 1;
  return {
    ...base,
    turn: "yours",
    obligations: obligations.map(({ line }) => line),
    advice: adviceFor(state, participant),
    moves: [{ purpose, options: { message: "-" }, input, draft }],
  };
}

const purpose = "fill this in (more fields: PROTOCOL.md; leave out the rest) and send it";

/** What was said to a participant and not answered yet, oldest first. */
export function unanswered(state: DialogueState, participant: string): Delivery[] {
  return sideOf(state, participant).unanswered.map(({ seq, from, file }) => ({
    seq,
    from,
    file,
    to: participant,
  }));
}

function mayWrite(state: DialogueState, participant: string): boolean {
  return state.turn.includes(participant);
}

function standingLines(state: DialogueState, participant: string): string[] {
  const round = `round ${Math.min(roundOfNext(state), state.rules.max_rounds)} of ${state.rules.max_rounds}`;
  const confidences = state.participants
    .map((name) => `${name} ${sideOf(state, name).confidences.at(-1) ?? "-"}`)
    .join(", ");
  const yours = mayWrite(state, participant)
    ? "YOUR TURN"
    : `waiting for ${state.turn.join(" and ")}`;
  return [
    `session ${state.id}: ${hasEnded(state) ? "ENDED" : yours}`,
    `question: ${inline(state.goal || state.topic)}`,
    `phase: ${state.phase}, ${round}, budget ${state.budget}, confidence ${confidences}`,
    ...(state.agreements.length > 0 ? [`agreed: ${listed(state.agreements)}`] : []),
    ...(state.disagreements.length > 0
      ? [`disputed: ${listed(state.disagreements.map(({ point }) => point))}`]
      : []),
    ...(state.deadlock !== "" ? [`deadlock: ${inline(state.deadlock)}`] : []),
  ];
}

interface Obligation {
  line: string;
  field: JsonObject;
}

function obligationsOf(state: DialogueState, participant: string): Obligation[] {
  if (state.phase === "agreed" || state.phase === "asking" || state.phase === "sealing") return [];
  const owed: Obligation[] = [];
  const questions = state.questions.filter(({ by }) => by === participant);
  const answers = questions.map(({ id }) => ({ question: id, answer: "..." }));
  for (const { id, question } of questions)
    owed.push({ line: `answer ${id} in answers[]: ${inline(question)}`, field: { answers } });
  for (const { id, task } of state.tasks.filter(({ by }) => by === participant)) {
    owed.push({
      line: `report task ${id} with type TASK_RESULT: ${inline(task)}`,
      field: { type: "TASK_RESULT" },
    });
  }
  const fact = state.hypotheses.find(({ by }) => by === participant);
  if (fact !== undefined) {
    const hypotheses = [
      { claim: fact.claim, tool: "...", outcome: "confirmed|refuted", evidence: "..." },
    ];
    owed.push({
      line: `check this disputed fact with a tool: ${inline(fact.claim)}`,
      field: { hypotheses },
    });
  }
  if (state.synthesis.owedBy === participant) {
    const line =
      "the positions diverge: offer a synthesis (best of both, or a third way), or accept the point";
    owed.push({ line, field: { synthesis: "..." } });
  }
  if (sideOf(state, participant).owesSelfCheck) {
    const line = 'self-check: answer "am I defending a position or looking for the truth?"';
    owed.push({ line, field: { self_check: "..." } });
  }
  return [...owed, ...checksOwed(state, participant)];
}

function checksOwed(state: DialogueState, participant: string): Obligation[] {
  const claims = state.claims.filter(({ by }) => by === participant);
  const checks = claims.map(({ id }) => ({ claim: id, outcome: "holds|fails", evidence: "..." }));
  return claims.map(({ id, text, check }) => ({
    line: `re-check ${id} before you AGREE (checks[]): ${inline(text)}, checked by ${inline(check)}`,
    field: { checks },
  }));
}

const typeAdvice =
  "type: AGREE (no objection left), EVALUATE, COUNTER_PROPOSE, RESPONSE, CLARIFY (ask back), " +
  "TASK_ASSIGN or ESCALATE (the user decides).";

function adviceFor(state: DialogueState, participant: string): string[] {
  const other = otherThan(state, participant);
  switch (state.phase) {
    case "asking":
      return [
        "Ask the question: type REQUEST, with all the context that your colleague needs to answer.",
      ];
    case "sealing":
      return [
        "State your position blind: type RESPONSE. Nobody reads it before both are in. Give facts first.",
      ];
    case "agreed":
      return [
        "Both agree. Close with type CONSENSUS: content is the merged solution, in full, for the user.",
        "It may add nothing that your colleague has not seen. Not sure after all? Send EVALUATE instead.",
      ];
    default: {
      // What is disputed stands above already, what this side owes as well.
      const blockers = consensusBlockers(state).filter(
        (line) => !line.startsWith(participant) && !line.startsWith("still disputed"),
      );
      const deep =
        state.mode === "profondo"
          ? ["profondo: think first; AGREE needs a check of your own."]
          : [];
      return [
        "Verify first (references, checks); claim only what you saw.",
        typeAdvice,
        ...deep,
        `Progress (progress[]): an artifact changed, a tool's result, a point of ${other} accepted.`,
        ...(sideOf(state, participant).objecting
          ? [
              "You objected before: AGREE then needs resolved: [{point, because}], what changed your mind.",
            ]
          : []),
        ...(blockers.length > 0 ? [`Open before consensus: ${blockers.join("; ")}`] : []),
      ];
    }
  }
}

function draftFor(state: DialogueState, participant: string, owed: JsonObject): JsonObject {
  const types: Partial<Record<DialogueState["phase"], MessageType>> = {
    asking: "REQUEST",
    sealing: "RESPONSE",
    agreed: "CONSENSUS",
  };
  const content = { question_or_proposal: { content: "..." } };
  const type = types[state.phase];
  if (type === "REQUEST") return { type, ...content, references: ["path/to/file"] };
  const confidence = { confidence: 0.5 };
  if (type === "CONSENSUS") return { type, ...content };
  const answered = sideOf(state, participant).sentCount > 0 ? "EVALUATE" : "RESPONSE";
  // Without turns more may come while this is written: it answers what was shown, no more.
  const seen = sideOf(state, participant).unanswered.at(-1)?.seq;
  const reply = state.mode === "parallelo" && seen !== undefined ? { reply_to: seen } : {};
  return { type: type ?? answered, ...content, ...confidence, ...reply, ...owed };
}

function endAdvice(state: DialogueState): string[] {
  const { outcome } = state;
  if (outcome === undefined) return [];
  if (outcome.kind === "consensus")
    return [`CONSENSUS. Decision of ${outcome.by}: ${inline(outcome.decision, 2_000)}`];
  return [
    `ESCALATED to the user: ${outcome.reasons.map(({ code, text }) => `${code} (${inline(text)})`).join("; ")}`,
    `goal: ${inline(outcome.goal)}`,
    ...outcome.positions.map(
      ({ participant, position }) =>
        `position of ${participant}: ${inline(position || "none", 1_000)}`,
    ),
    `point of disagreement: ${inline(outcome.disagreement, 1_000)}`,
  ];
}

/** At most the ten newest points; the messages and the report have them all. */
function listed(points: string[]): string {
  const shown = points.slice(-10).map((point) => inline(point));
  return points.length > shown.length
    ? `${points.length} points, the newest: ${shown.join(", ")}`
    : shown.join(", ");
}
