import { everydayWords } from "../../base/everyday-words.ts";
import { limits } from "../../base/limits.ts";
import { isCompound, partsOf } from "../../base/name-words.ts";
import { stopWords } from "../../base/stop-words.ts";

/** A word of a topic, and how much it says about what the topic is. */
export interface TopicWord {
  readonly word: string;
  readonly kind: "telling" | "everyday" | "number";
}

/** The words that say what a topic is about, each once, without accents, in lower case. */
export function topicWords(topic: string): TopicWord[] {
  const plain = plainLetters(topic);
  const words = new Set<string>();
  // Classes of all scripts take milliseconds to build, which most topics can save.
  const runs = isAscii(plain) ? /[a-z0-9]+/gi : /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
  for (const [run] of plain.matchAll(runs)) {
    for (const word of wordsIn(run)) if (!isStop(word)) words.add(singular(word));
    if (words.size >= limits.topicWords) break;
  }
  return [...words].slice(0, limits.topicWords).map((word) => ({ word, kind: kindOf(word) }));
}

/** A text without accents. */
export function plainLetters(text: string): string {
  if (isAscii(text)) return text;
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function wordsIn(run: string): string[] {
  if (isAscii(run)) return partsIn(run);
  // Scripts that put no blanks between words are read by pairs of characters.
  const unspaced =
    /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]+/gu;
  const pairs = [...run.matchAll(unspaced)].flatMap(([text]) => pairsIn([...text]));
  const spaced = run.replace(unspaced, " ").split(" ").filter(Boolean);
  return [...pairs, ...spaced.flatMap(partsIn)];
}

function partsIn(word: string): string[] {
  const isPlain = word === word.toLowerCase() || !isCompound(word);
  return (isPlain ? [word] : partsOf(word)).map((part) => part.toLowerCase());
}

function pairsIn(characters: readonly string[]): string[] {
  if (characters.length < 2) return [...characters];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** `queries` and `retried` are forms of `query` and `retry`. */
function singular(word: string): string {
  return word.replace(/(?<=[a-z]{3})(?:ies|ied)$/, "y");
}

/** One letter of an alphabet says nothing; a sign that stands for a word does. */
function isStop(word: string): boolean {
  const isLetter = word.length === 1 && word.toUpperCase() !== word;
  return isLetter || allStopWords.has(word);
}

function kindOf(word: string): TopicWord["kind"] {
  if (isAscii(word) ? /[0-9]/.test(word) : /\p{N}/u.test(word)) return "number";
  return everyday.has(word) || everyday.has(word.replace(/s$/, "")) ? "everyday" : "telling";
}

/** Those of prompts, and what questions for a decision say whatever they are about. */
const allStopWords: ReadonlySet<string> = new Set([
  ...stopWords,
  ...`best better choose chosen compare decide decided decision discuss discussion evaluate pick
    proposal propose question replace select selection strategy vs versus worth
    das dem den der des die ein eine einen einer fuer fur im ist mit oder sollen und von welche
    welcher welches wie wir zu
    al che come con dei del della delle di gli il la le lo nel per quale quali un una usare
    au aux ce ces comment dans de du est et faut les ou par pour que quel quelle quels sur une
    como cual debemos el en es las los o para que se sobre una usar y`.split(/\s+/),
  // Russian: how, which, what, or, for, this, on, by, from, not, better, use, choose, and the like.
  ...`\u043a\u0430\u043a \u043a\u0430\u043a\u043e\u0438 \u043a\u0430\u043a\u0430\u044f
    \u043a\u0430\u043a\u043e\u0435 \u043a\u0430\u043a\u0438\u0435
    \u043a\u0430\u043a\u0443\u044e \u0447\u0442\u043e \u0447\u0442\u043e\u0431\u044b
    \u0438\u043b\u0438 \u0434\u043b\u044f \u043f\u0440\u0438 \u044d\u0442\u043e
    \u044d\u0442\u0438 \u044d\u0442\u043e\u0442 \u043c\u044b \u043d\u0430 \u043f\u043e
    \u0438\u0437 \u043e\u0442 \u0434\u043e \u043d\u0435 \u043b\u0438 \u043e\u0431
    \u0437\u0430 \u0436\u0435 \u043b\u0443\u0447\u0448\u0435 \u043d\u0443\u0436\u043d\u043e
    \u043d\u0430\u0434\u043e \u0441\u0442\u043e\u0438\u0442 \u043c\u043e\u0436\u043d\u043e
    \u0438\u0441\u043f\u043e\u043b\u044c\u0437\u043e\u0432\u0430\u0442\u044c
    \u0432\u044b\u0431\u0440\u0430\u0442\u044c \u0432\u044b\u0431\u043e\u0440
    \u0432\u043e\u043f\u0440\u043e\u0441 \u043c\u0435\u0436\u0434\u0443 \u0433\u0434\u0435
    \u043a\u043e\u0433\u0434\u0430 \u043d\u0430\u043c \u043d\u0430\u0448
    \u043d\u0430\u0448\u0430 \u043d\u0430\u0448\u0435 \u043f\u043e\u0434 \u0431\u0435\u0437`.split(
    /\s+/,
  ),
]);

const everyday: ReadonlySet<string> = new Set(everydayWords);
