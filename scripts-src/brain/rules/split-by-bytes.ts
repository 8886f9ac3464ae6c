import { utf8Bytes } from "./searchable-text.ts";

/**
 * Cuts a text into parts of at most so many bytes in UTF-8, after a line break where there is one
 * in the part's second half, and never within a character.
 */
export function chunksOf(text: string, bytesMax: number): string[] {
  if (utf8Bytes(text) <= bytesMax) return [text];
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfChunk(text, start, bytesMax);
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function endOfChunk(text: string, start: number, bytesMax: number): number {
  let bytes = 0;
  let lineEnd = -1;
  for (let at = start; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0;
    bytes += bytesOf(point);
    // At least one character, or it would never end.
    if (bytes > bytesMax && at > start) return lineEnd > 0 ? lineEnd : at;
    at += point > 0xffff ? 2 : 1;
    if (point === 0x0a && bytes > bytesMax / 2) lineEnd = at;
  }
  return text.length;
}

/** The bytes of one character in UTF-8. */
function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}
