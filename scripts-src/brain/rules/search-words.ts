import { isCompound, partsOf, wordsInNames } from "../../base/identifier-words.ts";
import { everydayWords } from "../../base/low-weight-words.ts";
import { stopWords } from "../../base/stop-words.ts";
import type { Memory } from "./brain-store.ts";
import { commonWords } from "./domain-stop-words.ts";
import { allLanguages, type Language, languagesOf, russian } from "./languages.ts";
import { brainLimits } from "./limits.ts";
import { pairsOf, unspaced, unspacedWords } from "./unspaced-words.ts";

/** A word of a query. */
export interface SearchWord {
  /** The forms under which an index may hold it. */
  readonly forms: readonly string[];
  /** Whether any prompt may hold it; of English words the index has to say. */
  readonly isEveryday: boolean;
}

/** English words that any prompt may hold. */
export const englishEverydayWords: readonly string[] = [
  ...everydayWords,
  ...commonWords.en.everyday.split(/\s+/),
];
const name = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const everyday: ReadonlySet<string> = new Set([...englishEverydayWords, ...stopWords]);
/** What has forms; a longer run of letters is no word of a language. */
const stemmed = /^\p{L}{3,40}$/u;
/** How much of a query is read. */
const readCharacters = 4_096;

/**
 * The words of a query, in their order, each once: the `telling` ones, or for who asks by hand `any`
 * where no other is in it.
 */
export function searchWords(query: string, which: "telling" | "any"): SearchWord[] {
  const text = query.slice(0, readCharacters);
  const languages = languagesOf(plainWords(text)) ?? allLanguages;
  const words = new Map<string, SearchWord>();
  for (const [run] of text.matchAll(name)) {
    for (const word of wordsOfRun(run, languages, which)) words.set(word.forms.join(" "), word);
    if (words.size >= brainLimits.queryTerms) break;
  }
  if (words.size > 0 || which === "telling")
    return [...words.values()].slice(0, brainLimits.queryTerms);
  const said = plainWords(text).filter((word) => !stopWords.has(word));
  const pairs = (text.match(unspaced) ?? []).flatMap(pairsOf);
  const forms = [...new Set([...said, ...pairs])].slice(0, brainLimits.queryTerms);
  return forms.map((form) => ({ forms: [form], isEveryday: true }));
}

/** What an index is told of a text beside its words: parts of names, stems, pairs of characters and each of them. */
export function indexedForms(text: string): string[] {
  const runs = text.match(unspaced) ?? [];
  const words = plainWords(text);
  const languages = languagesOf(words) ?? [russian];
  const stems = words.flatMap((word) => stemsOf(word, languages));
  // Pairs stay in their order, so that a word of several is found as a phrase.
  const characters = new Set(runs.join(""));
  return [...wordsInNames(text), ...new Set(stems), ...runs.flatMap(pairsOf), ...characters];
}

function wordsOfRun(
  run: string,
  languages: readonly Language[],
  which: "telling" | "any",
): SearchWord[] {
  const unspacedRuns = run.match(unspaced) ?? [];
  return [
    ...unspacedRuns.flatMap((it) => unspacedWords(it, which)),
    ...run.replace(unspaced, " ").split(" ").filter(Boolean).flatMap(spacedWords(languages)),
  ];
}

function spacedWords(languages: readonly Language[]): (run: string) => SearchWord[] {
  return (run) =>
    namesIn(run).flatMap((part) => {
      const word = part.toLowerCase();
      if (word.length < 2 || stopWords.has(word)) return [];
      if (/^\p{N}+$/u.test(word)) return [{ forms: [word], isEveryday: true }];
      if (languages.some(({ stop }) => stop.has(word.replaceAll("ё", "е")))) return [];
      const stems = stemsOf(word, languages);
      const isEveryday = languages.some((language) => language.isEveryday(word));
      return [{ forms: [word, ...stems], isEveryday }];
    });
}

/** A name is judged by those of its words that say something, or as a whole: `macOS`, `getName`. */
function namesIn(run: string): string[] {
  const parts = isCompound(run) ? partsOf(run) : [];
  const telling = parts.map((part) => part.toLowerCase()).filter((part) => !everyday.has(part));
  const isWhole = telling.length === 0 || parts.some((part) => part.length < 3);
  return isWhole ? [run] : telling;
}

function stemsOf(word: string, languages: readonly Language[]): string[] {
  if (!stemmed.test(word)) return [];
  const stems = languages.map(({ stem }) => stem(word)).filter((stem) => stem !== word);
  return [...new Set(stems)];
}

function plainWords(text: string): string[] {
  const words = text.replace(unspaced, " ").match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))];
}

/** What a memory says that it is about. */
export function subjectOf({ key, tags }: Pick<Memory, "key" | "tags">): string {
  return [key, ...tags].join(" ");
}

/** What the column `names` holds of a memory, whose tags are JSON. */
export function indexedNames(key: string, tags: string, text: string): string {
  return indexedForms(`${key} ${tags} ${text}`).join(" ");
}
