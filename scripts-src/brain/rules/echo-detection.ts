import { stopWords } from "../../base/stop-words.ts";
import { plainText } from "./searchable-text.ts";

/**
 * How a text is known again that the brain itself put into a context. Memories would feed on
 * themselves: a model that is shown one stores it again, in its own wrapping.
 *
 * A telling word says something about the subject: it is neither a stop word nor a word of an introduction.
 * A denial is a telling word, too. The numbers below were chosen by hand; test/brain/rules/echo.test.ts holds
 * texts that they must tell apart.
 */

/** An echo shorter than this says nothing: many values are `3000` or `yes`. */
const echoCharacters = 24;
/** A text of fewer words may well be the same by chance: it is never taken for a repeat. */
const wordsMin = 8;
/** Words in a row that are compared as one: a run. The same words in another order have other runs. */
const runWords = 4;
/** A text repeats another one that holds all its telling words and at least this share of its runs. */
const shareMin = 0.75;
/** More words than that of a text are not looked at. */
const wordsMax = 4_096;
/** How many of the latest injections a new text is compared with word by word. */
export const echoesCompared = 64;

/** The form in which an injected text is known again, or undefined when it is too short for that. */
export function echoOf(text: string): string | undefined {
  const plain = plainText(text);
  return plain.length < echoCharacters ? undefined : plain;
}

/**
 * Returns a test: does the text only repeat an injected text, or a part of it? Punctuation, line breaks and
 * an introduction do not count; one telling word that the injected text lacks makes the text news.
 */
export function repeatTest(text: string): (injected: string) => boolean {
  const words = wordsOf(text);
  if (words.length < wordsMin) return () => false;
  const telling = [...new Set(words)].filter(isTelling);
  const runs = runsOf(words);
  return (injected) => {
    const plain = injected.toLowerCase();
    // Most texts are told apart by this alone.
    if (!telling.every((word) => plain.includes(word))) return false;
    const source = wordsOf(injected);
    const known = new Set(source);
    if (!telling.every((word) => known.has(word))) return false;
    const held = new Set(runsOf(source));
    return runs.filter((run) => held.has(run)).length >= shareMin * runs.length;
  };
}

/** Stop words that tell all the same: they turn what is said into its opposite. */
const denials: ReadonlySet<string> = new Set(
  "not no never none nor neither without instead cannot cant wont won don doesn didn isn aren shouldn".split(
    " ",
  ),
);
/** Words with which a model introduces a text that it was shown, as in "Reminder, noted from memory:". */
const phrases: ReadonlySet<string> = new Set(
  "memory note notes noted remember reminder learned according context brain consulta summary".split(
    " ",
  ),
);

function isTelling(word: string): boolean {
  return denials.has(word) || !(stopWords.has(word) || phrases.has(word));
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, wordsMax);
}

function runsOf(words: readonly string[]): string[] {
  return words
    .slice(0, Math.max(words.length - runWords + 1, 0))
    .map((_, at) => words.slice(at, at + runWords).join(" "));
}
