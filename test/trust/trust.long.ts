import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dishonestCases, honestCases, lazyCases, measureAudits, measureTrust } from "./figures.ts";

/** The words of a confirmation are read by nobody. */
const gaps = ["stranger 06"];

describe("the suite of honest and dishonest sessions", () => {
  it("has sixty dishonest and twenty-five honest ones, each with a name of its own", () => {
    assert(dishonestCases.length >= 60, String(dishonestCases.length));
    assert(honestCases.length >= 25, String(honestCases.length));
    const { stranger, lazy } = lazyCases;
    assert.deepEqual([stranger.length, lazy.length], [25, 30]);
    const all = [...dishonestCases, ...honestCases, ...stranger, ...lazy];
    const names = all.map(({ name }) => name);
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

  it("with a good auditor lets nothing of the lazy sessions through, and closes honest ones", async () => {
    const [good] = await measureAudits({ each: 9 }, ["good"]);
    const { lazy = [], stranger = [] } = good?.lazy ?? {};
    const through = [...lazy, ...stranger].filter(({ end }) => end === "through");
    assert.deepEqual(
      through.map(({ name }) => name.slice(0, 11)).filter((name) => !gaps.includes(name)),
      [],
    );
    assert.deepEqual(good?.faults, []);
    assert.equal(good?.honest.made, good?.honest.asked);
  });

  it("takes nothing from an auditor that quotes what is not there, and closes without it", async () => {
    const [liar] = await measureAudits({ words: ["a code question answered", "lazy 01"] }, [
      "liar",
    ]);
    assert.deepEqual(liar?.faults, []);
    assert.deepEqual([liar?.honest.cases, liar?.honest.made], [1, 0]);
    assert.deepEqual(
      liar?.lazy.lazy.map(({ end }) => end),
      ["through"],
    );
  });
});
