import { normalized } from "./prose.ts";

/** What a side holds: its position, and what it last said for it. */
export interface Held {
  readonly position: string;
  readonly said: string;
}

const signs = "\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af";
const signOrWord = new RegExp(`[${signs}]+|[^${signs}\\s]+`, "g");
const isSigns = new RegExp(`^[${signs}]`);

/** Words, and where they have no blanks each two signs that stand together. */
export function wordsOf(text: string): string[] {
  const parts = normalized(text).match(signOrWord) ?? [];
  return [...new Set(parts.flatMap((part) => (isSigns.test(part) ? pairsOf(part) : [part])))];
}

function pairsOf(part: string): string[] {
  const all = Array.from(part);
  return all.length < 2 ? all : all.slice(1).map((sign, at) => `${all[at]}${sign}`);
}

/** Whether a word tells something by itself: four letters, a number of two digits, or two signs. */
export function tells(word: string): boolean {
  return /\p{L}{4}|\d\d/u.test(word) || (isSigns.test(word) && word.length > 1);
}

const [stemCharacters, shortestStem] = [5, 4];

/** Endings change with the sentence. */
export function isSameWord(one: string, other: string): boolean {
  const common = Math.min(one.length, other.length, stemCharacters);
  if (common < shortestStem || isSigns.test(one)) return one === other;
  return one.slice(0, common) === other.slice(0, common);
}

function without(words: readonly string[], others: readonly string[]): string[] {
  return words.filter((word) => !others.some((it) => isSameWord(word, it)));
}

/** In running text most words of four letters say nothing. */
const saidCharacters = 6;

/**
 * Whether a text takes up something of one side that the other does not hold as well: a telling word of
 * its position, a shorter one where that has no longer, or a long word of what it said for it.
 */
export function takesUp(text: string, side: Held, other: Held): boolean {
  const words = wordsOf(text);
  const position = wordsOf(side.position);
  const own = without(position, wordsOf(other.position));
  const telling = [own.filter(tells), own, position.filter(tells), position].find(
    (it) => it.length > 0,
  );
  const said = without(wordsOf(side.said), wordsOf(`${other.position} ${other.said}`)).filter(
    (word) => tells(word) && (isSigns.test(word) || word.length >= saidCharacters),
  );
  const told = [...(telling ?? []), ...said];
  return told.length === 0 || told.some((word) => words.some((it) => isSameWord(word, it)));
}
