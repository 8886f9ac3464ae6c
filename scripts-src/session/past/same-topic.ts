import { plainLetters, type TopicWord, topicWords } from "./topic-words.ts";

/**
 * How much of two topics has to be the same for one to be taken for the other. A wrong hint costs
 * every reader; who misses one can still look through the reports.
 */
const rules = {
  /** Words that both must have, */
  sharedWordsMin: 2,
  /** of what the shorter topic says at least this share, */
  shareOfShorterMin: 0.7,
  /** and of the longer one this. */
  shareOfLongerMin: 0.35,
} as const;

const weights: Readonly<Record<TopicWord["kind"], number>> = {
  telling: 1,
  everyday: 0.4,
  number: 0.5,
};

/** Says of other topics whether they are the same as this one, in whatever words and order. */
export function topicMatcher(topic: string): (other: string) => boolean {
  const words = topicWords(topic);
  const beginnings = words.map(({ word }) => word.slice(0, stemMin));
  const sharedMin = Math.min(rules.sharedWordsMin, words.length);
  return (other) => {
    // Of many topics few are alike: the rest need not be taken apart.
    const text = plainLetters(other).toLowerCase();
    const shared = beginnings.filter((beginning) => text.includes(beginning)).length;
    return shared >= sharedMin && isSame(words, topicWords(other));
  };
}

function isSame(one: readonly TopicWord[], other: readonly TopicWord[]): boolean {
  const [shorter, longer] = weightOf(one) <= weightOf(other) ? [one, other] : [other, one];
  const shared = shorter.filter((it) => longer.some((that) => isSameWord(it, that)));
  const isAll = shared.length === shorter.length && shorter.length === longer.length;
  // Version 14 and version 16 are two questions.
  if (hasOtherNumbers(shorter, longer, shared)) return false;
  if (!isAll && shared.length < rules.sharedWordsMin) return false;
  if (!shared.some(({ kind }) => kind === "telling") && !(isAll && shared.length > 1)) return false;
  const weight = weightOf(shared);
  return (
    weight >= rules.shareOfShorterMin * weightOf(shorter) &&
    weight >= rules.shareOfLongerMin * weightOf(longer)
  );
}

function weightOf(words: readonly TopicWord[]): number {
  return words.reduce((sum, { kind }) => sum + weights[kind], 0);
}

function hasOtherNumbers(
  one: readonly TopicWord[],
  other: readonly TopicWord[],
  shared: readonly TopicWord[],
): boolean {
  const numbersIn = (words: readonly TopicWord[]) =>
    words.filter(({ kind }) => kind === "number").length;
  const [few, many] = [numbersIn(one), numbersIn(other)].sort((a, b) => a - b);
  return few !== 0 && numbersIn(shared) !== many;
}

/** Endings that leave a word the same one, in languages written in Latin letters, */
const latinEndings = new Set(
  "a as e ed en er ers es i ing ings ion ions ation ations ment ments n o or ors os r s d".split(
    " ",
  ),
);
/** behind a stem of three letters only these, */
const shortEndings = new Set(["e", "s", "es", "ed", "ing"]);
/** and in Russian: vowels, soft signs and what is declined with them. */
const russianEnding =
  /^(?:\u043d(?=\u0438))?[\u0430\u0435\u0438\u043e\u0443\u044b\u044c\u044d\u044e\u044f]{0,3}(?:[\u0432\u043c\u0445]|\u043c\u0438|\u0433\u043e|\u043c\u0443|\u0442\u044c)?[\u0430\u0435\u0438\u043e\u0443\u044b\u044c\u044e\u044f]?$/;

/** Two words that begin otherwise are not the same. */
const stemMin = 3;

/** Whether two words, in lower case, are forms of one. */
function isSameWord({ word: one, kind }: TopicWord, { word: other }: TopicWord): boolean {
  if (one === other || kind === "number") return one === other;
  let stem = 0;
  while (stem < one.length && one[stem] === other[stem]) stem += 1;
  if (stem < stemMin) return false;
  const endings = [endingOf(one, stem), endingOf(other, stem)];
  if (/^[\u0400-\u04ff]/.test(one)) return endings.every((it) => russianEnding.test(it));
  if (!/^[a-z]/.test(one)) return endings.every(({ length }) => length < 3 && 2 * length <= stem);
  // `not` and `note` are two words, `note` and `notes` one.
  if (stem === 3 && endings.includes("") && endings.includes("e")) return false;
  const known = stem === 3 ? shortEndings : latinEndings;
  return endings.every((ending) => ending === "" || known.has(ending));
}

/** What follows the stem; of `planning` beside `plan` it is `ing`. */
function endingOf(word: string, stem: number): string {
  const ending = word.slice(stem);
  return ending.length > 1 && ending[0] === word[stem - 1] ? ending.slice(1) : ending;
}
