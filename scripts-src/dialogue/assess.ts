import { inline } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import { hasWord } from "../base/visible-text.ts";
import {
  claimNamed,
  factsDisputed,
  failText,
  isFactId,
  newestOf,
  ownRecord,
  progressKey,
  recordsBrought,
} from "./claims.ts";
import type { Assessment, SentFields } from "./event.ts";
import type { CheckedDraft, Message } from "./message.ts";
import { states } from "./phrases.ts";
import { isSamePosition, positionOf, takesIn } from "./positions.ts";
import { asksIn, hashOf, holdsText, names, normalized } from "./prose.ts";
import {
  type DialogueState,
  goalOf,
  type Judgement,
  type Mark,
  openPoints,
  otherThan,
  type SendAttempt,
  sideOf,
  withMark,
} from "./state.ts";

/** What a message does. A letter by hand knows no positions: its words are all there is. */
export function judge(attempt: SendAttempt): Judgement {
  const { draft, foreign } = attempt;
  const objects = (foreign || draft.type !== "AGREE") && objectsIn(attempt);
  const asks = (draft.question_or_proposal.specific_questions ?? []).length > 0;
  const adds = draft.synthesis !== undefined || newAgreements(attempt).length > 0;
  const { accepts, competes, progress, brings } = foreign
    ? judgeWords(attempt, objects || adds)
    : judgePosition(attempt, objects);
  // Who changed a file is not seen: that shows what a message does only where it names one.
  const namesFile = (draft.progress ?? []).some(({ kind }) => kind === "artifact");
  const doesMore = progress.some((key) => namesFile || !key.startsWith("artifact:"));
  const onlyObjects = objects && !doesMore && !asks && !adds && !brings;
  const disputes = disputeOver(attempt);
  const assessment = { progress, objects, onlyObjects, accepts, ...defined({ disputes }) };
  return { ...attempt, assessment: competes ? { ...assessment, competes } : assessment };
}

interface Judged {
  readonly progress: string[];
  readonly accepts: boolean;
  readonly competes: boolean;
  /** It has something of its sender's own to look at. */
  readonly brings: boolean;
}

/** By its position and its fields: no list of words judges what it says. */
function judgePosition(attempt: SendAttempt, objects: boolean): Judged {
  const { draft, state, sender } = attempt;
  const isAgree = draft.type === "AGREE";
  const other = sideOf(state, otherThan(state, sender));
  const own = sideOf(state, sender);
  const position = positionOf(attempt);
  const isSame = isSamePosition(position, other.held.position);
  const hasTwo = position !== "" && other.held.seq > 0;
  // A participant that held it before accepts nothing.
  const accepts = isAgree || (hasTwo && isSame && !isSamePosition(position, own.held.position));
  const points = newAgreements(attempt).filter((point) => names(point, other.said));
  // What the script read for its claims is stored after it, and counts for its round.
  const met = recordsBrought(attempt).filter((it) => it.met);
  return {
    progress: freshKeys(attempt, [
      ...(accepts ? [`accepted:${other.held.seq}`] : []),
      ...points.map((point) => keyOf("accepted", point)),
      ...met.map((it) => progressKey({ ...it, by: sender })),
    ]),
    accepts,
    // What adds to the other's answer, or goes on from it, competes with nothing (seed 003).
    competes: hasTwo && !isAgree && !isSame && (objects || !takesIn(position, other.held.position)),
    brings:
      (draft.claims ?? []).length > 0 ||
      state.evidence.some(({ by, seq }) => by === sender && seq > own.lastDraft.seq),
  };
}

function keyOf(kind: "accepted" | "artifact" | "tool", what: string): string {
  return `${kind}:${hashOf(normalized(what))}`;
}

/** What did not count before; files that changed since they last counted do, declared or not. */
function freshKeys({ state, files }: SendAttempt, keys: readonly string[]): string[] {
  const changed = [...files].flatMap(([path, { sha256 }]) =>
    sha256 === undefined ? [] : [keyOf("artifact", `${path} ${sha256}`)],
  );
  return [...new Set([...keys, ...changed])].filter((key) => !state.counted.includes(key));
}

/**
 * Of a letter by hand: progress by seed 003 is new information from a tool, as a check of a claim, or a formal
 * acceptance.
 */
function judgeWords(attempt: SendAttempt, doesOther: boolean): Judged {
  const { draft, state, sender } = attempt;
  const { said } = sideOf(state, otherThan(state, sender));
  const declared = (draft.progress ?? []).flatMap(({ kind, tool, result, point = "" }) => {
    if (kind === "tool") return [keyOf("tool", `${tool} ${result}`)];
    return kind === "accepted" && names(point, said) ? [keyOf("accepted", point)] : [];
  });
  const progress = freshKeys(attempt, [
    ...declared,
    ...(draft.checks ?? []).map(({ claim, evidence }) => keyOf("tool", `${claim} ${evidence}`)),
    ...newAgreements(attempt).map((point) => keyOf("accepted", point)),
  ]);
  const accepts =
    draft.type === "AGREE" ||
    progress.some((key) => key.startsWith("accepted:")) ||
    states("acceptance", draft.question_or_proposal.content);
  return {
    ...{ progress, accepts, brings: false },
    competes: !doesOther && !accepts && competesIn(attempt),
  };
}

/** Whether it answers the task again and takes nothing of the other side's answer up (seed 003). */
function competesIn({ state, draft, sender }: SendAttempt): boolean {
  // Without turns both write at once, and about several things.
  if (state.phase !== "talking" || state.mode === "parallelo") return false;
  const { content } = draft.question_or_proposal;
  const takesUp = (draft.acknowledged ?? []).length + (draft.answers ?? []).length > 0;
  if (takesUp || states("acknowledgement", content) || states("addition", content)) return false;
  const [one, other] = [content, sideOf(state, otherThan(state, sender)).proposal].map(normalized);
  if (!one || !other || !proposes(draft)) return false;
  // Neither holds the other. Only their authors know when two wordings mean the same: the second AGREEs then.
  return !one.includes(other) && !other.includes(one);
}

/** Whether a message is an answer to the task itself: not a question, a judgement or a clarification. */
export function proposes({ type, question_or_proposal }: CheckedDraft | Message): boolean {
  return type === "RESPONSE" && (question_or_proposal.type ?? "proposal") === "proposal";
}

/** Types whose words are no answer to the other side: questions, and the solution of both. */
const takesNoSide = ["REQUEST", "CLARIFY", "ESCALATE", "CONSENSUS"];

function objectsIn(attempt: SendAttempt): boolean {
  const { draft, foreign } = attempt;
  const { type, objections = [], checks = [], question_or_proposal } = draft;
  if (type === "COUNTER_PROPOSE" || objections.length > 0) return true;
  if (newDisagreements(attempt).length > 0) return true;
  if (checks.some((check) => check.outcome === "fails")) return true;
  const isAnswer = foreign && !takesNoSide.includes(type);
  return isAnswer && states("disagreement", question_or_proposal.content);
}

export function newAgreements({ state, draft }: SendAttempt): string[] {
  return (draft.agreements_so_far ?? []).filter((point) => !holdsText(state.agreements, point));
}

/** Disputed points that a message settles: by a reason, a newer check, or by taking back the claim. */
export function settledPoints({ state, draft, sender }: Judgement): string[] {
  const { resolved = [], checks = [], withdrawn = [] } = draft;
  // That its author has looked as well settles no dispute.
  const own = state.claims.filter(({ by }) => by === sender).map(({ id }) => id);
  const holds = checks.filter(({ claim, outcome }) => outcome === "holds" && !own.includes(claim));
  return [...resolved.map(({ point }) => point), ...[...holds, ...withdrawn].map(failText)];
}

export function newDisagreements({ state, draft, foreign }: SendAttempt): string[] {
  // A letter by hand carries on the list of ours, which has the points of objections as well.
  const points = foreign ? openPoints(state) : state.disagreements.map(({ point }) => point);
  return (draft.disagreements_pending ?? []).filter((point) => !holdsText(points, point));
}

/**
 * Whether a message disputes facts and nothing else: "refuted" where a script of its sender has refuted each of
 * them, which then owe no synthesis.
 */
function disputeOver({ state, draft, sender }: SendAttempt): Assessment["disputes"] {
  const { type, objections = [], checks = [], disagreements_pending: pending = [] } = draft;
  const fails = checks.filter(({ outcome }) => outcome === "fails");
  const disputed = factsDisputed(draft);
  const isOther = type === "COUNTER_PROPOSE" || disputed.length < objections.length;
  if (isOther || disputed.length + fails.length === 0) return undefined;
  const points = [...disputed.map(({ point = "" }) => point), ...fails.map(failText)];
  const open = [...state.disagreements.map(({ point }) => point), ...pending];
  if (!open.every((point) => holdsText(points, point))) return undefined;
  const refutes = (id: string) => {
    const claim = state.claims.find((it) => it.id === id);
    return claim !== undefined && newestOf(claim, sender)?.met === false;
  };
  const isShown = disputed.every(
    ({ point = "", evidence }) =>
      ownRecord(state, sender, evidence) !== undefined ||
      refutes(claimNamed(state, point)?.id ?? ""),
  );
  // That lines are there and do not show it is judgement: a script refutes what it did not find.
  const isRefuted = isShown && fails.every(({ claim = "" }) => isFactId(claim) || refutes(claim));
  return isRefuted ? "refuted" : "facts";
}

/** Shorter texts are alike by chance. */
const tellingCharacters = 20;

/** What only a script can notice in a message. */
export function withMessageMarks(state: DialogueState, sent: SentFields): DialogueState {
  const { message, origin, seq } = sent;
  const { from: by, to, type, position = "", answers = [] } = message;
  const { content } = message.question_or_proposal;
  const words = normalized(content);
  const isAnswer = type !== "REQUEST";
  // AGREE takes over what the other said: it may well say it in the same words.
  const isCopy =
    type !== "AGREE" &&
    words.length >= tellingCharacters &&
    hashOf(words) === sideOf(state, to).saidHash;
  // What the scripts fill in says what the question is; who writes something else has changed it.
  const told = message.context?.user_instructions ?? "";
  const isReworded = !holdsText([goalOf(state), state.wish, ""], told);
  const isOurs = origin === "script" && state.phase !== "asking";
  const isEcho = repeats(content, state.goal) || repeats(position, state.goal);
  const found: [isSo: boolean, code: Mark["code"], text: string][] = [
    [origin === "inbox", "by_hand", `${by} wrote by hand`],
    [isCopy, "identical_texts", `identical texts: ${by} sent the very words of ${to}`],
    [isAnswer && isEcho, "answer_is_question", `the answer of ${by} is equal to the question`],
    [
      isAnswer && isOurs && isReworded,
      "question_reworded",
      `${by} put the question in other words: ${inline(told)}`,
    ],
  ];
  for (const { question, answer } of answers) {
    const asked = state.obligations.find(({ id }) => id === question)?.text ?? question;
    const same = answers.filter((it) => normalized(it.answer) === normalized(answer));
    const isSame = same.length > 1 && normalized(answer).length >= tellingCharacters;
    const ids = same.map((it) => it.question).join(" and ");
    const echo = `the answer of ${by} to ${question} is equal to its question`;
    const none = `no answer of ${by} to ${inline(asked, 60)}: ${inline(answer)}`;
    const one = `${by} gave one answer to the questions ${ids}: ${inline(answer)}`;
    found.push([repeats(answer, asked), "answer_is_question", echo]);
    found.push([!hasWord(answer), "no_answer", none], [isSame, "same_answer", one]);
  }
  return found.reduce(
    (next, [isSo, code, text]) => (isSo ? withMark(next, { code, by, seq, text }) : next),
    state,
  );
}

/** Whether an answer is its question: the same words as a statement say yes. */
function repeats(answer: string, question: string): boolean {
  const words = normalized(answer);
  if (words === "" || words !== normalized(question)) return false;
  return asksIn(answer) || !asksIn(question);
}
