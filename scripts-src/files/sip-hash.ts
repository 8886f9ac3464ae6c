import { hashEngine } from "../base/hash-engine.ts";

export const sipHashKeyBytes = 16;

/**
 * SipHash-2-4 with a result of 128 bits (Aumasson and Bernstein), in hex: who lacks the key cannot
 * make it for other bytes.
 */
export function sipHash(key: Uint8Array, bytes: Uint8Array): string {
  const { sipStart, sip1, sip2, sipEnd, sipWord } = hashEngine();
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = wordsOf(key, sipHashKeyBytes);
  sipStart(k0, k1, k2, k3);
  const words = wordsOf(bytes, (bytes.length & ~7) + 8);
  // The last block ends with the length.
  words[words.length - 1] = (words.at(-1) ?? 0) | (bytes.length << 24);
  const twos = words.length & ~3;
  for (let at = 0; at < twos; at += 4)
    sip2(words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0, words[at + 3] ?? 0);
  if (twos < words.length) sip1(words[twos] ?? 0, words[twos + 1] ?? 0);
  sipEnd();
  const result = Int32Array.of(sipWord(), sipWord(), sipWord(), sipWord());
  return Buffer.from(result.buffer).toString("hex");
}

/** Zeros fill what the bytes lack. The order of a word's bytes is the machine's, nearly always the lowest first. */
function wordsOf(bytes: Uint8Array, length: number): Int32Array {
  const words = new Int32Array(length / 4);
  new Uint8Array(words.buffer).set(bytes);
  return words;
}

/** Takes as long for any two texts of one length, whether they differ early, late or nowhere. */
export function isSameText(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1)
    difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
