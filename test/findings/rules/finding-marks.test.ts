import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentOf } from "../../../scripts-src/findings/rules/finding-content.ts";
import {
  findingMarks,
  type Posting,
  sharedFiles,
  sharedLines,
} from "../../../scripts-src/findings/rules/finding-marks.ts";

/** A finding and the files that it lists: keys are the shown names in lower case. */
function finding(name: string, modified: string, investigated = "", more = {}): [string, Posting] {
  const files = (text: string) => {
    const names = text.split(" ").filter(Boolean);
    return names.map((shown) => ({ key: shown.toLowerCase(), shown }));
  };
  const lists = { modified: files(modified), investigated: files(investigated) };
  return posting(name, { ...lists, ...more });
}

function citing(name: string, from: number, to: number, more = {}, key = "k"): [string, Posting] {
  return posting(name, { cited: [{ key, shown: `a:${from}`, from, to }], ...more });
}

function posting(name: string, given: object): [string, Posting] {
  const lists = { watched: false, faults: [], roots: [], cited: [] };
  const files = { modified: [], investigated: [], confirms: [], supersedes: [] };
  const content = contentOf({
    content: { sha256: "", title: "", said: "", ...lists, ...files, ...given },
  });
  assert(content !== undefined);
  seq += 1;
  return [name, { seq, at: "", content }];
}

let seq = 0;
const supersedes = (...names: string[]) => ({ supersedes: names });

const shared: [name: string, findings: [string, Posting][], ...lines: string[]][] = [
  ["one finding", [finding("a/1", "x y", "z")]],
  ["findings about different files", [finding("a/1", "x"), finding("b/1", "y", "z")]],
  ["files that all only looked at", [finding("a/1", "", "x"), finding("b/1", "", "x")]],
  ["findings of one agent", [finding("a/1", "x"), finding("a/2", "x", "x")]],
  [
    "two that modified one file",
    [finding("a/1", "SRC"), finding("b/1", "src")],
    "SRC: modified by a/1 and b/1",
  ],
  [
    "one that modified what another looked at",
    [finding("a/1", "", "x"), finding("b/1", "x")],
    "x: modified by b/1, investigated by a/1",
  ],
  [
    "an agent whose name begins like another's",
    [finding("a/1", "x"), finding("a-b/1", "x")],
    "x: modified by a/1 and a-b/1",
  ],
  [
    "an agent that looked at its own change, which concerns nobody",
    [finding("a/1", "x x", "x"), finding("a/2", "", "x"), finding("b/1", "", "x")],
    "x: modified by a/1, investigated by b/1",
  ],
  [
    "an agent that looked at what it and another changed",
    [finding("a/1", "x"), finding("a/2", "", "x"), finding("b/1", "x")],
    "x: modified by a/1 and b/1, investigated by a/2",
  ],
  [
    "conflicts before changes that others looked at, each in order of mention",
    [finding("a/1", "v x z"), finding("b/1", "z x", "v"), finding("c/1", "", "z")],
    "x: modified by a/1 and b/1",
    "z: modified by a/1 and b/1, investigated by c/1",
    "v: modified by a/1, investigated by b/1",
  ],
  [
    "a report that another agent calls superseded",
    [finding("a/1", "x"), finding("b/1", "x", "", supersedes("a/1"))],
    "x: modified by a/1 and b/1",
  ],
  [
    "a report that calls itself superseded, or is called so by an earlier one",
    [finding("a/1", "x", "", supersedes("a/1", "a/2")), finding("a/2", "x"), finding("b/1", "x")],
    "x: modified by a/1 and a/2 and b/1",
  ],
  [
    "a report whose author superseded it, which is over",
    [finding("a/1", "x"), finding("b/1", "x"), finding("a/2", "", "", supersedes("a/1"))],
  ],
];

describe("files that several reports are about", () => {
  for (const [name, findings, ...lines] of shared) {
    it(`are told for ${name}`, () => assert.deepEqual(sharedFiles(new Map(findings)), lines));
  }
});

describe("lines that several reports are about", () => {
  const told = (...findings: [string, Posting][]) => sharedLines(new Map(findings));

  it("are those that findings of different agents have in common", () => {
    assert.deepEqual(told(citing("a/1", 1, 3), citing("b/1", 3, 4)), ["a:1: cited by a/1 and b/1"]);
    assert.deepEqual(told(citing("a/1", 1, 3), citing("b/1", 4, 4)), []);
    assert.deepEqual(told(citing("a/1", 1, 3), citing("a/2", 1, 3)), []);
    assert.deepEqual(told(citing("a/1", 1, 3), citing("b/1", 1, 3, {}, "other")), []);
  });
});

describe("a finding is marked", () => {
  const confirms = { confirms: ["a/1"] };
  const rows: [what: string, other: [string, Posting], mark?: string][] = [
    [
      "where what confirms it cites nothing",
      posting("b/1", confirms),
      "without a citation: by b/1",
    ],
    [
      "where nothing is there of what its confirmation cites",
      citing("b/1", 1, 1, { ...confirms, watched: true }),
      "without a citation: by b/1",
    ],
    [
      "where its confirmation cites other files",
      citing("b/1", 1, 1, confirms, "other"),
      "by a look at other files: b/1 cites none of its",
    ],
    ["by nothing where its confirmation cites its file", citing("b/1", 9, 9, confirms)],
  ];
  for (const [what, other, mark] of rows) {
    it(what, () => {
      const marks = findingMarks(new Map([citing("a/1", 1, 3), other])).get("a/1");
      assert.deepEqual(marks, mark && [`confirmed ${mark}`]);
    });
  }

  it("where an earlier one says the same", () => {
    const said = (name: string) => posting(name, { said: "s" });
    assert.deepEqual(findingMarks(new Map([said("a/1"), said("b/1")])).get("b/1"), [
      "duplicate: says what a/1 says",
    ]);
  });
});
