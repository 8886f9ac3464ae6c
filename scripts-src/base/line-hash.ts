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
const firstState = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
/** and of the cube roots. Written out: finding primes would cost each start more than reading them. */
const roundWords = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);

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
