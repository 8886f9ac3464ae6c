import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { marksOf } from "../../scripts-src/dialogue/marks.ts";
import { verdictOf } from "../../scripts-src/dialogue/verdict.ts";
import {
  asked,
  byHand,
  claude,
  type Dialogue,
  dialogue,
  files,
  gemini,
  record,
  type Setting,
  saw,
  sqlite,
  type Turn,
} from "./given.ts";

/** gemini answers with SQLite, claude with files. */
const opposed = (setting?: Setting) =>
  asked(
    [gemini("RESPONSE", { position: sqlite }), claude("EVALUATE", { position: files })],
    setting,
  );
const judgement = { because: "judgement: one writer only" };
const codes = ({ state }: Dialogue) => marksOf(state).map(({ code }) => code);

describe("a position", () => {
  it("is what a message that takes a stand says in one sentence", () => {
    for (const type of ["RESPONSE", "EVALUATE", "COUNTER_PROPOSE"] as const)
      assert.match(
        asked().refusal(gemini(type, { position: undefined, acknowledged: ["x"] })),
        new RegExp(`position is missing; ${type} needs your answer`),
      );
    assert(asked().and(gemini("CLARIFY")));
    const long = gemini("RESPONSE", { position: "a".repeat(201) });
    assert.match(asked().refusal(long), /position has 201 characters, expected .* at most 200/);
    assert.match(
      asked().refusal(gemini("RESPONSE", { position: "..." })),
      /not filled in|position is/,
    );
    assert.match(
      asked().refusal(gemini("RESPONSE", { position: "?!" })),
      /position is "\?!"; write/,
    );
  });

  it("is no matter of a clarification, nor of a letter by hand", () => {
    const clarified = asked([
      gemini("CLARIFY"),
      claude("RESPONSE", {
        question_or_proposal: { type: "clarification_response", content: "x" },
      }),
    ]);
    assert.equal(clarified.state.positions.length, 0);
    assert(asked([byHand(gemini("RESPONSE"))]));
  });

  it("that differs obliges the other side to a synthesis, in any language", () => {
    for (const position of [files, "Лучше обычные файлы.", "プレーンファイルを使う。"]) {
      const played = asked([
        gemini("RESPONSE", { position: sqlite }),
        claude("EVALUATE", { position }),
      ]);
      assert.equal(played.state.synthesis.owedBy, "gemini", position);
      assert.match(
        played.refusal(gemini("EVALUATE", { position: sqlite })),
        /the positions differ: .*add synthesis/,
      );
    }
    const same = asked([
      gemini("RESPONSE", { position: sqlite }),
      claude("EVALUATE", { position: "use  sqlite" }),
    ]);
    assert.equal(same.state.synthesis.owedBy, "");
    const objecting = asked([
      gemini("RESPONSE", { position: sqlite }),
      claude("EVALUATE", {
        position: sqlite,
        acknowledged: ["x"],
        objections: [{ point: "not for logs", because: "they grow", about: "judgement" }],
      }),
    ]);
    assert.equal(objecting.state.synthesis.owedBy, "");
    const idle = gemini("EVALUATE", { position: sqlite, synthesis: sqlite });
    assert(objecting.and(idle), "a synthesis of equal positions hinders nobody");
    const other = asked([
      gemini("RESPONSE", { position: "Use C++" }),
      claude("EVALUATE", { position: "Use C#" }),
    ]);
    assert.equal(other.state.synthesis.owedBy, "gemini");
  });

  it("that changes says why: newer evidence, or judgement; the other side owes nothing", () => {
    const changes = (fields: JsonObject) =>
      gemini("EVALUATE", { position: files, says: "Plain files then.", ...fields });
    assert.match(
      opposed().refusal(changes({})),
      /your position changed \(message 3 said "Use SQLite\."\)/,
    );
    assert.match(
      opposed().refusal(changes({ because: "eloquence" })),
      /because is "eloquence"; expected/,
    );
    assert.match(
      opposed().refusal(changes({ because: ["E99"] })),
      /names E99, which is no evidence/,
    );
    assert.match(opposed().refusal(changes({ because: "judgement:" })), /because is "judgement:"/);
    const before = asked([
      saw("gemini", "a.ts:1"),
      gemini("RESPONSE", { position: sqlite }),
      claude("EVALUATE", { position: files }),
    ]);
    assert.match(
      before.refusal(changes({ because: "E3" })),
      /E3, which shows nothing that you had not seen when you wrote message 4/,
    );
    const seenAgain = asked([
      gemini("RESPONSE", {
        position: sqlite,
        claims: [{ text: "One writer", check: "a.ts:1", expect: "one" }],
      }),
      saw("gemini", "a.ts:1", { claim: "C3.1", expect: "one" }),
      claude("EVALUATE", { position: files }),
      saw("gemini", "a.ts:1"),
    ]);
    for (const known of ["E4", "E6"])
      assert.match(
        seenAgain.refusal(changes({ because: known })),
        new RegExp(`${known}, which shows nothing that you had not seen when you wrote message 3`),
      );
    const after = opposed().and(saw("gemini", "a.ts:1"));
    const change = { by: "gemini", seq: 6, from: sqlite, to: files };
    const shown = after.and(changes({ because: ["E5: a.ts has one writer"] })).state.flips;
    assert.deepEqual(shown, [{ ...change, evidence: ["E5"], judgement: "" }]);
    // What neither the dispute nor the message speaks of is judgement.
    const bare = after.and(changes({ because: ["E5"] })).state.flips;
    const judgedAlone = "E5 (a.ts:1), of which nothing here speaks";
    assert.deepEqual(bare, [{ ...change, evidence: [], judgement: judgedAlone }]);
    const judged = opposed().and(changes(judgement)).state.flips;
    assert.equal(judged[0]?.judgement, "one writer only");
  });

  it("is named without its vendor until both have one", () => {
    const early = asked([gemini("RESPONSE", { position: sqlite })]);
    const { received: _received, ...shown } = early.guidance("claude");
    assert.equal(protocol.standing(early.state).unnamed, true);
    assert.doesNotMatch(JSON.stringify(shown), /gemini/);
    // The message that is shown with it says its position.
    assert.doesNotMatch(shown.standing.join("\n"), /position of/);
    const both = opposed();
    assert.match(
      both.guidance("claude").standing.join("\n"),
      /^position of gemini \(message 3\): "Use SQLite\."$/m,
    );
    assert.match(JSON.stringify(both.guidance("gemini")), /claude/);
  });
});

describe("an agreement", () => {
  const accepts = (seq: number, fields: JsonObject = {}) => ({ accepts: seq, ...fields });
  it("names the message whose position it takes over", () => {
    const stands = asked([gemini("RESPONSE", { position: sqlite })]);
    assert.match(
      stands.refusal(claude("AGREE", { accepts: undefined })),
      /accepts is missing: .*message 3 .*add accepts: 3/,
    );
    assert.match(
      stands.refusal(claude("AGREE", accepts(2))),
      /accepts is 2, but your peer stands by message 3 /,
    );
    assert.match(
      stands.refusal(claude("AGREE", accepts(3, { position: files }))),
      /AGREE takes over the position of message 3, "Use SQLite\.", but position is/,
    );
    const { last } = stands.and(claude("AGREE", accepts(3)));
    assert.equal(last.position, sqlite);
    assert.match(asked().refusal(gemini("AGREE", accepts(2))), /has taken none yet/);
    assert.match(
      asked().refusal(gemini("EVALUATE", { position: files, accepts: 2 })),
      /accepts belongs to AGREE/,
    );
  });

  it("takes no position that was given up", () => {
    const moved = opposed().and(gemini("EVALUATE", { position: files, ...judgement }));
    assert.match(
      moved.refusal(claude("AGREE", accepts(3))),
      /accepts is 3, but gemini stands by message 5 /,
    );
    assert(moved.and(claude("AGREE", accepts(5))));
  });

  it("is closed by the second AGREE, which confirms the text for the user", () => {
    const closed = asked([
      gemini("RESPONSE", { position: sqlite }),
      claude("AGREE", accepts(3, { says: "SQLite, because of transactions." })),
      gemini("AGREE", accepts(4, { says: "Yes." })),
    ]);
    const { outcome, phase } = closed.state;
    assert.equal(phase, "consensus");
    assert(outcome?.kind === "consensus");
    assert.equal(outcome.decision, "Use SQLite.\n\nSQLite, because of transactions.");
    assert.deepEqual([outcome.agreed?.by, outcome.agreed?.seq, outcome.seq], ["gemini", 5, 4]);
    assert.equal(closed.last.expects_reply, false);
    assert.equal(verdictOf(closed.state).words, "CONSENSUS on judgement, nothing was checked");
    assert.match(closed.refusal(claude("AGREE", accepts(5))), /has ended/);
  });

  it("is closed by nobody alone, nor with another position, nor with something new", () => {
    const offered = asked([gemini("RESPONSE", { position: sqlite }), claude("AGREE", accepts(3))]);
    assert.equal(offered.state.phase, "talking");
    assert.match(
      offered.refusal(gemini("AGREE", accepts(2))),
      /accepts is 2, but claude stands by message 4 /,
    );
    assert.match(offered.refusal(claude("CONSENSUS")), /turn of gemini/);
    assert.match(offered.refusal(gemini("CONSENSUS")), /the second AGREE closes the session/);
    const more = { claims: [{ text: "t", check: "a.ts:1" }] };
    assert.match(
      offered.refusal(gemini("AGREE", accepts(4, more))),
      /brings nothing new, but claims came/,
    );
    const objected = offered.and(gemini("EVALUATE", { position: files, ...judgement }));
    assert.equal(objected.state.offer, undefined);
    assert.equal(objected.state.sides["claude"]?.agreed, false);
  });

  it("that is not sure enough does not count", () => {
    const unsure = asked([
      gemini("RESPONSE", { position: sqlite }),
      claude("AGREE", accepts(3, { confidence: 0.5 })),
    ]);
    assert.equal(unsure.state.offer, undefined);
  });

  it("keeps what still speaks against it as reservations, and is not rejected for it", () => {
    const before = asked([
      gemini("RESPONSE", { position: sqlite }),
      claude("EVALUATE", {
        position: files,
        acknowledged: ["it is tested"],
        disagreements_pending: ["SQLite locks the whole file"],
      }),
      gemini("EVALUATE", { position: sqlite, synthesis: "SQLite, files for backups" }),
    ]);
    const { last, state } = before.and(
      claude("AGREE", accepts(5, { reservations: ["no load test"], ...judgement })),
    );
    assert.deepEqual(last.reservations, ["no load test", "SQLite locks the whole file"]);
    assert.deepEqual(state.disagreements, []);
    assert.equal(state.reservations.length, 2);
    const closed = before.and(claude("AGREE", accepts(5, judgement)), gemini("AGREE", accepts(6)));
    assert.equal(closed.state.phase, "consensus");
  });
});

describe("blind positions", () => {
  const setting: Setting = { mode: "competitiva" };
  it("are kept for ever, and opposed ones owe a synthesis", () => {
    const { state } = asked(
      [gemini("RESPONSE", { position: sqlite }), claude("RESPONSE", { position: files })],
      setting,
    );
    assert.equal(state.synthesis.owedBy, state.turn[0]);
    assert.deepEqual(
      state.firsts.map(({ by, position, blind }) => [by, position, blind]),
      [
        ["claude", files, true],
        ["gemini", sqlite, true],
      ],
    );
    const same = asked(
      [gemini("RESPONSE", { position: sqlite }), claude("RESPONSE", { position: sqlite })],
      setting,
    );
    assert.equal(same.state.synthesis.owedBy, "");
  });

  it("may be taken over in the same words", () => {
    const says = "SQLite is the better choice for this project.";
    const taken = asked([
      gemini("RESPONSE", { position: sqlite, says }),
      claude("AGREE", { accepts: 3, says }),
      gemini("AGREE", { accepts: 4, says }),
    ]);
    assert.equal(taken.state.phase, "consensus");
    assert.deepEqual(codes(taken), []);
  });

  it("that are alike in every word are marked", () => {
    const says = "SQLite is the better choice for this project.";
    const alike = asked(
      [
        gemini("RESPONSE", { position: sqlite, says }),
        claude("RESPONSE", { position: sqlite, says }),
      ],
      setting,
    );
    assert.deepEqual(codes(alike), ["identical_texts"]);
  });
});

describe("the verdict", () => {
  const claim = { text: "p50 is 2 ms", check: "bench.md:3", expect: "2 ms" };
  const about = { claim: "C3.1", expect: "2 ms" };
  const claimed = () => asked([gemini("RESPONSE", { position: sqlite, claims: [claim] })]);
  const closedBy = (played: Dialogue) => {
    const seq = played.state.seq;
    return played.and(claude("AGREE", { accepts: 3 }), gemini("AGREE", { accepts: seq + 1 }));
  };
  const wordsOf = ({ state }: Dialogue) => verdictOf(state).words;

  it("counts what both sides have seen from different processes", () => {
    const seen = claimed().and(
      saw("gemini", "bench.md:3", about),
      saw("claude", "bench.md:3", about),
    );
    assert.equal(wordsOf(closedBy(seen)), "CONSENSUS, 1 of 1 claims seen, not audited");
    const { process } = record("bench.md:3");
    const one = { ...about, process: { ...process, cli: { pid: 7, started: "now" } } };
    const alone = claimed().and(saw("gemini", "bench.md:3", one), saw("claude", "bench.md:3", one));
    assert.equal(wordsOf(closedBy(alone)), "CONSENSUS, 0 of 1 claims seen, 1 assumed");
    assert.deepEqual(codes(alone), ["one_process"]);
  });

  it("is a recommendation where a side or the user's own words say whose decision it is", () => {
    const named = asked([
      gemini("RESPONSE", { position: sqlite, owner_decides: "spend" }),
      claude("AGREE", { accepts: 3 }),
      gemini("AGREE", { accepts: 4 }),
    ]);
    assert.equal(wordsOf(named), "RECOMMENDATION, yours to decide");
    const words = asked(
      [
        gemini("RESPONSE", { position: sqlite }),
        claude("AGREE", { accepts: 3 }),
        gemini("AGREE", { accepts: 4 }),
      ],
      { opened: { owner_words: ["files"] } },
    );
    assert.equal(wordsOf(words), "RECOMMENDATION, yours to decide");
    const wrong = gemini("RESPONSE", { position: sqlite, owner_decides: "weather" });
    assert.match(asked().refusal(wrong), /owner_decides is "weather", expected one of spend/);
  });
});

describe("a session begun with --require seen", () => {
  const setting: Setting = { opened: { require: "seen" } };
  const claims = [{ text: "p50 is 2 ms", check: "bench.md:3" }];
  it("is closed only when both sides have seen every claim", () => {
    const bare = asked([gemini("RESPONSE", { position: sqlite })], setting);
    assert.match(
      bare.refusal(claude("AGREE", { accepts: 3 })),
      /require seen, and nothing is claimed/,
    );
    const claimed = asked([gemini("RESPONSE", { position: sqlite, claims })], setting);
    const checks = [{ claim: "C3.1", outcome: "not_run", reason: "no disk" }];
    assert.match(
      claimed.refusal(claude("AGREE", { accepts: 3, checks })),
      /C3\.1 is seen by nobody: both sides run check --claim C3\.1/,
    );
    const half = claimed.and(
      saw("claude", "bench.md:3", { claim: "C3.1" }),
      claude("AGREE", { accepts: 3 }),
    );
    assert.match(half.refusal(gemini("AGREE", { accepts: 5 })), /C3\.1 is seen by claude/);
    const closed = half.and(
      saw("gemini", "bench.md:3", { claim: "C3.1" }),
      gemini("AGREE", { accepts: 5 }),
    );
    assert.equal(verdictOf(closed.state).words, "CONSENSUS, 1 of 1 claims seen, not audited");
  });
});

describe("what only a script notices", () => {
  const mark = (...turns: Turn[]) => codes(asked(turns));
  const answering = (answer: string) => [
    gemini("RESPONSE", { position: sqlite, asks: ["Which disk is it?"] }),
    claude("EVALUATE", { position: sqlite, answers: [{ question: "Q3.1", answer }] }),
  ];
  it("is marked, and hinders nobody", () => {
    assert.deepEqual(mark(...answering("Which disk is it?")), ["answer_is_question"]);
    assert.deepEqual(mark(...answering("...")), ["no_answer"]);
    assert.deepEqual(mark(...answering("An SSD.")), []);
    assert.deepEqual(mark(gemini("RESPONSE", { position: "SQLite or files?" })), [
      "answer_is_question",
    ]);
    const both = { asks: ["Which disk is it?", "How large is it?"] };
    const answer = "As the sheet of the machine says.";
    const answers = ["Q3.1", "Q3.2"].map((question) => ({ question, answer }));
    assert.deepEqual(
      mark(
        gemini("RESPONSE", { position: sqlite, ...both }),
        claude("EVALUATE", { position: sqlite, answers }),
      ),
      ["same_answer"],
    );
    const context = { user_instructions: "Postgres or files?" };
    assert.deepEqual(mark(gemini("RESPONSE", { position: sqlite, context })), [
      "question_reworded",
    ]);
  });

  it("also in running text: a question that nobody answered", () => {
    const asks = gemini("RESPONSE", { position: sqlite, says: "SQLite. But which disk is it?" });
    assert.deepEqual(mark(asks), [], "gemini has just asked");
    assert.deepEqual(mark(asks, claude("EVALUATE", { position: sqlite })), ["unanswered_prose"]);
    const answers = [{ question: "P3.1", answer: "An SSD." }];
    assert.deepEqual(mark(asks, claude("EVALUATE", { position: sqlite, answers })), []);
    const listed = { position: sqlite, says: "Which disk is it?", asks: ["Which disk is it?"] };
    const answer = claude("EVALUATE", {
      position: sqlite,
      answers: [{ question: "Q3.1", answer: "x1" }],
    });
    assert.deepEqual(mark(gemini("RESPONSE", listed), answer), []);
  });

  it("of the models: the same vendor on both sides, by what they name or are called", () => {
    const meta = (model: string) => ({ meta: { model } });
    const turns = (one: string, other: string) => [
      gemini("RESPONSE", { position: sqlite, ...meta(one) }),
      claude("EVALUATE", { position: sqlite, ...meta(other) }),
    ];
    assert.deepEqual(mark(...turns("gpt-5", "o3")), ["same_vendor"]);
    assert.deepEqual(mark(...turns("gpt-5", "")), []);
  });

  it("of the rules: a low threshold", () => {
    const low = dialogue([], { rules: { consensus_confidence_threshold: 0.5 } });
    assert.deepEqual(codes(low), ["threshold_low"]);
  });
});
