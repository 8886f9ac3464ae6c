import { defined } from "../base/defined.ts";
import { limits } from "../base/limits.ts";
import { factsOnly, isFactOver } from "./disputed-facts.ts";
import type { SentFields } from "./event.ts";
import type { Message } from "./message.ts";
import { answersTo } from "./rules-for-ours.ts";
import { openSynthesis } from "./stance.ts";
import {
  type CheckedClaim,
  type DialogueState,
  type OwedCheck,
  type Side,
  sideOf,
} from "./state.ts";
import { seenBy } from "./trust.ts";

/** Settles what a message answers and notes what it asks of the other side. */
export function trackDuties(state: DialogueState, sent: SentFields): DialogueState {
  const { message } = sent;
  const foreign = sent.origin === "inbox";
  return {
    ...state,
    questions: [...openQuestions(state, message, foreign), ...newQuestions(sent)],
    claims: [
      ...openClaims(state, message, foreign),
      ...newClaims(state, sent),
      ...newFacts(state, sent),
    ],
    checkedClaims: checkedClaims(state, message),
    tasks: openTasks(state, sent),
    synthesis: synthesisAfter(state, sent),
    progressInRound: state.progressInRound || acceptsOffer(state, sent),
    sides: { ...state.sides, [message.from]: selfCheckAfter(sideOf(state, message.from), sent) },
  };
}

/** Putting off: asking back neither answers nor settles. */
function defers(message: Message): boolean {
  return message.type === "CLARIFY" || message.type === "ESCALATE";
}

function openQuestions(state: DialogueState, message: Message, foreign: boolean) {
  const answered = (message.answers ?? []).map(({ question = "" }) => question);
  return state.questions.filter(({ by, id, question }) => {
    if (by !== message.from) return true;
    // A foreign colleague answers in its text; nothing says which part answers what.
    if (foreign && !defers(message)) return false;
    return !answered.some((name) => answersTo(name, id, question));
  });
}

function newQuestions({ message, seq }: SentFields) {
  return (message.question_or_proposal.specific_questions ?? []).map((question, index) => ({
    id: `Q${seq}.${index + 1}`,
    by: message.to,
    question,
  }));
}

function openClaims(state: DialogueState, message: Message, foreign: boolean) {
  const checked = (message.checks ?? []).map(({ claim }) => claim);
  const withdrawn = withdrawnIn(message);
  const standing = new Set(
    state.trust.claims.filter((it) => it.withdrawn === "").map(({ id }) => id),
  );
  const isGone = (id: string) => !standing.has(id);
  return state.claims.filter((owed) => {
    const { by, id } = owed;
    if (isGone(id) || isFactOver(owed, message)) return false;
    if (by !== message.from) return !withdrawn.includes(id);
    return !checked.includes(id) && !(foreign && message.type === "AGREE");
  });
}

/** A claim that is withdrawn needs no check any more; one that is checked may be checked again. */
function checkedClaims(state: DialogueState, message: Message): CheckedClaim[] {
  const checked = (message.checks ?? []).map(({ claim }) => claim);
  const withdrawn = withdrawnIn(message);
  const fresh = state.claims.filter(({ by, id }) => by === message.from && checked.includes(id));
  const known = state.checkedClaims.filter(({ id }) => !withdrawn.includes(id));
  return fresh.length === 0 && known.length === state.checkedClaims.length
    ? state.checkedClaims
    : [...known, ...fresh].slice(-limits.listItems);
}

function withdrawnIn({ withdrawn = [] }: Message): (string | undefined)[] {
  return withdrawn.map(({ claim }) => claim);
}

function newClaims(state: DialogueState, { message, seq }: SentFields) {
  const fresh = (message.claims ?? []).flatMap(({ text = "", check = "", withdrawn }, index) =>
    withdrawn === undefined ? [{ id: `C${seq}.${index + 1}`, by: message.to, text, check }] : [],
  );
  // What the other side has seen already it need not look at again.
  const seen = new Set(
    state.trust.claims.filter((it) => seenBy(it).includes(message.to)).map(({ id }) => id),
  );
  return fresh.filter(({ id }) => !seen.has(id));
}

/** Who disputes and who asserts a fact, as far as they run scripts, where no record is named. */
function newFacts(state: DialogueState, { message, seq, origin }: SentFields): OwedCheck[] {
  const { from, to } = message;
  const facts = state.trust.claims.filter(
    (it) => it.id.startsWith(`F${seq}.`) && it.withdrawn === "" && it.records.length === 0,
  );
  const isByHand = (name: string) =>
    name === from ? origin === "inbox" : sideOf(state, name).byHand;
  return facts.flatMap(({ id, text, check, disputed }) =>
    [from, ...(disputed === undefined ? [] : [to])]
      .filter((by) => !isByHand(by))
      .map((by) => ({ id, by, text, check })),
  );
}

function openTasks(state: DialogueState, { message, seq }: SentFields) {
  const [done] =
    message.type === "TASK_RESULT" ? state.tasks.filter(({ by }) => by === message.from) : [];
  const open = state.tasks.filter((task) => task !== done);
  if (message.type !== "TASK_ASSIGN") return open;
  const task = message.question_or_proposal.content.slice(0, limits.itemCharacters);
  return [...open, { id: `T${seq}`, by: message.to, task }].slice(-limits.listItems);
}

/**
 * Synthesis (seed 003): a divergence obliges the other side to one; an offered synthesis that the
 * reply does not accept but diverges from has failed; an acceptance starts the count again.
 */
function synthesisAfter(state: DialogueState, sent: SentFields): DialogueState["synthesis"] {
  const { message, assessment } = sent;
  const { synthesis } = state;
  const offered = openSynthesis(state, message.from);
  // What was written before it was read is no answer to it.
  const answersOffer = offered !== undefined && (message.reply_to ?? offered.seq) >= offered.seq;
  const diverges = assessment.competes === true;
  const rejects = answersOffer && (assessment.objects || diverges);
  const accepts = acceptsOffer(state, sent);
  const formal =
    assessment.progress.some((key) => key.startsWith("accepted:")) && !assessment.objects;
  const failed = accepts || formal ? 0 : synthesis.failed + (rejects ? 1 : 0);
  const none = { owedBy: "" };
  if (message.synthesis !== undefined) return { failed, offeredBy: message.from, ...none };
  // Who takes another position takes the offer back.
  const isLeft = synthesis.offeredBy === message.from && isNewStance(state, sent);
  const offeredBy = rejects || accepts || isLeft ? "" : synthesis.offeredBy;
  if (diverges || (isByWords(state, sent) && (assessment.objects || assessment.competes))) {
    if (assessment.disputes === "refuted") return { failed, offeredBy, ...none };
    const facts = assessment.disputes === "facts" ? factsOnly(state.trust, message) : undefined;
    return { failed, offeredBy, owedBy: message.to, ...defined({ facts }) };
  }
  const isMet = synthesis.owedBy === message.from && !defers(message);
  // Who diverged and then accepts has ended the divergence itself.
  const isVoid = synthesis.owedBy === message.to && assessment.accepts;
  if (isMet || isVoid) return { failed, offeredBy, ...none };
  return { ...synthesis, failed, offeredBy };
}

function isNewStance(state: DialogueState, { message, seq }: SentFields): boolean {
  return sideOf(state, message.from).stance.seq === seq;
}

/** Positions say where two differ; of a letter by hand, the words do. */
function isByWords(state: DialogueState, { message, origin }: SentFields): boolean {
  return origin === "inbox" || sideOf(state, message.to).byHand;
}

function acceptsOffer(state: DialogueState, { message, assessment }: SentFields): boolean {
  return state.synthesis.offeredBy === message.to && assessment.accepts && !assessment.objects;
}

function selfCheckAfter(side: Side, { message, assessment }: SentFields): Side {
  if (!assessment.onlyObjects) return { ...side, owesSelfCheck: false };
  // Owed already and still nothing but objections: ending.ts escalates on this streak.
  if (side.owesSelfCheck && message.self_check !== undefined) return side;
  return { ...side, owesSelfCheck: side.objectionStreak >= limits.objectionStreak };
}
