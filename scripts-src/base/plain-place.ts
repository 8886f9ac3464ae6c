import { inline } from "./json.ts";

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

function shown(text: string, plain: RegExp): string {
  return plain.test(text) && text.length <= charactersMax ? text : inline(text, charactersMax);
}
