import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  commonFrom,
  type Fit,
  isRelevant,
  relevantScore,
  typicalCharacters,
  type WordCount,
} from "../../../scripts-src/brain/rules/relevance.ts";

describe("the words of a query", () => {
  it("are looked up unless too many memories hold them", () => {
    assert.deepEqual([10, 1_000, 100_000, 1_000_000].map(commonFrom), [50, 100, 10_000, 10_000]);
  });
});

describe("what is relevant", () => {
  const word = (memories: number, isEveryday = false): WordCount => ({ memories, isEveryday });
  const [staging, canary, test, unknown] = [word(2), word(2), word(2, true), word(0)];
  const sizes = { memories: 220, characters: 150, charactersTypical: 200 };
  const both = { ...sizes, held: [staging, canary], all: [staging, canary, test] };
  const unsaid = (count: number) => Array.from({ length: count }, () => unknown);
  const parts = Array.from({ length: 5 }, () => word(2));
  const fits: [name: string, fit: Fit, expected: boolean][] = [
    ["enough", both, true],
    ["one word", { ...both, held: [staging], all: [staging, test] }, false],
    ["no telling word", { ...both, held: [test], all: [test] }, false],
    ["a small part of a long prompt", { ...both, all: [staging, canary, ...parts] }, false],
    ["chatter that no memory holds", { ...both, all: [staging, canary, ...unsaid(4)] }, true],
    ["much that no memory holds", { ...both, all: [staging, canary, ...unsaid(12)] }, false],
    ["the only memory there is", { ...both, memories: 1, held: [word(1), word(1)] }, true],
    ["one word of the only memory", { ...both, memories: 1, held: [word(1)] }, false],
    ["words that each of nine memories holds", { ...both, memories: 9, held: [word(9)] }, false],
    ["a memory that is stuffed with words", { ...both, characters: 20_000 }, false],
  ];
  for (const [name, fit, expected] of fits) {
    it(`is judged by ${name}`, () => assert.equal(isRelevant(fit), expected));
  }

  it("is judged by its subject as well where much is said of it", () => {
    const long = { ...both, characters: 2_000 };
    const score = (whole: Fit, subject: Fit) => relevantScore(whole, () => subject);
    assert.equal(score(long, { ...long, held: [staging] }), undefined);
    assert.equal(
      score(long, { ...both, characters: 20 }),
      score({ ...both, characters: 20 }, long),
    );
    assert.equal(score({ ...long, held: [staging] }, both), undefined);
  });

  it("needs rarer words among more memories", () => {
    assert.equal(isRelevant({ ...both, held: [word(2), word(100)] }), false);
  });

  it("takes no length of a stuffed memory for usual", () => {
    assert.equal(typicalCharacters([]), 200);
    assert.equal(typicalCharacters([65_536]), 400);
    assert.equal(typicalCharacters([100, 300, 300, 300]), 250);
  });
});
