import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Overlap,
  type OverlapInput,
  overlapsAmong,
} from "../../../scripts-src/findings/rules/overlaps.ts";

/** Keys are the shown names in lower case. */
function finding(name: string, modified: string, investigated = ""): OverlapInput {
  const files = (text: string) =>
    text
      .split(" ")
      .filter(Boolean)
      .map((shown) => ({ key: shown.toLowerCase(), shown }));
  return { finding: name, modified: files(modified), investigated: files(investigated) };
}

function overlap(shown: string, modifiedBy: string[], investigatedBy: string[] = []): Overlap {
  return { shown, modifiedBy, investigatedBy };
}

const tables: [name: string, findings: OverlapInput[], overlaps: Overlap[]][] = [
  ["no findings", [], []],
  ["one finding", [finding("a/1.md", "x y", "z")], []],
  ["findings about different files", [finding("a/1.md", "x"), finding("b/1.md", "y", "z")], []],
  ["files that all only looked at", [finding("a/1.md", "", "x"), finding("b/1.md", "", "x")], []],
  ["findings of one agent", [finding("a/1.md", "x"), finding("a/2.md", "x", "x")], []],
  [
    "two that modified one file",
    [finding("a/1.md", "x"), finding("b/1.md", "x")],
    [overlap("x", ["a/1.md", "b/1.md"])],
  ],
  [
    "one that modified what another looked at",
    [finding("a/1.md", "", "x"), finding("b/1.md", "x")],
    [overlap("x", ["b/1.md"], ["a/1.md"])],
  ],
  [
    "an agent whose name begins like another's",
    [finding("a/1.md", "x"), finding("a-b/1.md", "x")],
    [overlap("x", ["a/1.md", "a-b/1.md"])],
  ],
  [
    "a file under two names, shown by the first",
    [finding("a/1.md", "SRC"), finding("b/1.md", "src")],
    [overlap("SRC", ["a/1.md", "b/1.md"])],
  ],
  [
    "a finding that lists a file twice and in both lists",
    [finding("a/1.md", "x x", "x"), finding("b/1.md", "", "x")],
    [overlap("x", ["a/1.md"], ["b/1.md"])],
  ],
  [
    "an agent that looked at its own change, which concerns nobody",
    [finding("a/1.md", "x"), finding("a/2.md", "", "x"), finding("b/1.md", "", "x")],
    [overlap("x", ["a/1.md"], ["b/1.md"])],
  ],
  [
    "an agent that looked at what it and another changed",
    [finding("a/1.md", "x"), finding("a/2.md", "", "x"), finding("b/1.md", "x")],
    [overlap("x", ["a/1.md", "b/1.md"], ["a/2.md"])],
  ],
  [
    "conflicts before changes that others looked at, each in order of mention",
    [finding("a/1.md", "v w x y z"), finding("b/1.md", "z x", "y v"), finding("c/1.md", "", "z")],
    [
      overlap("x", ["a/1.md", "b/1.md"]),
      overlap("z", ["a/1.md", "b/1.md"], ["c/1.md"]),
      overlap("v", ["a/1.md"], ["b/1.md"]),
      overlap("y", ["a/1.md"], ["b/1.md"]),
    ],
  ],
];

describe("overlaps", () => {
  for (const [name, findings, overlaps] of tables) {
    it(`are told for ${name}`, () => {
      assert.deepEqual(overlapsAmong(findings), overlaps);
    });
  }

  it("take time in proportion to the reports: 1,000 with 20 files each, all about the same", () => {
    const words = Array.from({ length: 20 }, (_, index) => `f${index}`).join(" ");
    const all = Array.from({ length: 1_000 }, (_, index) => finding(`a${index}/1.md`, words));
    const before = process.cpuUsage().user;
    const overlaps = overlapsAmong(all);
    const usedMs = (process.cpuUsage().user - before) / 1_000;
    assert.equal(overlaps.length, 20);
    assert.equal(overlaps[19]?.modifiedBy.length, 1_000);
    assert.ok(usedMs < 500, `${usedMs} ms`);
  });
});
