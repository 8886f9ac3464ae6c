import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asked, byHand, claude, type Dialogue, draftIn, files, gemini } from "./given.ts";

describe("specific questions", () => {
  const questioned = () =>
    asked([gemini("RESPONSE", { asks: ["Which disk?", "How many users?"] })]);
  const answers = (...names: string[]) =>
    claude("EVALUATE", { answers: names.map((question) => ({ question, answer: "yes" })) });

  it("are all answered by the next message", () => {
    assert.match(
      questioned().refusal(claude("EVALUATE")),
      /unanswered: Q3\.1 "Which disk\?", Q3\.2 "How many users\?"; add answers: \[\{"question":"Q3\.1"/,
    );
    assert.match(questioned().refusal(answers("Q3.1")), /unanswered: Q3\.2 "How many users\?"/);
    assert.deepEqual(questioned().and(answers("Q3.1", "Q3.2")).state.obligations, []);
  });

  it("are known by their words as well", () => {
    assert.deepEqual(questioned().and(answers("which disk", "Q3.2")).state.obligations, []);
  });

  it("are put off by asking back and stay open", () => {
    assert.equal(questioned().and(claude("CLARIFY")).state.obligations.length, 2);
  });

  it("refuse an answer to what was not asked", () => {
    assert.match(questioned().refusal(answers("Q9.9", "Q3.1", "Q3.2")), /answers names "Q9\.9"/);
    assert.match(
      asked([gemini("RESPONSE")]).refusal(answers("Q1.1")),
      /no question is open to you/,
    );
  });

  it("are not answered by the one who asked", () => {
    const turn = gemini("EVALUATE", { answers: [{ question: "Q3.1", answer: "mine" }] });
    assert.match(questioned().and(claude("CLARIFY")).refusal(turn), /which is no question to you/);
  });
});

describe("agreements", () => {
  const agreed = () =>
    asked([gemini("RESPONSE", { agreements_so_far: ["Use HTTPS", "Use UTF-8"] })]);

  it("only grow", () => {
    assert.match(
      agreed().refusal(claude("EVALUATE", { agreements_so_far: ["Use HTTPS"] })),
      /agreements_so_far drops "Use UTF-8"; agreements only grow: leave the field out/,
    );
    const more = claude("EVALUATE", { agreements_so_far: ["use utf-8!", "USE HTTPS", "Use TLS"] });
    assert.deepEqual(agreed().and(more).state.agreements, ["Use HTTPS", "Use UTF-8", "Use TLS"]);
  });

  it("stand when a message does not name them, and are repeated in it", () => {
    const played = agreed().and(claude("EVALUATE"));
    assert.deepEqual(played.last.agreements_so_far, ["Use HTTPS", "Use UTF-8"]);
  });

  it("bind a foreign colleague as well", () => {
    const turn = byHand(claude("EVALUATE", { agreements_so_far: [] }));
    assert.match(agreed().refusal(turn), /agreements_so_far drops "Use HTTPS"/);
  });
});

describe("disagreements", () => {
  const disputed = () =>
    asked([
      gemini("EVALUATE", { disagreements_pending: ["the lock", "the index"], acknowledged: ["x"] }),
    ]);

  it("stay until they are resolved with a reason", () => {
    const points = ({ state }: Dialogue) => state.disagreements.map(({ point }) => point);
    const kept = disputed().and(claude("EVALUATE"));
    assert.deepEqual(points(kept), ["the lock", "the index"]);
    assert.deepEqual(kept.last.disagreements_pending, ["the lock", "the index"]);
    const drops = claude("EVALUATE", { disagreements_pending: ["the lock"] });
    assert.match(
      disputed().refusal(drops),
      /disagreements_pending drops "the index" without a reason; add resolved: \[\{point, because\}\]/,
    );
    const resolved = [{ point: "The Index", because: "files are sorted" }];
    assert.deepEqual(points(disputed().and(claude("EVALUATE", { resolved }))), ["the lock"]);
    const listed = { resolved, disagreements_pending: ["the lock"] };
    assert.deepEqual(points(disputed().and(claude("EVALUATE", listed))), ["the lock"]);
  });

  it("remember the round in which they came up", () => {
    const later = disputed().and(
      claude("EVALUATE"),
      gemini("CLARIFY"),
      claude("EVALUATE", {
        disagreements_pending: ["the lock", "the index", "the name"],
        acknowledged: ["x"],
      }),
    );
    assert.deepEqual(
      later.state.disagreements.map(({ since }) => since),
      [1, 1, 3],
    );
  });

  it("are resolved with a reason, in their own words", () => {
    const other = claude("EVALUATE", { resolved: [{ point: "the name", because: "it says it" }] });
    assert.equal(disputed().and(other).state.disagreements.length, 2);
    const bare = claude("EVALUATE", { resolved: [{ point: "the lock" }] });
    assert.match(disputed().refusal(bare), /resolved\[0\]\.because is missing/);
    for (const because of ["ok", "\u043e\u043a.", "\u540c\u610f"]) {
      const ending = claude("EVALUATE", { resolved: [{ point: "the lock", because }] });
      const reason = /resolved: because is .*; say in a few words what settles "the lock"/;
      assert.match(disputed().refusal(ending), reason);
    }
    const shown = claude("EVALUATE", { resolved: [{ point: "the lock", because: "E9" }] });
    assert.equal(disputed().and(shown).state.disagreements.length, 1);
  });
});

describe("tasks", () => {
  const assigned = () => asked([gemini("TASK_ASSIGN", { says: "Measure both." })]);

  it("are reported before anything else is said", () => {
    const told = assigned().guidance("claude");
    assert.match(told.moves[0]?.purpose ?? "", /report on task T3 "Measure both/);
    assert.equal(draftIn(told)["type"], "TASK_RESULT");
    assert.deepEqual(told.advice, ["Or type ESCALATE: content alone."]);
    assert.match(
      assigned().refusal(claude("EVALUATE")),
      /report on task T3 "Measure both\."; send type TASK_RESULT/,
    );
    assert.deepEqual(assigned().and(claude("TASK_RESULT")).state.obligations, []);
    assert.equal(assigned().and(claude("CLARIFY")).state.obligations.length, 1);
  });

  it("are not reported by one who has none", () => {
    const reason = /nobody assigned you a task, so there is no TASK_RESULT to give; use RESPONSE/;
    assert.match(asked().refusal(gemini("TASK_RESULT")), reason);
  });
});

it("several faults of one message are named together", () => {
  const due = asked([
    gemini("RESPONSE"),
    claude("EVALUATE", { position: files, asks: ["Which disk?"] }),
  ]);
  const reason = due.refusal(gemini("EVALUATE", { confidence: undefined }));
  assert.match(reason, /confidence is missing.*; also: unanswered: .*; also: the positions differ/);
});
