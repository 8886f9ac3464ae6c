import type { JsonValue } from "../json.ts";

/** What can be searched of a value: its strings, numbers and the names of its fields. */
export function textOf(value: JsonValue): string {
  if (typeof value === "string") return value;
  const words: string[] = [];
  collectWords(value, words);
  return words.join("\n");
}

function collectWords(value: JsonValue | undefined, words: string[]): void {
  if (typeof value === "string") words.push(value);
  else if (typeof value === "number" || typeof value === "boolean") words.push(String(value));
  else if (Array.isArray(value)) for (const item of value) collectWords(item, words);
  else if (value !== null && value !== undefined) {
    for (const [name, field] of Object.entries(value)) {
      words.push(name);
      collectWords(field, words);
    }
  }
}

/**
 * The words inside names that are written together, such as `parse` and `Config` of `parseConfig`,
 * each once; names that are written apart (`parse_config`, `parse-config`) need no help.
 */
export function wordsInNames(text: string): string[] {
  const words = new Set<string>();
  // Word by word: one expression for both would take quadratic time over a long word.
  for (const [name] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (isCompound(name)) for (const word of partsOf(name)) words.add(word);
  }
  return [...words];
}

export function isCompound(name: string): boolean {
  return /\p{Ll}\p{Lu}/u.test(name);
}

/** `parseHTTPHeader` is `parse`, `HTTP`, `Header`. */
export function partsOf(name: string): string[] {
  return name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}]+|\p{Lu}/gu) ?? [];
}

/** A text as an echo of it would be compared: case and white space do not count. */
export function plainText(text: string): string {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}

/** The bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1));
    // Two units make four bytes; everything else from 0x800 on makes three.
    if (isPair) {
      bytes += 2;
      at += 1;
    } else bytes += unit < 0x800 ? 1 : 2;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
