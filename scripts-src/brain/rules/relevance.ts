import { limits } from "../../base/limits.ts";
import { isCompound, partsOf } from "../../base/name-words.ts";
import { stopWords } from "../../base/stop-words.ts";

/**
 * How well a memory has to fit a prompt before a session sees it unasked. Chosen by the prompts for
 * tuning in test/brain (coding-prompts.jsonl, languages-tuning.jsonl); a false alarm costs more than
 * a miss, because the model can always ask.
 */
export const relevance = {
  /** The words that a memory shares must say this often the logarithm of how many there are, */
  factor: 1.2,
  /** and this often more where there are so few that it shows little how rare a word is, */
  fewFactor: 1.15,
  few: 50,
  /** make up this share of all that the prompt says, */
  shareMin: 0.35,
  /** and be so many at least that are not everyday words. */
  tellingWordsMin: 1,
  /** Beside one that fits better, a memory must score this share of it. */
  besideBest: 0.8,
  /** A prompt with fewer different words says too little. */
  wordsMin: 2,
  /** What an everyday word says, of what another one as rare would. */
  everydayWeight: 0.25,
  /** A word that no memory holds may be chatter: what it says, of what the rarest known one does. */
  unknownWeight: 0.5,
  /** A few memories do not show how rare a word is: each is judged as if beside so many others. */
  othersAssumed: 80,
  /** A memory is taken for long, and its words for chance, above what is usual but at least this, */
  charactersUsualMin: 200,
  /** where one that is stuffed does not make that usual. */
  charactersUsualMax: 400,
  /** How much of what a word says depends on the length, */
  lengthShare: 0.4,
  /** and how much more a word of a short memory says at most. */
  shortnessMax: 1.1,
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
    if (words.size >= limits.queryTerms) break;
  }
  return [...words].slice(0, limits.queryTerms);
}

/** In how many memories a word may be and still be looked up. */
export function commonFrom(memories: number): number {
  const share = Math.floor(memories * relevance.commonShare);
  return Math.min(Math.max(share, relevance.commonMin), relevance.commonMax);
}
