import { limits } from "../limits.ts";
import { isCompound, partsOf } from "./memory-text.ts";
import { stopWords } from "./stop-words.ts";

/**
 * Which words of a prompt say what it is about, and how well a memory has to fit before a session
 * sees it unasked. Chosen by the prompts for tuning in test/brain/coding-prompts.jsonl; a false alarm
 * costs more than a miss, because the model can always ask.
 */
export const relevance = {
  /** A memory must score this often the logarithm of how many there are, */
  factor: 1.7,
  /** hold words that make up this share of all that the prompt says, */
  shareMin: 0.3,
  /** and so many words of the prompt that are not everyday words. */
  tellingWordsMin: 1,
  /** A prompt with fewer different words says too little. */
  wordsMin: 2,
  /** So many that score best are looked at more closely. */
  candidates: 10,
  /** A word in more than this share of all memories tells them apart no longer, */
  commonShare: 0.1,
  /** unless there are so few memories that a share means little, */
  commonMin: 50,
  /** or so many that looking it up takes too long. */
  commonMax: 10_000,
  /** Memories that all words of a query together may touch, the rarest words first. */
  touchedMax: 20_000,
} as const;

/** A word of a query, and in how many memories it is. */
export interface WordCount {
  readonly word: string;
  readonly memories: number;
  /** Whether any prompt may hold it. */
  readonly isEveryday: boolean;
}

export interface Fit {
  readonly score: number;
  /** The words of the prompt that the memory holds. */
  readonly held: readonly WordCount[];
  /** All words that the prompt was judged by. */
  readonly all: readonly WordCount[];
}

/** Whether a memory, one of so many, fits a prompt well enough to be shown unasked. */
export function isRelevant({ score, held, all }: Fit, memories: number, factor: number): boolean {
  const telling = held.filter(({ isEveryday }) => !isEveryday).length;
  const says = (words: readonly WordCount[]) =>
    words.reduce((sum, word) => sum + rarity(word, memories), 0);
  return (
    score >= scoreNeeded(memories, factor) &&
    telling >= relevance.tellingWordsMin &&
    says(held) >= relevance.shareMin * says(all)
  );
}

/** How much a word says, as BM25 weighs it. */
function rarity(word: WordCount, memories: number): number {
  return Math.max(Math.log((memories - word.memories + 0.5) / (word.memories + 0.5)), 0);
}

/** The words of a query that may tell memories apart, in their order, each once. */
export function queryWords(query: string): string[] {
  const words = new Set<string>();
  for (const [name] of query.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu)) {
    for (const word of [name, ...(isCompound(name) ? partsOf(name) : [])]) {
      const plain = word.toLowerCase();
      if (plain.length > 1 && !stopWords.has(plain)) words.add(plain);
    }
    if (words.size >= limits.queryTerms) break;
  }
  return [...words].slice(0, limits.queryTerms);
}

/** What a memory must score at least, among so many, to be shown unasked. */
export function scoreNeeded(memories: number, factor: number): number {
  return factor * Math.log(memories + 1);
}

/** In how many memories a word may be and still be looked up. */
export function commonFrom(memories: number): number {
  const share = Math.floor(memories * relevance.commonShare);
  return Math.min(Math.max(share, relevance.commonMin), relevance.commonMax);
}
