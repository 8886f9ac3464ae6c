import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fitsPattern, literalStart } from "../../../scripts-src/brain/rules/memory-change.ts";
import { cpuMs } from "../../cpu-time.ts";

describe("a pattern of keys", () => {
  it("fits as a regular expression would", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "/", "\u{1f600}"), maxLength: 8 });
    const signs = fc.string({ unit: fc.constantFrom("a", "b", "/", "*", "?"), maxLength: 8 });
    fc.assert(
      fc.property(letters, signs, (key, pattern) => {
        const expression = pattern.replaceAll("*", ".*").replaceAll("?", ".");
        assert.equal(fitsPattern(key, pattern), new RegExp(`^${expression}$`, "u").test(key));
        if (fitsPattern(key, pattern)) assert(key.startsWith(literalStart(pattern)));
      }),
    );
  });

  it("takes bounded time", () => {
    const from = cpuMs();
    fitsPattern("a".repeat(512), `${"*a".repeat(200)}b`);
    assert(cpuMs() - from < 500);
  });
});
