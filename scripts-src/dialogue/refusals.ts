import { plainPlace } from "../base/escape-untrusted-text.ts";
import { limits } from "../base/limits.ts";
import { listFirst } from "./abbreviate-lists.ts";
import type { Judgement } from "./assess.ts";
import { closedByOriginal, consensusBlockers } from "./consensus.ts";
import { obligationsOf } from "./obligations.ts";
import { type Lack, rulesForAll } from "./rules-for-all.ts";
import { rulesForOurs } from "./rules-for-scripted-messages.ts";
import { rulesOfEvidence } from "./rules-of-evidence.ts";
import { rulesOfObligations } from "./rules-of-obligations.ts";
import { peerNameFor } from "./stance.ts";
import { type DialogueState, hasEnded, otherThan, sideOf } from "./state.ts";

/**
 * All that is wrong with an attempt, gravest first. Where the session or the turn forbids any
 * message, nothing else is said.
 */
export function refusalsFor(attempt: Judgement): string[] {
  return brokenBy(attempt).map(refusalText);
}

/** The same for who can do something about it: a lack tells what. */
export function brokenBy(attempt: Judgement): (Lack | string)[] {
  const barred = firstOf(attempt, [ended, addressing, turn, typeInPhase]);
  if (barred !== undefined) return [barred];
  const rules = attempt.foreign
    ? rulesForAll
    : [...rulesForAll, ...rulesForOurs, ...rulesOfObligations, ...rulesOfEvidence];
  const broken = rules.flatMap((rule) => rule(attempt) || []);
  const progress = listFirst(
    attempt.progressFaults,
    (fault) => fault,
    (rest) => `${rest.length} more entries of progress[] do not count`,
  );
  return [...broken, ...progress];
}

function refusalText(broken: Lack | string): string {
  if (typeof broken === "string") return broken;
  const { reason, add = {} } = broken;
  const fields = Object.entries(add).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return fields.length === 0 ? reason : `${reason}; add ${fields.join(", ")}`;
}

type Bar = (attempt: Judgement) => string | undefined | false;

function firstOf(attempt: Judgement, rules: Bar[]): string | undefined {
  for (const rule of rules) {
    const reason = rule(attempt);
    if (typeof reason === "string") return reason;
  }
  return undefined;
}

function ended(attempt: Judgement) {
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
function answersClosing({ state, draft, sender, foreign, assessment }: Judgement): boolean {
  const { outcome } = state;
  if (outcome?.kind !== "consensus" || sender === outcome.by) return false;
  if (outcome.confirmed === "agreed") return false;
  if (draft.type === "AGREE") return true;
  if (draft.type === "CONSENSUS") return foreign && outcome.ownWords === undefined;
  return assessment.objects;
}

function addressing({ state, draft, sender }: Judgement) {
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

function turn({ state, draft, sender, foreign }: Judgement) {
  if (hasEnded(state)) return false;
  if (state.mode === "parallelo" && state.phase === "talking") return false;
  if (state.turn.includes(sender) || draft.type === "ESCALATE") return false;
  // The participant that was to close may have gone: the other may do it as well.
  if (state.phase === "agreed" && draft.type === "CONSENSUS") return false;
  if (mayAdd(state, sender, foreign, draft.type)) return false;
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

/** Out of turn and nothing else that bars it: the same message may be right in its turn. */
export function isEarly(attempt: Judgement): boolean {
  return firstOf(attempt, [ended, addressing]) === undefined && typeof turn(attempt) === "string";
}

function typeInPhase({ state, draft, sender, foreign }: Judgement) {
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
  const isOurs = !foreign && type === "CONSENSUS";
  if (isOurs && state.phase !== "agreed" && !sideOf(state, otherThan(state, sender)).byHand)
    return "CONSENSUS is not reached, and nobody sends it: the second AGREE closes the session";
  if (type === "CONSENSUS" && state.phase !== "agreed" && !closes) {
    return `CONSENSUS is not reached: ${consensusBlockers(state).join("; ")}`;
  }
  if (type !== "TASK_RESULT" || obligationsOf(state, sender).some(({ code }) => code === "task"))
    return false;
  return "nobody assigned you a task, so there is no TASK_RESULT to give; use RESPONSE";
}
