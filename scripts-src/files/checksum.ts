/**
 * A 32-bit checksum in eight hex digits: finds damage, not forgery. Every start of a script runs
 * it, in code that is still cold, so it takes four bytes at a step and needs no table.
 */
export function checksum(bytes: Uint8Array): string {
  const words = new Int32Array((bytes.length + 3) >> 2);
  new Uint8Array(words.buffer).set(bytes);
  let sum = bytes.length | 0;
  // Each step is a bijection of the sum: one changed word always changes the result.
  for (const word of words) {
    sum = Math.imul(sum ^ word, 0x9e3779b1);
    sum ^= sum >>> 15;
  }
  return (sum >>> 0).toString(16).padStart(8, "0");
}
