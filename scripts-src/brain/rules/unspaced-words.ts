import { commonUnspaced } from "./domain-stop-words.ts";

/** Runs of scripts that put no blanks between words, or write what belongs to a word onto it. */
export const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;

const onlyHiragana = /^[\p{sc=Hiragana}\u30fc]+$/u;
const hangul = /^\p{sc=Hangul}+$/u;
const fillers: ReadonlySet<string> = new Set(commonUnspaced.filler.split(/\s+/));
const everydayPairs: ReadonlySet<string> = new Set(
  commonUnspaced.everyday.split(/\s+/).flatMap((word) => pairsOf(word)),
);

/** Its dictionary is of Chinese and Japanese both; made when it is needed first. */
let segmenter: Intl.Segmenter | undefined;

/** Two neighbouring characters each: what a search index of such a script is made of. */
export function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** A word of a query, as an index of pairs holds it. */
interface UnspacedWord {
  readonly forms: readonly string[];
  readonly isEveryday: boolean;
}

/**
 * The words of a query's run that say something, each as the phrase of its pairs. A single character tells
 * little: only `any` has it.
 */
export function unspacedWords(run: string, which: "telling" | "any"): UnspacedWord[] {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const words: UnspacedWord[] = [];
  // Words that no dictionary knows come as single characters: they are read together.
  let loose = "";
  const flush = () => {
    const isSingle = [...loose].length === 1;
    if (isSingle && which === "any") words.push({ forms: [loose], isEveryday: true });
    if (!isSingle) words.push(...pairsOf(loose).map(wordOf));
    loose = "";
  };
  for (const { segment } of segmenter.segment(run)) {
    const isFiller = fillers.has(segment) || onlyHiragana.test(segment);
    if (!isFiller && [...segment].length === 1) {
      loose += segment;
      continue;
    }
    flush();
    if (!isFiller) words.push(wordOf(segment));
  }
  flush();
  return words;
}

function wordOf(word: string): UnspacedWord {
  const isEveryday = pairsOf(word).every((pair) => everydayPairs.has(pair));
  return { forms: formsOf(word).map((form) => pairsOf(form).join(" ")), isEveryday };
}

/** Korean writes a particle of one or two characters onto a word. */
function formsOf(word: string): string[] {
  if (!hangul.test(word)) return [word];
  return [0, 1, 2].map((count) => word.slice(0, word.length - count)).filter((it) => it.length > 1);
}
