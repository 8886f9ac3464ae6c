import { inline } from "../base/json.ts";
import { hasWord } from "../base/visible-text.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { defaultConfig, type Rules } from "../protocol/config.ts";
import type { SentFields } from "./event.ts";
import { type Mark, standingClaims, type Trust, withMark } from "./evidence-state.ts";
import type { Message } from "./message.ts";
import { openLine } from "./obligation-words.ts";
import { asksIn, hashOf, normalized } from "./prose.ts";
import { type DialogueState, goalOf, hasEnded, sideOf } from "./state.ts";

/** All that a script noticed, with what nobody has answered until now. */
export function marksOf(state: DialogueState): Mark[] {
  const { trust } = state;
  const asides = state.obligations.filter(({ code }) => code === "aside");
  const open = asides.flatMap((aside): Mark[] => {
    const { by, id } = aside;
    const seq = Number(/^P(\d+)\./.exec(id)?.[1] ?? 0);
    // A participant that has written nothing since may yet answer.
    if (!hasEnded(state) && seq > sideOf(state, by).lastDraft.seq) return [];
    return [{ code: "unanswered_prose", by, seq, text: openLine(aside) }];
  });
  return [...trust.marks, ...open, ...hollowClaims(trust), ...vendorMark(state)];
}

/** That lines are there shows nothing of what they say. */
function hollowClaims(trust: Trust): Mark[] {
  return standingClaims(trust).flatMap(({ id, by, spec, expect, records }) => {
    const parsed = parseCheckSpec(spec);
    const isHollow = expect === "" && !("fault" in parsed) && parsed.kind === "lines";
    if (!isHollow || !records.some(({ met }) => met)) return [];
    const seq = Number(/^[CF](\d+)\./.exec(id)?.[1] ?? 0);
    const text = `${id} of ${by} expects no words of its lines: compare them with what it says`;
    return [{ code: "expects_nothing", by, seq, text }];
  });
}

/** A lower threshold than the default lets in agreements that are less sure. */
export function thresholdMark(trust: Trust, rules: Rules): Trust {
  const { consensus_confidence_threshold: threshold } = rules;
  const usual = defaultConfig.consensus_confidence_threshold;
  if (threshold >= usual) return trust;
  const text = `the threshold of confidence was ${threshold}, the default is ${usual}`;
  return withMark(trust, { code: "threshold_low", by: "", seq: 1, text });
}

/** Shorter texts are alike by chance. */
const tellingCharacters = 20;

/** What only a script can notice in a message. */
export function judgedMarks(state: DialogueState, sent: SentFields): Trust {
  const { message, origin, seq } = sent;
  const { from: by, to, question_or_proposal } = message;
  const { content } = question_or_proposal;
  const found: Mark[] = [];
  const add = (code: Mark["code"], text: string) => found.push({ code, by, seq, text });
  if (origin === "inbox") add("by_hand", `${by} wrote by hand`);
  const words = normalized(content);
  const isCopy = words.length >= tellingCharacters && hashOf(words) === sideOf(state, to).saidHash;
  // AGREE takes over what the other said: it may well say it in the same words.
  if (isCopy && message.type !== "AGREE")
    add("identical_texts", `identical texts: ${by} sent the very words of ${to}`);
  const isEcho = [content, message.position ?? ""].some((it) => repeats(it, state.goal));
  if (message.type !== "REQUEST" && isEcho)
    add("answer_is_question", `the answer of ${by} is equal to the question`);
  for (const { question: asked = "", answer = "" } of message.answers ?? []) {
    const known = state.obligations.find(({ id }) => id === asked)?.text ?? asked;
    if (repeats(answer, known))
      add("answer_is_question", `the answer of ${by} to ${asked} is equal to its question`);
    if (!hasWord(answer))
      add("no_answer", `no answer of ${by} to ${inline(known, 60)}: ${inline(answer)}`);
  }
  for (const { ids, answer } of repeatedAnswers(message))
    add(
      "same_answer",
      `${by} gave one answer to the questions ${ids.join(" and ")}: ${inline(answer)}`,
    );
  if (origin === "script" && isReworded(state, message))
    add(
      "question_reworded",
      `${by} put the question in other words: ${inline(message.context?.user_instructions ?? "")}`,
    );
  return found.reduce(withMark, state.trust);
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

/** Answers in the same words to more than one question. */
function repeatedAnswers({ answers = [] }: Message): { ids: string[]; answer: string }[] {
  const byWords = new Map<string, { ids: string[]; answer: string }>();
  for (const { question = "", answer = "" } of answers) {
    const words = normalized(answer);
    const { ids } = byWords.get(words) ?? { ids: [] };
    byWords.set(words, { ids: [...ids, question], answer });
  }
  return [...byWords].flatMap(([words, same]) =>
    same.ids.length > 1 && words.length >= tellingCharacters ? [same] : [],
  );
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

function vendorOf(name: string): string | undefined {
  const lower = name.toLowerCase();
  return vendors.find(([, names]) => names.test(lower))?.[0];
}

/**
 * Models of one vendor err together: two of them count for little more than one. What a side named as
 * its model in `meta` counts before its own name.
 */
function vendorMark({ participants, trust }: DialogueState): Mark[] {
  const models = participants.map(
    (name) => trust.models.find(({ by }) => by === name)?.model ?? name,
  );
  const [one, other] = models.map(vendorOf);
  if (one === undefined || one !== other) return [];
  const text = `the same vendor on both sides: ${one} runs both (${models.join(" and ")})`;
  return [{ code: "same_vendor", by: "", seq: 1, text }];
}
