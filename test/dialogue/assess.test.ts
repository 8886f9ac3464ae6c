import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { asked, claude, gemini, reasonsOf, type Turn } from "./given.ts";

const tool = (result: string) => ({ progress: [{ kind: "tool", tool: "grep", result }] });

describe("an honest objection", () => {
  const answered = asked([gemini("RESPONSE", { says: "Use files." })]);
  const objecting: [name: string, fields: JsonObject][] = [
    ["in objections[]", { objections: [{ point: "files", because: "no transactions" }] }],
    ["in disagreements_pending[]", { disagreements_pending: ["files or SQLite"] }],
    ["in English words", { says: "I disagree with files." }],
    ["in words such as better to do", { says: "It would be better to do it with SQLite." }],
    ["as an alternative", { says: "I propose an alternative: SQLite." }],
    ["in Russian words", { says: "Я не согласен с файлами." }],
    ["in Russian, against", { says: "Я против файлов." }],
    ["in Russian, as an alternative", { says: "Предлагаю альтернативу: SQLite." }],
  ];
  for (const [name, fields] of objecting) {
    it(`${name} names the other side's strong points first`, () => {
      const reason = /an objection names the other side's strong points first; add acknowledged/;
      assert.match(answered.refusal(claude("EVALUATE", fields)), reason);
      const heard = answered.and(claude("EVALUATE", { ...fields, acknowledged: ["simple"] }));
      assert.equal(heard.state.synthesis.owedBy, "gemini");
    });
  }

  it("as COUNTER_PROPOSE names the other side's strong points first", () => {
    assert.match(answered.refusal(claude("COUNTER_PROPOSE")), /names the other side's strong/);
    assert(answered.and(claude("COUNTER_PROPOSE", { acknowledged: ["files are simple"] })));
  });

  for (const says of [
    "I agree with the layout. I disagree with files because they tear.",
    "Согласен с раскладкой, но не согласен с файлами, потому что они рвутся.",
  ]) {
    it(`may acknowledge in words: ${says}`, () => {
      const heard = answered.and(claude("EVALUATE", { says }));
      assert.equal(heard.state.synthesis.owedBy, "gemini");
    });
  }

  it("in the seed's own form is heard as an objection", () => {
    const says = "I agree with the layout, but disagree with files because they tear.";
    const heard = answered.and(claude("EVALUATE", { says }));
    assert.equal(heard.state.synthesis.owedBy, "gemini");
  });

  for (const says of [
    "I am not against files.",
    "Я не против файлов.",
    "Check against the schema.",
    "> I disagree with files.\nWhy was that said?",
    "Run `echo I disagree`.",
  ]) {
    it(`is not heard in: ${JSON.stringify(says)}`, () => {
      assert.equal(answered.and(claude("EVALUATE", { says })).state.synthesis.owedBy, "");
    });
  }

  it("may not hide in an AGREE", () => {
    for (const fields of objecting.map(([, it]) => ({ ...it, acknowledged: ["simple"] }))) {
      const reason = /AGREE raises an objection; send EVALUATE, or agree without it/;
      assert.match(answered.refusal(claude("AGREE", fields)), reason);
    }
  });

  it("is not made by asking, opening or calling the user", () => {
    const says = "I disagree, maybe.";
    assert.equal(answered.and(claude("CLARIFY", { says })).state.synthesis.owedBy, "");
    assert.deepEqual(reasonsOf(answered.and(claude("ESCALATE", { says }))), ["requested"]);
  });
});

describe("three rounds of nothing but objections", () => {
  const objects = (fields: JsonObject = {}) =>
    claude("EVALUATE", {
      objections: [{ point: "files", because: "no transactions" }],
      acknowledged: ["files are simple"],
      ...fields,
    });
  const asks = () => gemini("CLARIFY");
  const flagged = () =>
    asked([gemini("RESPONSE"), objects(), asks(), objects(), asks(), objects()]);

  it("are counted for each side by itself and ended by anything else", () => {
    assert.equal(flagged().state.sides["claude"]?.objectionStreak, 3);
    assert.equal(flagged().state.sides["gemini"]?.objectionStreak, 0);
    const gains: JsonObject[] = [tool("new"), { synthesis: "both" }, { asks: ["Why?"] }];
    for (const fields of gains) {
      const played = asked([gemini("RESPONSE"), objects(), asks(), objects(fields)]);
      assert.equal(played.state.sides["claude"]?.objectionStreak, 0);
    }
  });

  it("oblige to a self-check", () => {
    const due = flagged().and(asks());
    assert.match(due.guidance("claude").obligations.join(), /am I defending a position or looking/);
    const reason = /three rounds of nothing but objections; add self_check: answer/;
    assert.match(due.refusal(claude("EVALUATE")), reason);
    assert.match(due.refusal(claude("AGREE")), reason);
    const checked = due.and(claude("EVALUATE", { self_check: "I was defending." }));
    assert.equal(checked.state.sides["claude"]?.owesSelfCheck, false);
    assert.equal(checked.state.phase, "talking");
  });

  it("escalate when the self-check does not help", () => {
    const ended = flagged().and(asks(), objects({ self_check: "I look for the truth." }));
    assert.deepEqual(reasonsOf(ended), ["self_check_failed"]);
  });

  it("let the user be called without a self-check", () => {
    assert.deepEqual(reasonsOf(flagged().and(asks(), claude("ESCALATE"))), ["requested"]);
  });
});

describe("a synthesis", () => {
  const diverged = () => asked([gemini("COUNTER_PROPOSE", { acknowledged: ["tested"] })]);
  const offered = () => diverged().and(claude("EVALUATE", { synthesis: "files with an index" }));
  const rejects = (fields: JsonObject = {}) =>
    gemini("EVALUATE", {
      objections: [{ point: "the index", because: "it is not needed" }],
      acknowledged: ["files"],
      ...fields,
    });

  it("is owed after a divergence and refused its absence", () => {
    const { state } = diverged();
    assert.equal(state.synthesis.owedBy, "claude");
    assert.match(diverged().guidance("claude").obligations.join(), /offer a synthesis/);
    assert.match(
      diverged().refusal(claude("EVALUATE")),
      /the positions diverge; add synthesis: the best of both or a third way/,
    );
  });

  const instead: [name: string, turn: Turn, stillOwed: string][] = [
    ["accepting", claude("AGREE"), ""],
    ["accepting in words", claude("EVALUATE", { says: "I accept your approach to files." }), ""],
    ["asking back, which puts it off", claude("CLARIFY"), "claude"],
  ];
  for (const [name, turn, stillOwed] of instead) {
    it(`can be replaced by ${name}`, () => {
      assert.equal(diverged().and(turn).state.synthesis.owedBy, stillOwed);
    });
  }

  it("that the reply diverges from has failed, and obliges anew", () => {
    const { synthesis } = offered().and(rejects()).state;
    assert.deepEqual(synthesis, { failed: 1, offeredBy: "", owedBy: "claude", overFacts: false });
  });

  it("that failed twice escalates", () => {
    const again = claude("EVALUATE", { synthesis: "files with a smaller index" });
    const ended = offered().and(rejects(), again, rejects());
    assert.deepEqual(reasonsOf(ended), ["synthesis_failed"]);
  });

  it("answered by another synthesis counts as failed and is an offer in turn", () => {
    const { synthesis } = offered().and(rejects({ synthesis: "plain files" })).state;
    assert.deepEqual(synthesis, { failed: 1, offeredBy: "gemini", owedBy: "", overFacts: false });
  });

  it("that is accepted starts the count anew", () => {
    const again = claude("EVALUATE", { synthesis: "files with a smaller index" });
    const accepts = gemini("EVALUATE", { says: "I accept your proposal of a smaller index." });
    const { synthesis } = offered().and(rejects(), again, accepts).state;
    assert.equal(synthesis.failed, 0);
  });

  const harmless: [name: string, turn: Turn][] = [
    ["a clarifying question", gemini("CLARIFY")],
    ["a complementary proposal", gemini("RESPONSE", { says: "And add a checksum to each line." })],
    ["sequential steps", gemini("RESPONSE", { says: "First write, then sync." })],
  ];
  for (const [name, turn] of harmless) {
    it(`is not owed after ${name}`, () => {
      assert.equal(asked([turn]).state.synthesis.owedBy, "");
    });
  }
});
