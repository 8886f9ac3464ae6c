import { isCompound, partsOf } from "../../base/name-words.ts";
import { stopWords } from "../../base/stop-words.ts";
import { brainLimits } from "./limits.ts";

/**
 * How well a memory has to fit a prompt before a session sees it unasked. Chosen by the prompts for
 * tuning in test/brain (coding-prompts.jsonl, languages-tuning.jsonl); a false alarm costs more than
 * a miss, because the model can always ask.
 */
export const relevance = {
  /** The weight of the shared words must be this many times the logarithm of the number of memories; */
  factor: 1.2,
  /** this many times more where memories are `few`, because then rarity shows little. */
  fewFactor: 1.15,
  few: 50,
  /** The least share of the weight of the whole prompt that the shared words must have. */
  shareMin: 0.35,
  /** The least number of shared words that are not everyday words. */
  tellingWordsMin: 1,
  /** The least score, as a share of the best one. */
  besideBest: 0.8,
  /** A prompt with fewer different words says too little. */
  wordsMin: 2,
  /** The weight of an everyday word, as a share of that of another word as rare. */
  everydayWeight: 0.25,
  /** The weight of a word that no memory holds, as a share of the rarest known one: it may be chatter. */
  unknownWeight: 0.5,
  /** Rarity is judged as if there were at least so many memories: a few do not show it. */
  othersAssumed: 80,
  /** The bounds of the length above which a memory counts as long, so that its words may be chance. */
  charactersUsualMin: 200,
  charactersUsualMax: 400,
  /** The share of a word's weight that depends on the length of the memory. */
  lengthShare: 0.4,
  /** The most by which a short memory raises the weight of its words. */
  shortnessMax: 1.1,
  /** How many of the best are looked at more closely. */
  candidates: 10,
  /** A word in more than this share of the memories is too common to tell them apart; */
  commonShare: 0.1,
  /** one in fewer memories than this is never too common, */
  commonMin: 50,
  /** and one in more than this always is: looking it up takes too long. */
  commonMax: 10_000,
  /** How many memories a query may touch, by its rarest words first. */
  touchedMax: 20_000,
} as const;

/** A word of a query, and in how many memories it is. */
export interface WordCount {
  readonly memories: number;
  /** Whether any prompt may hold it. */
  readonly isEveryday: boolean;
}

/** What a memory, one of so many, or its subject has in common with a prompt. */
export interface Fit {
  /** The words of the prompt that it holds. */
  readonly held: readonly WordCount[];
  /** All words that the prompt was judged by. */
  readonly all: readonly WordCount[];
  readonly memories: number;
  /** Its length, and that of the memories beside it. */
  readonly characters: number;
  readonly charactersUsual: number;
}

/**
 * How well a memory fits a prompt, where that is enough to be shown unasked. The words of a long text
 * may be in it by chance: it fits as well by its subject alone, which its key and tags name.
 */
export function relevantScore(whole: Fit, subject: () => Fit, factor: number): number | undefined {
  if (isRelevant(whole, factor)) return scoreOf(whole);
  // Too few words, however short it were.
  if (!isRelevant({ ...whole, characters: 0 }, factor)) return undefined;
  const about = subject();
  return isRelevant(about, factor) ? scoreOf(about) : undefined;
}

export function isRelevant(fit: Fit, factor: number): boolean {
  const { held, all, memories } = fit;
  const telling = held.filter(({ isEveryday }) => !isEveryday).length;
  return (
    telling >= relevance.tellingWordsMin &&
    scoreOf(fit) >= scoreNeeded(memories, factor) &&
    says(held, memories) >= relevance.shareMin * says(all, memories)
  );
}

/** What a memory must score at least, among so many, to be shown unasked. */
function scoreNeeded(memories: number, factor: number): number {
  const { few, fewFactor, othersAssumed } = relevance;
  const needed = factor * Math.log(memories + othersAssumed + 1);
  return memories < few ? fewFactor * needed : needed;
}

/** How well a memory fits: what the words say that it shares, less in one that is long. */
function scoreOf({ held, memories, characters, charactersUsual }: Fit): number {
  const { lengthShare, shortnessMax } = relevance;
  const length = 1 - lengthShare + (lengthShare * characters) / charactersUsual;
  return says(held, memories) * Math.min(1 / length, shortnessMax);
}

/** The usual length of some memories, of which any may be stuffed with words. */
export function usualCharacters(lengths: readonly number[]): number {
  const { charactersUsualMin, charactersUsualMax } = relevance;
  const sum = lengths.reduce((all, length) => all + Math.min(length, charactersUsualMax), 0);
  return Math.max(sum / Math.max(lengths.length, 1), charactersUsualMin);
}

function says(words: readonly WordCount[], memories: number): number {
  return words.reduce((sum, word) => sum + rarity(word, memories), 0);
}

/** How much a word says: as BM25 weighs it, among those memories and the ones assumed. */
function rarity({ memories: holding, isEveryday }: WordCount, memories: number): number {
  const all = memories + relevance.othersAssumed;
  const known = Math.max(holding, 1);
  const weight = Math.max(Math.log((all - known + 0.5) / (known + 0.5)), 0);
  const doubt = holding === 0 ? relevance.unknownWeight : 1;
  return weight * doubt * (isEveryday ? relevance.everydayWeight : 1);
}

/** The words of a topic that say something, in their order, each once. */
export function queryWords(query: string): string[] {
  const words = new Set<string>();
  for (const [name] of query.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu)) {
    for (const word of [name, ...(isCompound(name) ? partsOf(name) : [])]) {
      const plain = word.toLowerCase();
      if (plain.length > 1 && !stopWords.has(plain)) words.add(plain);
    }
    if (words.size >= brainLimits.queryTerms) break;
  }
  return [...words].slice(0, brainLimits.queryTerms);
}

/** In how many memories a word may be and still be looked up. */
export function commonFrom(memories: number): number {
  const share = Math.floor(memories * relevance.commonShare);
  return Math.min(Math.max(share, relevance.commonMin), relevance.commonMax);
}
