import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { lineChanges } from "../../scripts-src/base/line-diff.ts";

const shown = (before: string, after: string) =>
  lineChanges(before, after).map(
    ({ as, text }) => `${{ same: " ", added: "+", removed: "-" }[as]}${text}`,
  );

describe("lineChanges", () => {
  it("keeps what both texts have, in order", () => {
    assert.deepEqual(shown("a\nb\nc\nd", "a\nx\nc\ny\nd"), [" a", "-b", "+x", " c", "+y", " d"]);
    assert.deepEqual(shown("a", "a"), [" a"]);
  });

  it("leads from one text to the other, and leaves no line of either out", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
      .map((it) => it.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = lineChanges(before, after);
        const without = (as: string) =>
          changes.flatMap((it) => (it.as === as ? [] : [it.text])).join("\n");
        assert.equal(without("added"), before);
        assert.equal(without("removed"), after);
      }),
    );
  });

  it("takes a bounded time for texts that share nothing", () => {
    const lines = (letter: string) => Array.from({ length: 5_000 }, (_, at) => `${letter}${at}`);
    const changes = lineChanges(lines("a").join("\n"), lines("b").join("\n"));
    assert.equal(changes.length, 10_000);
  });
});
