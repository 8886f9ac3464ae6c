import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { seenBy } from "./claims.ts";
import type { SentFields } from "./event.ts";
import { factsOnly, isGivenUp } from "./facts.ts";
import type { CheckedDraft, Message } from "./message.ts";
import { openSynthesis } from "./positions.ts";
import { asksIn, normalized, ownSentences } from "./prose.ts";
import {
  type DialogueState,
  type Obligation,
  obligationCodes,
  type Side,
  sideOf,
} from "./state.ts";

/** All that a side has to do, in the order of the codes. */
export function obligationsOf(state: DialogueState, by: string): Obligation[] {
  const { owedBy, facts = [] } = state.synthesis;
  const offered = openSynthesis(state, by)?.seq ?? 0;
  const one = (code: Obligation["code"], id = ""): Obligation => ({ code, id, by, text: "" });
  const ofBoth = facts.length === 0 ? [one("synthesis")] : facts.map((id) => one("facts", id));
  return inOrder([
    ...state.obligations.filter((it) => it.by === by),
    ...(owedBy === by ? ofBoth : []),
    ...(offered > 0 ? [one("offer", `${offered}`)] : []),
    ...(sideOf(state, by).owesSelfCheck ? [one("self_check")] : []),
  ]);
}

/** Of each code the newest: two sealed messages may bring as many as two messages hold. */
function inOrder(obligations: readonly Obligation[]): Obligation[] {
  return obligationCodes.flatMap((code) =>
    obligations.filter((it) => it.code === code).slice(-2 * limits.listItems),
  );
}

/** Whether a message of `sender` settles what was asked or claimed. */
export function settles(message: CheckedDraft, sender: string, it: Obligation): boolean {
  const { answers = [], checks = [], withdrawn = [], resolved } = message;
  const isOwn = it.by === sender;
  const said = checks.filter(({ claim }) => claim === it.id);
  switch (it.code) {
    case "answer":
    case "aside":
      return isOwn && answers.some(({ question = "" }) => answersTo(question, it));
    case "check":
      return isOwn && said.length > 0;
    case "look":
      // The look of one is enough, and who gives up its dispute owes none.
      if (said.some(({ outcome }) => outcome !== "not_run")) return true;
      if (!isOwn || said.length > 0) return isOwn;
      return withdrawn.some(({ claim }) => claim === it.id) || isGivenUp(it.text, resolved);
    default:
      return false;
  }
}

export function answersTo(name: string, { id, text }: Obligation): boolean {
  return name === id || normalized(name) === normalized(text);
}

/** Asking back, or calling the user, puts off. */
export function defers({ type }: Pick<Message, "type">): boolean {
  return type === "CLARIFY" || type === "ESCALATE";
}

/** Settles what a message answers and notes what it asks of the other side. */
export function trackObligations(state: DialogueState, sent: SentFields): DialogueState {
  const { from, type } = sent.message;
  const isOwnTask = ({ code, by }: Obligation) => code === "task" && by === from;
  const reported = type === "TASK_RESULT" ? state.obligations.find(isOwnTask) : undefined;
  const isOpen = (it: Obligation) => it !== reported && !isOver(state, sent, it);
  return {
    ...state,
    obligations: inOrder([...state.obligations.filter(isOpen), ...madeBy(state, sent)]),
    synthesis: synthesisAfter(state, sent),
    progressInRound: state.progressInRound || acceptsOffer(state, sent),
    sides: { ...state.sides, [from]: selfCheckAfter(sideOf(state, from), sent) },
  };
}

function isOver(state: DialogueState, { message, origin }: SentFields, it: Obligation): boolean {
  if (settles(message, message.from, it)) return true;
  const isOwn = it.by === message.from;
  const isOwnByHand = isOwn && origin === "inbox";
  switch (it.code) {
    case "answer":
      // A colleague by hand answers in its text; nothing says which part answers what.
      return isOwnByHand && !defers(message);
    case "aside":
      return isOwn && message.question_or_proposal.type === "clarification_response";
    case "check":
    case "look": {
      const claim = state.claims.find(({ id }) => id === it.id);
      return claim?.withdrawn !== "" || (isOwnByHand && message.type === "AGREE");
    }
    default:
      return false;
  }
}

/** Questions, tasks, questions in running text, claims, and disputed facts. */
function madeBy(state: DialogueState, { message, seq, origin }: SentFields): Obligation[] {
  const { type, from, to, question_or_proposal, claims = [] } = message;
  const { content, specific_questions: asked = [] } = question_or_proposal;
  const one = (code: Obligation["code"], id: string, text: string): Obligation => ({
    ...{ code, id, by: to, text },
  });
  // What the other side has seen already it need not look at again.
  const seen = state.claims.filter((it) => seenBy(it).includes(to)).map(({ id }) => id);
  const checks = claims.flatMap(({ text = "", check = "", withdrawn }, at): Obligation[] => {
    const it = { ...one("check", `C${seq}.${at + 1}`, text), check };
    return withdrawn === undefined && !seen.includes(it.id) ? [it] : [];
  });
  // Who disputes and who asserts a fact, as far as they run scripts, where no record is named.
  const lookers = [
    ...(origin === "inbox" ? [] : [from]),
    ...(sideOf(state, to).byHand ? [] : [to]),
  ];
  const facts = state.claims.filter(
    (it) => it.id.startsWith(`F${seq}.`) && it.withdrawn === "" && it.records.length === 0,
  );
  const task = content.slice(0, limits.itemCharacters);
  return [
    ...asked.map((text, at) => one("answer", `Q${seq}.${at + 1}`, text)),
    ...(type === "TASK_ASSIGN" ? [one("task", `T${seq}`, task)] : []),
    ...asidesIn(message).map((text, at) => one("aside", `P${seq}.${at + 1}`, text)),
    ...checks,
    ...facts.flatMap(({ id, text }) => lookers.map((by) => ({ ...one("look", id, text), by }))),
  ];
}

const asidesMax = 6;

/** Questions in running text, which no list holds. */
function asidesIn({ type, question_or_proposal }: Message): string[] {
  if (type === "REQUEST" || type === "ESCALATE" || type === "CONSENSUS") return [];
  const listed = (question_or_proposal.specific_questions ?? []).map(normalized);
  return ownSentences(question_or_proposal.content)
    .filter(asksIn)
    .filter((it) => !listed.some((known) => known.includes(normalized(it))))
    .slice(0, asidesMax)
    .map((text) => text.slice(0, limits.summaryCharacters).toWellFormed());
}

/**
 * Synthesis (seed 003): a divergence obliges the other side to one; an offered synthesis that the
 * reply does not accept but diverges from has failed; an acceptance starts the count again.
 */
function synthesisAfter(state: DialogueState, sent: SentFields): DialogueState["synthesis"] {
  const { message, assessment, origin, seq } = sent;
  const { synthesis } = state;
  const { from, to } = message;
  const { objects, competes = false, disputes } = assessment;
  const offered = openSynthesis(state, from);
  // What was written before it was read is no answer to it.
  const answersOffer = offered !== undefined && (message.reply_to ?? offered.seq) >= offered.seq;
  const rejects = answersOffer && (objects || competes);
  const accepts = acceptsOffer(state, sent);
  const formal = !objects && assessment.progress.some((key) => key.startsWith("accepted:"));
  const failed = accepts || formal ? 0 : synthesis.failed + (rejects ? 1 : 0);
  if (message.synthesis !== undefined) return { failed, offeredBy: from, owedBy: "" };
  // Who takes another position takes the offer back.
  const isLeft = synthesis.offeredBy === from && sideOf(state, from).held.seq === seq;
  const offeredBy = rejects || accepts || isLeft ? "" : synthesis.offeredBy;
  // Positions say where two differ; of a letter by hand, the words do.
  const isByWords = origin === "inbox" || sideOf(state, to).byHand;
  if (competes || (isByWords && objects)) {
    if (disputes === "refuted") return { failed, offeredBy, owedBy: "" };
    const facts = disputes === "facts" ? factsOnly(state, message) : undefined;
    return { failed, offeredBy, owedBy: to, ...defined({ facts }) };
  }
  const isMet = synthesis.owedBy === from && !defers(message);
  // Who diverged and then accepts has ended the divergence itself.
  const isVoid = synthesis.owedBy === to && assessment.accepts;
  return isMet || isVoid ? { failed, offeredBy, owedBy: "" } : { ...synthesis, failed, offeredBy };
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
