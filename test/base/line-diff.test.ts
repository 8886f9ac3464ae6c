import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyPatch } from "diff";
import fc from "fast-check";
import { lineDiff } from "../../scripts-src/base/line-diff.ts";

const bodyOf = (diff: string) => diff.trimEnd().split("\n").slice(3);

describe("lineDiff", () => {
  it("keeps what both texts have, in order, below the names of both", () => {
    const diff = lineDiff("x.md", "a\nb\nc\nd\n", "a\nx\nc\ny\nd\n");
    assert(diff.startsWith("--- a/x.md\n+++ b/x.md\n@@ "), diff);
    assert.deepEqual(bodyOf(diff), [" a", "-b", "+x", " c", "+y", " d"]);
    assert.equal(lineDiff("x.md", "a\n", "a\n"), "");
  });

  it("leads from one text to the other", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
      .map((it) => it.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = lineDiff("x.md", before, after);
        assert.equal(diff === "" ? before : applyPatch(before, diff), after);
      }),
    );
  });

  it("takes a bounded time for texts that share nothing", () => {
    const lines = (letter: string) => Array.from({ length: 5_000 }, (_, at) => `${letter}${at}`);
    const diff = lineDiff("x.md", lines("a").join("\n"), lines("b").join("\n"));
    assert.equal(bodyOf(diff).length, 10_000);
  });
});
