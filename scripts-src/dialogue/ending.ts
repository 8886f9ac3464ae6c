import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { fileStamp, nextStamp } from "../base/time.ts";
import { consensusBlockers } from "./consensus.ts";
import { type SentFields, unseal } from "./event.ts";
import { unseenText } from "./fold-positions.ts";
import { ownerKindIn } from "./message.ts";
import { openLine, openLines } from "./obligation-words.ts";
import { normalized } from "./prose.ts";
import { isSamePosition } from "./stance.ts";
import {
  type DialogueState,
  type EscalationReason,
  goalOf,
  type Outcome,
  questionForPerson,
  sideOf,
  withMail,
} from "./state.ts";

interface Reason {
  code: EscalationReason;
  text: string;
}

/** Ends the session with the CONSENSUS or ESCALATE that a participant sent. */
export function reach(state: DialogueState, { message, seq }: SentFields): DialogueState {
  if (message.type === "CONSENSUS") {
    const decision = message.question_or_proposal.content.slice(0, limits.itemCharacters);
    const by = message.from;
    const dropped = new Map(state.dropped.map((it) => [it.point, it]));
    const disputes = state.disagreements.flatMap(({ point }) => {
      const letter = dropped.get(point);
      return letter === undefined
        ? []
        : [`dropped by ${letter.by} without a reason (message ${letter.seq}): ${inline(point)}`];
    });
    const open = [...disputes.slice(0, limits.pointsShown), ...consensusBlockers(state)];
    const unseen = unseenText(state);
    if (unseen !== "") return handOver(state, [{ code: "not_seen", text: unseen }], by);
    const outcome: Outcome = { kind: "consensus", decision, by, seq, confirmed: "no", open };
    const { reopened: _, ...closed } = state;
    return { ...closed, phase: "consensus", turn: [], outcome };
  }
  const code: EscalationReason = message.needs_user === undefined ? "requested" : "user_decision";
  const text =
    message.needs_user ?? message.question_or_proposal.content.slice(0, limits.itemCharacters);
  return handOver(state, [{ code, text }], message.from);
}

/** A side that names the kind goes on: what both agree on then is a recommendation. */
function asksUser({ message }: SentFields): boolean {
  return message.needs_user !== undefined && ownerKindIn(message) === undefined;
}

/**
 * Escalates when a rule says so, naming every reason, in the order of originals.md 4.2. A session
 * in which both agree is left to its CONSENSUS for a while.
 */
export function endByRule(
  state: DialogueState,
  sent: SentFields,
  roundComplete: boolean,
): DialogueState {
  const reasons: Reason[] = [];
  const add = (code: EscalationReason, text: string) => reasons.push({ code, text });
  if (asksUser(sent)) add("user_decision", sent.message.needs_user ?? "");
  if (roundComplete && state.budget <= 0 && state.phase !== "agreed") {
    add("budget_exhausted", `${limits.progressBudget} rounds without progress`);
  }
  if (state.synthesis.failed >= limits.failedSyntheses) {
    add("synthesis_failed", `${state.synthesis.failed} syntheses were not accepted`);
  }
  if (sideOf(state, sent.message.from).objectionStreak > limits.objectionStreak) {
    add("self_check_failed", `${sent.message.from} only objects, even after its self-check`);
  }
  const stuck = roundComplete && state.deadlock !== "" && state.phase !== "agreed";
  if (stuck && state.rules.auto_escalate_on_deadlock) {
    add("deadlock", state.deadlock);
  }
  // Two that agree have one round more to close in.
  const roundsMax = state.rules.max_rounds + (state.phase === "agreed" ? 1 : 0);
  if (roundComplete && state.round >= roundsMax) {
    add("max_rounds", `the limit of ${state.rules.max_rounds} rounds is reached`);
  }
  return reasons.length === 0 ? state : escalate(state, reasons, sent.message.from);
}

/** What signs the messages that a rule sends: nobody in the session has said them. */
export const ruleSigner = "consulta";

/** Ends the session for the user to decide, and tells both sides in an ESCALATE message. */
export function escalate(state: DialogueState, reasons: Reason[], by: string): DialogueState {
  return tell(handOver(state, reasons, by), state.participants);
}

/** Ends the session without a result, and tells the others in an ESCALATE message. */
export function close(state: DialogueState, by: string, reason: string): DialogueState {
  const outcome: Outcome = { kind: "closed", seq: state.seq, by, reason };
  const closed: DialogueState = { ...state, phase: "closed", turn: [], outcome };
  return tell(
    closed,
    state.participants.filter((name) => name !== by),
  );
}

function tell(state: DialogueState, participants: readonly string[]): DialogueState {
  return participants.reduce((next, to) => {
    // A second of its own for each, because both copies come to lie in one archive.
    const lastStamp = nextStamp(next.lastStamp, next.lastAt);
    const file = `${state.id}-${fileStamp(lastStamp)}-${ruleSigner}-escalate.json`;
    const mail = { seq: state.seq, from: ruleSigner, type: "ESCALATE" as const, file };
    return { ...withMail(next, to, mail), lastStamp };
  }, state);
}

/** The four parts of an escalation (seed 003): goal, both positions, point of disagreement, why. */
function handOver(state: DialogueState, reasons: Reason[], by: string): DialogueState {
  const positions = state.participants.map((participant) => positionHeld(state, participant));
  const told = reasons.map(({ text }) => text);
  const outcome: Outcome = {
    kind: "escalated",
    seq: state.seq,
    by,
    reasons,
    goal: goalOf(state),
    positions,
    disagreement:
      disputed(state).join("; ") || nothingDisputed(state, positions, reasons) || told.join("; "),
    from: { phase: state.phase, turn: state.turn },
  };
  return { ...state, phase: "escalated", turn: [], outcome };
}

type Positions = Extract<Outcome, { kind: "escalated" }>["positions"];

function positionHeld(state: DialogueState, participant: string): Positions[number] {
  const { position, confidences, sealed } = sideOf(state, participant);
  const blind = unseal(sealed, participant)?.message;
  const stated = position || (blind?.position ?? blind?.question_or_proposal.content ?? "");
  const confidence = confidences.at(-1);
  return {
    ...{ participant, position: stated.slice(0, limits.itemCharacters) },
    ...defined({ confidence }),
  };
}

/** The point of disagreement: the open objections and what is pending, each word for word. */
function disputed(state: DialogueState): string[] {
  const objections = state.participants.flatMap((by) =>
    sideOf(state, by).objections.map((it) => ({ by, ...it })),
  );
  const named = new Set(objections.map(({ point }) => normalized(point)));
  const pending = state.disagreements.filter(({ point }) => !named.has(normalized(point)));
  return [
    ...objections.map(
      ({ by, point, because }) =>
        `${by} objects: ${point}${because === "" ? "" : `, because ${because}`}`,
    ),
    ...pending.map(({ point }) => point),
  ];
}

/** Where nobody objected: the positions, when they differ, or what was left open; "" where the reasons say it. */
function nothingDisputed(
  state: DialogueState,
  positions: Positions,
  reasons: readonly Reason[],
): string {
  // The question for the user is the point.
  if (reasons.every(({ code }) => code === "user_decision")) return "";
  const [one, other] = positions.map(({ position }) => position);
  if (!one || !other || isSamePosition(one, other)) return leftOpen(state, reasons).join("; ");
  return positions.map((it) => `${it.participant}: ${inline(it.position)}`).join("; ");
}

/** Of a session that ran out: what one side left open, of questions in running text the newest. */
function leftOpen(state: DialogueState, reasons: readonly Reason[]): string[] {
  const ranOut = ["budget_exhausted", "max_rounds"];
  if (!reasons.every(({ code }) => ranOut.includes(code))) return [];
  const asides = state.obligations.filter(({ code }) => code === "aside");
  return [...openLines(state), ...asides.slice(-1).map(openLine)];
}

/** Goes on where a side asked the person, with the whole stall limit before it. */
export function goOnWithAnswer(state: DialogueState): DialogueState {
  const { outcome, ...open } = state;
  // Audit tells of an answer that nobody had asked for.
  if (questionForPerson(state) === undefined || outcome?.kind !== "escalated") return state;
  return { ...open, ...outcome.from, budget: limits.progressBudget };
}
