import { limits } from "../base/limits.ts";
import { notBefore, stampIn } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { boundedRules, defaultConfig } from "../protocol/config.ts";
import { auditFault } from "./audit.ts";
import { noteOf, withEvidence } from "./claims.ts";
import { withStage } from "./delivery.ts";
import {
  agreedOutcome,
  close,
  consensusBlockers,
  endByRule,
  findDeadlock,
  goOnWithAnswer,
  reach,
} from "./ending.ts";
import {
  type DialogueEvent,
  type PersonEvent,
  parseDialogueEvent,
  type SentFields,
  unseal,
} from "./event.ts";
import { absorb, deliver, isAddition } from "./fold-message.ts";
import type { Message } from "./message.ts";
import { isSamePosition } from "./positions.ts";
import { holdsText } from "./prose.ts";
import {
  type Consensus,
  type DialogueState,
  hasEnded,
  initialSide,
  otherThan,
  sideOf,
  withMark,
  withSide,
} from "./state.ts";

/** Folds one stored event into the state. The machine is drawn in state.ts. */
export function evolve(state: DialogueState, event: LogEvent): DialogueState {
  const known = parseDialogueEvent(event);
  const noted = { ...state, seq: event.seq, lastAt: event.at };
  const next = { ...noted, actedAt: event.at };
  switch (known.event) {
    case "opened":
      return state.phase === "new" ? open(next, known) : next;
    case "message_sent":
      return receive(next, { ...known, seq: event.seq, at: event.at });
    case "position_sealed":
      return keepSealed(next, event.from, known, event);
    case "evidence":
      // `eventFaults` tells of a record that a stranger made.
      return state.participants.includes(event.from)
        ? withEvidence(next, noteOf(known.record, event.seq, event.from, event.at))
        : next;
    case "closed":
      return close(next, known.by, known.reason);
    case "decided":
    case "judged":
      return hasEnded(state) ? withPersonWord(next, known) : next;
    case "audited": {
      const { record: audit } = known;
      return auditFault(state, audit) === undefined
        ? { ...next, audit, audits: state.audits + 1 }
        : next;
    }
    case "answered":
      return goOnWithAnswer(next);
    case "said":
    case "paused":
    case "resumed":
      return next;
    case "heard":
      return noted;
    case "rung":
    case "in_turn":
      return withStage(noted, event.from, known);
  }
}

function open(
  state: DialogueState,
  opened: Extract<DialogueEvent, { event: "opened" }>,
): DialogueState {
  const { session_id: id, topic, mode, participants, requireSeen, ownerWords } = opened;
  const sides = Object.fromEntries(participants.map((name) => [name, initialSide()]));
  const rules = boundedRules(opened.rules, state.rules);
  const begun: DialogueState = {
    ...{ ...state, phase: "asking", id, topic, mode, participants, sides, requireSeen, ownerWords },
    ...{ rules, startedAt: state.lastAt, turn: participants.slice(0, 1) },
  };
  // It lets in agreements that are less sure.
  const { consensus_confidence_threshold: threshold } = rules;
  const { consensus_confidence_threshold: usual } = defaultConfig;
  if (threshold >= usual) return begun;
  const text = `the threshold of confidence was ${threshold}, the default is ${usual}`;
  return withMark(begun, { code: "threshold_low", by: "", seq: 1, text });
}

function withPersonWord(state: DialogueState, event: PersonEvent): DialogueState {
  const { seq, actedAt: at, person } = state;
  if (event.event === "decided")
    return { ...state, person: { decided: { seq, at, text: event.decision } } };
  const { verdict: says, because } = event;
  return { ...state, person: { ...person, judged: { seq, at, says, because } } };
}

/** A sealed position waits until the other is in. */
function keepSealed(
  state: DialogueState,
  from: string,
  known: Extract<DialogueEvent, { event: "position_sealed" }>,
  { seq, at }: LogEvent,
): DialogueState {
  const other = otherThan(state, from);
  const lastStamp = stampIn(unseal(known.sealed, from)?.file ?? "") ?? state.lastStamp;
  const lastDraft = { hash: known.draft, seq };
  const answered = { unanswered: [], unansweredEarlier: 0, lastDraft, lastAt: at };
  const kept = withSide(state, from, { sealed: known.sealed, ...answered });
  const isFirst = sideOf(state, other).sealed === "";
  return isFirst ? { ...kept, lastStamp, turn: [other] } : openBoth({ ...kept, lastStamp });
}

/** Both positions are read as if they had come at once: neither answers the other. */
function openBoth(state: DialogueState): DialogueState {
  const sent = state.participants.flatMap((name): SentFields[] => {
    const { sealed, lastDraft, lastAt } = sideOf(state, name);
    const opened = unseal(sealed, name);
    return opened === undefined ? [] : [{ ...opened, seq: lastDraft.seq, at: lastAt }];
  });
  let next: DialogueState = { ...state, phase: "talking" };
  for (const one of sent) next = absorb(next, one);
  for (const one of sent) {
    const { from, to } = one.message;
    const isThere = sideOf(next, to).unanswered.some(({ seq }) => seq === one.seq);
    next = withSide(isThere ? next : deliver(next, one), from, { sealed: "" });
  }
  const [first, second] = sent;
  if (first === undefined) return next;
  const owedBy = (second ?? first).message.to;
  const [one = "", other = ""] = sent.map(({ message }) => message.position);
  if (second !== undefined && !isSamePosition(one, other) && next.synthesis.owedBy === "")
    next = { ...next, synthesis: { ...next.synthesis, owedBy } };
  next = settle(next, second ?? first, false);
  return sent.reduce(
    (folded, it) => (hasEnded(folded) ? folded : endByRule(folded, it, false)),
    next,
  );
}

/** What one message does, step by step. */
function receive(before: DialogueState, sent: SentFields): DialogueState {
  const { outcome, ...open } = before;
  if (outcome?.kind !== "consensus")
    return settle(absorb(before, sent), sent, isAddition(before, sent));
  if (!sent.assessment.objects) return answerClosing(before, outcome, sent);
  // An objection to the closing text: the session goes on as if nobody had closed it.
  const reopened = { by: sent.message.from, seq: sent.seq };
  const again: DialogueState = { ...open, phase: "talking", turn: [reopened.by], reopened };
  return settle(absorb(again, sent), sent, false);
}

/** The other side confirms the closing text, or closes as well in words of its own. */
function answerClosing(state: DialogueState, outcome: Consensus, sent: SentFields): DialogueState {
  const { message, seq, file, draft, at } = sent;
  const isSame = holdsText([outcome.decision], message.question_or_proposal.content);
  const confirms = message.type === "AGREE" || isSame;
  const answered = withSide(state, message.from, {
    ...{ unanswered: [], unansweredEarlier: 0, lastDraft: { hash: draft, seq }, lastAt: at },
    sentCount: sideOf(state, message.from).sentCount + 1,
  });
  const lastStamp = notBefore(state.lastStamp, stampIn(file) ?? "");
  const change = confirms ? { confirmed: "agreed" as const } : { ownWords: seq };
  return { ...deliver(answered, sent), lastStamp, outcome: { ...outcome, ...change } };
}

function settle(state: DialogueState, sent: SentFields, isAddition: boolean): DialogueState {
  const { message } = sent;
  if (message.type === "ESCALATE" || message.type === "CONSENSUS") return reach(state, sent);
  return agreedOutcome(state) ?? closeRound(passTurn(state, message), sent, isAddition);
}

function passTurn(state: DialogueState, message: Message): DialogueState {
  const isAgreed = consensusBlockers(state).length === 0;
  const phase = isAgreed ? "agreed" : state.phase === "agreed" ? "talking" : state.phase;
  if (phase === "sealing") return { ...state, phase, turn: [...state.participants] };
  // A colleague by hand may take the second AGREE for the end: the one that runs the scripts closes.
  if (phase === "agreed" && sideOf(state, message.to).byHand)
    return { ...state, phase, turn: [message.from] };
  if (phase !== "talking" || state.mode !== "parallelo")
    return { ...state, phase, turn: [message.to] };
  // Who has nothing to answer may write as well, and is not called.
  const turn = state.participants.filter(
    (name) => !state.sentInRound.includes(name) || sideOf(state, name).unanswered.length > 0,
  );
  return { ...state, phase, turn };
}

/** Judges a round once both have spoken: budget, deadlock, limit (originals.md 4.2). */
function closeRound(state: DialogueState, sent: SentFields, isAddition: boolean): DialogueState {
  if (isAddition) {
    // Its round has been judged; what it brings still counts.
    const budget = sent.assessment.progress.length > 0 ? limits.progressBudget : state.budget;
    return endByRule({ ...state, budget }, sent, false);
  }
  const isComplete = state.sentInRound.length >= state.participants.length;
  if (!isComplete || state.phase === "sealing") return endByRule(state, sent, false);
  const bothCountered = state.counterProposedInRound.length >= state.participants.length;
  const counted: DialogueState = {
    ...state,
    budget: state.progressInRound ? limits.progressBudget : Math.max(0, state.budget - 1),
    counterRounds: bothCountered ? state.counterRounds + 1 : 0,
  };
  return endByRule({ ...counted, deadlock: findDeadlock(counted) }, sent, true);
}
