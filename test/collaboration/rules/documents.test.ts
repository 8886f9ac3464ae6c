import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { conclusionFaults } from "../../../scripts-src/collaboration/rules/conclusion.ts";
import { declaredStatus } from "../../../scripts-src/collaboration/rules/deliverable-rules.ts";
import { textsOf } from "../../../scripts-src/collaboration/rules/faults.ts";
import {
  acceptanceFaults,
  gateFaults,
  readinessFaults,
  readinessItems,
} from "../../../scripts-src/collaboration/rules/readiness.ts";
import { reviewHeading, reviewHeadings } from "../../../scripts-src/collaboration/rules/reviews.ts";
import { cpuMs } from "../../cpu-time.ts";
import { settingsFor } from "../acts.ts";
import { conclusion, deliverable } from "../written-documents.ts";

// How the documents are read, as the original's validator reads them: a text, and what is told of it.

const settings = { 1: settingsFor(1, ["ana", "ben"]), 2: settingsFor(2, ["ana", "ben"]) };

const before = {
  blocking: "blocking readiness items must be cleared",
  unresolved: "unresolved readiness questions must be classified",
  deferred: "deferred_nonblocking readiness items require a reason",
};

describe("the items of readiness.md", () => {
  const cases: [text: string, ...faults: (keyof typeof before)[]][] = [
    [""],
    ["- [resolved] ok"],
    ["- [blocking] x", "blocking"],
    ["-[blocking]x", "blocking"],
    ["   -   [blocking] x", "blocking"],
    ["# A\n\n## B\n\ntext\n- [blocking] x\n", "blocking"],
    ["-\n\n  [blocking] x", "blocking"],
    ["- [blocking]", "blocking"],
    ["- [resolved]\n- [blocking] x", "blocking"],
    ["# R\r\n- [blocking] x\r\n", "blocking"],
    ["# R\r- [blocking] x\r", "blocking"],
    ["\ufeff- [blocking] x", "blocking"],
    ["- [Blocking] x"],
    ["* [blocking] x\n+ [unresolved] y\n1. [blocking] z"],
    ["say - [blocking] x"],
    ["- [resolved] not - [blocking] x"],
    ["- `[blocking]`"],
    ["- [unresolved] x", "unresolved"],
    ["- [unresolved]", "unresolved"],
    ["- [resolved] TBD", "unresolved"],
    ["- [resolved] XTBDX", "unresolved"],
    ["- [resolved]\n\nTBD", "unresolved"],
    ["- [resolved] tbd"],
    ["- [foo] TBD\n- [x] TBD"],
    ["TBD\n## TBD\n- TBD"],
    ["- [deferred_nonblocking] x", "deferred"],
    ["- [deferred_nonblocking] x. Reason: y"],
    ["- [deferred_nonblocking] x REASON: y"],
    ["- [deferred_nonblocking] reason:"],
    ["- [deferred_nonblocking]\n\n  Reason: y"],
    ["- [deferred_nonblocking] x\n  Reason: y", "deferred"],
    ["- [blocking] TBD", "blocking", "unresolved"],
    [
      "- [deferred_nonblocking] x\n- [unresolved] y\n- [blocking] z",
      ...(["blocking", "unresolved", "deferred"] as const),
    ],
  ];
  for (const [text, ...faults] of cases) {
    it(`${JSON.stringify(text)}: ${faults.join(", ") || "nothing wrong"}`, () => {
      const accept = faults.map((fault) => `${before[fault]} before decision_accepted`);
      assert.deepEqual(textsOf(acceptanceFaults(text)), accept);
      const pass = faults.map((fault) =>
        fault === "deferred"
          ? before.deferred
          : `${before[fault]} before readiness_passed or completed`,
      );
      assert.deepEqual(textsOf(readinessFaults(`${text}\n- [x] Ready to implement`)), pass);
    });
  }

  it("have a status and words", () => {
    assert.deepEqual(readinessItems("- [resolved] a \n- [ ] b\n- [odd]c\n- [x-y] d"), [
      { status: "resolved", text: "a" },
      { status: "odd", text: "c" },
    ]);
  });
});

describe("the checked lines of readiness.md", () => {
  const ready = ["- [x] Ready to implement", "- [X] Ready to implement", "-[x]Ready to implement"];
  const readyToo = ["  - [x]  Ready to implement later", "- [x]\n  Ready to implement"];
  const unready = ["- [ ] Ready to implement", "- [x] ready to implement", "Ready to implement"];
  const unreadyToo = ["- [x] Ready  to implement", "- [x] Not Ready to implement"];
  const fault = "readiness.md must check 'Ready to implement' before readiness_passed or completed";
  for (const text of [...ready, ...readyToo, "- [x] Ready to implement\r"]) {
    it(`say ready: ${JSON.stringify(text)}`, () => assert.deepEqual(readinessFaults(text), []));
  }
  for (const text of [...unready, ...unreadyToo, "* [x] Ready to implement"]) {
    it(`do not say ready: ${text}`, () =>
      assert.deepEqual(textsOf(readinessFaults(text)), [fault]));
  }

  const gates: [gate: string, text: string, isChecked: boolean][] = [
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
  for (const [gate, text, isChecked] of gates) {
    it(`show ${JSON.stringify(gate)} ${isChecked ? "" : "not "}in ${JSON.stringify(text)}`, () => {
      const open = `completion gates must be checked before completed: ${gate}`;
      assert.deepEqual(textsOf(gateFaults(text, [gate])), isChecked ? [] : [open]);
    });
  }

  it("leave gates open, which are named in their order", () => {
    const open = "completion gates must be checked before completed: c, a";
    assert.deepEqual(textsOf(gateFaults("- [x] b", ["c", "b", "a"])), [open]);
  });
});

describe("conclusion.md", () => {
  const good = conclusion(1, "[proceed] agreed");
  const line = "- [proceed] agreed";
  const outcome = "conclusion.md must declare exactly one final outcome";
  const blocked = "conclusion.md outcome cannot be completed while blocked";
  const placeholder = "conclusion.md must not contain unresolved placeholders before completed";
  const missing = (names: string) => `conclusion.md is missing required sections: ${names}`;
  const noReasons = missing("Rationale");

  const cases: [name: string, from: string, to: string, ...faults: string[]][] = [
    ["is complete", "agreed", "yes"],
    ["has CRLF and a byte order mark", "# Conclusion", "\ufeff# Conclusion"],
    ["declares do_not_proceed", line, "- [do_not_proceed] no"],
    ["declares defer", line, " -[defer] later"],
    ["has the reason in the next line", line, "- [proceed]\n\nbecause"],
    ["declares nothing", line, "", outcome],
    ["declares an unknown outcome", line, "- [Proceed] x", outcome],
    ["has no blank after the outcome", line, "- [proceed]x", outcome],
    ["declares two", line, `${line}\n- [defer] x`, outcome],
    ["declares one twice", line, `${line}\n${line}`, outcome],
    ["declares blocked as well", line, `${line}\n- [blocked] x`, outcome],
    ["is blocked", line, "- [blocked] x", blocked],
    ["lacks a section", "## Rationale", "## Reasons", noReasons],
    ["has a heading of another level", "## Rationale", "### Rationale", noReasons],
    ["has a heading in lower case", "## Rationale", "## rationale", noReasons],
    ["has more words in a heading", "## Rationale", "## Rationale:", noReasons],
    ["has an indented heading", "## Rationale", " ## Rationale", noReasons],
    ["has blanks in a heading", "## Rationale", "##\t Rationale  "],
    ["says TBD", "agreed", "TBD.", placeholder],
    ["says todo", "agreed", "my (todo)", placeholder],
    ["says unresolved", "agreed", "No Unresolved issues", placeholder],
    ["says it in Chinese", "agreed", "\u5f85\u5b9a", placeholder],
    ["says it within a Chinese word", "agreed", "\u4e0d\u5f85\u5b9a"],
    ["has the words inside of words", "agreed", "TBDs todos _TBD TBD1 \u00e9TODO unresolvedly"],
  ];
  for (const [name, from, to, ...faults] of cases) {
    it(`${faults.length === 0 ? "passes" : "fails"} when it ${name}`, () => {
      assert(good.includes(from));
      const text = good.replace(from, to);
      for (const read of [text, text.replaceAll("\n", "\r\n")]) {
        assert.deepEqual(textsOf(conclusionFaults(read, settings[1])), faults);
      }
    });
  }

  it("wants the sections of its schema in their order, then all else", () => {
    const last = "Assumptions, Deferred Follow-ups, Implementation Blockers, Next Action";
    const first = "Decision Outcome, Rationale, Accepted Decisions, Implementation Approach";
    const told = [missing(`${first}, ${last}`), blocked, placeholder];
    assert.deepEqual(textsOf(conclusionFaults("- [blocked] TBD", settings[1])), told);
    const receipt = "Decision Outcome, Rationale, Deliverable Receipt, Accepted Decisions Summary";
    assert.deepEqual(textsOf(conclusionFaults("", settings[2])), [
      missing(`${receipt}, Readiness Result, ${last}`),
      outcome,
      "conclusion.md must reference the primary deliverable",
    ]);
    assert(conclusion(2).includes(deliverable));
    assert.deepEqual(conclusionFaults(conclusion(2), settings[2]), []);
  });
});

describe("a review heading", () => {
  const headings: [line: string, participant: string, seq?: number][] = [
    ["## 2026-11-22T02:20:00Z - ben - seq 3", "ben"],
    ["## x - ben - seq 3\r", "ben"],
    ["\ufeff## x - ben - seq 3", "ben"],
    ["##  x  -  ben  -  seq  3  ", "ben"],
    ["##   - ben - seq 3", "ben"],
    ["## x - ben - of - us - seq 3", "ben - of - us"],
    ["## x - a-b - seq 03", "a-b"],
    ["## x - \u00e4 b, c - seq 12", "\u00e4 b, c", 12],
  ];
  for (const [line, participant, seq = 3] of headings) {
    it(`is ${JSON.stringify(line)}`, () =>
      assert.deepEqual(reviewHeading(line), { participant, seq }));
  }
  const others = [
    ...["", "## - ben - seq 3", "## x - - seq 3", "## x -- ben - seq 3", "## x - ben- seq 3"],
    ...["## x - ben -seq 3", "## x - ben - seq3", "## x - ben - Seq 3", "## x - ben - seq 3."],
    ...["## x - ben - seq 3a", "## x - ben - seq -3", "## x - ben - seq <event seq>"],
    ...["## ben - seq 3", "### x - ben - seq 3", "# x - ben - seq 3", " ## x - ben - seq 3"],
    "##x - ben - seq 3",
  ];
  for (const line of others) {
    it(`is not ${JSON.stringify(line)}`, () => assert.equal(reviewHeading(line), undefined));
  }

  it("counts where it stands last for its seq", () => {
    const text = "## x - ana - seq 3\r\ntext\n## x - ben - seq 4\n## y - ben - seq 3";
    assert.deepEqual(Object.fromEntries(reviewHeadings(text)), { 3: "ben", 4: "ben" });
  });
});

describe("the status of a deliverable", () => {
  const declared: Record<string, string[]> = {
    Draft: [
      ...["# T\n\nStatus: Draft\n", "Status:Draft", "Status:\n\nDraft"],
      "Status: maybe\nStatus: Draft\nStatus: Frozen",
    ],
    "In Review": ["Status:   In Review  \r\n"],
    Frozen: ["Status: Frozen", "\ufeffStatus: Frozen"],
    "": [
      ...["", "Status: draft", "Status: Draft, mostly", "status: Draft", " Status: Draft"],
      ...["- Status: Draft", "**Status**: Draft", "## Status\n\nDraft"],
    ],
  };
  for (const [status, texts] of Object.entries(declared)) {
    for (const text of texts) {
      it(`of ${JSON.stringify(text)} is ${status || "none"}`, () =>
        assert.equal(declaredStatus(text), status));
    }
  }
});

describe("documents made to take long", () => {
  const fill = (unit: string) => unit.repeat(Math.floor(262_144 / unit.length));
  const texts = {
    "blank lines": fill("\n"),
    blanks: fill(" "),
    "dashes without marks": fill("-\n"),
    "marks without words": fill("- [resolved]\n"),
    "open brackets": `- ${fill("[")}`,
    hashes: fill("##\n"),
    "hashes and blanks": `## ${fill(" ")}`,
    "a heading of dashes": `## ${fill("a - ")}seq 1`,
    "a heading of many seqs": `## x${fill(" - seq 1")}x`,
    "statuses without end": `- [${fill("a")}`,
    "placeholders inside words": fill("TBDx "),
  };
  for (const [name, text] of Object.entries(texts)) {
    it(`are read in linear time: ${name}`, () => {
      const start = cpuMs();
      acceptanceFaults(text);
      readinessFaults(text);
      gateFaults(text, ["Gate one"]);
      conclusionFaults(text, settings[2]);
      reviewHeadings(text);
      // Even a slow machine needs a fraction of this; squares of a quarter of a million take minutes.
      assert(cpuMs() - start < 3_000);
    });
  }
});
