import { hasHidden } from "./visible-text.ts";

/** A word as a POSIX shell reads it back; bash and zsh, where it holds what no line may show. */
export function shellWord(word: string): string {
  if (/[\t\n]/.test(word) || hasHidden(word)) return `$'${escapedWord(word)}'`;
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function escapedWord(word: string): string {
  return Array.from(word, (character) => {
    if (character === "\\" || character === "'") return `\\${character}`;
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return /^[\x20-\x7e]$/.test(character) ? character : `\\U${code.padStart(8, "0")}`;
  }).join("");
}
