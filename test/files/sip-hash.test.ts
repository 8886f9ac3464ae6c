import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sipHash, sipHashKeyBytes } from "../../scripts-src/files/sip-hash.ts";

/** The results that its authors published for the bytes 0, 1, 2 ... of these lengths (CC0). */
const published: [length: number, result: string][] = [
  [0, "a3817f04ba25a8e66df67214c7550293"],
  [1, "da87c1d86b99af44347659119b22fc45"],
  [2, "8177228da4a45dc7fca38bdef60affe4"],
  [3, "9c70b60c5267a94e5f33b6b02985ed51"],
  [7, "a1f1ebbed8dbc153c0b84aa61ff08239"],
  [8, "3b62a9ba6258f5610f83e264f31497b4"],
  [9, "264499060ad9baabc47f8b02bb6d71ed"],
  [15, "5493e99933b0a8117e08ec0f97cfc3d9"],
  [16, "6ee2a4ca67b054bbfd3315bf85230577"],
  [31, "2939b0183223fafc1723de4f52c43d35"],
  [32, "7c3956ca5eeafc3e363e9d556546eb68"],
  [33, "77c6077146f01c32b6b69d5f4ea9ffcf"],
  [62, "5853542321f567a005d547a4f04759bd"],
  [63, "5150d1772f50834a503e069a973fbd7c"],
];

const key = Uint8Array.from({ length: sipHashKeyBytes }, (_, index) => index);
const counting = (length: number) => Uint8Array.from({ length }, (_, index) => index);

describe("sipHash", () => {
  for (const [length, result] of published) {
    it(`gives the published result for ${length} bytes`, () => {
      assert.equal(sipHash(key, counting(length)), result);
    });
  }

  it("gives the same in code that is compiled for good", () => {
    const bytes = counting(63);
    const results = new Set(Array.from({ length: 20_000 }, () => sipHash(key, bytes)));
    assert.deepEqual([...results], ["5150d1772f50834a503e069a973fbd7c"]);
  });

  it("depends on every bit of key and bytes", () => {
    const bytes = counting(40);
    const known = new Set([sipHash(key, bytes)]);
    const flipped = (from: Uint8Array, bit: number) =>
      from.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
    for (let bit = 0; bit < 8 * key.length; bit += 1) known.add(sipHash(flipped(key, bit), bytes));
    for (let bit = 0; bit < 8 * 40; bit += 1) known.add(sipHash(key, flipped(bytes, bit)));
    assert.equal(known.size, 1 + 8 * key.length + 8 * 40);
  });

  it("reads bytes that lie anywhere in their buffer", () => {
    const inside = new Uint8Array(80).subarray(3, 66);
    inside.set(counting(63));
    assert.equal(sipHash(key, inside), "5150d1772f50834a503e069a973fbd7c");
  });
});
