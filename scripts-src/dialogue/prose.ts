/** A text without code, quotations and runs of white space: its sender's own words. */
export function ownWords(text: string): string {
  return text
    .replaceAll("\u2019", "'")
    .replace(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g, " ")
    .replace(/^[ \t]*>.*$/gm, " ")
    .replace(/["\u00ab\u201c][^"\u00ab\u201c\u00bb\u201d\n]*["\u00bb\u201d]/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n");
}

/** The questions in running text that are its sender's own: no code, no quotations. */
export function questionsIn(text: string): string[] {
  const sentences = ownWords(text).split(/(?<=[.!?;\u3002\uff1f\u061f])\s+|\n+/);
  return sentences.map((it) => it.trim()).filter(asksIn);
}

/** Whether a text ends with a question mark. */
export function asksIn(text: string): boolean {
  return /[?\uff1f\u037e\u061f]["')\]\s]*$/.test(text);
}

/** Letters and digits in lower case, one blank between words: for comparing free prose. */
export function normalized(text: string): string {
  const words = text.normalize("NFKC").toLowerCase();
  return words.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Whether a list holds a text, by its words alone. */
export function holdsText(texts: readonly string[], wanted: string): boolean {
  const words = normalized(wanted);
  return texts.some((it) => normalized(it) === words);
}

/** Whether `point` names something that `said` contains: its words as they stand, or most of its longer words. */
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

const unspaced = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

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

const [stemCharacters, endingCharacters] = [4, 4];

/** Whether a word begins as another does, but for its last letter, and ends within few more. */
function isForm(word: string, of: string): boolean {
  if (of.length < stemCharacters) return word === of;
  const stem = Math.max(stemCharacters, of.length - 1);
  return word.startsWith(of.slice(0, stem)) && word.length <= of.length + endingCharacters;
}
