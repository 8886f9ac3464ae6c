import { limits } from "../base/limits.ts";
import { notBefore, stampIn } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { boundedRules } from "../protocol/config.ts";
import { proposes } from "./assess.ts";
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
import { type DialogueEvent, parseDialogueEvent, type SentFields, unseal } from "./event.ts";
import { foldPositions, offerAfter, settleAgreement } from "./fold-positions.ts";
import { thresholdMark } from "./marks.ts";
import type { Message } from "./message.ts";
import { trackObligations } from "./obligations.ts";
import { withPerson } from "./person.ts";
import { isSamePosition, statesPosition } from "./positions.ts";
import { asksIn, normalized, ownSentences } from "./prose.ts";
import {
  type Consensus,
  type DialogueState,
  hasEnded,
  initialSide,
  otherThan,
  sideOf,
  withMail,
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
      // Audit tells of a record that a stranger made.
      return state.participants.includes(event.from)
        ? withEvidence(next, noteOf(known.record, event.seq, event.from, event.at))
        : next;
    case "closed":
      return close(next, known.by, known.reason);
    case "decided":
    case "judged":
      return hasEnded(state) ? withPerson(next, known) : next;
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
  return thresholdMark({
    ...{ ...state, phase: "asking", id, topic, mode, participants, sides, requireSeen, ownerWords },
    ...{ rules: boundedRules(opened.rules, state.rules), startedAt: state.lastAt },
    turn: participants.slice(0, 1),
  });
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
  const kept = withSide(state, from, { sealed: known.sealed, lastDraft, lastAt: at });
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

/** A second message in one turn, which only a colleague by hand can bring: it opens no round. */
function isAddition(
  { phase, mode, turn, sentInRound }: DialogueState,
  { message: { from } }: SentFields,
): boolean {
  const isFree = mode === "parallelo" && phase === "talking";
  if (isFree || (phase !== "talking" && phase !== "agreed")) return false;
  return !turn.includes(from) && sentInRound.includes(from);
}

/** The other side confirms the closing text, or closes as well in words of its own. */
function answerClosing(state: DialogueState, outcome: Consensus, sent: SentFields): DialogueState {
  const { message, seq, file, draft, at } = sent;
  const isSame = normalized(message.question_or_proposal.content) === normalized(outcome.decision);
  const confirms = message.type === "AGREE" || isSame;
  const answered = withSide(state, message.from, {
    ...{ unanswered: [], unansweredEarlier: 0, lastDraft: { hash: draft, seq }, lastAt: at },
    sentCount: sideOf(state, message.from).sentCount + 1,
  });
  const lastStamp = notBefore(state.lastStamp, stampIn(file) ?? "");
  const change = confirms ? { confirmed: "agreed" as const } : { ownWords: seq };
  return { ...deliver(answered, sent), lastStamp, outcome: { ...outcome, ...change } };
}

function absorb(before: DialogueState, sent: SentFields): DialogueState {
  const steps = [
    countRound,
    foldPositions,
    recordSender,
    deliver,
    mergePoints,
    trackObligations,
    settleAgreement,
    offerAfter,
  ];
  return steps.reduce((state, step) => step(state, sent), before);
}

function settle(state: DialogueState, sent: SentFields, isAddition: boolean): DialogueState {
  const { message } = sent;
  if (message.type === "ESCALATE" || message.type === "CONSENSUS") return reach(state, sent);
  return agreedOutcome(state) ?? closeRound(passTurn(state, message), sent, isAddition);
}

function countRound(before: DialogueState, sent: SentFields): DialogueState {
  const { message, file, origin } = sent;
  const isFull = before.sentInRound.length >= before.participants.length;
  const state =
    isFull && !isAddition(before, sent)
      ? {
          ...{ ...before, sentInRound: [], counterProposedInRound: [], round: before.round + 1 },
          ...{ progressInRound: before.progressNext, progressNext: false },
        }
      : before;
  const isQuestion = message.type === "REQUEST";
  const begun = state.mode === "competitiva" ? "sealing" : "talking";
  return {
    ...state,
    ...(isQuestion ? goalIn(message, state) : {}),
    phase: state.phase === "asking" ? begun : state.phase,
    begunByHand: state.begunByHand || (isQuestion && origin === "inbox"),
    lastRound: Math.max(state.lastRound, message.round),
    lastStamp: notBefore(state.lastStamp, stampIn(file) ?? ""),
    sentInRound: [...new Set([...state.sentInRound, message.from])],
  };
}

/** What is asked, and what its author says that the user wants beside it. */
function goalIn(
  { question_or_proposal, context }: Message,
  { topic }: DialogueState,
): Pick<DialogueState, "goal" | "wish"> {
  const goal = question_or_proposal.content.slice(0, limits.itemCharacters);
  const wish = context?.user_instructions?.slice(0, limits.itemCharacters) ?? "";
  // Scripts fill the topic in.
  const isKnown = [goal, topic].some((it) => normalized(it).includes(normalized(wish)));
  return { goal, wish: isKnown ? "" : wish };
}

/** The sender's position as a message leaves it that names none: a question is no position. */
function positionAfter(state: DialogueState, message: Message): string {
  const { position } = sideOf(state, message.from);
  const { content, type: kind } = message.question_or_proposal;
  const says = content.slice(0, limits.itemCharacters);
  // It agrees to what the other side holds, in whichever words.
  if (message.type === "AGREE") return sideOf(state, message.to).held.position || says;
  if (message.type === "ESCALATE") return position || says;
  // A REQUEST that asks nothing proposes something.
  const isProposal =
    message.type === "REQUEST" && kind === "proposal" && !ownSentences(content).some(asksIn);
  return statesPosition(message) || message.type === "CONSENSUS" || isProposal ? says : position;
}

function recordSender(
  state: DialogueState,
  { message, draft, seq, at, assessment, origin }: SentFields,
): DialogueState {
  const { from, type, synthesis = "", discoveries, confidence } = message;
  const side = sideOf(state, from);
  const { content } = message.question_or_proposal;
  const said = [
    ...[content, synthesis, discoveries?.conclusions ?? ""],
    ...(message.objections ?? []).map(({ point = "", because = "" }) => `${point} ${because}`),
    ...(message.agreements_so_far ?? []),
    ...(message.disagreements_pending ?? []),
  ].join("\n");
  const confidences = confidence === undefined ? [] : [confidence];
  const counters = type === "COUNTER_PROPOSE" ? [from] : [];
  return {
    ...withSide(state, from, {
      unanswered: side.unanswered.filter(({ seq }) => seq > (message.reply_to ?? seq)),
      unansweredEarlier: 0,
      said: said.slice(0, 2 * limits.itemCharacters),
      position: message.position ?? positionAfter(state, message),
      proposal: proposes(message) ? content.slice(0, limits.itemCharacters) : "",
      byHand: origin === "inbox",
      expectsNothing: origin === "inbox" && !message.expects_reply,
      confidences: [...side.confidences, ...confidences].slice(-8),
      sentCount: side.sentCount + 1,
      ...{ lastAt: at, lastDraft: { hash: draft, seq } },
      objectionStreak: assessment.onlyObjects ? side.objectionStreak + 1 : 0,
    }),
    progressInRound: state.progressInRound || assessment.progress.length > 0,
    counted: [...state.counted, ...assessment.progress].slice(-limits.rememberedItems),
    counterProposedInRound: [...new Set([...state.counterProposedInRound, ...counters])],
  };
}

function deliver(state: DialogueState, { message, seq, file }: SentFields): DialogueState {
  return withMail(state, message.to, { seq, from: message.from, type: message.type, file });
}

/** Agreements only grow; a disagreement keeps the round in which it came up. */
function mergePoints(
  state: DialogueState,
  { message, dropped = [], seq }: SentFields,
): DialogueState {
  const { from: by, agreements_so_far: agreed = [], disagreements_pending: points = [] } = message;
  const known = new Set(state.agreements.map(normalized));
  const raised = new Map(state.disagreements.map((it) => [normalized(it.point), it]));
  const pending = new Set(points.map(normalized));
  const leftOut = new Set(dropped.map(normalized));
  const former = state.dropped.filter(
    ({ point }) => pending.has(normalized(point)) && !leftOut.has(normalized(point)),
  );
  return {
    ...state,
    dropped: [...former, ...dropped.map((point) => ({ point, by, seq }))].slice(-limits.listItems),
    agreements: [...state.agreements, ...agreed.filter((point) => !known.has(normalized(point)))],
    disagreements: points.map((point) => ({
      ...{ since: state.round, by, ...raised.get(normalized(point)), point },
    })),
  };
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
