/**
 * How well a memory has to fit a prompt before a session sees it unasked. Chosen by the prompts for
 * tuning in test/brain (coding-prompts.jsonl, languages-tuning.jsonl); a false alarm costs more than
 * a miss, because the model can always ask.
 */
export const relevance = {
  /** The score must be this many times the logarithm of the number of memories. */
  factor: 1.2,
  /** Below this many memories rarity says little, so the score must be `fewFactor` times as high. */
  few: 50,
  fewFactor: 1.15,
  /** The least share of the prompt's weight that the shared words must have. */
  shareMin: 0.35,
  /** The least number of shared words that are not everyday words. */
  tellingWordsMin: 1,
  /** The least score, as a share of the best one. */
  besideBest: 0.8,
  /** A prompt with fewer different words says too little. */
  wordsMin: 2,
  /** The weight of an everyday word, as a share of that of another word as rare. */
  everydayWeight: 0.25,
  /** The weight of a word that no memory holds, as a share of the rarest known word: it may be chatter. */
  unknownWeight: 0.5,
  /** Rarity is judged as if there were this many memories more: a few do not show it. */
  othersAssumed: 80,
  /** Bounds of the typical length. A memory above it counts as long: its words may be chance. */
  charactersTypicalMin: 200,
  charactersTypicalMax: 400,
  /** The share of a word's weight that depends on the length of the memory. */
  lengthShare: 0.4,
  /** The most by which a short memory raises the weight of its words. */
  shortnessMax: 1.1,
  /** How many of the best matches are judged. */
  candidates: 10,
  /** A word in more than this share of the memories is too common to tell them apart. */
  commonShare: 0.1,
  /** A word in fewer memories than this is never too common. */
  commonMin: 50,
  /** A word in more memories than this is always too common: looking it up takes too long. */
  commonMax: 10_000,
  /** How many memories a query may touch, by its rarest words first. */
  touchedMax: 20_000,
} as const;

/** A word of a prompt, and how many memories hold it. */
export interface WordCount {
  readonly memories: number;
  /** Whether it is a word of everyday language, which any prompt may hold. */
  readonly isEveryday: boolean;
}

/** What a memory, or its subject, has in common with a prompt. */
export interface Fit {
  /** The words of the prompt that it holds. */
  readonly held: readonly WordCount[];
  /** All words of the prompt that count. */
  readonly all: readonly WordCount[];
  /** How many memories there are. */
  readonly memories: number;
  /** The length of this memory. */
  readonly characters: number;
  readonly charactersTypical: number;
}

/**
 * The score of a memory that fits a prompt well enough to be shown unasked; undefined for any other. A
 * long memory that would fit if it were short may hold the words by chance: it must fit by its subject,
 * which its key and tags name.
 */
export function relevantScore(whole: Fit, subject: () => Fit): number | undefined {
  if (isRelevant(whole)) return scoreOf(whole);
  // Even if it were short.
  if (!isRelevant({ ...whole, characters: 0 })) return undefined;
  const about = subject();
  return isRelevant(about) ? scoreOf(about) : undefined;
}

export function isRelevant(fit: Fit): boolean {
  const { held, all, memories } = fit;
  const telling = held.filter(({ isEveryday }) => !isEveryday).length;
  return (
    telling >= relevance.tellingWordsMin &&
    scoreOf(fit) >= scoreNeeded(memories) &&
    weightOf(held, memories) >= relevance.shareMin * weightOf(all, memories)
  );
}

/** What a memory must score at least, among so many, to be shown unasked. */
function scoreNeeded(memories: number): number {
  const { factor, few, fewFactor, othersAssumed } = relevance;
  const needed = factor * Math.log(memories + othersAssumed + 1);
  return memories < few ? fewFactor * needed : needed;
}

/** How well a memory fits: the weight of the shared words, less when it is long. */
function scoreOf({ held, memories, characters, charactersTypical }: Fit): number {
  const { lengthShare, shortnessMax } = relevance;
  const length = 1 - lengthShare + (lengthShare * characters) / charactersTypical;
  return weightOf(held, memories) * Math.min(1 / length, shortnessMax);
}

/** The typical length of some memories. A very long one counts no more than a long one. */
export function typicalCharacters(lengths: readonly number[]): number {
  const { charactersTypicalMin, charactersTypicalMax } = relevance;
  const sum = lengths.reduce((all, length) => all + Math.min(length, charactersTypicalMax), 0);
  return Math.max(sum / Math.max(lengths.length, 1), charactersTypicalMin);
}

function weightOf(words: readonly WordCount[], memories: number): number {
  return words.reduce((sum, word) => sum + rarity(word, memories), 0);
}

/** The weight of a word: its rarity as BM25 has it, among the memories and the ones assumed. */
function rarity({ memories: holding, isEveryday }: WordCount, memories: number): number {
  const all = memories + relevance.othersAssumed;
  const known = Math.max(holding, 1);
  const weight = Math.max(Math.log((all - known + 0.5) / (known + 0.5)), 0);
  const doubt = holding === 0 ? relevance.unknownWeight : 1;
  return weight * doubt * (isEveryday ? relevance.everydayWeight : 1);
}

/** The most memories that may hold a word for it to be looked up. */
export function commonFrom(memories: number): number {
  const share = Math.floor(memories * relevance.commonShare);
  return Math.min(Math.max(share, relevance.commonMin), relevance.commonMax);
}
