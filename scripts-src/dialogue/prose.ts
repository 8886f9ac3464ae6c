/** Printable ASCII and white space: where markers in ASCII and plain classes suffice. */
function isPlain(text: string): boolean {
  return /^[\t-\r\x20-\x7e]*$/.test(text);
}

/**
 * A text without code, quotations and runs of white space. What it does not hold is not looked for: a
 * regular expression costs each start its compilation.
 */
export function ownWords(text: string): string {
  const unquoted = withoutQuotations(withoutCode(text.replaceAll("\u2019", "'")));
  const spaced = unquoted.replace(/[^\S\n]+/g, " ");
  return spaced.includes("\n") ? spaced.replace(/ ?\n[ \n]*/g, "\n") : spaced;
}

function withoutCode(text: string): string {
  if (!text.includes("`")) return text;
  return text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/`[^`\n]*`/g, " ");
}

function withoutQuotations(text: string): string {
  const lines = text.includes(">") ? text.replace(/^[ \t]*>.*$/gm, " ") : text;
  if (!openingQuotes.some((it) => lines.includes(it))) return lines;
  return lines.replace(/["\u00ab\u201c][^"\u00ab\u201c\u00bb\u201d\n]*["\u00bb\u201d]/g, " ");
}

const openingQuotes = ['"', "\u00ab", "\u201c"];

/** The sentences of a text that are its sender's own: no code, no quotations. */
export function ownSentences(text: string): string[] {
  return ownWords(text)
    .split(/(?<=[.!?;\u3002\uff1f\u061f])\s+|\n+/)
    .map((it) => it.trim())
    .filter((it) => it !== "");
}

/** Whether a text ends with a question mark. */
export function asksIn(text: string): boolean {
  return /[?\uff1f\u037e\u061f]["')\]\s]*$/.test(text);
}

/** Letters and digits in lower case, one blank between words: for comparing free prose. */
export function normalized(text: string): string {
  // Unicode classes take long to build; plain text, which is most, does without.
  if (isPlain(text))
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, " ")
      .trim();
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/**
 * Whether `point` names something that `said` contains: the words as they stand, or most of its
 * longer words.
 */
export function names(point: string, said: string): boolean {
  const [short, long] = [normalized(point), normalized(said)];
  if (short === "" || ` ${long} `.includes(` ${short} `)) return short !== "";
  const telling = [...new Set(short.split(" "))].filter((word) => word.length > 3);
  const held = new Set(long.split(" "));
  const found = telling.filter((word) => held.has(word)).length;
  return telling.length > 0 && found / telling.length >= 0.6;
}

/** A short name for a text: the same words give the same hash (FNV-1a, 2 x 32 bits). */
export function hashOf(text: string): string {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + index), 0x85ebca6b);
  }
  return (low >>> 0).toString(16).padStart(8, "0") + (high >>> 0).toString(16).padStart(8, "0");
}

/**
 * Whether a text holds a word or a phrase that the user keeps for itself. An ending may differ, as in
 * licence and licences; what is only a part of another word is none. Where words have no blanks
 * between them, the signs have to be there.
 */
export function holdsWord(text: string, wanted: string): boolean {
  const phrase = normalized(wanted);
  if (phrase === "") return false;
  if (unspaced.test(phrase)) return normalized(text).includes(phrase);
  const parts = phrase.split(" ");
  const words = normalized(text).split(" ");
  return words.some((_, at) => parts.every((part, index) => isForm(words[at + index] ?? "", part)));
}

const unspaced = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

const [stemCharacters, endingCharacters] = [4, 4];

/** Whether a word begins as another does, but for its last letter, and ends within few more. */
function isForm(word: string, of: string): boolean {
  if (of.length < stemCharacters) return word === of;
  const stem = Math.max(stemCharacters, of.length - 1);
  return word.startsWith(of.slice(0, stem)) && word.length <= of.length + endingCharacters;
}
