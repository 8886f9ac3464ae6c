import { normalized } from "./prose.ts";

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
