import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import {
  asked,
  byHand,
  claude,
  type Dialogue,
  files,
  gemini,
  reasonsOf,
  saw,
  type Turn,
} from "./given.ts";

const objectsIn = ({ events }: Dialogue) => {
  const assessment = events.at(-1)?.["assessment"];
  return isRecord(assessment) && assessment["objects"];
};

describe("an honest objection", () => {
  const answered = asked([gemini("RESPONSE", { says: "Use files." })]);
  const objecting: [name: string, fields: JsonObject][] = [
    ["in objections[]", { objections: [{ point: "files", because: "no transactions" }] }],
    ["in disagreements_pending[]", { disagreements_pending: ["files or SQLite"] }],
  ];
  const inWords = [
    "I disagree with files.",
    "It would be better to do it with SQLite.",
    "I propose an alternative: SQLite.",
    "Я не согласен с файлами.",
    "Я против файлов.",
    "Предлагаю альтернативу: SQLite.",
  ];
  for (const [name, fields] of objecting) {
    it(`${name} names the other side's strong points first`, () => {
      const reason = /an objection names the other side's strong points first; add acknowledged/;
      assert.match(answered.refusal(claude("EVALUATE", fields)), reason);
      const heard = answered.and(claude("EVALUATE", { ...fields, acknowledged: ["simple"] }));
      assert.equal(objectsIn(heard), true);
    });

    it(`${name}, by hand, is heard without them and obliges to a synthesis`, () => {
      const heard = answered.and(byHand(claude("EVALUATE", fields)));
      assert.equal(heard.state.synthesis.owedBy, "gemini");
    });
  }

  it("as COUNTER_PROPOSE names the other side's strong points first", () => {
    assert.match(answered.refusal(claude("COUNTER_PROPOSE")), /names the other side's strong/);
    assert(answered.and(claude("COUNTER_PROPOSE", { acknowledged: ["files are simple"] })));
  });

  for (const says of inWords)
    it(`in words is heard of a colleague by hand alone: ${says}`, () => {
      const turn = claude("EVALUATE", { says });
      assert.equal(objectsIn(answered.and(turn)), false);
      assert.equal(answered.and(byHand(turn)).state.synthesis.owedBy, "gemini");
    });

  for (const says of [
    "I am not against files.",
    "Я не против файлов.",
    "Check against the schema.",
    "> I disagree with files.\nWhy was that said?",
    "Run `echo I disagree`.",
  ])
    it(`is not heard in: ${JSON.stringify(says)}`, () => {
      const turn = claude("EVALUATE", { says });
      assert.equal(objectsIn(answered.and(turn)), false);
      assert.equal(answered.and(byHand(turn)).state.synthesis.owedBy, "");
    });

  it("in an AGREE is kept as a reservation", () => {
    for (const [, fields] of objecting) {
      const { last } = answered.and(claude("AGREE", fields));
      assert.deepEqual([last.reservations?.length, last.objections], [1, []]);
    }
  });

  it("is not made by asking, opening or calling the user", () => {
    const says = "I disagree, maybe.";
    assert.equal(objectsIn(answered.and(claude("CLARIFY", { says }))), false);
    assert.deepEqual(reasonsOf(answered.and(claude("ESCALATE", { says }))), ["requested"]);
  });
});

describe("three rounds of nothing but objections", () => {
  const objects = (fields: JsonObject = {}) =>
    claude("EVALUATE", {
      position: files,
      objections: [{ point: "SQLite", because: "one more library" }],
      acknowledged: ["it is tested"],
      ...fields,
    });
  const asks = () => gemini("CLARIFY");
  const flagged = () =>
    asked([gemini("RESPONSE"), objects(), asks(), objects(), asks(), objects()]);

  it("are counted for each side by itself and ended by anything else", () => {
    assert.equal(flagged().state.sides["claude"]?.objectionStreak, 3);
    assert.equal(flagged().state.sides["gemini"]?.objectionStreak, 0);
    const claims = [{ text: "2 ms", check: "bench.md:3" }];
    const gains: Turn[][] = [
      [saw("claude", "a.ts:1"), objects()],
      [objects({ synthesis: "SQLite as index over plain files." })],
      [objects({ asks: ["Why?"] })],
      [objects({ claims })],
      [objects({ agreements_so_far: ["UTF-8"] })],
    ];
    for (const turns of gains) {
      const played = asked([gemini("RESPONSE"), objects(), asks(), ...turns]);
      assert.equal(played.state.sides["claude"]?.objectionStreak, 0);
    }
  });

  it("oblige to a self-check", () => {
    const due = flagged().and(asks());
    assert.match(due.guidance("claude").obligations.join(), /am I defending a position or looking/);
    const reason = /three rounds of nothing but objections: .*; add self_check: "<your answer>"/;
    const calm = { position: files };
    assert.match(due.refusal(claude("EVALUATE", calm)), reason);
    assert.match(due.refusal(claude("AGREE")), reason);
    const checked = due.and(claude("EVALUATE", { ...calm, self_check: "I was defending." }));
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
  const judged = { because: "judgement: it has both" };
  const opposed = () => asked([gemini("RESPONSE"), claude("EVALUATE", { position: files })]);
  const offer = gemini("EVALUATE", { synthesis: "SQLite as index over plain files." });
  const again = gemini("EVALUATE", {
    ...{ position: undefined, synthesis: "SQLite where files are slow." },
  });
  const keeps = (fields: JsonObject = {}) =>
    claude("EVALUATE", {
      ...{ position: files, acknowledged: ["it is fast"] },
      objections: [{ point: "an index", because: "two parts to run" }],
      ...fields,
    });

  const instead: [name: string, turn: Turn, stillOwed: string][] = [
    ["AGREE", gemini("AGREE", judged), ""],
    ["the other's position", gemini("EVALUATE", { position: files, ...judged }), ""],
    [
      "acceptance in words, by hand",
      byHand(gemini("EVALUATE", { says: "I accept your approach to files." })),
      "",
    ],
    ["asking back, which puts it off", gemini("CLARIFY"), "gemini"],
  ];
  for (const [name, turn, stillOwed] of instead)
    it(`can be replaced by ${name}`, () => {
      assert.equal(opposed().state.synthesis.owedBy, "gemini");
      assert.match(opposed().guidance("gemini").obligations.join(), /differ: synthesis/);
      assert.equal(opposed().and(turn).state.synthesis.owedBy, stillOwed);
    });

  const answers: [name: string, turns: Turn[], synthesis: object][] = [
    [
      "has failed where the reply objects",
      [keeps()],
      { failed: 1, offeredBy: "", owedBy: "gemini" },
    ],
    [
      "has failed where the reply is another synthesis, an offer in turn",
      [keeps({ synthesis: "Plain files, SQLite later." })],
      { failed: 1, offeredBy: "claude", owedBy: "" },
    ],
    [
      "that is accepted starts the count anew",
      [keeps(), again, claude("AGREE", judged)],
      { failed: 0, offeredBy: "", owedBy: "" },
    ],
    [
      "that is accepted in words, by hand, starts the count anew",
      [keeps(), again, byHand(claude("EVALUATE", { says: "I accept your proposal of SQLite." }))],
      { failed: 0, offeredBy: "", owedBy: "" },
    ],
    [
      "has failed where the reply objects by hand",
      [byHand(keeps({ says: "I disagree with an index." }))],
      { failed: 1, offeredBy: "", owedBy: "gemini" },
    ],
  ];
  for (const [name, turns, synthesis] of answers)
    it(name, () => assert.deepEqual(opposed().and(offer, ...turns).state.synthesis, synthesis));

  it("is not owed after a clarifying question", () => {
    assert.equal(asked([gemini("CLARIFY")]).state.synthesis.owedBy, "");
  });

  it("is not owed any more when the side that differed agrees itself", () => {
    const agreed = opposed().and(gemini("CLARIFY"), claude("AGREE", judged));
    assert.equal(agreed.state.synthesis.owedBy, "");
    assert(agreed.and(gemini("EVALUATE")));
  });
});

describe("competing proposals for one task, of a colleague by hand", () => {
  const answer = gemini("RESPONSE", { says: "Use files." });

  it("owe a synthesis, or that one side accepts", () => {
    const competing = asked([answer, byHand(claude("RESPONSE", { says: "SQLite in WAL mode." }))]);
    assert.equal(competing.state.synthesis.owedBy, "gemini");
    assert.match(competing.refusal(gemini("EVALUATE")), /the positions differ: .*add synthesis/);
    const agreed = competing.and(gemini("AGREE", { because: "judgement: it is tested" }));
    assert.equal(agreed.state.synthesis.owedBy, "");
  });

  const none: [name: string, says: string, fields?: JsonObject][] = [
    ["the same in other letters", "use FILES"],
    ["an addition", "And add a checksum to each line."],
    ["a next step", "Then sync the folder."],
    ["sequential steps", "First write, then sync."],
    ["an addition in Russian", "Также нужна контрольная сумма."],
    [
      "an acknowledgement",
      "SQLite's journal inside files.",
      { acknowledged: ["files are simple"] },
    ],
    ["all that the other said", "Use files. One line for each event."],
  ];
  for (const [name, says, fields] of none)
    it(`are not seen in ${name}`, () => {
      const { synthesis } = asked([answer, byHand(claude("RESPONSE", { says, ...fields }))]).state;
      assert.equal(synthesis.owedBy, "");
    });
});
