import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { asked, byHand, claude, type Dialogue, draftIn, gemini } from "./given.ts";

describe("a dispute about a fact", () => {
  const disputed = () =>
    asked([
      gemini("EVALUATE", {
        objections: [{ point: "SQLite is slow", because: "I saw 2 ms", about: "fact" }],
        acknowledged: ["it is tested"],
      }),
    ]);
  const both = { synthesis: "measure, then choose" };

  it("is checked with a tool, and the outcome has evidence", () => {
    assert.match(disputed().guidance("claude").obligations.join(), /with a tool: "?SQLite is slow/);
    assert.match(
      disputed().refusal(claude("EVALUATE", both)),
      /a fact is disputed \("?SQLite is slow"?\)/,
    );
    const open = { ...both, hypotheses: [{ claim: "slow", tool: "bench", outcome: "open" }] };
    assert.match(disputed().refusal(claude("EVALUATE", open)), /check it: hypotheses/);
    const bare = { ...both, hypotheses: [{ claim: "slow", tool: "bench", outcome: "refuted" }] };
    assert.match(
      disputed().refusal(claude("EVALUATE", bare)),
      /hypothesis "slow" has an outcome and no evidence; quote what bench showed/,
    );
    const proved = { claim: "slow", tool: "bench", outcome: "refuted", evidence: "p50 2 ms" };
    const settled = disputed().and(claude("EVALUATE", { ...both, hypotheses: [proved] }));
    assert.deepEqual(settled.state.hypotheses, []);
  });

  it("can be settled by giving the point up, and is put off by asking back", () => {
    const concedes = claude("AGREE", { resolved: [{ point: "SQLite is slow", because: "2 ms" }] });
    assert.deepEqual(disputed().and(concedes).state.hypotheses, []);
    assert.equal(disputed().and(claude("CLARIFY")).state.hypotheses.length, 1);
  });

  it("can be settled by accepting the point, as the refusals say", () => {
    assert.match(disputed().guidance("claude").obligations.join(), /or accept it in progress\[\]/);
    const accepts = { progress: [{ kind: "accepted", point: "SQLite is slow" }] };
    const named = /accept .*: progress: \[\{kind: accepted, point: "SQLite is slow"\}\]/;
    assert.match(disputed().refusal(claude("EVALUATE", both)), named);
    const resolved = [{ point: "SQLite is slow", because: "2 ms" }];
    assert.match(disputed().refusal(claude("EVALUATE", { ...both, resolved })), named);
    assert.deepEqual(disputed().and(claude("EVALUATE", accepts)).state.hypotheses, []);
  });

  it("owes nothing when the objector brought the check along", () => {
    const proved = { claim: "slow", tool: "bench", outcome: "refuted", evidence: "p50 2 ms" };
    const { state } = asked([
      gemini("EVALUATE", {
        objections: [{ point: "SQLite is slow", because: "p50 2 ms", about: "fact" }],
        acknowledged: ["it is tested"],
        hypotheses: [proved],
      }),
    ]);
    assert.deepEqual(state.hypotheses, []);
  });

  it("is not seen in a difference of judgement", () => {
    const { state } = asked([
      gemini("EVALUATE", {
        objections: [{ point: "SQLite is ugly", because: "taste", about: "judgement" }],
        acknowledged: ["it is tested"],
      }),
    ]);
    assert.deepEqual(state.hypotheses, []);
  });
});

describe("specific questions", () => {
  const questioned = () =>
    asked([gemini("RESPONSE", { asks: ["Which disk?", "How many users?"] })]);
  const answers = (...names: string[]) =>
    claude("EVALUATE", { answers: names.map((question) => ({ question, answer: "yes" })) });

  it("are all answered by the next message", () => {
    assert.match(
      questioned().refusal(claude("EVALUATE")),
      /unanswered: Q3\.1 "Which disk\?", Q3\.2 "How many users\?"; add answers: \[\{question: "Q3\.1"/,
    );
    assert.match(questioned().refusal(answers("Q3.1")), /unanswered: Q3\.2 "How many users\?"/);
    assert.deepEqual(questioned().and(answers("Q3.1", "Q3.2")).state.questions, []);
  });

  it("are known by their words as well", () => {
    assert.deepEqual(questioned().and(answers("which disk", "Q3.2")).state.questions, []);
  });

  it("are put off by asking back and stay open", () => {
    assert.equal(questioned().and(claude("CLARIFY")).state.questions.length, 2);
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

describe("claims", () => {
  const claimed = () =>
    asked([gemini("RESPONSE", { claims: [{ text: "p50 is 2 ms", check: "npm run bench" }] })]);
  const check = (outcome: string, fields: JsonObject = {}) => ({
    checks: [{ claim: "C3.1", outcome, evidence: "it printed 2 ms" }],
    ...fields,
  });

  it("are re-checked before AGREE, not before anything else", () => {
    assert.match(
      claimed().guidance("claude").obligations.join(),
      /re-check C3\.1 before you AGREE/,
    );
    assert.match(
      claimed().refusal(claude("AGREE")),
      /re-check claim C3\.1 before you AGREE \("npm run bench"\); add checks/,
    );
    assert.equal(claimed().and(claude("EVALUATE")).state.claims.length, 1);
    assert.deepEqual(claimed().and(claude("AGREE", check("holds"))).state.claims, []);
  });

  it("that fail are an objection and a new dispute", () => {
    assert.match(claimed().refusal(claude("EVALUATE", check("fails"))), /strong points first/);
    assert.match(claimed().refusal(claude("AGREE", check("fails"))), /AGREE raises an objection/);
    const failed = claimed().and(claude("EVALUATE", check("fails", { acknowledged: ["clear"] })));
    assert.deepEqual(failed.state.disagreements, [{ point: "claim C3.1 does not hold", since: 2 }]);
  });

  it("cannot be checked by their author, nor made up", () => {
    const own = gemini("EVALUATE", check("holds"));
    const reason = /checks names "C3\.1"; claims you can check: none/;
    assert.match(claimed().and(claude("EVALUATE")).refusal(own), reason);
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
  const both = { synthesis: "a lock without index" };

  it("stay until they are resolved with a reason", () => {
    const points = ({ state }: Dialogue) => state.disagreements.map(({ point }) => point);
    const kept = disputed().and(claude("EVALUATE", both));
    assert.deepEqual(points(kept), ["the lock", "the index"]);
    assert.deepEqual(kept.last.disagreements_pending, ["the lock", "the index"]);
    const drops = claude("EVALUATE", { ...both, disagreements_pending: ["the lock"] });
    assert.match(
      disputed().refusal(drops),
      /disagreements_pending drops "the index" without a reason; add resolved: \[\{point, because\}\]/,
    );
    const resolved = [{ point: "The Index", because: "files are sorted" }];
    assert.deepEqual(points(disputed().and(claude("EVALUATE", { ...both, resolved }))), [
      "the lock",
    ]);
    const listed = { ...both, resolved, disagreements_pending: ["the lock"] };
    assert.deepEqual(points(disputed().and(claude("EVALUATE", listed))), ["the lock"]);
  });

  it("remember the round in which they came up", () => {
    const later = disputed().and(
      claude("EVALUATE", both),
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

  it("are resolved in their own words", () => {
    const turn = claude("EVALUATE", { ...both, resolved: [{ point: "the name", because: "x" }] });
    assert.match(
      disputed().refusal(turn),
      /resolved names "the name", which is not in disagreements_pending/,
    );
    const bare = claude("EVALUATE", { ...both, resolved: [{ point: "the lock" }] });
    assert.match(disputed().refusal(bare), /resolved\[0\]\.because is missing/);
  });
});

describe("a change of position", () => {
  it("is agreed to only with what changed one's mind", () => {
    const objected = asked([
      gemini("COUNTER_PROPOSE", { acknowledged: ["tested"] }),
      claude("EVALUATE", { synthesis: "files with an index" }),
    ]);
    assert.match(
      objected.refusal(gemini("AGREE")),
      /you objected before; say what changed your mind: resolved/,
    );
    const resolved = [{ point: "SQLite", because: "the index answers it" }];
    const agreed = objected.and(gemini("AGREE", { resolved }));
    assert.equal(agreed.state.sides["gemini"]?.agreed, true);
  });

  it("needs no reason again once it was accepted", () => {
    const accepted = asked([
      gemini("COUNTER_PROPOSE", { acknowledged: ["tested"] }),
      claude("EVALUATE", { synthesis: "files with an index" }),
      gemini("EVALUATE", { says: "I accept your proposal: files with an index." }),
      claude("EVALUATE"),
      gemini("AGREE"),
    ]);
    assert.equal(accepted.state.sides["gemini"]?.agreed, true);
  });
});

describe("tasks", () => {
  const assigned = () => asked([gemini("TASK_ASSIGN", { says: "Measure both." })]);

  it("are reported before anything else is said", () => {
    assert.match(assigned().guidance("claude").obligations.join(), /report task T3 .*Measure both/);
    assert.equal(draftIn(assigned().guidance("claude"))["type"], "TASK_RESULT");
    const { advice } = assigned().guidance("claude");
    assert(
      advice.includes("type: TASK_RESULT, CLARIFY, ESCALATE (to the user)"),
      advice.join("\n"),
    );
    assert.match(assigned().refusal(claude("EVALUATE")), /task T3 is yours; report it with type/);
    assert.deepEqual(assigned().and(claude("TASK_RESULT")).state.tasks, []);
    assert.equal(assigned().and(claude("CLARIFY")).state.tasks.length, 1);
  });

  it("are not reported by one who has none", () => {
    const reason = /nobody assigned you a task, so there is no TASK_RESULT to give; use RESPONSE/;
    assert.match(asked().refusal(gemini("TASK_RESULT")), reason);
  });
});

it("several faults of one message are named together", () => {
  const due = asked([
    gemini("EVALUATE", {
      asks: ["Which disk?"],
      disagreements_pending: ["x"],
      acknowledged: ["y"],
    }),
  ]);
  const reason = due.refusal(claude("EVALUATE", { confidence: undefined }));
  assert.match(
    reason,
    /confidence is missing.*; also: unanswered: .*; also: the positions diverge/,
  );
});
