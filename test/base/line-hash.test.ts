import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { sha256 } from "../../scripts-src/files/hash.ts";

const counting = (length: number) =>
  Uint8Array.from({ length }, (_, index) => (7 * index + length) & 0xff);

describe("sha256", () => {
  it("gives what node:crypto gives, for every length of a last block and for long input", () => {
    for (const length of [...Array(200).keys(), 4_095, 4_096, 1 << 20]) {
      const bytes = counting(length);
      assert.equal(sha256(bytes), createHash("sha256").update(bytes).digest("hex"), `${length}`);
    }
  });

  it("looks only at its part of a shared buffer", () => {
    const bytes = counting(300).subarray(37, 237);
    assert.equal(sha256(bytes), sha256(Uint8Array.from(bytes)));
  });
});
