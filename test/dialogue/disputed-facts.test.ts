import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { report } from "../../scripts-src/dialogue/report.ts";
import { verdictOf } from "../../scripts-src/dialogue/verdict.ts";
import {
  asked,
  byHand,
  claude,
  type Dialogue,
  files,
  gemini,
  record,
  saw,
  sqlite,
  type Turn,
  wanting,
} from "./given.ts";

const point = "SQLite takes 40 ms";
const judged = { because: "judgement: it is enough" };
const objection = { point, because: "It felt faster.", about: "fact" };
const objects = (fields: object = {}) => ({
  ...{ position: sqlite, acknowledged: ["simple"] },
  objections: [{ ...objection, ...fields }],
});

/** gemini holds files for a fact, message 3, that claude disputes in message 4: F4.1. */
const answered = () => asked([gemini("RESPONSE", { position: files })]);
const disputed = () => answered().and(claude("EVALUATE", objects()));
const checks = (outcome: string, fields: JsonObject = {}) => ({
  checks: [{ claim: "F4.1", outcome, ...fields }],
});
const looks = (by: string, met = true) => saw(by, "bench.txt:1", { met });
const told = ({ state, events }: Dialogue) =>
  report(state, events, wanting(state)).sections.flatMap(({ heading, lines }) =>
    lines.map((line) => `${heading}: ${line}`),
  );
const closed = (by: (name: string) => JsonObject, at = disputed()) =>
  at.and(gemini("AGREE", { ...judged, ...by("gemini") }), claude("AGREE", by("claude")));

describe("a fact that is disputed", () => {
  it("obliges both sides to a look before they AGREE, and says so", () => {
    const { todo = [] } = disputed().guidance("gemini");
    assert.match(todo.join("\n"), /^look at the disputed fact before AGREE: F4\.1 /m);
    assert.match(
      disputed().refusal(gemini("AGREE", judged)),
      /look at the disputed fact before AGREE: F4\.1 .*SQLite takes 40 ms.*check --cite.*not_run with a reason/,
    );
    const moved = disputed().and(gemini("EVALUATE", { position: sqlite, ...judged }));
    assert.match(moved.refusal(claude("AGREE")), /disputed fact before AGREE: F4\.1/);
  });

  it("is shown by the look of the side that asserts it, in the place of a synthesis", () => {
    const looked = disputed().and(looks("gemini"));
    const { obligations, moves } = looked.guidance("gemini");
    assert.match(obligations.join("\n"), /the positions differ: a look by a script, .*: F4\.1/);
    assert.match(JSON.stringify(moves), /"claim":"F4\.1","outcome":"holds"/);
    const shown = looked.and(
      gemini("EVALUATE", { position: files, ...checks("holds") }),
      saw("claude", "bench.txt:1", { claim: "F4.1" }),
      claude("AGREE", judged),
      gemini("AGREE"),
    );
    assert.equal(verdictOf(shown.state).words, "CONSENSUS, 1 of 1 claims seen, not audited");
    assert.match(
      told(shown).join("\n"),
      /F4\.1 of gemini: SQLite takes 40 ms .*disputed by claude/,
    );
  });

  it("owes no synthesis where a script refuted it, and falls", () => {
    const refuted = answered().and(
      looks("claude", false),
      claude("EVALUATE", objects({ evidence: "E4" })),
    );
    const { obligations, todo } = refuted.guidance("gemini");
    assert.deepEqual([obligations, todo], [[], []]);
    assert.match(
      told(refuted.and(gemini("EVALUATE", { position: files }))).join("\n"),
      /What fell: - F5\.1 of gemini: SQLite takes 40 ms.*E4/,
    );
  });

  it("owes no synthesis to whom a script refuted it, but for a judgement of the same", () => {
    const facts = { point: "SQLite takes 1 ms", because: "It says 12." };
    const says = (fields: object) => ({
      ...{ position: files, acknowledged: ["one file"], objections: [{ ...facts, ...fields }] },
    });
    const still = answered().and(
      claude("EVALUATE", { position: sqlite }),
      looks("gemini", false),
      gemini("EVALUATE", says({ about: "fact", evidence: "E5" })),
      claude("EVALUATE", { ...says({ about: "judgement" }), position: sqlite }),
    );
    assert.match(
      still.refusal(gemini("EVALUATE", says({ about: "judgement" }))),
      /the positions differ: .*add synthesis/,
    );
  });

  it("is told as an assumption where nobody could look", () => {
    const played = closed((by) => checks("not_run", { reason: `${by} has no disk` }));
    assert.match(
      told(played).join("\n"),
      /Assumptions: - F4\.1 of gemini: SQLite takes 40 ms, disputed by claude.*seen by nobody; claude did not run it: claude has no disk/,
    );
  });

  it("that its disputer finds refuted ends with the position that it held", () => {
    const played = closed(
      (by) => (by === "claude" ? checks("fails") : checks("not_run", { reason: "no disk" })),
      disputed().and(looks("claude", false)),
    );
    assert.equal(played.state.phase, "consensus");
    assert.match(told(played).join("\n"), /What fell: - F4\.1 of gemini/);
  });

  it("can be given up: who withdraws it or its dispute owes no look", () => {
    const withdrawn = [{ claim: "F4.1", because: "I misread it." }];
    const back = disputed().and(gemini("AGREE", { ...judged, withdrawn }), claude("AGREE"));
    assert.match(told(back).join("\n"), /withdrawn by gemini: I misread it/);
    const resolved = [{ point, because: "I take it." }];
    const gives = disputed().and(
      gemini("EVALUATE", { position: files, synthesis: "SQLite as an index of files." }),
      claude("AGREE", { ...judged, resolved }),
    );
    assert.match(gives.refusal(gemini("AGREE")), /look at the disputed fact before AGREE/);
  });

  const says = (fields: JsonObject) => gemini("EVALUATE", { position: files, ...fields });
  const rejected: [name: string, turn: Turn, reason: RegExp][] = [
    [
      "in an AGREE",
      gemini("AGREE", { ...judged, objections: [{ ...objection, point: "SQLite is new" }] }),
      /AGREE disputes a fact \("?SQLite is new"?\); send EVALUATE/,
    ],
    [
      "on a record of nobody",
      says({
        ...{ synthesis: "SQLite as an index.", acknowledged: ["one file"] },
        objections: [{ ...objection, point: "it is fast", evidence: "E99" }],
      }),
      /objections\[0\]\.evidence is "?E99"?, which is no record of yours; run check --cite/,
    ],
    [
      "and refuted by the one who asserts it",
      says(checks("fails")),
      /it is your own; add withdrawn: \[\{claim: F4\.1, because\}\]/,
    ],
    [
      "and shown by no look",
      says(checks("holds")),
      /you have made no record since; run check --cite/,
    ],
    [
      "and shown by prose",
      says(checks("holds", { evidence: "I ran it" })),
      /evidence is "I ran it", which is no record of this session/,
    ],
    [
      "and not looked at for no reason",
      gemini("AGREE", { ...judged, ...checks("not_run") }),
      /not_run needs a reason/,
    ],
  ];
  for (const [name, turn, reason] of rejected)
    it(`is rejected ${name}`, () => assert.match(disputed().refusal(turn), reason));

  it("of a peer by hand owes a look to us alone", () => {
    const turn = gemini("RESPONSE", { objections: [objection] });
    const { state } = asked([byHand(turn)]);
    const owed = state.obligations.filter(({ code }) => code === "look");
    assert.deepEqual(owed, [{ code: "look", id: "F3.1", by: "claude", text: point }]);
  });

  it("counts as refuted by a record of the sender's own alone", () => {
    const theirs = answered().and(saw("gemini", "bench.txt:1", { ...record("bench.txt:1") }));
    assert.match(
      theirs.refusal(claude("EVALUATE", objects({ evidence: "E4" }))),
      /evidence is "?E4"?, which is no record of yours/,
    );
  });
});
