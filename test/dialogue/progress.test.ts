import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  asked,
  byHand,
  claude,
  files,
  gemini,
  reading,
  reasonsOf,
  record,
  saw,
  type Turn,
} from "./given.ts";

/** Rounds in which both only ask back, from gemini's answer on. */
function idleRounds(count: number): Turn[] {
  const turns = [gemini("CLARIFY")];
  for (let round = 2; round <= count; round += 1) turns.push(claude("CLARIFY"), gemini("CLARIFY"));
  return turns;
}

describe("the stall limit", () => {
  it("starts at 5 and loses 1 in each round without progress", () => {
    assert.equal(asked().state.budget, 5);
    for (const rounds of [1, 2, 3, 4])
      assert.equal(asked(idleRounds(rounds)).state.budget, 5 - rounds);
  });

  it("is judged when both sides have spoken, not before", () => {
    assert.equal(asked([...idleRounds(1), claude("CLARIFY")]).state.budget, 4);
  });

  it("escalates when it is used up", () => {
    const ended = asked(idleRounds(5));
    assert.equal(ended.state.budget, 0);
    assert.deepEqual(reasonsOf(ended), ["budget_exhausted"]);
  });

  it("travels in every message", () => {
    const budgets = asked(idleRounds(3)).messages.map(({ meta }) => meta?.round_budget_remaining);
    assert.deepEqual(budgets, [5, 5, 4, 4, 3, 3]);
  });

  const answer = gemini("RESPONSE");
  const seen = saw("claude", "a.ts:1");
  const changed = saw("claude", "a.ts:1", { sha256: "b".repeat(64) });
  const differs = claude("EVALUATE", { position: files });
  const synthesis = "SQLite as index over plain files.";
  const rounds: [name: string, turns: Turn[], budget: number][] = [
    ["a record of one's own", [answer, seen, claude("CLARIFY"), gemini("CLARIFY")], 5],
    [
      "a record of a file that changed since",
      [seen, answer, changed, claude("CLARIFY"), gemini("CLARIFY")],
      5,
    ],
    ["the other's position taken over", [answer, claude("EVALUATE"), gemini("CLARIFY")], 5],
    ["the other's position agreed to", [answer, claude("AGREE"), gemini("CLARIFY")], 5],
    [
      "a synthesis that is accepted",
      [
        answer,
        differs,
        gemini("EVALUATE", { synthesis }),
        claude("AGREE", { because: "judgement: it is simple" }),
        gemini("CLARIFY"),
      ],
      5,
    ],
    [
      "a point that a colleague by hand newly agrees to",
      [answer, claude("CLARIFY"), byHand(gemini("CLARIFY", { agreements_so_far: ["UTF-8"] }))],
      5,
    ],
    ["nothing new", [answer, claude("CLARIFY"), gemini("CLARIFY")], 3],
    [
      "the same record again",
      [seen, answer, saw("claude", "a.ts:1"), claude("CLARIFY"), gemini("CLARIFY")],
      4,
    ],
    ["a position of one's own", [answer, differs, gemini("CLARIFY")], 3],
    [
      "a position held before",
      [answer, claude("EVALUATE"), gemini("EVALUATE"), claude("EVALUATE"), gemini("EVALUATE")],
      4,
    ],
    [
      "a synthesis that nobody accepted yet",
      [answer, differs, gemini("EVALUATE", { synthesis })],
      3,
    ],
    ["a question", [answer, claude("CLARIFY", { asks: ["Which disk?"] }), gemini("CLARIFY")], 3],
    ["references", [answer, claude("CLARIFY", { references: ["a.ts"] }), gemini("CLARIFY")], 3],
    [
      "a claim by a command, before somebody ran it",
      [
        answer,
        claude("RESPONSE", { position: files, claims: [{ text: "2 ms", check: "npm test" }] }),
        gemini("CLARIFY"),
      ],
      3,
    ],
    [
      "a claim whose lines the script has read",
      [
        answer,
        reading(
          claude("RESPONSE", { position: files, claims: [{ text: "2 ms", check: "bench.md:3" }] }),
          record("bench.md:3"),
        ),
        gemini("CLARIFY"),
      ],
      5,
    ],
  ];
  for (const [name, turns, budget] of rounds)
    it(`is at ${budget} after ${name}`, () => assert.equal(asked(turns).state.budget, budget));
});
