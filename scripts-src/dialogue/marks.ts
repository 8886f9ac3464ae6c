import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { parseCheckSpec } from "../protocol/check-spec.ts";
import { defaultConfig, type Rules } from "../protocol/config.ts";
import type { Sent } from "./event.ts";
import type { Message } from "./message.ts";
import { hashOf, normalized, ownSentences } from "./prose.ts";
import { type DialogueState, hasEnded, sideOf } from "./state.ts";
import { type Mark, standingClaims, type Trust, withMark } from "./trust.ts";

/** All that a script noticed, with what nobody has answered until now. */
export function marksOf(state: DialogueState): Mark[] {
  const { trust } = state;
  const open = trust.asides.flatMap(({ by, from, id, text: question }): Mark[] => {
    const seq = Number(/^P(\d+)\./.exec(id)?.[1] ?? 0);
    // Whoever has written nothing since may yet answer.
    if (!hasEnded(state) && seq > sideOf(state, by).lastDraft.seq) return [];
    const text = `${by} answered nothing to ${from}: ${inline(question)}`;
    return [{ code: "unanswered_prose", by, seq, text }];
  });
  return [...trust.marks, ...open, ...hollowClaims(trust), ...vendorMark(state)];
}

/** That lines are there shows nothing of what they say. */
function hollowClaims(trust: Trust): Mark[] {
  return standingClaims(trust).flatMap(({ id, by, spec, expect, records }) => {
    const parsed = parseCheckSpec(spec);
    const isHollow = expect === "" && !("fault" in parsed) && parsed.kind === "lines";
    if (!isHollow || !records.some(({ met }) => met)) return [];
    const seq = Number(/^C(\d+)\./.exec(id)?.[1] ?? 0);
    const text = `${id} of ${by} expects no words of its lines: compare them with what it says`;
    return [{ code: "expects_nothing", by, seq, text }];
  });
}

/** Models of one vendor agree more than they know: two of them are about one vote. */
function vendorMark({ participants, rulesVersion }: DialogueState): Mark[] {
  const [one, other] = participants.map(vendorOf);
  if (rulesVersion < 2 || one === undefined || one !== other) return [];
  const text = `both sides, ${participants.join(" and ")}, are models of one vendor by their names (${one})`;
  return [{ code: "same_vendor", by: "", seq: 1, text }];
}

const vendors: readonly [vendor: string, names: RegExp][] = [
  ["Anthropic", /claude|opus|sonnet|haiku|anthropic/],
  ["Google", /gemini|gemma|google|antigravity/],
  ["OpenAI", /gpt|codex|openai|chatgpt/],
  ["Meta", /llama/],
  ["Mistral", /mistral|devstral|codestral/],
  ["Alibaba", /qwen/],
  ["DeepSeek", /deepseek/],
  ["xAI", /grok/],
];

function vendorOf(name: string): string | undefined {
  return vendors.find(([, names]) => names.test(name))?.[0];
}

export function openingMarks(trust: Trust, rules: Rules, names: readonly string[]): Trust {
  return familyMark(thresholdMark(trust, rules), names);
}

/** Whose models are known by the names that people give their participants. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^(?:claude|anthropic|opus|sonnet|haiku)/, "Anthropic"],
  [/^(?:gemini|google)/, "Google"],
  [/^(?:codex|gpt|openai|chatgpt)/, "OpenAI"],
  [/^(?:qwen)/, "Alibaba"],
  [/^(?:kimi)/, "Moonshot"],
  [/^(?:deepseek)/, "DeepSeek"],
  [/^(?:mistral|vibe)/, "Mistral"],
  [/^(?:grok)/, "xAI"],
];

function familyMark(trust: Trust, names: readonly string[]): Trust {
  const [one, other] = names.map((name) => families.find(([known]) => known.test(name))?.[1]);
  if (one === undefined || one !== other) return trust;
  const text = `the same vendor on both sides: 2 seats, 1 family (${one})`;
  return withMark(trust, { code: "same_vendor", by: "", seq: 1, text });
}

function thresholdMark(trust: Trust, rules: Rules): Trust {
  const { consensus_confidence_threshold: threshold } = rules;
  const usual = defaultConfig.consensus_confidence_threshold;
  if (threshold >= usual) return trust;
  const text = `the threshold of confidence was ${threshold}, the default is ${usual}`;
  return withMark(trust, { code: "threshold_low", by: "", seq: 1, text });
}

/** Shorter texts are alike by chance. */
const tellingCharacters = 20;

/** What only a script can notice in a message. */
export function judgedMarks(state: DialogueState, sent: Sent): Trust {
  const { message, origin, seq } = sent;
  const { from: by, to, question_or_proposal } = message;
  const { content } = question_or_proposal;
  const found: Mark[] = [];
  const add = (code: Mark["code"], text: string) => found.push({ code, by, seq, text });
  if (origin === "inbox") add("by_hand", `${by} wrote by hand`);
  const words = normalized(content);
  if (words.length >= tellingCharacters && hashOf(words) === sideOf(state, to).saidHash)
    add("identical_texts", `identical texts: ${by} sent the very words of ${to}`);
  const question = normalized(state.goal);
  const isEcho = [content, message.position ?? ""].some((it) => normalized(it) === question);
  if (question !== "" && message.type !== "REQUEST" && isEcho)
    add("answer_is_question", `the answer of ${by} is equal to the question`);
  for (const { question: asked = "", answer = "" } of message.answers ?? []) {
    const known = state.questions.find(({ id }) => id === asked)?.question ?? asked;
    if (normalized(answer) === normalized(known))
      add("answer_is_question", `the answer of ${by} to ${asked} is equal to its question`);
    if (saysNothing(answer))
      add("answer_unknown", `${by} does not know an answer to ${inline(known)}`);
  }
  if (message.position !== undefined && saysNothing(message.position))
    add("answer_unknown", `${by} does not know an answer: ${inline(message.position)}`);
  if (origin === "script" && isReworded(state, message))
    add(
      "question_reworded",
      `${by} put the question in other words: ${inline(message.context?.user_instructions ?? "")}`,
    );
  const marked = found.reduce(withMark, state.trust);
  return { ...marked, asides: [...marked.asides, ...asidesIn(sent)].slice(-limits.listItems) };
}

/** What the scripts fill in says what the question is; whoever writes something else has changed it. */
function isReworded({ goal, topic, phase }: DialogueState, { context, type }: Message): boolean {
  const told = context?.user_instructions ?? "";
  if (type === "REQUEST" || phase === "asking" || told === "") return false;
  return normalized(told) !== normalized(goal || topic);
}

/** How an answer begins that is none, in the languages that people and models use here. */
const plainIgnorance = [
  "(?:i |we )?(?:do not|don t|dont|cannot|can t) (?:know|say|tell)",
  "(?:no idea|unknown|not sure|n a|nobody knows)$",
  "(?:das )?(?:ich )?weiss (?:ich )?(?:es )?nicht",
  "keine ahnung",
  "non (?:lo )?so",
  "je (?:ne )?sais pas",
  "no (?:lo )?se$",
  "nao sei",
].join("|");

/** The same where a text has letters beyond ASCII. */
const otherIgnorance = [
  plainIgnorance,
  "(?:das )?(?:ich )?wei\u00df (?:ich )?(?:es )?nicht",
  "no (?:lo )?s\u00e9$",
  "n\u00e3o sei",
  "(?:\u044f |\u043c\u044b )?\u043d\u0435 \u0437\u043d\u0430(?:\u044e|\u0435\u043c)",
  "(?:\u77e5\u308a\u307e\u305b\u3093|\u308f\u304b\u308a\u307e\u305b\u3093|\u5206\u304b\u308a\u307e\u305b\u3093)",
  "(?:\u6211|\u6211\u4eec)?\u4e0d(?:\u77e5\u9053|\u6e05\u695a)",
  "\ubaa8\ub974",
].join("|");

function saysNothing(answer: string): boolean {
  const words = normalized(answer);
  return words === "" || (words.length < 80 && ignorant(words).test(words));
}

/** Made where it is needed: Unicode classes take long to build, and plain words do without. */
function ignorant(words: string): RegExp {
  return /^[a-z0-9 ]*$/.test(words)
    ? new RegExp(`^(?:${plainIgnorance})(?![a-z0-9]*[a-z])`)
    : new RegExp(`^(?:${otherIgnorance})(?![\\p{L}\\p{N}]*[a-z])`, "u");
}

const asidesMax = 6;

/** Questions in running text, which no list holds. */
function asidesIn({ message, seq }: Sent) {
  const { type, from, to, question_or_proposal } = message;
  if (type === "REQUEST" || type === "ESCALATE" || type === "CONSENSUS") return [];
  const listed = (question_or_proposal.specific_questions ?? []).map(normalized);
  return ownSentences(question_or_proposal.content)
    .filter((it) => /[?\uff1f\u037e\u061f]["')\]]*$/.test(it))
    .filter((it) => !listed.some((known) => known.includes(normalized(it))))
    .slice(0, asidesMax)
    .map((text, index) => ({
      ...{ id: `P${seq}.${index + 1}`, by: to, from },
      text: text.slice(0, limits.summaryCharacters).toWellFormed(),
    }));
}
