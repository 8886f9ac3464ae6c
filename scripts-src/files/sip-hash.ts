export const sipHashKeyBytes = 16;

/**
 * SipHash-2-4 with a result of 128 bits (Aumasson and Bernstein), in hex: who lacks the key cannot
 * make it for other bytes. Written out because loading a library for it costs each start 3 ms.
 */
export function sipHash(key: Uint8Array, bytes: Uint8Array): string {
  const [a = 0, b = 0, c = 0, d = 0] = wordsOf(key, sipHashKeyBytes);
  // Four numbers of 64 bits, each as a low and a high half. Their letters spell
  // "somepseudorandomlygeneratedbytes"; 0xee asks for 128 bits.
  const state = Int32Array.of(
    a ^ 0x70736575,
    b ^ 0x736f6d65,
    c ^ 0x6e646f6d ^ 0xee,
    d ^ 0x646f7261,
    a ^ 0x6e657261,
    b ^ 0x6c796765,
    c ^ 0x79746573,
    d ^ 0x74656462,
  );
  const words = wordsOf(bytes, (bytes.length & ~7) + 8);
  // The last block ends with the length.
  words[words.length - 1] = (words.at(-1) ?? 0) | (bytes.length << 24);
  absorb(state, words, 2);
  flip(state, 4, 0xee);
  absorb(state, noBlock, 4);
  const head = resultOf(state);
  flip(state, 2, 0xdd);
  absorb(state, noBlock, 4);
  return head + resultOf(state);
}

const noBlock = Int32Array.of(0, 0);
const topBit = -0x80000000;

/** Zeros fill what the bytes lack. The order of a word's bytes is the machine's, nearly always the lowest first. */
function wordsOf(bytes: Uint8Array, length: number): Int32Array {
  const words = new Int32Array(length / 4);
  new Uint8Array(words.buffer).set(bytes);
  return words;
}

function flip(state: Int32Array, index: number, bits: number): void {
  state[index] = (state[index] ?? 0) ^ bits;
}

/**
 * Mixes blocks of two words into the state. Every start of a script runs it, in code that is still
 * cold, where a call or an object at each step would cost milliseconds: so it is one loop over local
 * numbers. A sum has a carry when it is less than what was added, read without signs.
 */
function absorb(state: Int32Array, words: Int32Array, rounds: number): void {
  let [al = 0, ah = 0, bl = 0, bh = 0, cl = 0, ch = 0, dl = 0, dh = 0] = state;
  for (let at = 0; at < words.length; at += 2) {
    const low = words[at] ?? 0;
    const high = words[at + 1] ?? 0;
    dl ^= low;
    dh ^= high;
    for (let round = 0; round < rounds; round += 1) {
      al = (al + bl) | 0;
      ah = (ah + bh + ((al ^ topBit) < (bl ^ topBit) ? 1 : 0)) | 0;
      let half = bl;
      bl = ((bl << 13) | (bh >>> 19)) ^ al;
      bh = ((bh << 13) | (half >>> 19)) ^ ah;
      cl = (cl + dl) | 0;
      ch = (ch + dh + ((cl ^ topBit) < (dl ^ topBit) ? 1 : 0)) | 0;
      half = dl;
      dl = ((dl << 16) | (dh >>> 16)) ^ cl;
      dh = ((dh << 16) | (half >>> 16)) ^ ch;
      half = (cl + bl) | 0;
      cl = (ch + bh + ((half ^ topBit) < (bl ^ topBit) ? 1 : 0)) | 0;
      ch = half;
      half = bl;
      bl = ((bl << 17) | (bh >>> 15)) ^ ch;
      bh = ((bh << 17) | (half >>> 15)) ^ cl;
      half = (ah + dl) | 0;
      ah = (al + dh + ((half ^ topBit) < (dl ^ topBit) ? 1 : 0)) | 0;
      al = half;
      half = dl;
      dl = ((dl << 21) | (dh >>> 11)) ^ al;
      dh = ((dh << 21) | (half >>> 11)) ^ ah;
    }
    al ^= low;
    ah ^= high;
  }
  state.set([al, ah, bl, bh, cl, ch, dl, dh]);
}

function resultOf(state: Int32Array): string {
  const halves = [0, 1].map((first) =>
    [0, 2, 4, 6].reduce((sum, index) => sum ^ (state[index + first] ?? 0), 0),
  );
  return halves.map(hexOf).join("");
}

/** A word in hex, its lowest byte first. */
function hexOf(word: number): string {
  const bytes = [0, 8, 16, 24].map((shift) => (word >>> shift) & 0xff);
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Compares in a time that says nothing about where they differ. */
export function isSameText(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1)
    difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
