import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textsOf } from "../../../scripts-src/collaboration/rules/faults.ts";
import * as readiness from "../../../scripts-src/collaboration/rules/readiness.ts";

const acceptanceFaults = (text: string) => textsOf(readiness.acceptanceFaults(text));
const readinessFaults = (text: string) => textsOf(readiness.readinessFaults(text));
const gateFaults = (text: string, gates: string[]) => textsOf(readiness.gateFaults(text, gates));
const { readinessItems } = readiness;

const blocking = "blocking readiness items must be cleared";
const unresolved = "unresolved readiness questions must be classified";
const deferred = "deferred_nonblocking readiness items require a reason";
const accept = " before decision_accepted";
const pass = " before readiness_passed or completed";
const ready = `readiness.md must check 'Ready to implement'${pass}`;

describe("the items of readiness.md", () => {
  const cases: [name: string, text: string, faults: string[]][] = [
    ["a resolved question", "- [resolved] ok", []],
    ["nothing at all", "", []],
    ["a blocker", "- [blocking] x", [blocking]],
    ["a blocker without blanks", "-[blocking]x", [blocking]],
    ["an indented blocker", "   -   [blocking] x", [blocking]],
    ["a blocker in a later section", "# A\n\n## B\n\ntext\n- [blocking] x\n", [blocking]],
    ["a blocker with its mark in the next line", "-\n\n  [blocking] x", [blocking]],
    ["a blocker without words", "- [blocking]", [blocking]],
    ["a blocker behind an item without words", "- [resolved]\n- [blocking] x", [blocking]],
    ["a blocker after CRLF", "# R\r\n- [blocking] x\r\n", [blocking]],
    ["a blocker after lone CR", "# R\r- [blocking] x\r", [blocking]],
    ["a blocker after a byte order mark", "\ufeff- [blocking] x", [blocking]],
    ["an upper case status", "- [Blocking] x", []],
    ["another bullet", "* [blocking] x\n+ [unresolved] y\n1. [blocking] z", []],
    ["a blocker inside a line", "say - [blocking] x", []],
    ["a blocker inside an item", "- [resolved] not - [blocking] x", []],
    ["a status in backticks", "- `[blocking]`", []],
    ["an open question", "- [unresolved] x", [unresolved]],
    ["an open question without words", "- [unresolved]", [unresolved]],
    ["TBD under resolved", "- [resolved] TBD", [unresolved]],
    ["TBD inside a word", "- [resolved] XTBDX", [unresolved]],
    ["TBD in the line after", "- [resolved]\n\nTBD", [unresolved]],
    ["TBD in lower case", "- [resolved] tbd", []],
    ["TBD under an unknown status", "- [foo] TBD\n- [x] TBD", []],
    ["TBD outside of items", "TBD\n## TBD\n- TBD", []],
    ["a deferred item", "- [deferred_nonblocking] x", [deferred]],
    ["a deferred item with a reason", "- [deferred_nonblocking] x. Reason: y", []],
    ["a reason in upper case", "- [deferred_nonblocking] x REASON: y", []],
    ["an empty reason", "- [deferred_nonblocking] reason:", []],
    ["a reason in the line after", "- [deferred_nonblocking]\n\n  Reason: y", []],
    ["a reason in the line after the words", "- [deferred_nonblocking] x\n  Reason: y", [deferred]],
    [
      "all of them, in the order of the contract",
      "- [deferred_nonblocking] x\n- [unresolved] y\n- [blocking] z",
      [blocking, unresolved, deferred],
    ],
    ["TBD under blocking", "- [blocking] TBD", [blocking, unresolved]],
  ];
  for (const [name, text, faults] of cases) {
    it(`judges ${name}`, () => {
      assert.deepEqual(
        acceptanceFaults(text),
        faults.map((fault) => `${fault}${accept}`),
      );
      const passed = faults.map((fault) => (fault === deferred ? fault : `${fault}${pass}`));
      assert.deepEqual(readinessFaults(`${text}\n- [x] Ready to implement`), passed);
    });
  }

  it("lists the statuses with their words", () => {
    assert.deepEqual(readinessItems("- [resolved] a \n- [ ] b\n- [odd]c\n- [x-y] d"), [
      { status: "resolved", text: "a" },
      { status: "odd", text: "c" },
    ]);
  });
});

describe("the Ready line", () => {
  const cases: [text: string, isReady: boolean][] = [
    ["- [x] Ready to implement", true],
    ["- [X] Ready to implement", true],
    ["-[x]Ready to implement", true],
    ["  - [x]  Ready to implement later, maybe", true],
    ["- [x]\n  Ready to implement", true],
    ["- [x] Ready to implement\r", true],
    ["- [ ] Ready to implement", false],
    ["- [x] ready to implement", false],
    ["- [x] Ready  to implement", false],
    ["- [x] Not Ready to implement", false],
    ["* [x] Ready to implement", false],
    ["Ready to implement", false],
  ];
  for (const [text, isReady] of cases) {
    it(`${isReady ? "counts" : "does not count"} as ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readinessFaults(text), isReady ? [] : [ready]);
    });
  }
});

describe("the gates in readiness.md", () => {
  const cases: [gate: string, text: string, isChecked: boolean][] = [
    ["Gate one", "- [x] Gate one", true],
    ["Gate one", "  -  [X]  Gate one  ", true],
    ["Gate one", "-[x]Gate one", true],
    ["Gate one", "# R\r\n- [x] Gate one\r\n", true],
    ["Gate one", "- [x]\n  Gate one", true],
    ["Gate one", "- [ ] Gate one", false],
    ["Gate one", "- [x] Gate one.", false],
    ["Gate one", "- [x] My Gate one", false],
    ["Gate one", "- [x] gate one", false],
    ["a.b (c)* [d] $1 ^", "- [x] a.b (c)* [d] $1 ^", true],
    ["a.b", "- [x] axb", false],
    ["[x] y", "- [x] [x] y", true],
    [" padded ", "- [x] padded", true],
  ];
  for (const [gate, text, isChecked] of cases) {
    it(`sees ${JSON.stringify(gate)} ${isChecked ? "" : "not "}in ${JSON.stringify(text)}`, () => {
      const fault = `completion gates must be checked before completed: ${gate}`;
      assert.deepEqual(gateFaults(text, [gate]), isChecked ? [] : [fault]);
    });
  }

  it("names all that are open in their order", () => {
    assert.deepEqual(gateFaults("- [x] b", ["c", "b", "a"]), [
      "completion gates must be checked before completed: c, a",
    ]);
  });
});
