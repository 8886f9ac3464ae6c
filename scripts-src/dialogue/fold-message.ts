import { limits } from "../base/limits.ts";
import { notBefore, stampIn } from "../base/time.ts";
import type { LogEvent } from "../log/event.ts";
import { proposes } from "./competing-proposals.ts";
import { consensusBlockers, findDeadlock } from "./consensus.ts";
import { endByRule, reach } from "./ending.ts";
import { type DialogueEvent, type SentFields, unseal } from "./event.ts";
import { agreedOutcome, foldPositions, offerAfter } from "./fold-positions.ts";
import type { Message } from "./message.ts";
import { trackObligations } from "./obligations.ts";
import { asksIn, normalized, ownSentences } from "./prose.ts";
import { settleStances } from "./settle-stances.ts";
import { isSamePosition, takesStand } from "./stance.ts";
import {
  type DialogueState,
  hasEnded,
  type Outcome,
  otherThan,
  sideOf,
  withMail,
  withSide,
} from "./state.ts";

/** A sealed position waits until the other is in. */
export function keepSealed(
  state: DialogueState,
  from: string,
  known: Extract<DialogueEvent, { event: "position_sealed" }>,
  event: LogEvent,
): DialogueState {
  const other = otherThan(state, from);
  const stamp = stampIn(unseal(known.sealed, from)?.file ?? "");
  const kept = withSide(state, from, {
    sealed: known.sealed,
    lastDraft: { hash: known.draft, seq: event.seq },
    lastAt: event.at,
  });
  const stamped = { ...kept, lastStamp: stamp ?? state.lastStamp };
  return sideOf(state, other).sealed === "" ? { ...stamped, turn: [other] } : openBoth(stamped);
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
    const { unanswered } = sideOf(next, one.message.to);
    if (!unanswered.some(({ seq }) => seq === one.seq)) next = deliver(next, one);
    next = withSide(next, one.message.from, { sealed: "" });
  }
  const last = sent.at(-1);
  const [one, other] = sent.map(({ message }) => message);
  const competing = one !== undefined && other !== undefined && areOpposed(one, other);
  if (competing && last !== undefined && next.synthesis.owedBy === "") {
    next = { ...next, synthesis: { ...next.synthesis, owedBy: last.message.to } };
  }
  const settled = last === undefined ? next : settle(next, last, false);
  return sent.reduce(
    (folded, one) => (hasEnded(folded) ? folded : endByRule(folded, one, false)),
    settled,
  );
}

function areOpposed(one: Message, other: Message): boolean {
  return !isSamePosition(one.position ?? "", other.position ?? "");
}

/** What one message does, step by step. */
export function receive(before: DialogueState, sent: SentFields): DialogueState {
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
  { message }: SentFields,
): boolean {
  if (phase !== "talking" && phase !== "agreed") return false;
  const isFree = mode === "parallelo" && phase === "talking";
  return !isFree && !turn.includes(message.from) && sentInRound.includes(message.from);
}

/** The other side confirms the closing text, or closes as well in words of its own. */
function answerClosing(
  state: DialogueState,
  outcome: Extract<Outcome, { kind: "consensus" }>,
  { message, seq, file, draft, at }: SentFields,
): DialogueState {
  const isSame = normalized(message.question_or_proposal.content) === normalized(outcome.decision);
  const confirms = message.type === "AGREE" || isSame;
  const side = sideOf(state, message.from);
  const answered = withSide(state, message.from, {
    unanswered: [],
    unansweredEarlier: 0,
    lastDraft: { hash: draft, seq },
    lastAt: at,
    sentCount: side.sentCount + 1,
  });
  const told = withMail(answered, message.to, {
    seq,
    from: message.from,
    type: message.type,
    file,
  });
  const lastStamp = notBefore(state.lastStamp, stampIn(file) ?? "");
  const change = confirms ? { confirmed: "agreed" as const } : { ownWords: seq };
  return { ...told, lastStamp, outcome: { ...outcome, ...change } };
}

function absorb(before: DialogueState, sent: SentFields): DialogueState {
  let state = countRound(before, sent, isAddition(before, sent));
  state = foldPositions(state, sent);
  state = recordSender(state, sent);
  state = deliver(state, sent);
  state = mergePoints(state, sent);
  state = trackObligations(state, sent);
  return offerAfter(settleStances(state, sent), sent);
}

function settle(state: DialogueState, sent: SentFields, isAddition: boolean): DialogueState {
  const { message } = sent;
  if (message.type === "ESCALATE" || message.type === "CONSENSUS") return reach(state, sent);
  const agreed = consensusBlockers(state).length === 0 ? agreedOutcome(state) : undefined;
  if (agreed !== undefined) return agreed;
  return closeRound(passTurn(state, message), sent, isAddition);
}

function countRound(
  state: DialogueState,
  { message, file, origin }: SentFields,
  isAddition: boolean,
): DialogueState {
  const begins = !isAddition && state.sentInRound.length >= state.participants.length;
  const fresh = {
    ...{ sentInRound: [], counterProposedInRound: [] },
    progressInRound: state.trust.progressNext,
    trust: { ...state.trust, progressNext: false },
  };
  const current = begins ? { ...state, ...fresh, round: state.round + 1 } : state;
  return {
    ...current,
    phase:
      state.phase === "asking"
        ? state.mode === "competitiva"
          ? "sealing"
          : "talking"
        : state.phase,
    ...(message.type === "REQUEST" ? goalIn(message, state) : {}),
    begunByHand: state.begunByHand || (message.type === "REQUEST" && origin === "inbox"),
    lastRound: Math.max(state.lastRound, message.round),
    lastStamp: notBefore(state.lastStamp, stampIn(file) ?? ""),
    sentInRound: [...new Set([...current.sentInRound, message.from])],
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
  const { content } = message.question_or_proposal;
  const says = content.slice(0, limits.itemCharacters);
  // It agrees to what the other side holds, in whichever words.
  if (message.type === "AGREE") return sideOf(state, message.to).stance.position || says;
  if (message.type === "ESCALATE") return position || says;
  return takesStand(message) || message.type === "CONSENSUS" || isProposal(message)
    ? says
    : position;
}

/** A REQUEST that asks nothing proposes something. */
function isProposal({ type, question_or_proposal }: Message): boolean {
  const { type: kind, content } = question_or_proposal;
  return type === "REQUEST" && kind === "proposal" && !ownSentences(content).some(asksIn);
}

function recordSender(
  state: DialogueState,
  { message, draft, seq, at, assessment, origin }: SentFields,
): DialogueState {
  const side = sideOf(state, message.from);
  const { content } = message.question_or_proposal;
  const said = [
    content,
    message.synthesis ?? "",
    message.discoveries?.conclusions ?? "",
    ...(message.objections ?? []).map(({ point = "", because = "" }) => `${point} ${because}`),
    ...(message.agreements_so_far ?? []),
    ...(message.disagreements_pending ?? []),
  ].join("\n");
  const confidence = message.confidence === undefined ? [] : [message.confidence];
  return {
    ...withSide(state, message.from, {
      unanswered: side.unanswered.filter(({ seq }) => seq > (message.reply_to ?? seq)),
      unansweredEarlier: 0,
      said: said.slice(0, 2 * limits.itemCharacters),
      position: message.position ?? positionAfter(state, message),
      proposal: proposes(message) ? content.slice(0, limits.itemCharacters) : "",
      byHand: origin === "inbox",
      expectsNothing: origin === "inbox" && !message.expects_reply,
      confidences: [...side.confidences, ...confidence].slice(-8),
      sentCount: side.sentCount + 1,
      lastAt: at,
      lastDraft: { hash: draft, seq },
      objectionStreak: assessment.onlyObjects ? side.objectionStreak + 1 : 0,
    }),
    progressInRound: state.progressInRound || assessment.progress.length > 0,
    counted: [...state.counted, ...assessment.progress].slice(-limits.rememberedItems),
    counterProposedInRound:
      message.type === "COUNTER_PROPOSE"
        ? [...new Set([...state.counterProposedInRound, message.from])]
        : state.counterProposedInRound,
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
  const known = new Set(state.agreements.map(normalized));
  const added = (message.agreements_so_far ?? []).filter((point) => !known.has(normalized(point)));
  const raised = new Map(state.disagreements.map((it) => [normalized(it.point), it]));
  const pending = new Set((message.disagreements_pending ?? []).map(normalized));
  const leftOut = new Set(dropped.map(normalized));
  const isKept = ({ point }: { point: string }) => pending.has(normalized(point));
  const former = state.dropped.filter((it) => isKept(it) && !leftOut.has(normalized(it.point)));
  const fresh = dropped.map((point) => ({ point, by: message.from, seq }));
  return {
    ...state,
    dropped: [...former, ...fresh].slice(-limits.listItems),
    agreements: added.length === 0 ? state.agreements : [...state.agreements, ...added],
    disagreements: (message.disagreements_pending ?? []).map((point) => {
      const known = raised.get(normalized(point));
      if (known !== undefined) return { ...known, point };
      return { point, since: state.round, by: message.from };
    }),
  };
}

function passTurn(state: DialogueState, message: Message): DialogueState {
  const agreed = consensusBlockers(state).length === 0;
  const phase = agreed ? "agreed" : state.phase === "agreed" ? "talking" : state.phase;
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
  const complete = state.sentInRound.length >= state.participants.length;
  if (!complete || state.phase === "sealing") return endByRule(state, sent, false);
  return endByRule(judgeRound(state), sent, true);
}

function judgeRound(state: DialogueState): DialogueState {
  const bothCountered = state.counterProposedInRound.length >= state.participants.length;
  const counted: DialogueState = {
    ...state,
    budget: state.progressInRound ? limits.progressBudget : Math.max(0, state.budget - 1),
    counterRounds: bothCountered ? state.counterRounds + 1 : 0,
  };
  return { ...counted, deadlock: findDeadlock(counted) };
}
