import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { asked, claude, gemini, reasonsOf, seeing, type Turn } from "./given.ts";

const tool = (result: string) => ({ progress: [{ kind: "tool", tool: "grep", result }] });
const artifact = (path: string) => ({ progress: [{ kind: "artifact", path }] });
const accepted = (point: string) => ({ progress: [{ kind: "accepted", point }] });

/** Rounds in which nothing is gained, from gemini's answer on. */
function idleRounds(count: number): Turn[] {
  const turns = [gemini("RESPONSE")];
  for (let round = 2; round <= count; round += 1)
    turns.push(claude("EVALUATE"), gemini("EVALUATE"));
  return turns;
}

describe("the progress budget", () => {
  it("starts at 5 and loses 1 in each round without progress", () => {
    assert.equal(asked().state.budget, 5);
    for (const rounds of [1, 2, 3, 4]) {
      assert.equal(asked(idleRounds(rounds)).state.budget, 5 - rounds);
    }
  });

  it("is judged when both sides have spoken, not before", () => {
    assert.equal(asked([...idleRounds(1), claude("EVALUATE")]).state.budget, 4);
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

  const gains: [name: string, turn: Turn][] = [
    ["an artifact", seeing({ "plan.md": "hash 1" }, claude("EVALUATE", artifact("plan.md")))],
    ["a tool's result", claude("EVALUATE", tool("3 callers"))],
    ["a point accepted", claude("EVALUATE", accepted("files are simpler to back up"))],
    [
      "a hypothesis that a check refuted",
      claude("EVALUATE", {
        hypotheses: [{ claim: "slow", tool: "bench", outcome: "refuted", evidence: "2 ms" }],
      }),
    ],
    [
      "a claim re-checked",
      claude("EVALUATE", { checks: [{ claim: "C3.1", outcome: "holds", evidence: "2 ms" }] }),
    ],
  ];
  for (const [name, turn] of gains) {
    it(`goes back to 5 with ${name}`, () => {
      const answer = gemini("RESPONSE", {
        says: "Files are simpler to back up.",
        claims: [{ text: "a write takes 2 ms", check: "npm run bench" }],
      });
      const before = asked([answer]);
      assert.equal(before.state.budget, 4);
      assert.equal(before.and(turn, gemini("EVALUATE")).state.budget, 5);
    });
  }

  const noGains: [name: string, fields: JsonObject][] = [
    ["a synthesis that nobody accepted yet", { synthesis: "files, with an index" }],
    [
      "a hypothesis still open",
      { hypotheses: [{ claim: "slow", tool: "bench", outcome: "open" }] },
    ],
    ["a question", { asks: ["Which disk?"] }],
    ["references", { references: ["src/store.ts"] }],
    ["an empty progress list", { progress: [] }],
  ];
  for (const [name, fields] of noGains) {
    it(`takes ${name} for no progress`, () => {
      const answers = "asks" in fields ? [{ question: "Q4.1", answer: "an SSD" }] : [];
      const played = asked([
        gemini("RESPONSE"),
        claude("EVALUATE", fields),
        gemini("EVALUATE", { answers }),
      ]);
      assert.equal(played.state.budget, 3);
    });
  }

  it("goes back to 5 when a synthesis is accepted", () => {
    const played = asked([
      gemini("COUNTER_PROPOSE", { acknowledged: ["SQLite is tested"] }),
      claude("EVALUATE", { synthesis: "files, with an SQLite index" }),
      gemini("AGREE", { resolved: [{ point: "SQLite", because: "the index has it" }] }),
    ]);
    assert.equal(played.state.budget, 5);
    assert.equal(played.state.synthesis.failed, 0);
  });
});

describe("declared progress", () => {
  const answer = gemini("RESPONSE", { says: "Files are simpler to back up." });
  const plan = (hash: string) =>
    seeing({ "plan.md": hash }, claude("EVALUATE", artifact("plan.md")));

  it("counts an artifact again when its content changed", () => {
    const played = asked([answer, plan("hash 1"), gemini("EVALUATE"), plan("hash 2")]);
    assert.equal(played.and(gemini("EVALUATE")).state.budget, 5);
  });

  const refused: [name: string, history: Turn[], turn: Turn, reason: RegExp][] = [
    [
      "an artifact that is no file",
      [answer],
      claude("EVALUATE", artifact("plan.md")),
      /progress\[0\] names plan\.md, which is not a file of this project; drop the entry/,
    ],
    [
      "an artifact that did not change",
      [answer, plan("hash 1"), gemini("EVALUATE")],
      plan("hash 1"),
      /names plan\.md, which has not changed since it last counted; change it or drop the entry/,
    ],
    [
      "an artifact that the other side counted already",
      [answer, plan("hash 1")],
      seeing({ "plan.md": "hash 1" }, gemini("EVALUATE", artifact("plan.md"))),
      /plan\.md, which has not changed/,
    ],
    [
      "a tool's result that counted already, in other letters",
      [answer, claude("EVALUATE", tool("3 callers")), gemini("EVALUATE")],
      claude("EVALUATE", tool("3  CALLERS!")),
      /progress\[0\] repeats a result of grep that already counted; say what is new/,
    ],
    [
      "the same result twice in one message",
      [answer],
      claude("EVALUATE", { progress: [...tool("a").progress, ...tool("a").progress] }),
      /progress\[1\] repeats a result of grep/,
    ],
    [
      "a point that the other side did not make",
      [answer],
      claude("EVALUATE", accepted("encryption at rest")),
      /accepts "encryption at rest", which gemini's last message does not contain; use its words/,
    ],
    [
      "a point of one's own",
      [answer, claude("EVALUATE", { says: "Encryption at rest matters." }), gemini("EVALUATE")],
      claude("EVALUATE", accepted("encryption at rest matters")),
      /which gemini's last message does not contain/,
    ],
    [
      "a point accepted before",
      [
        answer,
        claude("EVALUATE", accepted("files are simpler to back up")),
        gemini("EVALUATE", { says: "Yes, files are simpler to back up." }),
      ],
      claude("EVALUATE", accepted("files are simpler to back up")),
      /accepts "files are simpler to back up" a second time; drop the entry/,
    ],
    [
      "a tool without result",
      [answer],
      claude("EVALUATE", { progress: [{ kind: "tool", tool: "x" }] }),
      /progress\[0\] is from a tool without tool or result/,
    ],
    [
      "an artifact without path",
      [answer],
      claude("EVALUATE", { progress: [{ kind: "artifact" }] }),
      /progress\[0\] is an artifact without path/,
    ],
    [
      "an acceptance without point",
      [answer],
      claude("EVALUATE", { progress: [{ kind: "accepted" }] }),
      /progress\[0\] is accepted without point/,
    ],
    [
      "another kind",
      [answer],
      claude("EVALUATE", { progress: [{ kind: "luck" }] }),
      /progress\[0\]\.kind is "luck", expected one of artifact, tool, accepted/,
    ],
  ];
  for (const [name, history, turn, reason] of refused) {
    it(`is refused for ${name}`, () => assert.match(asked(history).refusal(turn), reason));
  }
});
