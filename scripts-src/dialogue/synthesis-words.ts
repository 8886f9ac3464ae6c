import { normalized } from "./prose.ts";

/** The words of one side: its position, and what it last said for it. */
export interface SideWords {
  readonly position: string;
  readonly said: string;
}

/** Japanese, Chinese and Korean characters: their texts put no blanks between words. */
const cjk = "\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af";
const cjkRunOrWord = new RegExp(`[${cjk}]+|[^${cjk}\\s]+`, "g");
const isCjk = new RegExp(`^[${cjk}]`);

/** The words of a text, each once; in a run of CJK characters each pair of neighbours is one. */
export function wordsOf(text: string): string[] {
  const parts = normalized(text).match(cjkRunOrWord) ?? [];
  return [...new Set(parts.flatMap((part) => (isCjk.test(part) ? pairsOf(part) : [part])))];
}

function pairsOf(part: string): string[] {
  const all = Array.from(part);
  return all.length < 2 ? all : all.slice(1).map((character, at) => `${all[at]}${character}`);
}

/** Whether a word says something by itself: it has four letters, two digits or two CJK characters in a row. */
export function isTelling(word: string): boolean {
  return /\p{L}{4}|\d\d/u.test(word) || (isCjk.test(word) && word.length > 1);
}

const [stemCharacters, shortestStem] = [5, 4];

/** Whether two words begin alike; their endings change with the sentence. */
export function isSameWord(one: string, other: string): boolean {
  const common = Math.min(one.length, other.length, stemCharacters);
  if (common < shortestStem || isCjk.test(one)) return one === other;
  return one.slice(0, common) === other.slice(0, common);
}

function without(words: readonly string[], others: readonly string[]): string[] {
  return words.filter((word) => !others.some((it) => isSameWord(word, it)));
}

/** In running text most words of four letters say nothing. */
const longWordCharacters = 6;

/**
 * Whether a text takes up something of a side. It looks for words of the side's position: first of those
 * that the other position lacks, the telling ones, else all; where there are none, likewise of
 * the whole position. A long word that only this side said for its position counts as well. True where there is
 * no word to look for.
 */
export function takesUp(text: string, side: SideWords, other: SideWords): boolean {
  const words = wordsOf(text);
  const position = wordsOf(side.position);
  const own = without(position, wordsOf(other.position));
  const telling = [own.filter(isTelling), own, position.filter(isTelling), position].find(
    (it) => it.length > 0,
  );
  const said = without(wordsOf(side.said), wordsOf(`${other.position} ${other.said}`)).filter(
    (word) => isTelling(word) && (isCjk.test(word) || word.length >= longWordCharacters),
  );
  const wanted = [...(telling ?? []), ...said];
  return wanted.length === 0 || wanted.some((word) => words.some((it) => isSameWord(word, it)));
}
