import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type CheckSpec,
  evidenceLimits,
  parseCheckSpec,
  specText,
} from "../../scripts-src/protocol/check-spec.ts";
import {
  type EvidenceRecord,
  expectFault,
  firstAndLast,
  holdsWords,
  parseEvidence,
} from "../../scripts-src/protocol/evidence.ts";
import { cpuMs } from "../cpu-time.ts";

const read: [check: string, spec: CheckSpec][] = [
  ["src/a.ts:10-20", { kind: "lines", path: "src/a.ts", from: 10, to: 20 }],
  ["  src/a.ts:10 ", { kind: "lines", path: "src/a.ts", from: 10, to: 10 }],
  ['"my file.ts:3-4"', { kind: "lines", path: "my file.ts", from: 3, to: 4 }],
  [
    'find "retry limit" src test/a.ts',
    { kind: "search", text: "retry limit", paths: ["src", "test/a.ts"] },
  ],
  ["find 'a \"b\"' .", { kind: "search", text: 'a "b"', paths: ["."] }],
  ["find . -name a.ts", { kind: "run", argv: ["find", ".", "-name", "a.ts"] }],
  ["npm test", { kind: "run", argv: ["npm", "test"] }],
  ['node -e "a b" c', { kind: "run", argv: ["node", "-e", "a b", "c"] }],
  [
    "npm test && rm -rf ~; $(id) `id` > x",
    { kind: "run", argv: ["npm", "test", "&&", "rm", "-rf", "~;", "$(id)", "`id`", ">", "x"] },
  ],
  ["I don't know", { kind: "run", argv: ["I", "don't", "know"] }],
  [
    "see src/a.ts:10-20 and src/b.ts:4",
    { kind: "run", argv: ["see", "src/a.ts:10-20", "and", "src/b.ts:4"] },
  ],
];

const faults: [check: string, fault: RegExp][] = [
  ["", /names lines, a search or a command/],
  ["   ", /names lines, a search or a command/],
  ["src/a.ts:0", /no lines/],
  ["src/a.ts:20-10", /no lines/],
  ["src/a.ts:1-99999", /at most 2000 lines/],
  ["/etc/passwd:1", /not relative/],
  ["~/.ssh/id:1", /not relative/],
  ["C:\\x:1", /not relative/],
  ["http://localhost:3000", /not relative/],
  ["../a.ts:1", /leads out/],
  ["src/../../a.ts:1", /leads out/],
  ["src\\..\\a.ts:1", /leads out/],
  [":1", /no path/],
  ['find "ab" src', /at least 3 signs/],
  ['find "  a  " src', /at least 3 signs/],
  ['find "" src', /at least 3 signs/],
  ['find "retry"', /names where/],
  ['find "retry" ../other', /leads out/],
  ["src/a\u200b.ts:1", /cannot be seen/],
  [`${"x".repeat(4_001)}`, /at most 4000 characters/],
];

describe("a check", () => {
  for (const [check, spec] of read) {
    it(`reads ${check}`, () => assert.deepEqual(parseCheckSpec(check), spec));
  }
  for (const [check, fault] of faults) {
    it(`says what is wrong with ${JSON.stringify(check.slice(0, 40))}`, () => {
      const found = parseCheckSpec(check);
      assert("fault" in found, JSON.stringify(found));
      assert.match(found.fault, fault);
    });
  }

  it("is read back from its text, whatever it holds", () => {
    const check = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.stringMatching(/^[a"'\\ :0-9-]{0,40}$/),
    );
    fc.assert(
      fc.property(check, (text) => {
        const spec = parseCheckSpec(text);
        if ("fault" in spec) return;
        assert.deepEqual(parseCheckSpec(specText(spec)), spec);
      }),
    );
  });

  it("reads a hostile text in no time", () => {
    const started = cpuMs();
    parseCheckSpec(`${"\\".repeat(3_900)}"`);
    parseCheckSpec(`${'"a'.repeat(1_900)}`);
    assert(cpuMs() - started < 200);
  });
});

describe("expected words", () => {
  it("count sign by sign, but not how they are broken into lines", () => {
    assert(holdsWords("const\n  retries = 3;", "const retries = 3"));
    assert(!holdsWords("const RETRIES = 3;", "retries"));
    assert(!holdsWords("anything", ""));
    assert(!holdsWords("anything", " \n"));
  });

  it("are words", () => {
    for (const empty of ["", "  ", "}", "();"])
      assert.match(expectFault(empty) ?? "", /write words/);
    assert.equal(expectFault("3"), undefined);
    assert.equal(expectFault("повторы"), undefined);
    assert.match(expectFault("x".repeat(1_001)) ?? "", /more than 1000/);
  });
});

const record: EvidenceRecord = {
  claim: "C4.1",
  kind: "run",
  spec: "npm test",
  expect: "pass 12",
  met: true,
  exit: 0,
  ms: 1_200,
  sha256: "0".repeat(64),
  first: "pass 12\n",
  last: "",
  commit: "63a38905c77db674d73c54796e39ebeeb67b8655",
  dirty: ["src/a.ts"],
  process: { pid: 12, started: "3444", cli: { pid: 4, started: "12" } },
  network: "off",
};

const wrong: [name: string, change: object][] = [
  ["another field", { note: "x" }],
  ["a hash that is none", { sha256: "abc" }],
  ["a claim that is none", { claim: "4.1" }],
  ["a run that failed and met its words", { exit: 1 }],
  ["a run without exit", { exit: undefined }],
  ["another kind than its spec", { kind: "lines", exit: undefined }],
  ["a spec that leads out", { kind: "lines", spec: "../a:1", exit: undefined }],
  ["a spec in other words", { spec: " npm  test" }],
  ["no process", { process: undefined }],
  ["a process without a number", { process: { pid: "4", started: "" } }],
  ["more text than is kept", { first: "x".repeat(evidenceLimits.partCharacters + 1) }],
  ["signs that nobody sees", { first: "\u001b[2J" }],
  ["half a second", { ms: 0.5 }],
];

describe("a record of evidence", () => {
  it("is read as it was written", () => {
    assert.deepEqual(parseEvidence(JSON.parse(JSON.stringify(record))), record);
  });
  for (const [name, change] of wrong) {
    it(`is none with ${name}`, () => {
      assert.equal(parseEvidence(JSON.parse(JSON.stringify({ ...record, ...change }))), undefined);
    });
  }
  it("is none when it is no object", () => {
    for (const value of [null, "x", 4, []]) assert.equal(parseEvidence(value), undefined);
  });

  it("keeps the beginning and the end of a long text, and a short one once", () => {
    assert.deepEqual(firstAndLast("short"), { first: "short", last: "" });
    const long = `${"a".repeat(3_000)}z`;
    const { first, last } = firstAndLast(long);
    assert.equal(first.length, 1_024);
    assert.equal(last.length, 1_024);
    assert(last.endsWith("z"));
    assert.equal(first + firstAndLast("a".repeat(1_500)).last, "a".repeat(1_500));
  });
});
