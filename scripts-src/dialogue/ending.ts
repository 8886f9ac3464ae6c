import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { fileStamp, nextStamp } from "../base/time.ts";
import { standingOf } from "./audit.ts";
import { type SentFields, unseal } from "./event.ts";
import { ownerKindIn } from "./message.ts";
import { listFirst, openLine, openLines } from "./obligations.ts";
import { isSamePosition } from "./positions.ts";
import { holdsText } from "./prose.ts";
import {
  type DialogueState,
  type Escalation,
  type EscalationReason,
  goalOf,
  type Outcome,
  otherThan,
  questionForPerson,
  sideOf,
  unconfirmedBy,
  withMail,
} from "./state.ts";

type Reason = { code: EscalationReason; text: string };

/**
 * What stands between this session and consensus; empty when both agreed (seed 000's criterion:
 * both AGREE at or above the threshold) and nothing is open. Confidence is necessary and never
 * sufficient.
 */
export function consensusBlockers(state: DialogueState): string[] {
  const threshold = state.rules.consensus_confidence_threshold;
  const undecided = state.participants.filter((name) => !sideOf(state, name).agreed);
  return [
    ...undecided.map((name) => `${name} has not sent AGREE with confidence >= ${threshold}`),
    ...listFirst(
      state.disagreements,
      ({ point }) => `still disputed: ${inline(point)}`,
      (rest) => `${rest.length} more points are still disputed`,
    ),
    ...openLines(state),
  ];
}

/**
 * Whether a colleague that follows the original files may close, by any of its three criteria (originals.md
 * 1.4): both sent AGREE; one did and the other was at 0.9 or above; both were sure twice running.
 */
export function closesByOriginal(
  state: DialogueState,
  closer: string,
  confidence: number | undefined,
): boolean {
  const threshold = state.rules.consensus_confidence_threshold;
  const nearly = Math.max(threshold, originalSureness);
  const sides = state.participants.map((name) => {
    const { agreed, confidences } = sideOf(state, name);
    const own = name === closer && confidence !== undefined ? [confidence] : [];
    const last = [...confidences, ...own].slice(-2);
    const isNear = agreed || (last.at(-1) ?? 0) >= nearly;
    return { agreed, isNear, isSure: last.length > 1 && last.every((it) => it >= threshold) };
  });
  const isNear = sides.every((it) => it.isNear) && sides.some(({ agreed }) => agreed);
  return isNear || sides.every(({ isSure }) => isSure);
}

const originalSureness = 0.9;

/** What anyone who reads a consensus has to know: who has not seen its text, and what was left open. */
export function closingFaults(state: DialogueState): string[] {
  const { outcome } = state;
  if (outcome?.kind !== "consensus") return [];
  const unconfirmed = unconfirmedBy(state);
  const { ownWords, open, by } = outcome;
  const also = ownWords === undefined ? "" : `, who closed in its own words (message ${ownWords})`;
  return [
    ...(unconfirmed === undefined ? [] : [`closing text not confirmed by ${unconfirmed}${also}`]),
    ...(open.length === 0 ? [] : [`closed by ${by} by the original rules, with points open`]),
  ];
}

/**
 * Why the dialogue is stuck, or "" (seed 000): the same point disputed for too many rounds,
 * counter-proposals from both sides twice in a row, or a confidence that swings and does not settle.
 */
export function findDeadlock(state: DialogueState): string {
  const rounds = state.rules.deadlock_detection_rounds;
  const stuck = state.disagreements.find(({ since }) => state.round - since + 1 >= rounds);
  if (stuck !== undefined) return `disputed for ${rounds} rounds: ${stuck.point}`;
  if (state.counterRounds >= 2) return "both sides made counter-proposals in two rounds running";
  const swinging = state.participants.find((name) => swings(sideOf(state, name).confidences));
  return swinging === undefined ? "" : `the confidence of ${swinging} swings without settling`;
}

/** Three swings of 0.1 or more in turn up and down, the last no smaller than the first. */
function swings(confidences: number[]): boolean {
  const last = confidences.slice(-4);
  const steps = last.slice(1).map((value, at) => value - (last[at] ?? 0));
  const [first = 0, second = 0, third = 0] = steps;
  const alternate = first * second < 0 && second * third < 0;
  const isWide = steps.every((step) => Math.abs(step) >= 0.1 - 1e-9);
  return alternate && isWide && Math.abs(third) >= Math.abs(first) - 1e-9;
}

/** Both accepted one position, and nothing is open: what ends the session; undefined until then. */
export function agreedOutcome(state: DialogueState): DialogueState | undefined {
  const { offer } = state;
  if (offer === undefined || state.phase !== "talking") return undefined;
  if (consensusBlockers(state).length > 0) return undefined;
  const { by, seq, position, text } = offer;
  const confirmer = otherThan(state, by);
  const { lastDraft } = sideOf(state, confirmer);
  const agreed = { position, text, by: confirmer, seq: lastDraft.seq };
  const decision = `${position}\n\n${text}`;
  return closedBy(state, {
    ...{ kind: "consensus", decision, by, seq, confirmed: "agreed", open: [], agreed },
  });
}

function closedBy({ reopened: _, ...state }: DialogueState, outcome: Outcome): DialogueState {
  return { ...state, phase: "consensus", turn: [], outcome };
}

/** Ends the session with the CONSENSUS or ESCALATE that a participant sent. */
export function reach(state: DialogueState, { message, seq }: SentFields): DialogueState {
  const { type, from, needs_user } = message;
  const content = message.question_or_proposal.content.slice(0, limits.itemCharacters);
  if (type !== "CONSENSUS") {
    const code = needs_user === undefined ? "requested" : "user_decision";
    return handOver(state, [{ code, text: needs_user ?? content }], from);
  }
  const unseen = state.claims
    .filter((it) => standingOf(state, it).status === "assumed")
    .map(({ id }) => id);
  if (state.requireSeen && (unseen.length > 0 || state.claims.length === 0)) {
    const what = unseen.join(", ") || "nothing was claimed";
    return handOver(
      state,
      [{ code: "not_seen", text: `--require seen, and not seen: ${what}` }],
      from,
    );
  }
  const open = consensusBlockers(state);
  return closedBy(state, {
    ...{ kind: "consensus", decision: content, by: from, seq, confirmed: "no", open },
  });
}

/**
 * Escalates when a rule says so, naming every reason, in the order of originals.md 4.2. A session
 * in which both agree is left to its CONSENSUS for a while.
 */
export function endByRule(
  state: DialogueState,
  { message }: SentFields,
  roundComplete: boolean,
): DialogueState {
  const { needs_user, from } = message;
  const { rules, synthesis, deadlock } = state;
  const isAgreed = state.phase === "agreed";
  const isStuck = roundComplete && !isAgreed;
  // Two that agree have one round more to close in.
  const roundsMax = rules.max_rounds + (isAgreed ? 1 : 0);
  const { objectionStreak } = sideOf(state, from);
  // A side that names the kind goes on: what both agree on then is a recommendation.
  const asked = ownerKindIn(message) === undefined ? needs_user : undefined;
  const found: [EscalationReason, string | false | undefined][] = [
    ["user_decision", asked],
    [
      "budget_exhausted",
      isStuck && state.budget <= 0 && `${limits.progressBudget} rounds without progress`,
    ],
    [
      "synthesis_failed",
      synthesis.failed >= limits.failedSyntheses &&
        `${synthesis.failed} syntheses were not accepted`,
    ],
    [
      "self_check_failed",
      objectionStreak > limits.objectionStreak && `${from} only objects, even after its self-check`,
    ],
    ["deadlock", isStuck && rules.auto_escalate_on_deadlock && deadlock],
    [
      "max_rounds",
      roundComplete &&
        state.round >= roundsMax &&
        `the limit of ${rules.max_rounds} rounds is reached`,
    ],
  ];
  const reasons = found.flatMap(([code, text]) => (text ? [{ code, text }] : []));
  if (reasons.length === 0) return state;
  return tell(handOver(state, reasons, from), state.participants);
}

/** What signs the messages that a rule sends: nobody in the session has said them. */
const ruleSigner = "consulta";

/** Ends the session without a result, and tells the others in an ESCALATE message. */
export function close(state: DialogueState, by: string, reason: string): DialogueState {
  const outcome: Outcome = { kind: "closed", seq: state.seq, by, reason };
  const others = state.participants.filter((name) => name !== by);
  return tell({ ...state, phase: "closed", turn: [], outcome }, others);
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
  const outcome: Outcome = {
    ...{ kind: "escalated", seq: state.seq, by, reasons, goal: goalOf(state), positions },
    disagreement: disagreementIn(state, positions, reasons),
    from: { phase: state.phase, turn: state.turn },
  };
  return { ...state, phase: "escalated", turn: [], outcome };
}

function positionHeld(state: DialogueState, participant: string): Escalation["positions"][number] {
  const { position, confidences, sealed } = sideOf(state, participant);
  const blind = unseal(sealed, participant)?.message;
  const stated = position || (blind?.position ?? blind?.question_or_proposal.content ?? "");
  const confidence = confidences.at(-1);
  return {
    ...{ participant, position: stated.slice(0, limits.itemCharacters) },
    ...defined({ confidence }),
  };
}

/**
 * The point of disagreement: the open objections and what is pending, each word for word; where nobody objected
 * the positions, when they differ, or what was left open; else the reasons.
 */
function disagreementIn(
  state: DialogueState,
  positions: Escalation["positions"],
  reasons: readonly Reason[],
): string {
  const told = reasons.map(({ text }) => text).join("; ");
  const disputed = disputedIn(state);
  if (disputed.length > 0) return disputed.join("; ");
  // The question for the user is the point.
  if (reasons.every(({ code }) => code === "user_decision")) return told;
  const [one, other] = positions.map(({ position }) => position);
  if (one && other && !isSamePosition(one, other))
    return positions.map((it) => `${it.participant}: ${inline(it.position)}`).join("; ");
  const ranOut = reasons.every(({ code }) => ["budget_exhausted", "max_rounds"].includes(code));
  const asides = state.obligations.filter(({ code }) => code === "aside");
  const open = ranOut ? [...openLines(state), ...asides.slice(-1).map(openLine)] : [];
  return open.join("; ") || told;
}

function disputedIn(state: DialogueState): string[] {
  const objections = state.participants.flatMap((by) =>
    sideOf(state, by).objections.map((it) => ({ by, ...it })),
  );
  const named = objections.map(({ point }) => point);
  const pending = state.disagreements.filter(({ point }) => !holdsText(named, point));
  return [
    ...objections.map(
      ({ by, point, because }) =>
        `${by} objects: ${point}${because === "" ? "" : `, because ${because}`}`,
    ),
    ...pending.map(({ point }) => point),
  ];
}

/** Goes on where a side asked the person, with the whole stall limit before it. */
export function goOnWithAnswer(state: DialogueState): DialogueState {
  const { outcome, ...open } = state;
  // `eventFaults` tells of an answer that nobody had asked for.
  if (questionForPerson(state) === undefined || outcome?.kind !== "escalated") return state;
  return { ...open, ...outcome.from, budget: limits.progressBudget };
}
