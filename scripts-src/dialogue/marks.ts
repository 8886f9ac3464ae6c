import { inline } from "../base/json.ts";
import { hasWord } from "../base/visible-text.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { defaultConfig } from "../protocol/config.ts";
import { seenBy, validClaims } from "./claims.ts";
import type { SentFields } from "./event.ts";
import type { Message } from "./message.ts";
import { openLine } from "./obligation-words.ts";
import { asksIn, hashOf, normalized } from "./prose.ts";
import { type DialogueState, goalOf, hasEnded, type Mark, sideOf, withMark } from "./state.ts";

/** All that a script noticed, with what nobody has answered until now. */
export function marksOf(state: DialogueState): Mark[] {
  const asides = state.obligations.filter(({ code }) => code === "aside");
  const open = asides.flatMap((aside): Mark[] => {
    const { by, id } = aside;
    const seq = seqIn(id);
    // A participant that has written nothing since may yet answer.
    if (!hasEnded(state) && seq > sideOf(state, by).lastDraft.seq) return [];
    return [{ code: "unanswered_prose", by, seq, text: openLine(aside) }];
  });
  return [...state.marks, ...open, ...hollowClaims(state), ...vendorMark(state)];
}

/** Of `P12.1` the 12. */
function seqIn(id: string): number {
  return Number.parseInt(id.slice(1), 10);
}

/** That lines are there shows nothing of what they say. */
function hollowClaims(state: DialogueState): Mark[] {
  return validClaims(state).flatMap((claim) => {
    const { id, by, spec, expect } = claim;
    const parsed = parseCheckSpec(spec);
    const isHollow = expect === "" && !("fault" in parsed) && parsed.kind === "lines";
    if (!isHollow || seenBy(claim).length === 0) return [];
    const text = `${id} of ${by} expects no words of its lines: compare them with what it says`;
    return [{ code: "expects_nothing", by, seq: seqIn(id), text }];
  });
}

/** A lower threshold than the default lets in agreements that are less sure. */
export function thresholdMark(state: DialogueState): DialogueState {
  const { consensus_confidence_threshold: threshold } = state.rules;
  const { consensus_confidence_threshold: usual } = defaultConfig;
  if (threshold >= usual) return state;
  const text = `the threshold of confidence was ${threshold}, the default is ${usual}`;
  return withMark(state, { code: "threshold_low", by: "", seq: 1, text });
}

/** Shorter texts are alike by chance. */
const tellingCharacters = 20;

/** What only a script can notice in a message. */
export function withMessageMarks(state: DialogueState, sent: SentFields): DialogueState {
  const { message, origin, seq } = sent;
  const { from: by, to, type, position = "" } = message;
  const { content } = message.question_or_proposal;
  const words = normalized(content);
  const isCopy = words.length >= tellingCharacters && hashOf(words) === sideOf(state, to).saidHash;
  const isEcho = repeats(content, state.goal) || repeats(position, state.goal);
  const user = inline(message.context?.user_instructions ?? "");
  const found: [isSo: boolean, code: Mark["code"], text: string][] = [
    [origin === "inbox", "by_hand", `${by} wrote by hand`],
    // AGREE takes over what the other said: it may well say it in the same words.
    [
      isCopy && type !== "AGREE",
      "identical_texts",
      `identical texts: ${by} sent the very words of ${to}`,
    ],
    [
      isEcho && type !== "REQUEST",
      "answer_is_question",
      `the answer of ${by} is equal to the question`,
    ],
    ...answerMarks(state, message),
    [
      origin === "script" && isReworded(state, message),
      "question_reworded",
      `${by} put the question in other words: ${user}`,
    ],
  ];
  return found.reduce(
    (next, [isSo, code, text]) => (isSo ? withMark(next, { code, by, seq, text }) : next),
    state,
  );
}

function answerMarks(
  state: DialogueState,
  { from: by, answers = [] }: Message,
): [isSo: boolean, code: Mark["code"], text: string][] {
  const texts = new Set(answers.map(({ answer = "" }) => normalized(answer)));
  return [
    ...answers.flatMap(({ question = "", answer = "" }): ReturnType<typeof answerMarks> => {
      const asked = state.obligations.find(({ id }) => id === question)?.text ?? question;
      const equal = `the answer of ${by} to ${question} is equal to its question`;
      const none = `no answer of ${by} to ${inline(asked, 60)}: ${inline(answer)}`;
      return [
        [repeats(answer, asked), "answer_is_question", equal],
        [!hasWord(answer), "no_answer", none],
      ];
    }),
    ...[...texts].map((words): ReturnType<typeof answerMarks>[number] => {
      const same = answers.filter(({ answer = "" }) => normalized(answer) === words);
      const ids = same.map(({ question = "" }) => question).join(" and ");
      const answer = inline(same.at(-1)?.answer ?? "");
      const isTelling = same.length > 1 && words.length >= tellingCharacters;
      return [isTelling, "same_answer", `${by} gave one answer to the questions ${ids}: ${answer}`];
    }),
  ];
}

/** Whether an answer is its question: the same words as a statement say yes. */
function repeats(answer: string, question: string): boolean {
  const words = normalized(answer);
  if (words === "" || words !== normalized(question)) return false;
  return asksIn(answer) || !asksIn(question);
}

/** What the scripts fill in says what the question is; a participant that writes something else has changed it. */
function isReworded(state: DialogueState, { context, type }: Message): boolean {
  const told = normalized(context?.user_instructions ?? "");
  if (type === "REQUEST" || state.phase === "asking" || told === "") return false;
  return ![goalOf(state), state.wish].some((it) => normalized(it) === told);
}

/** Whose models they are, by the names that people and CLIs give them. */
const vendors: readonly [vendor: string, names: RegExp][] = [
  ["Anthropic", /claude|opus|sonnet|haiku|anthropic/],
  ["Google", /gemini|gemma|google|antigravity/],
  ["OpenAI", /gpt|codex|openai|(?:^|[^a-z])o[1-9](?![a-z0-9])/],
  ["Meta", /llama/],
  ["Mistral", /mistral|devstral|codestral|^vibe/],
  ["Alibaba", /qwen/],
  ["DeepSeek", /deepseek/],
  ["Moonshot", /kimi/],
  ["xAI", /grok/],
];

/**
 * Models of one vendor err together: two of them count for little more than one. What a side named as
 * its model in `meta` counts before its own name.
 */
function vendorMark({ participants, models }: DialogueState): Mark[] {
  const named = participants.map((name) => models.find(({ by }) => by === name)?.model ?? name);
  const [one, other] = named.map(
    (it) => vendors.find(([, names]) => names.test(it.toLowerCase()))?.[0],
  );
  if (one === undefined || one !== other) return [];
  const text = `the same vendor on both sides: ${one} runs both (${named.join(" and ")})`;
  return [{ code: "same_vendor", by: "", seq: 1, text }];
}
