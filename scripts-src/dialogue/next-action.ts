import { inline, type JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import type { Files, Guidance, Move } from "../protocol/protocol.ts";
import { judge } from "./assess.ts";
import { decisionSayings, doubtedClaims, ownersOf } from "./audit.ts";
import { changedRuns, withChangedRuns } from "./changed-runs.ts";
import { pending } from "./delivery.ts";
import { closingFaults } from "./ending.ts";
import { marksOf } from "./marks.ts";
import { blank, filledIn, type MessageType, parseDraft } from "./message.ts";
import { dueLines, objection, obligationsOf, wantedFor, wordings } from "./obligations.ts";
import { isSamePosition, lastPosition, peerNameFor } from "./positions.ts";
import { brokenBy, notClosable } from "./rules.ts";
import {
  type DialogueState,
  hasEnded,
  type Obligation,
  otherThan,
  roundToTell,
  sideOf,
} from "./state.ts";
import { onlySaid, verdictOf } from "./verdict.ts";

/**
 * What a participant must do now. Everything it says follows from the state that the decider will
 * judge the answer by, so that an agent that lost its memory continues correctly from here.
 */
export function nextAction(state: DialogueState, participant: string, files: Files): Guidance {
  const base = {
    standing: statusLines(state, participant),
    received: pending(state, participant),
    receivedEarlier: sideOf(state, participant).unansweredEarlier,
    ...{ obligations: [], documents: [], moves: [] },
  };
  if (!hasEnded(state)) {
    const runs = changedRuns(state, participant, files);
    // Whoever runs its own checks again may agree.
    const guided = guideFor(withChangedRuns(state, participant), participant);
    const again = runs.flatMap(({ claim }) => (guided.turn === "yours" ? claim : []));
    const toCheck = [...new Set([...again, ...(guided.toCheck ?? [])])];
    const noticed = noticedIn(withChangedRuns(state, participant, runs));
    return { ...base, ...guided, toCheck, advice: [...noticed, ...guided.advice] };
  }
  const moves = mayObject(state, participant) ? movesOf(state, participant) : [];
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

/** What both sides are told of the decision before it is confirmed. */
function noticedIn(state: DialogueState): string[] {
  const marks = marksOf(state).flatMap(({ code, text }) => (code === "doubt" ? [text] : []));
  const said = onlySaid(state).map((it) => inline(it));
  const none = said.length === 0 ? [] : [`no claim that both have seen has ${said.join(", ")}`];
  const lines = [...marks, ...none].map((it) => `noticed: ${it}`);
  return state.offer === undefined ? [] : lines.slice(-limits.pointsShown);
}

/** Where a session stands, in few lines. */
function statusLines(state: DialogueState, participant: string): string[] {
  const { id, phase, rules, budget, disagreements, offer, deadlock } = state;
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
    ...(deadlock === "" ? [] : [`deadlock: ${inline(deadlock)}`]),
    ...decisionSayings(state).slice(0, limits.pointsShown),
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
> &
  Partial<Pick<Guidance, "obligations">>;

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
    moves: movesOf(state, participant, forms),
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

/** The moves that send forms. */
function movesOf(
  state: DialogueState,
  participant: string,
  forms: readonly Form[] = formsFor(state, participant),
): Move[] {
  const draft = sideOf(state, participant).sentCount + 1;
  return forms.map(({ purpose, input }) => ({ purpose, options: { message: "-" }, input, draft }));
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
  return { advice, moves: mayWrite ? movesOf(state, participant) : [] };
}

/** What the next message is rejected without, and what may wait; the form of a task says that it is due. */
function duesOf(state: DialogueState, participant: string): Pick<Guidance, "obligations" | "todo"> {
  if (state.phase !== "talking") return { obligations: [], todo: [] };
  const dues = obligationsOf(state, participant).filter(({ code }) => code !== "task");
  const isRequired = ({ code }: Obligation) => wordings[code].blocks === "message";
  return {
    obligations: state.turn.includes(participant) ? dueLines(dues.filter(isRequired)) : [],
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

/** The report that comes next has all else; a text that nobody confirmed is to be compared here. */
function endAdvice(state: DialogueState, participant: string): string[] {
  const { outcome, person } = state;
  if (outcome === undefined) return [];
  const own = person.decided === undefined ? [] : [person.decided.text];
  const agreed = outcome.kind === "consensus" ? [outcome.agreed?.position ?? outcome.decision] : [];
  const called = own.length > 0 ? "before that both had agreed on" : "decision";
  return [
    `at its end: ${verdictOf(state).line}`,
    ...own.map((it) => `decision, by the user: ${inline(it, 2_000)}`),
    ...agreed.map((it) => `${called}: ${inline(it, 2_000)}`),
    ...closingFaults(state),
    ...decisionSayings(state),
    ...(mayObject(state, participant) ? ["Compare that text with what you agreed."] : []),
  ];
}

/** A message that may be sent now, whole but for the places where its words are the sender's. */
interface Form {
  readonly purpose: string;
  readonly input: JsonObject;
  /** Claims to look at before; "" for any look of its sender's own. */
  readonly toCheck: readonly string[];
}

const [formsMax, lacksMax] = [3, 12];

/** The messages that a participant may send now, the likeliest first: what no rule lets through is none. */
function formsFor(state: DialogueState, participant: string): Form[] {
  const begun = begunFor(state, participant);
  return begun.flatMap((it) => completed(state, participant, it) ?? []).slice(0, formsMax);
}

/**
 * A form with all that the rules find lacking once its blanks are filled in, of a long list its beginning.
 * Undefined where one rejects it whatever its sender writes.
 */
function completed(state: DialogueState, sender: string, begun: Form): Form | undefined {
  const toCheck = new Set(begun.toCheck);
  let { input } = begun;
  for (let round = 0; round < lacksMax; round += 1) {
    const draft = parseDraft(filledIn(input), true);
    if (Array.isArray(draft)) return undefined;
    const attempt = judge({ state, draft, sender, foreign: false, files: new Map() });
    const before = JSON.stringify(input);
    for (const broken of brokenBy(attempt)) {
      if (typeof broken === "string") return undefined;
      for (const claim of broken.toCheck ?? []) toCheck.add(claim);
      input = together(input, broken.add ?? {});
    }
    if (JSON.stringify(input) === before) return { ...begun, input, toCheck: [...toCheck] };
  }
  return undefined;
}

/** A list that both have is one. */
function together(form: JsonObject, more: JsonObject): JsonObject {
  const joined = { ...form, ...more };
  for (const [name, value] of Object.entries(more)) {
    const known = form[name];
    if (Array.isArray(known) && Array.isArray(value))
      joined[name] = [...known, ...value].slice(0, limits.pointsShown);
  }
  return joined;
}

function form(purpose: string, type: MessageType, content: string, more: JsonObject = {}): Form {
  return { purpose, input: { type, question_or_proposal: { content }, ...more }, toCheck: [] };
}

function begunFor(state: DialogueState, participant: string): Form[] {
  switch (state.phase) {
    case "asking":
      return [form("ask", "REQUEST", blank.question)];
    case "sealing":
      return [
        form("state your position blind, unread until both are in", "RESPONSE", blank.reasons),
      ];
    case "agreed":
      return [
        form("close, with nothing that your peer has not seen", "CONSENSUS", blank.decision),
        form("not sure after all", "EVALUATE", blank.reasons),
      ];
    case "consensus":
      return [
        form("confirm the closing text, if it says what you agreed", "AGREE", blank.looked),
        form("object to the closing text, which reopens", "EVALUATE", blank.reasons, objection),
      ];
    default:
      return talkingForms(state, participant);
  }
}

function talkingForms(state: DialogueState, participant: string): Form[] {
  const isFree = state.mode === "parallelo";
  const tasks = obligationsOf(state, participant).filter(({ code }) => code === "task");
  const results = dueLines(tasks.slice(0, 1)).map((it) => form(it, "TASK_RESULT", blank.result));
  // Without turns a task is reported when it is done, and who has nothing to answer may still add something.
  const isOther = !state.turn.includes(participant) || (tasks.length > 0 && !isFree);
  const forms = isOther
    ? [...results, form(isFree ? "add something" : "ask back", "CLARIFY", blank.ask)]
    : [...results, ...answers(state, participant), ...leaveIt(state)];
  // Without turns more may come while this is written: it answers what was shown, no more.
  const seen = sideOf(state, participant).unanswered.at(-1)?.seq;
  if (!isFree || seen === undefined) return forms;
  return forms.map((it) => ({ ...it, input: { ...it.input, reply_to: seen } }));
}

/** Where an AGREE cannot close as it stands, the user decides. */
function leaveIt(state: DialogueState): Form[] {
  const why = notClosable(ownersOf(state)[0]?.kind, doubtedClaims(state));
  if (!state.requireSeen || why === undefined) return [];
  return [form(`leave it to the user: ${why}`, "ESCALATE", blank.reasons)];
}

/** Messages that answer the question itself, with what may wait: claims, and questions in running text. */
function answers(state: DialogueState, participant: string): Form[] {
  const own = obligationsOf(state, participant);
  const due = (["check", "look", "aside"] as const).map((wanted) =>
    wantedFor(
      state,
      own.filter(({ code }) => code === wanted),
    ),
  );
  const toCheck = due.flatMap((it) => it.toCheck);
  return answersInOrder(state, participant, own).map(({ purpose, input }) => {
    const whole = due.reduce((form, { fields }) => together(form, fields), input);
    return { purpose, input: whole, toCheck };
  });
}

function answersInOrder(
  state: DialogueState,
  participant: string,
  dues: readonly Obligation[],
): Form[] {
  const other = otherThan(state, participant);
  const { byHand } = sideOf(state, other);
  const { sentCount, held: own } = sideOf(state, participant);
  const theirs = lastPosition(state, other);
  const type = sentCount > 0 ? "EVALUATE" : "RESPONSE";
  if (theirs.seq === 0 && !byHand) return [form("answer", type, blank.reasons)];
  const agree = form("agree", "AGREE", blank.decision, byHand ? { position: blank.agreed } : {});
  const object = form("object", "EVALUATE", blank.reasons, objection);
  const judged = form("judge it", type, blank.reasons);
  const owed = dues.filter(({ code }) => code === "synthesis");
  const { fields } = wantedFor(state, owed);
  if (owed.length > 0) return [form("make one of both", type, blank.reasons, fields), agree];
  if (dues.some(({ code }) => code === "facts")) return [judged, agree];
  if (state.offer?.by === other)
    return [form("confirm that text, which closes", "AGREE", blank.looked), object];
  if (dues.some(({ code }) => code === "offer")) return [agree, object];
  const isSame = theirs.seq > 0 && isSamePosition(own.position, theirs.position);
  return isSame ? [agree, judged, object] : [judged, object, agree];
}
