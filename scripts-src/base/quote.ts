import { inline } from "./json.ts";

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
  return shown(text, /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u);
}

function shown(text: string, plain: RegExp): string {
  return plain.test(text) && text.length <= charactersMax ? text : inline(text, charactersMax);
}

/** Whether every reader takes a text for one line: no control characters, no half characters. */
export function isPlainLine(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);
}
