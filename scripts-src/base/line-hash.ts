/**
 * SHA-256 (FIPS 180-4) in hex. Written out because every append needs it for one line, and loading
 * node:crypto costs each start 4 ms and more; what hashes much loads that.
 */
export function lineHash(bytes: Uint8Array): string {
  const state = Int32Array.from(firstState);
  const whole = bytes.length & ~63;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < whole; at += 64) mix(state, view, at);
  const rest = bytes.length - whole;
  const last = new DataView(new ArrayBuffer(rest < 56 ? 64 : 128));
  for (let at = 0; at < rest; at += 1) last.setUint8(at, view.getUint8(whole + at));
  last.setUint8(rest, 0x80);
  last.setUint32(last.byteLength - 8, Math.floor(bytes.length / 0x2000_0000));
  last.setUint32(last.byteLength - 4, bytes.length << 3);
  for (let at = 0; at < last.byteLength; at += 64) mix(state, last, at);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The first 32 bits of the fraction of the square roots of the first primes, */
const firstState = primes(8).map((prime) => fraction(prime ** 0.5));
/** and of the cube roots. */
const roundWords = Int32Array.from(primes(64).map((prime) => fraction(Math.cbrt(prime))));

function primes(count: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number += 1)
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  return found;
}

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 0x1_0000_0000) | 0;
}

const schedule = new Int32Array(64);

/** One block of 64 bytes: one loop over local numbers, because a start runs it while it is cold. */
function mix(state: Int32Array, view: DataView, at: number): void {
  expand(view, at);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < 64; round += 1) {
    const big = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const word = (roundWords[round] ?? 0) + (schedule[round] ?? 0);
    const one = (h + big + ((e & f) ^ (~e & g)) + word) | 0;
    const turned = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (turned + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  const mixed = [a, b, c, d, e, f, g, h];
  for (let index = 0; index < 8; index += 1)
    state[index] = (state[index] ?? 0) + (mixed[index] ?? 0);
}

function expand(view: DataView, at: number): void {
  for (let index = 0; index < 16; index += 1) schedule[index] = view.getInt32(at + 4 * index);
  for (let index = 16; index < 64; index += 1) {
    const early = schedule[index - 15] ?? 0;
    const late = schedule[index - 2] ?? 0;
    const first =
      ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const second = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    schedule[index] = (schedule[index - 16] ?? 0) + first + (schedule[index - 7] ?? 0) + second;
  }
}
