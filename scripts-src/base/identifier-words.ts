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
