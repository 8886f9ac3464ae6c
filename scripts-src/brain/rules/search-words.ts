import { stopwords as stopDutch } from "@orama/stopwords/dutch";
import { stopwords as stopFrench } from "@orama/stopwords/french";
import { stopwords as stopGerman } from "@orama/stopwords/german";
import { stopwords as stopItalian } from "@orama/stopwords/italian";
import { stopwords as stopPortuguese } from "@orama/stopwords/portuguese";
import { stopwords as stopRussian } from "@orama/stopwords/russian";
import { stopwords as stopSpanish } from "@orama/stopwords/spanish";
import {
  everydayWords,
  isCompound,
  pairsOf,
  partsOf,
  stopWords,
  unspaced,
  wordsInNames,
} from "../../base/words.ts";
import { brainLimits } from "./limits.ts";
import type { Memory } from "./records.ts";

/**
 * The words of a query, as the index of memories knows them. The index stems English by itself. A word of
 * another language is found by its beginning, and a script without blanks by pairs of characters.
 */
export interface SearchWord {
  /** The forms under which an index may hold it; a `*` at the end stands for any ending. */
  readonly forms: readonly string[];
  /** Whether any prompt may hold it; of English words the index has to say. */
  readonly isEveryday: boolean;
}

/** English words that any prompt to a coding agent may hold, beside those of base/. */
export const englishEverydayWords: readonly string[] = [
  ...everydayWords,
  ...`two three four five six seven eight nine ten eleven twelve hundred thousand million
    half double second third minute hour month morning evening night monday tuesday wednesday
    thursday friday saturday sunday take whole mode case edge regex lint linter csv json html css
    http https bash word sentence paragraph letter story poem blog website post public private
    early fresh dead progress filter query upload duplicate dialog popup icon layout api database
    dialogue decision consensus synthesis collaboration finding`.split(/\s+/),
];

const foreignStopWords: ReadonlySet<string> = new Set(
  [stopDutch, stopFrench, stopGerman, stopItalian, stopPortuguese, stopRussian, stopSpanish].flat(),
);
const everyday: ReadonlySet<string> = new Set([...englishEverydayWords, ...stopWords]);
const onlyHiragana = /^[\p{sc=Hiragana}\u30fc]+$/u;
const hangul = /^\p{sc=Hangul}+$/u;
const name = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const letters = /^\p{L}+$/u;
/** How much of a query is read. */
const readCharacters = 4_096;
/** What a language hangs onto a word, and the least that has to be left of it. */
const endingCharacters = 3;
const stemCharactersMin = 3;

/**
 * The words of a query, in their order, each once: the `telling` ones, or for who asks by hand `any`
 * where no other is in it.
 */
export function searchWords(query: string, which: "telling" | "any"): SearchWord[] {
  const text = query.slice(0, readCharacters);
  const all = plainWords(text);
  const isEnglish = isEnglishText(all);
  const words = new Map<string, SearchWord>();
  for (const [run] of text.matchAll(name)) {
    const found = [
      ...(run.match(unspaced) ?? []).flatMap((it) => unspacedWords(it, which)),
      ...run.replace(unspaced, " ").split(" ").filter(Boolean).flatMap(wordsOfName(isEnglish)),
    ];
    for (const word of found) words.set(word.forms.join(" "), word);
    if (words.size >= brainLimits.queryTerms) break;
  }
  if (words.size > 0 || which === "telling")
    return [...words.values()].slice(0, brainLimits.queryTerms);
  const said = all.filter((word) => !stopWords.has(word));
  const pairs = (text.match(unspaced) ?? []).flatMap(pairsOf);
  const forms = [...new Set([...said, ...pairs])].slice(0, brainLimits.queryTerms);
  return forms.map((form) => ({ forms: [form], isEveryday: true }));
}

/** What an index is told of a text beside its words: parts of names, pairs of characters and each of them. */
export function indexedForms(text: string): string[] {
  const runs = text.match(unspaced) ?? [];
  // Pairs stay in their order, so that a word of several is found as a phrase.
  return [...wordsInNames(text), ...runs.flatMap(pairsOf), ...new Set(runs.join(""))];
}

/** Two languages share words: the one counts that has more of its small words in the text. */
function isEnglishText(words: readonly string[]): boolean {
  const english = words.filter((word) => stopWords.has(word)).length;
  const foreign = words.filter((word) => foreignStopWords.has(word)).length;
  return english > 0 && english >= foreign;
}

function wordsOfName(isEnglish: boolean): (run: string) => SearchWord[] {
  return (run) =>
    namesIn(run).flatMap((part): SearchWord[] => {
      const word = part.toLowerCase();
      if (word.length < 2 || stopWords.has(word)) return [];
      if (/^\p{N}+$/u.test(word)) return [{ forms: [word], isEveryday: true }];
      if (isEnglish && /^[a-z0-9]+$/.test(word)) return [{ forms: [word], isEveryday: false }];
      if (foreignStopWords.has(word)) return [];
      return [{ forms: [word, ...beginningOf(word)], isEveryday: false }];
    });
}

function beginningOf(word: string): string[] {
  if (!letters.test(word) || word.length <= stemCharactersMin) return [];
  return [`${word.slice(0, Math.max(stemCharactersMin, word.length - endingCharacters))}*`];
}

/** A name is judged by those of its words that say something, or as a whole: `macOS`, `getName`. */
function namesIn(run: string): string[] {
  const parts = isCompound(run) ? partsOf(run) : [];
  const telling = parts.map((part) => part.toLowerCase()).filter((part) => !everyday.has(part));
  const isWhole = telling.length === 0 || parts.some((part) => part.length < 3);
  return isWhole ? [run] : telling;
}

function plainWords(text: string): string[] {
  const words = text.replace(unspaced, " ").match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))];
}

/** Its dictionary is of Chinese and Japanese both; made when it is needed first. */
let segmenter: Intl.Segmenter | undefined;

/**
 * The words of a run, each as the phrase of its pairs. A single character tells little: only `any` has it.
 */
function unspacedWords(run: string, which: "telling" | "any"): SearchWord[] {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const words: SearchWord[] = [];
  // Words that no dictionary knows come as single characters: they are read together.
  let loose = "";
  const flush = () => {
    const isSingle = [...loose].length === 1;
    if (isSingle && which === "any") words.push({ forms: [loose], isEveryday: true });
    if (!isSingle) words.push(...pairsOf(loose).map(unspacedWord));
    loose = "";
  };
  for (const { segment } of segmenter.segment(run)) {
    const isFiller = onlyHiragana.test(segment);
    if (!isFiller && [...segment].length === 1) {
      loose += segment;
      continue;
    }
    flush();
    if (!isFiller) words.push(unspacedWord(segment));
  }
  flush();
  return words;
}

function unspacedWord(word: string): SearchWord {
  return { forms: formsOf(word).map((form) => pairsOf(form).join(" ")), isEveryday: false };
}

/** Korean writes a particle of one or two characters onto a word. */
function formsOf(word: string): string[] {
  if (!hangul.test(word)) return [word];
  return [0, 1, 2].map((count) => word.slice(0, word.length - count)).filter((it) => it.length > 1);
}

/** What a memory says that it is about. */
export function subjectOf({ key, tags }: Pick<Memory, "key" | "tags">): string {
  return [key, ...tags].join(" ");
}
