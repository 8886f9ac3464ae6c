import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as conclusion from "../../../scripts-src/collaboration/rules/conclusion-document.ts";
import { textsOf } from "../../../scripts-src/collaboration/rules/faults.ts";
import * as readiness from "../../../scripts-src/collaboration/rules/readiness.ts";
import {
  reviewHeading,
  reviewHeadings,
} from "../../../scripts-src/collaboration/rules/review-entries.ts";
import type { Settings } from "../../../scripts-src/collaboration/rules/settings.ts";
import { cpuMs } from "../../cpu-time.ts";
import { adr, adrPath, complete, settingsFor } from "../complete-folder.ts";

const acceptanceFaults = (text: string) => textsOf(readiness.acceptanceFaults(text));
const readinessFaults = (text: string) => textsOf(readiness.readinessFaults(text));
const gateFaults = (text: string, gates: string[]) => textsOf(readiness.gateFaults(text, gates));
const conclusionFaults = (text: string, settings: Settings) =>
  textsOf(conclusion.conclusionFaults(text, settings));
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

  it("says that readiness.md is missing", () => {});
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

describe("conclusion.md", () => {
  const settings = settingsFor();
  const good = complete().texts.get("conclusion.md") ?? "";
  const outcome = "conclusion.md must declare exactly one final outcome";
  const blocked = "conclusion.md outcome cannot be completed while blocked";
  const placeholder = "conclusion.md must not contain unresolved placeholders before completed";
  const missing = (names: string) => `conclusion.md is missing required sections: ${names}`;
  const line = "- [proceed] agreed";

  const cases: [name: string, from: string, to: string, faults: string[]][] = [
    ["is complete", "agreed", "yes", []],
    ["has CRLF and a byte order mark", "# Conclusion", "\ufeff# Conclusion", []],
    ["declares do_not_proceed", line, "- [do_not_proceed] no", []],
    ["declares defer", line, " -[defer] later", []],
    ["has the reason in the next line", line, "- [proceed]\n\nbecause", []],
    ["declares nothing", line, "", [outcome]],
    ["declares an unknown outcome", line, "- [Proceed] x", [outcome]],
    ["has no blank after the outcome", line, "- [proceed]x", [outcome]],
    ["declares two", line, `${line}\n- [defer] x`, [outcome]],
    ["declares one twice", line, `${line}\n${line}`, [outcome]],
    ["declares blocked as well", line, `${line}\n- [blocked] x`, [outcome]],
    ["is blocked", line, "- [blocked] x", [blocked]],
    ["lacks a section", "## Rationale", "## Reasons", [missing("Rationale")]],
    ["has a heading of another level", "## Rationale", "### Rationale", [missing("Rationale")]],
    ["has a heading in lower case", "## Rationale", "## rationale", [missing("Rationale")]],
    ["has more words in a heading", "## Rationale", "## Rationale:", [missing("Rationale")]],
    ["has an indented heading", "## Rationale", " ## Rationale", [missing("Rationale")]],
    ["has blanks in a heading", "## Rationale", "##\t Rationale  ", []],
    ["says TBD", "agreed", "TBD.", [placeholder]],
    ["says todo", "agreed", "my (todo)", [placeholder]],
    ["says unresolved", "agreed", "No Unresolved issues", [placeholder]],
    ["says it in Chinese", "agreed", "\u5f85\u5b9a", [placeholder]],
    ["says it within a Chinese word", "agreed", "\u4e0d\u5f85\u5b9a", []],
    ["has the words inside of words", "agreed", "TBDs todos _TBD TBD1 \u00e9TODO unresolvedly", []],
  ];
  for (const [name, from, to, faults] of cases) {
    it(`${faults.length === 0 ? "passes" : "fails"} when it ${name}`, () => {
      assert(good.includes(from));
      const text = good.replace(from, to);
      assert.deepEqual(conclusionFaults(text, settings), faults);
      assert.deepEqual(conclusionFaults(text.replaceAll("\n", "\r\n"), settings), faults);
    });
  }

  it("names the missing sections of schema 1 in their order, then all other faults", () => {
    const names =
      "Decision Outcome, Rationale, Accepted Decisions, Implementation Approach, Assumptions, " +
      "Deferred Follow-ups, Implementation Blockers, Next Action";
    assert.deepEqual(conclusionFaults("- [blocked] TBD", settings), [
      missing(names),
      blocked,
      placeholder,
    ]);
  });

  it("wants the sections of schema 2 and the primary deliverable", () => {
    const names =
      "Decision Outcome, Rationale, Deliverable Receipt, Accepted Decisions Summary, " +
      "Readiness Result, Assumptions, Deferred Follow-ups, Implementation Blockers, Next Action";
    assert.deepEqual(conclusionFaults("", settingsFor(adr)), [
      missing(names),
      outcome,
      "conclusion.md must reference the primary deliverable",
    ]);
    const text = complete(adr).texts.get("conclusion.md");
    assert(text !== undefined);
    assert(text.includes(adrPath));
    assert.deepEqual(conclusionFaults(text, settingsFor(adr)), []);
  });

  it("says that it is missing", () => {});
});

describe("a review heading", () => {
  const cases: [line: string, participant: string | undefined, seq?: number][] = [
    ["## 2026-11-22T02:20:00Z - ben - seq 3", "ben", 3],
    ["## x - ben - seq 3\r", "ben", 3],
    ["\ufeff## x - ben - seq 3", "ben", 3],
    ["##  x  -  ben  -  seq  3  ", "ben", 3],
    ["##   - ben - seq 3", "ben", 3],
    ["## x - ben - of - us - seq 3", "ben - of - us", 3],
    ["## x - a-b - seq 03", "a-b", 3],
    ["## x - \u00e4 b, c - seq 12", "\u00e4 b, c", 12],
    ["## - ben - seq 3", undefined],
    ["## x - - seq 3", undefined],
    ["## x -- ben - seq 3", undefined],
    ["## x - ben- seq 3", undefined],
    ["## x - ben -seq 3", undefined],
    ["## x - ben - seq3", undefined],
    ["## x - ben - Seq 3", undefined],
    ["## x - ben - seq 3.", undefined],
    ["## x - ben - seq 3a", undefined],
    ["## x - ben - seq -3", undefined],
    ["## x - ben - seq <event seq>", undefined],
    ["## ben - seq 3", undefined],
    ["### x - ben - seq 3", undefined],
    ["# x - ben - seq 3", undefined],
    [" ## x - ben - seq 3", undefined],
    ["##x - ben - seq 3", undefined],
    ["", undefined],
  ];
  for (const [line, participant, seq = 0] of cases) {
    it(`${participant === undefined ? "is not" : "is"} ${JSON.stringify(line)}`, () => {
      const expected = participant === undefined ? undefined : { participant, seq };
      assert.deepEqual(reviewHeading(line), expected);
    });
  }

  it("counts where it stands last for its seq", () => {
    const text = "## x - ana - seq 3\r\ntext\n## x - ben - seq 4\n## y - ben - seq 3";
    assert.deepEqual(
      [...reviewHeadings(text)],
      [
        [3, "ben"],
        [4, "ben"],
      ],
    );
  });
});

describe("documents of 1 MiB made to take long", () => {
  const settings = settingsFor(adr);
  const size = 1_048_576;
  const fill = (unit: string) => unit.repeat(Math.floor(size / unit.length));
  const texts = [
    ["blank lines", fill("\n")],
    ["blanks", fill(" ")],
    ["dashes without marks", fill("-\n")],
    ["marks without words", fill("- [resolved]\n")],
    ["open brackets", `- ${fill("[")}`],
    ["hashes", fill("##\n")],
    ["hashes and blanks", `## ${fill(" ")}`],
    ["a heading of dashes", `## ${fill("a - ")}seq 1`],
    ["a heading of many seqs", `## x${fill(" - seq 1")}x`],
    ["statuses without end", `- [${fill("a")}`],
    ["placeholders inside words", fill("TBDx ")],
  ] as const;
  for (const [name, text] of texts) {
    it(`reads ${name} in linear time`, () => {
      const start = cpuMs();
      acceptanceFaults(text);
      readinessFaults(text);
      gateFaults(text, ["Gate one"]);
      conclusionFaults(text, settings);
      reviewHeadings(text);
      // Even a slow machine needs a fraction of this; squares of a million take hours.
      assert(cpuMs() - start < 10_000);
    });
  }
});
