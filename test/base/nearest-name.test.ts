import assert from "node:assert/strict";
import { it } from "node:test";
import { nameHint, nearestName } from "../../scripts-src/base/nearest-name.ts";

const known = ["type", "claims", "confidence", "expects_reply", "to", "C3.1", "C3.2", "gemini"];

const rows: [given: string, meant: string | undefined][] = [
  ["expectsReply", "expects_reply"],
  ["EXPECTS-REPLY", "expects_reply"],
  ["confidance", "confidence"],
  ["conf", "confidence"],
  ["confidences", "confidence"],
  ["claim", "claims"],
  ["tipe", "type"],
  ["gmeini", "gemini"],
  ["gemin", "gemini"],
  ["c3.2", "C3.2"],
  ["C3,1", "C3.1"],
  ["C9.1", undefined],
  ["claims2", undefined],
  ["too", undefined],
  ["ty", undefined],
  ["", undefined],
  ["codex", undefined],
  ["x".repeat(5_000), undefined],
];
for (const [given, meant] of rows) {
  it(`takes ${JSON.stringify(given.slice(0, 20))} for ${meant ?? "nothing known"}`, () => {
    assert.equal(nearestName(given, known), meant);
  });
}

it("prefers the name that is nearest to one that is only near", () => {
  assert.equal(nearestName("alice-2", ["alice-1", "alice-2x", "alice_2"]), "alice_2");
});

it("offers the nearest, else what there is, of many the first", () => {
  assert.equal(nameHint("claud", ["claude", "gemini"]), "did you mean claude?");
  assert.equal(nameHint("codex", ["claude", "gemini"]), "expected one of claude, gemini");
  assert.equal(nameHint("codex", [], "there are:"), "there are: none");
  const many = Array.from({ length: 50 }, (_, index) => `session-${index}`);
  assert.match(nameHint("codex", many, "there are"), /^there are session-0, .* and 10 more$/);
});
