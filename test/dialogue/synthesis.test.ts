import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { report } from "../../scripts-src/dialogue/report.ts";
import { asked, claude, files, gemini, reasonsOf, sqlite, type Turn, wanting } from "./given.ts";

const synthesis = "SQLite in front of files";
const judgement = { because: "judgement: one part less" };

/** gemini wants files, claude SQLite, and gemini answers in message 5 with a synthesis of both. */
const opposed = () =>
  asked([gemini("RESPONSE", { position: files }), claude("EVALUATE", { position: sqlite })]);
const offers = (text = synthesis) => gemini("EVALUATE", { position: undefined, synthesis: text });
const offered = (text = synthesis) => opposed().and(offers(text));
const takes = (fields: JsonObject) => claude("EVALUATE", { position: sqlite, ...fields });

describe("a synthesis", () => {
  it("is owed where positions differ, and is neither of them", () => {
    assert.match(opposed().refusal(offers(files)), /synthesis is your own position word for word/);
    assert.match(opposed().refusal(offers("use sqlite")), /is the position of claude word for/);
    assert.equal(offered().state.synthesis.offeredBy, "gemini");
  });

  const accepting: [name: string, turn: Turn][] = [
    ["AGREE without a position", claude("AGREE")],
    ["AGREE with the position as filled in", claude("AGREE", { position: sqlite })],
    ["AGREE with it as position", claude("AGREE", { position: "sqlite  in front\nof files." })],
    ["AGREE with it copied as its own", claude("AGREE", { synthesis })],
    ["taking its words for one's position", takes({ position: `${synthesis}.` })],
  ];
  for (const [name, turn] of accepting)
    it(`is accepted, with its cause, and the decision: by ${name}`, () => {
      const taken = offered().and(turn);
      const rest = taken.last.type === "AGREE" ? [] : [gemini("AGREE")];
      const closed = taken.and(...rest, rest.length > 0 ? claude("AGREE") : gemini("AGREE"));
      const { outcome, flips } = closed.state;
      assert(outcome?.kind === "consensus");
      assert.match(outcome.agreed?.position ?? "", /^sqlite\s+in front\s+of files\.?$/i);
      assert.deepEqual(
        flips.map(({ by, from, evidence, judgement }) => [by, from, evidence, judgement]),
        [
          ["gemini", files, [], ""],
          ["claude", sqlite, [], ""],
        ],
      );
      const { sections, record } = report(closed.state, closed.events, wanting(closed.state));
      const changed = sections.find(({ heading }) => heading === "Who changed")?.lines ?? [];
      assert.equal(changed.filter((line) => line.endsWith(", by a synthesis of both")).length, 2);
      assert.match(record?.chosen ?? "", /in front/);
    });

  it("is as long as it has to be, and copied so", () => {
    const long = `${synthesis}:\n- SQLite takes ${"bursts, ".repeat(40)}\n- files keep them`;
    const closed = offered(long).and(takes({ position: long }), gemini("AGREE"), claude("AGREE"));
    assert(closed.state.outcome?.kind === "consensus");
    assert.equal(closed.state.outcome.agreed?.position, long);
  });

  it("is what its author holds, whatever stands beside it as position", () => {
    const both = { synthesis: "SQLite that spills into files", position: "Use a database." };
    assert.match(offered().refusal(takes(both)), /your position changed .*expected because/);
    const turn = takes({ ...both, ...judgement });
    const decision = offered().decision(turn);
    assert(decision.ok && "remarks" in decision);
    assert.match(
      decision.remarks?.join() ?? "",
      /your position is now the synthesis; "Use a database\." is not kept/,
    );
    assert.equal(offered().and(turn).last.position, both.synthesis);
  });

  it("is no cause for another position where both hold the same", () => {
    const same = offered().and(takes({ position: synthesis }));
    assert.match(
      same.refusal(gemini("EVALUATE", { position: undefined, synthesis: "A database." })),
      /your position changed \(message 5 said "SQLite in front of files"\)/,
    );
  });

  const rejected: [name: string, turn: Turn, reason: RegExp][] = [
    [
      "by an answer that neither takes it over nor objects",
      takes({}),
      /answer the synthesis that is offered, by objections or by AGREE with accepts: 5; add acknowledged: .*objections: /,
    ],
    [
      "by AGREE with another position",
      claude("AGREE", { position: "Use a database." }),
      /AGREE takes over the position of message 5, "SQLite in front of files", but position is "Use a database\."; leave it out/,
    ],
    [
      "by AGREE with another synthesis",
      claude("AGREE", { synthesis: "Files for bursts, else SQLite" }),
      /AGREE accepts what is there, and synthesis offers something else; leave synthesis out/,
    ],
    [
      "by AGREE to what its author held before",
      claude("AGREE", { accepts: 3 }),
      /accepts is 3, but \S+ stands by message 5/,
    ],
  ];
  for (const [name, turn, reason] of rejected)
    it(`is not answered ${name}`, () => assert.match(offered().refusal(turn), reason));

  it("that is objected to twice is left to the user, with the last one as its author's position", () => {
    const objects = (point: string) =>
      takes({ acknowledged: ["bursts"], objections: [{ point, because: "two parts to run" }] });
    const last = "SQLite that spills into files";
    const ended = offered().and(objects("the files"), offers(last), objects("the spilling"));
    assert.deepEqual(reasonsOf(ended), ["synthesis_failed"]);
    const { outcome } = ended.state;
    assert(outcome?.kind === "escalated");
    assert.match(outcome.disagreement, /claude objects: the spilling, because two parts/);
    assert.deepEqual(
      ["claude", "gemini"].map((name) => ended.state.sides[name]?.held.position),
      [sqlite, last],
    );
  });
});
