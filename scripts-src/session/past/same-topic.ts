import { isCompound, partsOf } from "../../base/identifier-words.ts";
import { limits } from "../../base/limits.ts";
import { stopWords } from "../../base/stop-words.ts";

/**
 * How much of two topics has to be the same for one to be taken for the other: so many words, and these shares of
 * the shorter and of the longer one. A wrong hint costs every reader.
 */
const rules = { wordsMin: 2, shareOfShorterMin: 0.7, shareOfLongerMin: 0.35 };

/** Says of other topics whether they are the same as this one, in whatever words and order. */
export function topicMatcher(topic: string): (other: string) => boolean {
  const words = topicWords(topic);
  return (other) => isSame(words, topicWords(other));
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [shorter, longer] = one.size <= other.size ? [one, other] : [other, one];
  const shared = [...shorter].filter((word) => longer.has(word));
  // Version 14 and version 16 are two questions.
  const [few, many, both] = [shorter, longer, shared].map(
    (words) => [...words].filter(isNumber).length,
  );
  if (few !== 0 && many !== 0 && (both !== few || both !== many)) return false;
  const isAll = shared.length === longer.size && longer.size > 0;
  return (
    (isAll || shared.length >= rules.wordsMin) &&
    shared.length >= rules.shareOfShorterMin * shorter.size &&
    shared.length >= rules.shareOfLongerMin * longer.size
  );
}

function isNumber(word: string): boolean {
  return isAscii(word) ? /[0-9]/.test(word) : /\p{N}/u.test(word);
}

/** The words that say what a topic is about. */
export function topicWords(topic: string): ReadonlySet<string> {
  const plain = plainLetters(topic);
  const words = new Set<string>();
  // Classes of all scripts take milliseconds to build, which most topics can save.
  const runs = isAscii(plain) ? /[a-z0-9]+/gi : /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
  for (const [run] of plain.matchAll(runs)) {
    for (const word of wordsIn(run)) if (!isStop(word)) words.add(stemOf(word));
    if (words.size >= limits.topicWords) break;
  }
  return new Set([...words].slice(0, limits.topicWords));
}

/** A text without accents. */
function plainLetters(text: string): string {
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
  // Scripts that put no blanks between words, or write particles onto them, are read by pairs.
  const unspaced =
    /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]+/gu;
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

const latinEnding =
  /(?<=.{3})(?:at(?:e[sd]?|ions?|ing|ors?)|ions?|ments?|ings?|[eo]rs?|e[nds]|as|[aeios])$/;
const vowel = "[аеиоуыьэюя]";
const russianEnding = new RegExp(
  `(?<=.{3})${vowel}{0,3}(?:ни)?${vowel}?(?:[вмхй]|ми|го|му|ть)?${vowel}?$`,
);

/** A word without its ending: `planning` and `plan`, `queries` and `query` are forms of one. */
function stemOf(word: string): string {
  if (/^[a-z]+$/.test(word)) {
    const stem = word.replace(/(?<=.{3})ie[sd]$/, "y").replace(latinEnding, "");
    return stem.replace(/(?<=.{2})(.)\1$/, "$1");
  }
  return /^[\u0400-\u04ff]+$/.test(word) ? word.replace(russianEnding, "") : word;
}

/** One letter of an alphabet says nothing; a sign that stands for a word does. */
function isStop(word: string): boolean {
  const isLetter = word.length === 1 && word.toUpperCase() !== word;
  return isLetter || allStopWords.has(word);
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
    como cual debemos el en es las los o para que se sobre una usar y
    как какои какая какое какие какую что чтобы или для при это эти этот мы на по из от до не ли
    об за же лучше нужно надо стоит можно использовать выбрать выбор вопрос между где когда нам
    наш наша наше под без`.split(/\s+/),
]);
