import { limits } from "../limits.ts";
import type { Sent } from "./event.ts";
import type { Message } from "./message.ts";
import { answersTo, concedes } from "./refusals.ts";
import { type DialogueState, type Side, sideOf } from "./state.ts";

/** Settles what a message answers and notes what it asks of the other side. */
export function trackDuties(state: DialogueState, sent: Sent): DialogueState {
  const { message } = sent;
  const foreign = sent.origin === "inbox";
  return {
    ...state,
    questions: [...openQuestions(state, message, foreign), ...newQuestions(sent)],
    claims: [...openClaims(state, message, foreign), ...newClaims(sent)],
    tasks: openTasks(state, sent),
    hypotheses: openHypotheses(state, message, foreign),
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

function newQuestions({ message, seq }: Sent) {
  return (message.question_or_proposal.specific_questions ?? []).map((question, index) => ({
    id: `Q${seq}.${index + 1}`,
    by: message.to,
    question,
  }));
}

function openClaims(state: DialogueState, message: Message, foreign: boolean) {
  const checked = (message.checks ?? []).map(({ claim }) => claim);
  return state.claims.filter(({ by, id }) => {
    if (by !== message.from) return true;
    return !checked.includes(id) && !(foreign && message.type === "AGREE");
  });
}

function newClaims({ message, seq }: Sent) {
  return (message.claims ?? []).map(({ text = "", check = "" }, index) => ({
    id: `C${seq}.${index + 1}`,
    by: message.to,
    text,
    check,
  }));
}

function openTasks(state: DialogueState, { message, seq }: Sent) {
  const [done] =
    message.type === "TASK_RESULT" ? state.tasks.filter(({ by }) => by === message.from) : [];
  const open = state.tasks.filter((task) => task !== done);
  if (message.type !== "TASK_ASSIGN") return open;
  const task = message.question_or_proposal.content.slice(0, limits.itemCharacters);
  return [...open, { id: `T${seq}`, by: message.to, task }].slice(-limits.listItems);
}

/** A disputed fact is owed a check by the other side, unless the objector brought one along. */
function openHypotheses(state: DialogueState, message: Message, foreign: boolean) {
  const checks = (message.hypotheses ?? []).filter(({ outcome }) => outcome !== "open");
  const settles = (checks.length > 0 || foreign) && !defers(message);
  const open = state.hypotheses.filter(
    ({ by, claim }) => by !== message.from || !(settles || concedes(message, claim)),
  );
  const facts = (message.objections ?? []).filter(({ about }) => about === "fact");
  const owed =
    checks.length > 0 ? [] : facts.map(({ point = "" }) => ({ by: message.to, claim: point }));
  return [...open, ...owed].slice(-limits.listItems);
}

/**
 * Synthesis (seed 003): a divergence obliges the other side to one; an offered synthesis that the
 * reply does not accept but diverges from has failed; an acceptance starts the count anew.
 */
function synthesisAfter(state: DialogueState, sent: Sent): DialogueState["synthesis"] {
  const { message, assessment } = sent;
  const { synthesis } = state;
  const answersOffer = synthesis.offeredBy === message.to;
  const rejects = answersOffer && assessment.objects;
  const accepts = acceptsOffer(state, sent);
  const formal =
    assessment.progress.some((key) => key.startsWith("accepted:")) && !assessment.objects;
  const failed = accepts || formal ? 0 : synthesis.failed + (rejects ? 1 : 0);
  if (message.synthesis !== undefined) return { failed, offeredBy: message.from, owedBy: "" };
  const offeredBy = rejects || accepts ? "" : synthesis.offeredBy;
  if (assessment.objects) return { failed, offeredBy, owedBy: message.to };
  const stillOwed = synthesis.owedBy === message.from && !defers(message) ? "" : synthesis.owedBy;
  return { failed, offeredBy, owedBy: stillOwed };
}

function acceptsOffer(state: DialogueState, { message, assessment }: Sent): boolean {
  return state.synthesis.offeredBy === message.to && assessment.accepts && !assessment.objects;
}

function selfCheckAfter(side: Side, { message, assessment }: Sent): Side {
  if (!assessment.onlyObjects) return { ...side, owesSelfCheck: false };
  // Owed already and still nothing but objections: ending.ts escalates on this streak.
  if (side.owesSelfCheck && message.self_check !== undefined) return side;
  return { ...side, owesSelfCheck: side.objectionStreak >= limits.objectionStreak };
}
