import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { conclusionFaults } from "../../../scripts-src/collaboration/rules/conclusion.ts";
import { deliverableTypeNames } from "../../../scripts-src/collaboration/rules/deliverables.ts";
import { textsOf } from "../../../scripts-src/collaboration/rules/faults.ts";
import {
  checkOpening,
  type Opening,
  protocolFor,
} from "../../../scripts-src/collaboration/rules/opening.ts";
import * as readiness from "../../../scripts-src/collaboration/rules/readiness.ts";
import { reviewHeadings } from "../../../scripts-src/collaboration/rules/reviews.ts";
import { parseSettings } from "../../../scripts-src/collaboration/rules/settings.ts";
import { documentsFor, exampleReview } from "../../../scripts-src/collaboration/rules/templates.ts";
import { rowsOf } from "../../rows.ts";

const opening: Opening = {
  objective: "Pick a store",
  participants: ["ana", "ben"],
  gates: ["Gate one", "Gate (two).* [x]"],
  createdAt: "2026-11-22T02:16:37Z",
};
const adr = { primary: { type: "adr", checks: [] } };
const external = { ...adr, mode: "external", dir: "docs/out", repoRoot: "../.." };

/** The settings that a collaboration opened like this has. */
function settingsFor(given: Partial<Opening> = {}) {
  const opened = checkOpening({ ...opening, ...given });
  assert(opened.ok, opened.ok ? "" : opened.reasons.join("; "));
  return parseSettings(JSON.stringify(opened.raw));
}

function textsFor(given: Partial<Opening>): Map<string, string> {
  return new Map(documentsFor(settingsFor(given)).map(({ path, text }) => [path, text]));
}

const openings: [name: string, given: Partial<Opening>][] = [
  ["schema 1", {}],
  ["one participant", { participants: ["ana"] }],
  ...deliverableTypeNames.map((type): [string, Partial<Opening>] => {
    return [`schema 2, ${type}`, { primary: { type, file: "sub/x.md", checks: ["A", "B (c)"] } }];
  }),
  ["schema 2, external", external],
  ["words that a scan looks for", { objective: "A TODO\n## x - ana - seq 1\n- [blocking] TBD" }],
  [
    "the same in schema 2",
    { ...adr, objective: "TBD\n- [proceed] x", gates: ["No TBD is left", "- [unresolved] x"] },
  ],
];

describe("the documents that init writes", () => {
  for (const [name, given] of openings) {
    const settings = settingsFor(given);
    const texts = textsFor(given);
    const [open = "", final = ""] = ["readiness.md", "conclusion.md"].map((it) => texts.get(it));

    it(`pass no scan as they are (${name})`, () => {
      const unresolved = "unresolved readiness questions must be classified before";
      const accepted = textsOf(readiness.acceptanceFaults(open));
      assert.deepEqual(accepted, [`${unresolved} decision_accepted`]);
      assert.deepEqual(textsOf(readiness.readinessFaults(open)), [
        `${unresolved} readiness_passed or completed`,
        "readiness.md must check 'Ready to implement' before readiness_passed or completed",
      ]);
      const gates = `completion gates must be checked before completed: ${settings.gates.join(", ")}`;
      assert.deepEqual(textsOf(readiness.gateFaults(open, settings.gates)), [gates]);
      assert.deepEqual(textsOf(conclusionFaults(final, settings)), [
        "conclusion.md outcome cannot be completed while blocked",
        "conclusion.md must not contain unresolved placeholders before completed",
      ]);
      assert.equal(reviewHeadings(texts.get("review.md") ?? "").size, 0);
    });

    it(`pass every scan once they are filled in, and not before the last place is (${name})`, () => {
      const classified = open.replace(/^- \[unresolved\].*$/m, "- [resolved] SQLite");
      const ready = classified.replaceAll("- [ ]", "- [x]");
      assert.deepEqual(readiness.acceptanceFaults(classified), []);
      assert.deepEqual(readiness.readinessFaults(ready), []);
      assert.deepEqual(readiness.gateFaults(ready, settings.gates), []);
      const decided = final.replace(/^- \[blocked\].*$/m, "- [proceed] agreed");
      const places = decided.match(/<TBD.*>/g) ?? [];
      assert(places.length > 6);
      for (let left = 0; left <= places.length; left += 1) {
        let seen = 0;
        const partly = decided.replace(/<TBD.*>/g, (mark) => (++seen === left ? mark : "Done"));
        assert.equal(conclusionFaults(partly, settings).length, left === 0 ? 0 : 1);
      }
    });
  }

  /** As the original has them, `*` for a `#` of a heading. */
  const headings = rowsOf(`
README.md | 1 | * Agent Collaboration Workspace
README.md | 2 | * ACP Collaboration Workspace
proposal.md | 1 | * Proposal, ** Purpose, ** Current Proposal, ** Message/API Contracts,
  ** Operational Concerns, ** Open Questions, ** Proposed Decisions
proposal.md | 2 | * Proposal, ** Purpose, ** Current Proposal, ** Deliverable Draft, ** Review Focus
decisions.md | 1 | * Decisions, ** Accepted Decisions
decisions.md | 2 | * Decisions, ** Accepted Decisions, *** D1. Initial deliverable declaration
readiness.md | 1 | * Readiness, ** Open Question Classification, ** Blocking Issues,
  ** Deferred Follow-ups, ** Completion Gates, ** Final Design Document Checklist
readiness.md | 2 | * Readiness, ** Open Question Classification, ** Blocking Issues,
  ** Objective Gates, ** Generated Deliverable Gates, ** Deliverable Snapshot,
  ** Supporting Deliverables, ** Attachments, ** Deferred Follow-ups,
  ** Implementation Blockers, ** Ready to Implement
conclusion.md | 1 | * Conclusion, ** Decision Outcome, ** Rationale, ** Accepted Decisions,
  ** Implementation Approach, ** Assumptions, ** Deferred Follow-ups,
  ** Implementation Blockers, ** Next Action
conclusion.md | 2 | * Conclusion, ** Decision Outcome, ** Rationale, ** Deliverable Receipt,
  ** Accepted Decisions Summary, ** Readiness Result, ** Assumptions, ** Deferred Follow-ups,
  ** Implementation Blockers, ** Next Action
review.md | 1 | * Review, ** <timestamp> - <participant_id> - seq <event seq>
review.md | 2 | * Review, ** <timestamp> - <participant_id> - seq <event seq>
deliverables/adr.md | 2 | * Architecture Decision Record, ** Status, ** Context, ** Decision,
  ** Alternatives Considered, ** Consequences, ** Follow-ups`);
  for (const [path = "", schema, expected = ""] of headings) {
    it(`have the original's headings: ${path} of schema ${schema}`, () => {
      const text = textsFor(schema === "1" ? {} : adr).get(path) ?? "";
      assert.deepEqual(text.match(/^#+ .*$/gm), expected.replaceAll("*", "#").split(", "));
    });
  }

  it("list every gate unchecked, where the original wrote {gate_checks}", () => {
    const gates = "\n- [ ] Gate one\n- [ ] Gate (two).* [x]\n";
    assert(textsFor({}).get("readiness.md")?.includes(gates));
    const second = textsFor(adr).get("readiness.md") ?? "";
    assert(second.includes(`${gates}\n## Generated`));
    assert(second.includes("\n- [ ] Primary deliverable exists: `deliverables/adr.md`\n"));
  });

  it("declare a draft of the deliverable, and lie where it belongs", () => {
    const text = textsFor(adr).get("deliverables/adr.md") ?? "";
    assert.match(text, /^Deliverable type: `adr`\nStatus: Draft\n(?:.*\n)*## Context\n\n## Dec/m);
    const places = documentsFor(settingsFor(external)).map((it) => [it.path, it.foldersUp]);
    assert.deepEqual(places.pop(), ["docs/out/adr.md", 2]);
    assert(places.every(([, foldersUp]) => foldersUp === 0));
  });

  it("are written in ASCII with lines that fit a terminal", () => {
    for (const given of [{}, adr, external]) {
      for (const [path, text] of textsFor(given)) {
        assert.match(text, /^[\n\x20-\x7e]*\n$/, path);
        const longest = Math.max(...text.split("\n").map((line) => line.length));
        assert(longest <= 105, path);
      }
    }
  });

  it("draft a review with its sections, in schema 2 with its scope", () => {
    const labels = ["Context:", "Position:", "Concerns:", "Required Changes:", "Questions:"];
    assert.deepEqual(exampleReview(settingsFor()).match(/^[A-Z].*:$/gm), labels);
    const scope = ["Context:", "Review Scope:", ...labels.slice(1)];
    assert.deepEqual(exampleReview(settingsFor(adr)).match(/^[A-Z].*:$/gm), scope);
  });
});

describe("the protocol.json that init writes", () => {
  const first = {
    objective: "Pick a store",
    participants: [{ id: "ana" }, { id: "ben" }],
    completionGates: ["Gate one", "Gate (two).* [x]"],
    currentPhase: "drafting",
    proposalOwner: "ana",
    waitingFor: ["ana"],
    createdAt: "2026-11-22T02:16:37Z",
    updatedAt: "2026-11-22T02:16:37Z",
  };

  it("has the keys of its schema", () => {
    assert.deepEqual(protocolFor(opening), first);
    const generated = [
      "Primary deliverable exists: `deliverables/adr.md`",
      "Primary deliverable has required `adr` sections",
      "Every accepted decision has `Reflected in`",
      "Every accepted decision is reflected in the primary deliverable",
      "Primary deliverable status is `Frozen`",
      "Primary deliverable SHA-256 snapshot recorded",
    ];
    const declared = { type: "adr", file: "adr.md", checklist: [] };
    assert.deepEqual(protocolFor({ ...opening, ...adr }), {
      ...first,
      ...{ protocol: "acp", schemaVersion: 2, objectiveGates: opening.gates },
      completionGates: [
        ...opening.gates.map((text) => ({ source: "objective", text })),
        ...generated.map((text) => ({ source: "generated", text })),
      ],
      deliverables: {
        ...{ mode: "internal", dir: "deliverables", owner: "ana", coAuthors: [] },
        ...{ primary: declared, supporting: [], attachments: [] },
      },
    });
  });

  it("names the repository in external mode", () => {
    const { repoRoot, completionGates } = settingsFor(external).raw;
    assert.equal(repoRoot, "../..");
    assert.match(JSON.stringify(completionGates), /exists: `external:adr\.md`/);
  });

  it("drops blanks and repeated participants, and keeps the rest as it was given", () => {
    const { raw } = settingsFor({
      objective: "  Pick ",
      participants: [" ana", "", "ben", "ana "],
      gates: ["a ", " ", "a", "b"],
      primary: { type: "custom", file: " ./x//y.md ", checks: [" A ", "", "A", "B"] },
      dir: "./out/",
    });
    const { objective, participants, objectiveGates, deliverables } = raw;
    assert.deepEqual([objective, participants], ["Pick", first.participants]);
    assert.deepEqual(objectiveGates, ["a", "a", "b"]);
    const { dir, primary } = Object(deliverables);
    const custom = { type: "custom", file: "./x//y.md", checklist: ["A", "A", "B"] };
    assert.deepEqual([dir, primary], ["./out/", custom]);
  });
});

describe("checking an opening", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
  const custom = (file: string, checks: string[]) => ({
    primary: { type: "custom", file, checks },
  });
  const file = (name: string, more: Partial<Opening> = {}) => ({
    primary: { type: "adr", file: name, checks: [] },
    ...more,
  });
  const outside = "must be relative and must not contain ..";

  /** Each reason, or its beginning. */
  const refused: [given: Partial<Opening>, ...reasons: string[]][] = [
    [
      { objective: " \n", participants: [" "], gates: ["", " "] },
      "--objective must not be blank",
      "at least one non-blank --participant is required",
      "at least one non-blank --completion is required",
    ],
    [
      { ...adr, participants: ["ana", " ana "] },
      "at least two non-blank --participant values are required",
    ],
    [{ participants: names(65) }, "participants has 65 entries, expected at most 64"],
    [{ participants: ["a".repeat(129)] }, 'participants[0] is {"id":"aaaaa'],
    [{ participants: ["a\nb"] }, 'participants[0] is {"id":"a\\nb"}'],
    [{ participants: ["a\u2028b"] }, 'participants[0] is {"id":"a\\u2028b"}'],
    [
      { gates: ["fine", "state.log and opinions.md are gone"] },
      "completion gate must not reference obsolete file opinions.md",
      "completion gate must not reference obsolete file state.log",
    ],
    [{ gates: ["a\nb"] }, '--completion "a\\nb" must be one line of text'],
    [{ gates: names(201) }, "201 gates were given, at most 200 can be"],
    [{ primary: { type: "foo", checks: [] } }, "primary deliverable type is invalid"],
    [{ primary: { type: "valueOf", checks: [] } }, "primary deliverable type is invalid"],
    [
      { primary: { type: "", checks: [] }, dir: "x" },
      "deliverables need --primary-deliverable-type",
    ],
    [
      custom("", []),
      "custom deliverables require --primary-deliverable-file",
      "custom deliverables require at least one --primary-deliverable-check",
    ],
    [
      custom("x.md", ["a\n## b"]),
      '--primary-deliverable-check "a\\n## b" must be one line of text',
    ],
    ...["x.txt", "x.MD"].map((it): [Partial<Opening>, string] => [
      file(it),
      "primary deliverable file must end with .md",
    ]),
    ...["/x.md", "../x.md", "a/../b.md"].map((it): [Partial<Opening>, string] => [
      file(it),
      `primary deliverable file ${outside}`,
    ]),
    ...["c:x.md", "a`b.md"].map((it): [Partial<Opening>, string] => [
      file(it),
      "primary deliverable file must be made of plain names",
    ]),
    ...["a\\b.md", "a\nb.md"].map((it): [Partial<Opening>, string] => [file(it), '"']),
    [
      file("Proposal.md", { dir: "." }),
      "primary deliverable file must not be a file that the protocol",
    ],
    [file("todo.md"), "primary deliverable file must not have TBD, TODO or unresolved"],
    [
      file("x.md", { dir: "TBD" }),
      "primary deliverable file must not have TBD, TODO or unresolved",
    ],
    [file("x.md", { dir: " " }), "--deliverables-dir must not be blank"],
    [file("x.md", { dir: "/x" }), `deliverables.dir ${outside}`],
    [file("x.md", { dir: "a/.." }), `deliverables.dir ${outside}`],
    [{ ...adr, mode: "x" }, "--deliverables-mode must be internal or external"],
    [{ ...adr, repoRoot: ".." }, "--repo-root is only allowed when --deliverables-mode external"],
    [{ ...adr, mode: "external" }, "--repo-root is required when --deliverables-mode external"],
    [
      { ...external, repoRoot: "/repo" },
      "--repo-root must be relative to the collaboration folder",
    ],
    [{ ...external, repoRoot: "../repo" }, "--repo-root must lead straight up"],
  ];
  for (const [given, ...reasons] of refused) {
    it(`refuses ${JSON.stringify(given).slice(0, 80)}`, () => {
      const opened = checkOpening({ ...opening, ...given });
      assert(!opened.ok);
      const begins = opened.reasons.map((it, at) => it.slice(0, reasons[at]?.length ?? 0));
      assert.deepEqual(begins, reasons, opened.reasons.join("\n"));
    });
  }

  const accepted: Partial<Opening>[] = [
    { participants: names(64) },
    { participants: ["\u00e4".repeat(128), "x, y"] },
    { objective: "a\nb" },
    { gates: ["a.*(b)[c]{2}$^\\d|?+"] },
    file("mytodos.md"),
    file("proposal.md"),
    { ...external, dir: "todo" },
    { ...external, repoRoot: "." },
  ];
  for (const given of accepted) {
    it(`accepts ${JSON.stringify(given).slice(0, 80)}`, () => assert(settingsFor(given)));
  }
});
