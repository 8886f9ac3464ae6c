import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import type { Guidance, Move } from "../protocol/protocol.ts";
import { listFirst } from "./abbreviate-lists.ts";
import { blank } from "./blanks.ts";
import { undecided } from "./consensus.ts";
import { type Form, formsFor } from "./forms.ts";
import { dueLines, wordings } from "./obligation-words.ts";
import { obligationsOf } from "./obligations.ts";
import { roundToTell } from "./rounds.ts";
import { lastStance, peerNameFor } from "./stance.ts";
import { type DialogueState, hasEnded, type Obligation, otherThan, sideOf } from "./state.ts";

/** Where a session stands, in few lines. */
export function standingLines(state: DialogueState, participant: string): string[] {
  const topic = `topic: ${inline(state.topic || state.goal, 120)}`;
  const round = `round ${roundToTell(state)} of ${state.rules.max_rounds}`;
  if (hasEnded(state))
    return [`session ${state.id}: ENDED`, topic, `phase: ${state.phase}, ${round}`];
  const isMine = state.turn.includes(participant);
  const turn = isMine ? "YOUR TURN" : `waiting for ${whoHasTurn(state, participant)}`;
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
  return listFirst(
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

function whoHasTurn(state: DialogueState, participant: string): string {
  const { turn } = state;
  return turn
    .map((it) => (it === participant ? it : peerNameFor(state, participant)))
    .join(" and ");
}

type Guided = Omit<
  Guidance,
  "standing" | "received" | "receivedEarlier" | "obligations" | "documents"
>;

/** What a participant must send now, and what may wait. */
export function guideFor(state: DialogueState, participant: string): Guided {
  const isFree = state.mode === "parallelo" && state.phase === "talking";
  const isMine = state.turn.includes(participant);
  if (!isMine && !isFree) return { turn: "theirs", ...waiting(state, participant) };
  const forms = formsFor(state, participant);
  const told = {
    ...duesOf(state, participant),
    toCheck: [...new Set(forms.flatMap(({ looks }) => looks))].slice(0, limits.pointsShown),
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

/** The move that sends a form. */
export function moveOf(
  state: DialogueState,
  participant: string,
  { purpose, input }: Pick<Form, "purpose" | "input">,
): Move {
  const draft = sideOf(state, participant).sentCount + 1;
  return { purpose, options: { message: "-" }, input, draft };
}

function waiting(state: DialogueState, participant: string): Pick<Guided, "advice" | "moves"> {
  const other = otherThan(state, participant);
  const { byHand, expectsNothing } = sideOf(state, other);
  const isGone = expectsNothing && state.turn.includes(other);
  const advice = [
    `Wait for ${whoHasTurn(state, participant)}.`,
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
  // A peer by hand knows no turns: it may be told at any time that a letter of its did not arrive.
  const mayWrite = state.phase === "agreed" || (state.phase === "talking" && byHand);
  const forms = mayWrite ? formsFor(state, participant) : [];
  return { advice, moves: forms.map((it) => moveOf(state, participant, it)) };
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

function adviceFor(state: DialogueState, participant: string): string[] {
  switch (state.phase) {
    case "sealing":
      return [claimAdvice];
    case "talking":
      return talkingAdvice(state, participant);
    case "agreed":
      return ["Both agree. Close with type CONSENSUS: the merged solution, in full, for the user."];
    default:
      return [];
  }
}

function talkingAdvice(state: DialogueState, participant: string): string[] {
  const hasTask = obligationsOf(state, participant).some(({ code }) => code === "task");
  if (hasTask && state.mode !== "parallelo") return ["Or type ESCALATE: content alone."];
  const { stance } = sideOf(state, participant);
  return [
    "Or type CLARIFY, TASK_ASSIGN, ESCALATE: content alone.",
    stance.seq === 0
      ? claimAdvice
      : `New position? Add "because": "judgement: why", or evidence newer than message ${stance.seq}.`,
    ...(state.mode === "profondo"
      ? ["deep: no AGREE in round 1, nor without evidence of your own."]
      : []),
    ...needsAdvice(state, participant),
  ];
}

const claimAdvice = `You may add "claims":[{"text":"${blank.claim}","check":"${blank.check}"}]; check may also be find "TEXT" path, or a command.`;

/** What the other side owes, where it is not this side's turn to wait for it. */
function needsAdvice(state: DialogueState, participant: string): string[] {
  const missing = undecided(state);
  const threshold = state.rules.consensus_confidence_threshold;
  const isUnsure = (sideOf(state, participant).confidences.at(-1) ?? 1) < threshold;
  return missing.includes(participant) && isUnsure
    ? [`AGREE counts from confidence ${threshold}`]
    : [];
}
