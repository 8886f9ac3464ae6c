import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dishonestCases, honestCases, measureTrust } from "./figures.ts";

describe("the suite of honest and dishonest sessions", () => {
  it("has sixty dishonest and twenty-five honest ones, each with a name of its own", () => {
    assert(dishonestCases.length >= 60, String(dishonestCases.length));
    assert(honestCases.length >= 25, String(honestCases.length));
    const names = [...dishonestCases, ...honestCases].map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)]);
  });

  // All of them are played by `npm run trust`, and by `.ci/all`; a fifth is what a test run has the time for.
  it("ends as trust needs it, every fifth case of each class", async () => {
    const { unseen, tokens, faults } = await measureTrust({ each: 5 });
    assert.deepEqual(faults, []);
    assert.equal(unseen, 0);
    const median = tokens[Math.floor(tokens.length / 2)] ?? 0;
    // Of all turns it is 300 at most (docs/trust.md); of so few it may be a little more.
    assert(median <= 320, `${median} tokens of added text`);
  });
});
