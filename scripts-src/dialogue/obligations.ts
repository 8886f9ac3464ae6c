import { inline, type JsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { defined } from "../base/omit-undefined.ts";
import { singleLine } from "../base/visible-text.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { doubtedClaims, saidOf } from "./audit.ts";
import { evidenceId, isFactId, newestOf, recordOfFact, seenBy, waysToLook } from "./claims.ts";
import type { SentFields } from "./event.ts";
import { blank, type CheckedDraft, type Message } from "./message.ts";
import { openSynthesis } from "./positions.ts";
import { holdsText, normalized, questionsIn } from "./prose.ts";
import {
  type Claim,
  type DialogueState,
  type Obligation,
  type ObligationCode,
  obligationCodes,
  otherThan,
  type Side,
  sideOf,
} from "./state.ts";

interface Wording {
  /** The field of a message that meets it; of facts alone a look does as well. */
  readonly field:
    | ("answers" | "checks" | "kept" | "objections" | "self_check" | "synthesis")
    | "type";
  /** What is rejected until it is met: every message, AGREE alone, or none. */
  readonly blocks: "message" | "agreement" | "nothing";
  /** To the side that has it, before what it is about. */
  readonly due: string;
  /** To anybody else, after the name of that side. */
  readonly open: string;
  /** How to meet it, where a message is rejected. */
  readonly way?: string;
}

/** All that is said of an obligation, wherever it is said. */
export const wordings: Record<ObligationCode, Wording> = {
  answer: {
    ...{ field: "answers", blocks: "message", due: "unanswered:" },
    open: "has not answered",
  },
  synthesis: {
    ...{ field: "synthesis", blocks: "message" },
    due: "the positions differ: synthesis (one point of each side, equal to neither), or AGREE",
    open: "has offered no synthesis",
  },
  facts: {
    ...{ field: "synthesis", blocks: "message" },
    due: "the positions differ: a look by a script, in checks, or AGREE:",
    open: "has neither offered a synthesis nor looked at",
  },
  offer: {
    ...{ field: "objections", blocks: "message" },
    due: "answer the synthesis that is offered, by objections or by AGREE with accepts:",
    open: "has not answered the synthesis of message",
  },
  self_check: {
    ...{ field: "self_check", blocks: "message" },
    due: 'three rounds of nothing but objections: "am I defending a position or looking for the truth?"',
    open: "has not checked itself",
  },
  task: {
    ...{ field: "type", blocks: "message", due: "report on task" },
    open: "has not reported on task",
    way: "send type TASK_RESULT",
  },
  check: {
    ...{ field: "checks", blocks: "agreement", due: "check before AGREE:" },
    open: "has not re-checked",
    way: "run check --claim ID, or say not_run with a reason",
  },
  look: {
    ...{ field: "checks", blocks: "agreement", due: "look at the disputed fact before AGREE:" },
    open: "has not looked at the disputed fact",
    way: `run ${waysToLook}, or say not_run with a reason, or withdraw it`,
  },
  doubt: {
    ...{
      field: "kept",
      blocks: "agreement",
      due: "not shown, says the auditor that saw only the evidence (for kept, or withdrawn):",
    },
    open: "has not answered the auditor on",
    way: "keep it with a reason (it counts as assumed), withdraw it if it is yours, or send EVALUATE",
  },
  aside: {
    ...{ field: "answers", blocks: "nothing", due: "asked in running text, for answers:" },
    open: "answered nothing to",
  },
};

/** All that a side has to do, in the order of the codes. */
export function obligationsOf(state: DialogueState, by: string): Obligation[] {
  const { owedBy, facts = [] } = state.synthesis;
  const offered = openSynthesis(state, by)?.seq ?? 0;
  const one = (code: ObligationCode, id = ""): Obligation => ({ code, id, by, text: "" });
  const ofBoth = facts.length === 0 ? [one("synthesis")] : facts.map((id) => one("facts", id));
  return inOrder([
    ...state.obligations.filter((it) => it.by === by),
    ...(owedBy === by ? ofBoth : []),
    ...(offered > 0 ? [one("offer", `${offered}`)] : []),
    ...(sideOf(state, by).owesSelfCheck ? [one("self_check")] : []),
    ...doubtedClaims(state).map((it) => ({
      ...one("doubt", it.id),
      text: saidOf(state, it)?.why ?? "",
    })),
  ]);
}

/** Of each code the newest: two sealed messages may bring as many as two messages hold. */
function inOrder(obligations: readonly Obligation[]): Obligation[] {
  return obligationCodes.flatMap((code) =>
    obligations.filter((it) => it.code === code).slice(-2 * limits.listItems),
  );
}

export function answersTo(name: string, { id, text }: Obligation): boolean {
  return name === id || normalized(name) === normalized(text);
}

/** Asking back, or calling the user, puts off. */
export function defers({ type }: Pick<Message, "type">): boolean {
  return type === "CLARIFY" || type === "ESCALATE";
}

/** Whether a message of a side settles what was asked or claimed; a colleague by hand answers in its text. */
export function settles(
  { claims }: DialogueState,
  message: CheckedDraft,
  by: string,
  byHand: boolean,
  it: Obligation,
): boolean {
  const { type, answers = [], checks = [], withdrawn = [], kept = [], resolved = [] } = message;
  const isOwn = it.by === by;
  switch (it.code) {
    case "answer":
      if (isOwn && byHand && !defers(message)) return true;
      return isOwn && answers.some(({ question }) => answersTo(question, it));
    case "aside":
      if (isOwn && message.question_or_proposal.type === "clarification_response") return true;
      return isOwn && answers.some(({ question }) => answersTo(question, it));
    case "doubt":
      return [...kept, ...withdrawn].some(({ claim }) => claim === it.id);
    case "check":
    case "look": {
      if (claims.find(({ id }) => id === it.id)?.withdrawn !== "") return true;
      if (isOwn && byHand && type === "AGREE") return true;
      const said = checks.filter(({ claim }) => claim === it.id);
      if (isOwn && said.length > 0) return true;
      if (it.code === "check") return false;
      // The look of one is enough, and who gives up its dispute owes none.
      const points = resolved.map(({ point }) => point);
      const gives = withdrawn.some(({ claim }) => claim === it.id) || holdsText(points, it.text);
      return said.some(({ outcome }) => outcome !== "not_run") || (isOwn && gives);
    }
    default:
      return false;
  }
}

/** Settles what a message answers and notes what it asks of the other side. */
export function trackObligations(state: DialogueState, sent: SentFields): DialogueState {
  const { message, origin } = sent;
  const { from, type } = message;
  const isOwnTask = ({ code, by }: Obligation) => code === "task" && by === from;
  const reported = type === "TASK_RESULT" ? state.obligations.find(isOwnTask) : undefined;
  const isOpen = (it: Obligation) =>
    it !== reported && !settles(state, message, from, origin === "inbox", it);
  return {
    ...state,
    obligations: inOrder([...state.obligations.filter(isOpen), ...madeBy(state, sent)]),
    synthesis: synthesisAfter(state, sent),
    progressInRound: state.progressInRound || acceptsOffer(state, sent),
    sides: { ...state.sides, [from]: selfCheckAfter(sideOf(state, from), sent) },
  };
}

const asidesMax = 6;

/** Questions, tasks, questions in running text, claims, and disputed facts. */
function madeBy(state: DialogueState, { message, seq, origin }: SentFields): Obligation[] {
  const { type, from, to, question_or_proposal, claims = [] } = message;
  const { content, specific_questions: asked = [] } = question_or_proposal;
  const one = (code: ObligationCode, id: string, text: string, by = to) => ({ code, id, by, text });
  const asksAside = !["REQUEST", "ESCALATE", "CONSENSUS"].includes(type);
  // Questions that no list holds.
  const asides = (asksAside ? questionsIn(content) : [])
    .filter((it) => !asked.some((known) => normalized(known).includes(normalized(it))))
    .slice(0, asidesMax);
  // What the other side has seen already it need not look at again.
  const seen = state.claims.filter((it) => seenBy(it).includes(to)).map(({ id }) => id);
  const checks = claims.flatMap(({ text, check, withdrawn }, at) => {
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
    ...asides.map((text, at) =>
      one("aside", `P${seq}.${at + 1}`, text.slice(0, limits.summaryCharacters).toWellFormed()),
    ),
    ...checks,
    ...facts.flatMap(({ id, text }) => lookers.map((by) => one("look", id, text, by))),
  ];
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

/** The ids of the facts that a message disputes; undefined where it disputes a claim with a check of its own. */
function factsOnly({ claims }: DialogueState, { objections = [] }: Message): string[] | undefined {
  const points = objections.map(({ point }) => point);
  const facts = claims.filter(
    ({ id, text, withdrawn }) => isFactId(id) && withdrawn === "" && holdsText(points, text),
  );
  return facts.length < objections.length ? undefined : facts.map(({ id }) => id);
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

/** What a side has to do, one line for each kind; `withWay` says how as well. */
export function dueLines(own: readonly Obligation[], withWay = false): string[] {
  return groupsOf(own).map(([code, list]) => {
    const { due, way } = wordings[code];
    const items = listFirst(list, itemText, (rest) => `and ${restText(rest)}`);
    const line = [due, items.join(", ")].join(" ").trim();
    return withWay && way !== undefined ? `${line}; ${way}` : line;
  });
}

/** The same for anybody else: what keeps the sides from an agreement, one line for each. */
export function openLines(state: DialogueState): string[] {
  return state.participants.flatMap((by) => {
    const open = obligationsOf(state, by).filter(({ code }) => wordings[code].blocks !== "nothing");
    return groupsOf(open).flatMap(([code, list]) =>
      listFirst(list, openLine, (rest) => `${by} ${wordings[code].open} ${restText(rest)}`),
    );
  });
}

export function openLine({ code, by, id, text }: Obligation): string {
  const what = text === "" ? id : `${id}: ${inline(text)}`;
  return `${by} ${wordings[code].open} ${what}`.trim();
}

function itemText({ id, text, check }: Obligation): string {
  const words = text === "" ? "" : inline(text);
  return [id, words, check ? `by ${inline(check)}` : ""].filter((it) => it !== "").join(" ");
}

/** Each id says which message it is from: C2.13 is claim 13 of message 2. */
function restText(rest: readonly Obligation[]): string {
  return `${rest.length} more: ${idsShort(rest)} (whole messages: .consulta/archive)`;
}

function groupsOf(list: readonly Obligation[]): [ObligationCode, Obligation[]][] {
  const codes = [...new Set(list.map(({ code }) => code))];
  return codes.map((code) => [code, list.filter((it) => it.code === code)]);
}

/** One line for each of the first points, and one for all others together. */
export function listFirst<Point>(
  points: readonly Point[],
  lineOf: (point: Point) => string,
  moreOf: (rest: readonly Point[]) => string,
): string[] {
  const rest = points.slice(limits.pointsShown);
  const lines = points.slice(0, limits.pointsShown).map(lineOf);
  return rest.length === 0 ? lines : [...lines, moreOf(rest)];
}

/** Ids in few words: `Q2.1 to Q2.200, Q4.1`; their words are in the messages of these numbers. */
export function idsShort(points: readonly { id: string }[]): string {
  const runs: { first: string; last: string }[] = [];
  for (const { id } of points) {
    const run = runs.at(-1);
    if (run !== undefined && id === run.last.replace(/\d+$/, (at) => `${Number(at) + 1}`))
      run.last = id;
    else runs.push({ first: id, last: id });
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first} to ${last}`)).join(", ");
}

/** Fields, and the claims to look at before; "" for any look of a side's own. */
interface Wanted {
  readonly fields: JsonObject;
  readonly toCheck: readonly string[];
}

/** What meets obligations of one code, of a long list its beginning. */
export function wantedFor(state: DialogueState, own: readonly Obligation[]): Wanted {
  const [first] = own;
  if (first === undefined) return { fields: {}, toCheck: [] };
  const list = own.slice(0, limits.pointsShown);
  const alone = (fields: JsonObject): Wanted => ({ fields, toCheck: [] });
  switch (wordings[first.code].field) {
    case "checks":
      return checksFor(state, first.by, list);
    case "answers":
      return alone({ answers: list.map(({ id }) => ({ question: id, answer: blank.answer })) });
    case "kept": {
      // Where only what is seen counts, keeping it helps nobody.
      const isOwn = (id: string) => state.claims.find((it) => it.id === id)?.by === first.by;
      const field = state.requireSeen && list.every(({ id }) => isOwn(id)) ? "withdrawn" : "kept";
      return alone({ [field]: list.map(({ id }) => ({ claim: id, because: blank.because })) });
    }
    case "objections":
      return alone(objection);
    case "self_check":
      return alone({ self_check: blank.answer });
    case "synthesis":
      return alone({ synthesis: bridge(state, first.by) });
    case "type":
      return alone({});
  }
}

/** An honest objection: what is right in it first. */
export const objection: JsonObject = {
  acknowledged: [blank.strong],
  objections: [{ point: blank.point, because: blank.because, about: blank.about }],
};

/** The beginning of a synthesis: both positions in few words, with a place for what stays of each. */
function bridge(state: DialogueState, participant: string): string {
  const max = limits.positionCharacters;
  const parts = [participant, otherThan(state, participant)].map((name) => {
    const { held, position } = sideOf(state, name);
    // Of a synthesis that it offered, what it held first; by hand, what it said.
    const first = state.firsts.find(({ by }) => by === name)?.position ?? "";
    const short = (held.position.length <= max && held.position) || first || position;
    return `From '${singleLine(short).slice(0, max)}': ${blank.kept}.`;
  });
  return parts.join(" ");
}

/**
 * What a side can say of claims that it has not settled. Lines and searches it has to look at first, and a
 * disputed fact; a command needs the user's leave, so that there is a place for what kept it.
 */
function checksFor(state: DialogueState, by: string, unchecked: readonly { id: string }[]): Wanted {
  const claims = state.claims.filter((claim) => unchecked.some(({ id }) => id === claim.id));
  const unseen = unseenIn(by, claims);
  const isUnlooked = (it: Claim) => isFactId(it.id) && recordOfFact(state, by, it) === undefined;
  const fields: Record<string, JsonObject[]> = {};
  for (const claim of claims.filter(({ id }) => !unseen.includes(id))) {
    const { field, entry } = checkOf(state, by, claim);
    fields[field] = [...(fields[field] ?? []), entry];
  }
  return { fields, toCheck: [...unseen, ...(claims.some(isUnlooked) ? [""] : [])] };
}

function checkOf(state: DialogueState, by: string, claim: Claim) {
  const { id } = claim;
  const isFact = isFactId(id);
  const isOwn = claim.by === by;
  const own = isFact ? recordOfFact(state, by, claim) : newestOf(claim, by);
  // Who finds its own fact refuted takes it back.
  if (own !== undefined && isOwn && !own.met)
    return { field: "withdrawn", entry: { claim: id, because: blank.because } };
  const seen = own && { outcome: own.met ? "holds" : "fails", evidence: evidenceId(own) };
  const unseen = isFact
    ? { outcome: isOwn ? blank.ownFact : blank.fact, reason: blank.shows }
    : { outcome: blank.outcome, reason: blank.notRun };
  return { field: "checks", entry: { claim: id, ...(seen ?? unseen) } };
}

/** Claims on lines and searches that a side has no record of: nobody needs leave to read. */
export function unseenIn(by: string, claims: readonly Claim[]): string[] {
  const unseen = claims.filter((claim) => {
    const spec = parseCheckSpec(claim.spec);
    return !("fault" in spec) && spec.kind !== "run" && newestOf(claim, by) === undefined;
  });
  return unseen.map(({ id }) => id);
}
