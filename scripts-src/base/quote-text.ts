import { inline } from "./json.ts";
import { hasHidden, visibleText } from "./visible-text.ts";

// Words of others within lines of ours; `quote` and `inline` of json.ts put any text into quotes.

const charactersMax = 160;

/**
 * A path, a citation or a name as its author wrote it, where it is nothing else; in quotes and cut
 * where it could pass for words of ours.
 */
export function plainPlace(text: string): string {
  return shown(text, /^(?!@)(?:[\w.-]+: (?!@))?[\w./~@+\\:-]+$/);
}

/** A name of a file or a folder, likewise. */
export function plainName(text: string): string {
  return shown(text, /^[\w.~@+-]+$/);
}

/** A name in any script, likewise. */
export function plainWord(text: string): string {
  // The letters of all scripts take a millisecond to look up the first time.
  return /^[A-Za-z0-9][\w.-]*$/.test(text) && text.length <= charactersMax
    ? text
    : shown(text, /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u);
}

function shown(text: string, plain: RegExp): string {
  return plain.test(text) && text.length <= charactersMax ? text : inline(text, charactersMax);
}

/** Whether every reader takes a text for one line: no control characters, no half characters. */
export function isPlainLine(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
}

/** A word as a POSIX shell reads it back; bash and zsh, where it holds what no line may show. */
export function shellWord(word: string): string {
  if (word.includes("\t") || word.includes("\n") || hasHidden(word))
    return `$'${escapedWord(word)}'`;
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function escapedWord(word: string): string {
  return Array.from(word, (character) => {
    if (character === "\\" || character === "'") return `\\${character}`;
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return /^[\x20-\x7e]$/.test(character) ? character : `\\U${code.padStart(8, "0")}`;
  }).join("");
}

/**
 * A prompt for a headless CLI, in which no word of another participant names a file: Gemini CLI puts
 * the file after every `@` that has no backslash before it into the prompt, Claude Code those
 * after white space.
 */
export function literalPrompt(prompt: string): string {
  const text = visibleText(prompt);
  const literal = text.replace(/(?<!\\)@/g, "\\@");
  return literal === text ? text : `${literal}${atSignNote}\n`;
}

const atSignNote =
  "(Each at sign has a backslash before it here, so that no file is read for it: write it without.)";
