import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import type { Guidance, Move } from "../protocol/protocol.ts";
import { blank } from "./blanks.ts";
import { unanswered } from "./delivery.ts";
import { closingFaults } from "./ending.ts";
import { formsFor } from "./forms.ts";
import { dueLines, listFirst, wordings } from "./obligation-words.ts";
import { obligationsOf } from "./obligations.ts";
import { lastPosition, peerNameFor } from "./positions.ts";
import {
  type DialogueState,
  hasEnded,
  type Obligation,
  otherThan,
  roundToTell,
  sideOf,
} from "./state.ts";

/**
 * What a participant must do now. Everything it says follows from the state that the decider will
 * judge the answer by, so that an agent that lost its memory continues correctly from here.
 */
export function nextAction(state: DialogueState, participant: string): Guidance {
  const base = {
    standing: statusLines(state, participant),
    received: unanswered(state, participant),
    receivedEarlier: sideOf(state, participant).unansweredEarlier,
    ...{ obligations: [], documents: [], moves: [] },
  };
  if (!hasEnded(state)) return { ...base, ...guideFor(state, participant) };
  const moves = mayObject(state, participant) ? movesFor(state, participant) : [];
  const { decided } = state.person;
  const advice = endAdvice(state, participant);
  return { ...base, turn: "ended", advice, moves, ...defined({ decided }) };
}

/**
 * Whether this participant has sent nothing yet in an open session. A sealed position counts as sent, also
 * before it is opened.
 */
export function isNewTo(state: DialogueState, participant: string): boolean {
  return !hasEnded(state) && sideOf(state, participant).lastDraft.seq === 0;
}

/** Where a session stands, in few lines. */
function statusLines(state: DialogueState, participant: string): string[] {
  const { id, phase, rules, budget, disagreements, offer, dropped, deadlock } = state;
  const topic = `topic: ${inline(state.topic || state.goal, 120)}`;
  const round = `round ${roundToTell(state)} of ${rules.max_rounds}`;
  if (hasEnded(state)) return [`session ${id}: ENDED`, topic, `phase: ${phase}, ${round}`];
  const isMine = state.turn.includes(participant);
  const turn = isMine ? "YOUR TURN" : `waiting for ${whoHasTurn(state, participant)}`;
  const isNear = budget < limits.progressBudget;
  const stall = isNear ? `, ${Math.max(budget, 0)} more without progress escalate it` : "";
  const points = disagreements.map(({ point }) => inline(point, 160));
  return [
    `session ${id}: ${turn}`,
    `${round}${stall}`,
    topic,
    ...positionLines(state, participant),
    ...(points.length > 0 ? [`disputed: ${points.slice(-10).join(", ")}`] : []),
    ...(offer?.by === participant ? [`your AGREE ${offer.seq} waits for its confirmation`] : []),
    ...listFirst(
      dropped,
      ({ point, by, seq }) =>
        `left out by ${by} without a reason (message ${seq}), and still open: ${inline(point)}; ` +
        "resolved: [{point, because}] settles it",
      (rest) => `${rest.length} more were left out without a reason`,
    ),
    ...(deadlock === "" ? [] : [`deadlock: ${inline(deadlock)}`]),
  ];
}

/** What a message says that is shown as well is not said twice. */
function positionLines(state: DialogueState, participant: string): string[] {
  const shown = sideOf(state, participant).unanswered.map(({ seq }) => seq);
  return [participant, otherThan(state, participant)].flatMap((name) => {
    const { seq, position } = lastPosition(state, name);
    const who = name === participant ? "you" : peerNameFor(state, participant);
    const isNews = seq > 0 && !shown.includes(seq);
    return isNews ? [`position of ${who} (message ${seq}): ${inline(position)}`] : [];
  });
}

function whoHasTurn(state: DialogueState, participant: string): string {
  return state.turn
    .map((it) => (it === participant ? it : peerNameFor(state, participant)))
    .join(" and ");
}

type Guided = Omit<
  Guidance,
  "standing" | "received" | "receivedEarlier" | "obligations" | "documents"
>;

/** What a participant must send now, and what may wait. */
function guideFor(state: DialogueState, participant: string): Guided {
  const isFree = state.mode === "parallelo" && state.phase === "talking";
  const isMine = state.turn.includes(participant);
  if (!isMine && !isFree) return { turn: "theirs", ...waiting(state, participant) };
  const forms = formsFor(state, participant);
  const told = {
    ...duesOf(state, participant),
    toCheck: [...new Set(forms.flatMap(({ toCheck }) => toCheck))].slice(0, limits.pointsShown),
    toRun: commandsOwed(state, participant),
    moves: forms.map((form) => moveOf(state, participant, form)),
  };
  if (isMine) return { turn: "yours", ...told, advice: adviceFor(state, participant) };
  const advice = [`You may write now, or wait for ${whoHasTurn(state, participant)}.`];
  return { turn: "theirs", ...told, advice };
}

function commandsOwed(state: DialogueState, participant: string): NonNullable<Guided["toRun"]> {
  const own = obligationsOf(state, participant).filter(({ code }) => code === "check");
  return own.slice(0, limits.pointsShown).flatMap(({ id: claim, check = "" }) => {
    const spec = parseCheckSpec(check);
    return "fault" in spec || spec.kind !== "run" ? [] : [{ claim, argv: spec.argv }];
  });
}

function movesFor(state: DialogueState, participant: string): Move[] {
  return formsFor(state, participant).map((it) => moveOf(state, participant, it));
}

/** The move that sends a form. */
function moveOf(
  state: DialogueState,
  participant: string,
  { purpose, input }: ReturnType<typeof formsFor>[number],
): Move {
  const draft = sideOf(state, participant).sentCount + 1;
  return { purpose, options: { message: "-" }, input, draft };
}

function waiting(state: DialogueState, participant: string): Pick<Guided, "advice" | "moves"> {
  const { phase, turn } = state;
  const other = otherThan(state, participant);
  const { byHand, expectsNothing } = sideOf(state, other);
  const gone = `${other} said that it expects no reply: it may have stopped listening. Do not wait long: ask the user to open ${other}'s CLI here, or send ESCALATE.`;
  const advice = [
    `Wait for ${whoHasTurn(state, participant)}.`,
    ...(phase === "sealing" ? ["Your position is sealed; it is shown when both are in."] : []),
    ...(expectsNothing && turn.includes(other) ? [gone] : []),
    ...(phase === "agreed"
      ? ["Both agree. If nobody closes the session, send CONSENSUS yourself."]
      : []),
  ];
  // A peer by hand knows no turns: it may be told at any time that a letter of its did not arrive.
  const mayWrite = phase === "agreed" || (phase === "talking" && byHand);
  return { advice, moves: mayWrite ? movesFor(state, participant) : [] };
}

/** What the next message is rejected without, and what may wait; the form of a task says that it is due. */
function duesOf(state: DialogueState, participant: string): Pick<Guided, "required" | "todo"> {
  if (state.phase !== "talking") return { required: [], todo: [] };
  const dues = obligationsOf(state, participant).filter(
    ({ code }) => wordings[code].field !== "type",
  );
  const isRequired = ({ code }: Obligation) => wordings[code].blocks === "message";
  return {
    required: state.turn.includes(participant) ? dueLines(dues.filter(isRequired)) : [],
    todo: dueLines(dues.filter((it) => !isRequired(it))),
  };
}

const claimAdvice = `You may add "claims":[{"text":"${blank.claim}","check":"${blank.check}"}]; check may also be find "TEXT" path, or a command.`;

function adviceFor(state: DialogueState, participant: string): string[] {
  const { phase, mode, rules } = state;
  if (phase === "sealing") return [claimAdvice];
  if (phase === "agreed")
    return ["Both agree. Close with type CONSENSUS: the merged solution, in full, for the user."];
  if (phase !== "talking") return [];
  const hasTask = obligationsOf(state, participant).some(({ code }) => code === "task");
  if (hasTask && mode !== "parallelo") return ["Or type ESCALATE: content alone."];
  const { held, confidences, agreed } = sideOf(state, participant);
  const threshold = rules.consensus_confidence_threshold;
  const isUnsure = !agreed && (confidences.at(-1) ?? 1) < threshold;
  return [
    "Or type CLARIFY, TASK_ASSIGN, ESCALATE: content alone.",
    held.seq === 0
      ? claimAdvice
      : `New position? Add "because": "judgement: why", or evidence newer than message ${held.seq}.`,
    ...(mode === "profondo"
      ? ["deep: no AGREE in round 1, nor without evidence of your own."]
      : []),
    ...(isUnsure ? [`AGREE counts from confidence ${threshold}`] : []),
  ];
}

/** Whether the closing text is the other side's, and this one has not agreed to it. */
function mayObject({ outcome }: DialogueState, participant: string): boolean {
  if (outcome?.kind !== "consensus") return false;
  return outcome.by !== participant && outcome.confirmed !== "agreed";
}

function endAdvice(state: DialogueState, participant: string): string[] {
  const { outcome } = state;
  switch (outcome?.kind) {
    case undefined:
      return [];
    case "consensus": {
      const { by, agreed, decision, open } = outcome;
      return [
        // The report that comes next has the text; only a text nobody confirmed is to be compared here.
        agreed === undefined
          ? `CONSENSUS. Decision of ${by}: ${inline(decision, 2_000)}`
          : `CONSENSUS. Decision: ${inline(agreed.position)}`,
        ...closingFaults(state),
        ...open,
        ...(mayObject(state, participant) ? ["Compare that text with what you agreed."] : []),
      ];
    }
    case "closed":
      return [`CLOSED by ${outcome.by}, nothing was decided: ${inline(outcome.reason, 1_000)}`];
    case "escalated": {
      const { reasons, goal, positions, disagreement } = outcome;
      const why = reasons.map(({ code, text }) => `${code} (${inline(text)})`).join("; ");
      return [
        `ESCALATED to the user: ${why}`,
        `goal: ${inline(goal)}`,
        ...positions.map(
          (it) => `position of ${it.participant}: ${inline(it.position || "none", 1_000)}`,
        ),
        `point of disagreement: ${inline(disagreement, 1_000)}`,
      ];
    }
  }
}
