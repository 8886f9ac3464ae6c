import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as conclusion from "../../../scripts-src/collaboration/rules/conclusion.ts";
import { deliverableTypeNames } from "../../../scripts-src/collaboration/rules/deliverables.ts";
import { textsOf } from "../../../scripts-src/collaboration/rules/faults.ts";
import {
  checkOpening,
  type Opening,
  protocolFor,
} from "../../../scripts-src/collaboration/rules/opening.ts";
import * as readiness from "../../../scripts-src/collaboration/rules/readiness.ts";
import { reviewHeadings } from "../../../scripts-src/collaboration/rules/reviews.ts";
import type { Settings } from "../../../scripts-src/collaboration/rules/settings.ts";
import { documentsFor, exampleReview } from "../../../scripts-src/collaboration/rules/templates.ts";
import {
  adr,
  adrPath,
  complete,
  filled,
  inspected,
  opening,
  rawFor,
  settingsFor,
} from "../complete-folder.ts";

const acceptanceFaults = (text: string) => textsOf(readiness.acceptanceFaults(text));
const readinessFaults = (text: string) => textsOf(readiness.readinessFaults(text));
const gateFaults = (text: string, gates: string[]) => textsOf(readiness.gateFaults(text, gates));
const conclusionFaults = (text: string, settings: Settings) =>
  textsOf(conclusion.conclusionFaults(text, settings));

const external = { ...adr, mode: "external", dir: "docs/out", repoRoot: "../.." };
const openings: [name: string, given: Partial<Opening>][] = [
  ["schema 1", {}],
  ["schema 1, one participant", { participants: ["ana"] }],
  ...deliverableTypeNames.map((type): [string, Partial<Opening>] => {
    return [`schema 2, ${type}`, { primary: { type, file: "sub/x.md", checks: ["A", "B (c)"] } }];
  }),
  ["schema 2, external", external],
  [
    "words that a scan looks for",
    { objective: "A TODO app\n## x - ana - seq 1\n- [blocking] TBD" },
  ],
  [
    "the same in schema 2",
    { ...adr, objective: "TBD\n- [proceed] x", gates: ["No TBD is left", "- [unresolved] x"] },
  ],
];

function textsFor(given: Partial<Opening>): Map<string, string> {
  return new Map(documentsFor(settingsFor(given)).map(({ path, text }) => [path, text]));
}

describe("the documents that init writes", () => {
  for (const [name, given] of openings) {
    const settings = settingsFor(given);
    const texts = textsFor(given);
    const text = (path: string) => texts.get(path) ?? assert.fail(`no ${path}`);

    it(`pass no scan as they are (${name})`, () => {
      assert.deepEqual(acceptanceFaults(text("readiness.md")), [
        "unresolved readiness questions must be classified before decision_accepted",
      ]);
      assert.deepEqual(readinessFaults(text("readiness.md")), [
        "unresolved readiness questions must be classified before readiness_passed or completed",
        "readiness.md must check 'Ready to implement' before readiness_passed or completed",
      ]);
      assert.deepEqual(gateFaults(text("readiness.md"), settings.gates), [
        `completion gates must be checked before completed: ${settings.gates.join(", ")}`,
      ]);
      assert.deepEqual(conclusionFaults(text("conclusion.md"), settings), [
        "conclusion.md outcome cannot be completed while blocked",
        "conclusion.md must not contain unresolved placeholders before completed",
      ]);
      assert.equal(reviewHeadings(text("review.md")).size, 0);
    });

    it(`pass every scan once they are filled in (${name})`, () => {
      const readiness = filled("readiness.md", text("readiness.md"));
      const conclusion = filled("conclusion.md", text("conclusion.md"));
      assert.deepEqual(acceptanceFaults(readiness), []);
      assert.deepEqual(readinessFaults(readiness), []);
      assert.deepEqual(gateFaults(readiness, settings.gates), []);
      assert.deepEqual(conclusionFaults(conclusion, settings), []);
    });
  }

  it("keep the conclusion's faults until the last section is filled in", () => {
    for (const given of [{}, adr]) {
      const text = textsFor(given).get("conclusion.md") ?? "";
      const marks = text.match(/\bTBD\b/g)?.length ?? 0;
      assert(marks > 6);
      for (let left = 1; left < marks; left += 1) {
        let seen = 0;
        const partly = text.replace(/\bTBD\b/g, (mark) => (++seen === left ? mark : "Done"));
        assert.notDeepEqual(conclusionFaults(partly, settingsFor(given)), []);
      }
    }
  });

  it("are valid for the validator right after initialized", () => {
    for (const given of [{}, adr]) {
      const folder = complete(given);
      folder.events.splice(1);
      folder.texts = textsFor(given);
      folder.texts.set("events.jsonl", "");
      Object.assign(folder.protocol, { currentPhase: "drafting", waitingFor: ["ana"] });
      assert.deepEqual(inspected(folder), { errors: [], warnings: [] });
    }
  });

  it("have the headings of the original", () => {
    const headings = (given: Partial<Opening>) =>
      Object.fromEntries(
        [...textsFor(given)].map(([path, text]) => [path, text.match(/^#+ .*$/gm) ?? []]),
      );
    const review = ["# Review", "## <timestamp> - <participant_id> - seq <event seq>"];
    assert.deepEqual(headings({}), {
      "README.md": ["# Agent Collaboration Workspace"],
      "proposal.md": [
        "# Proposal",
        "## Purpose",
        "## Current Proposal",
        "## Message/API Contracts",
        "## Operational Concerns",
        "## Open Questions",
        "## Proposed Decisions",
      ],
      "decisions.md": ["# Decisions", "## Accepted Decisions"],
      "readiness.md": [
        "# Readiness",
        "## Open Question Classification",
        "## Blocking Issues",
        "## Deferred Follow-ups",
        "## Completion Gates",
        "## Final Design Document Checklist",
      ],
      "conclusion.md": [
        "# Conclusion",
        "## Decision Outcome",
        "## Rationale",
        "## Accepted Decisions",
        "## Implementation Approach",
        "## Assumptions",
        "## Deferred Follow-ups",
        "## Implementation Blockers",
        "## Next Action",
      ],
      "review.md": review,
    });
    assert.deepEqual(headings(adr), {
      "README.md": ["# ACP Collaboration Workspace"],
      "proposal.md": [
        "# Proposal",
        "## Purpose",
        "## Current Proposal",
        "## Deliverable Draft",
        "## Review Focus",
      ],
      "decisions.md": [
        "# Decisions",
        "## Accepted Decisions",
        "### D1. Initial deliverable declaration",
      ],
      "readiness.md": [
        "# Readiness",
        "## Open Question Classification",
        "## Blocking Issues",
        "## Objective Gates",
        "## Generated Deliverable Gates",
        "## Deliverable Snapshot",
        "## Supporting Deliverables",
        "## Attachments",
        "## Deferred Follow-ups",
        "## Implementation Blockers",
        "## Ready to Implement",
      ],
      "conclusion.md": [
        "# Conclusion",
        "## Decision Outcome",
        "## Rationale",
        "## Deliverable Receipt",
        "## Accepted Decisions Summary",
        "## Readiness Result",
        "## Assumptions",
        "## Deferred Follow-ups",
        "## Implementation Blockers",
        "## Next Action",
      ],
      "review.md": review,
      [adrPath]: [
        "# Architecture Decision Record",
        "## Status",
        "## Context",
        "## Decision",
        "## Alternatives Considered",
        "## Consequences",
        "## Follow-ups",
      ],
    });
  });

  it("list every gate unchecked, where the original wrote {gate_checks}", () => {
    const readiness = textsFor({}).get("readiness.md") ?? "";
    assert(readiness.includes("\n- [ ] Gate one\n- [ ] Gate (two).* [x]\n"));
    assert(!readiness.includes("gate_checks"));
    const second = textsFor(adr).get("readiness.md") ?? "";
    assert(second.includes("\n- [ ] Gate one\n- [ ] Gate (two).* [x]\n\n## Generated"));
    assert(second.includes(`\n- [ ] Primary deliverable exists: \`${adrPath}\`\n`));
  });

  it("declare a draft whose empty sections cannot be frozen", () => {
    const text = textsFor(adr).get(adrPath) ?? "";
    assert.match(text, /^Status: Draft$/m);
    assert.match(text, /^Deliverable type: `adr`$/m);
    assert.match(text, /^## Context\n\n## Decision\n/m);
  });

  it("lie where the deliverable belongs", () => {
    const paths = documentsFor(settingsFor(external)).map(({ path, foldersUp }) => [
      path,
      foldersUp,
    ]);
    assert.deepEqual(paths.at(-1), ["docs/out/adr.md", 2]);
    assert(paths.slice(0, -1).every(([, foldersUp]) => foldersUp === 0));
  });

  it("are written in ASCII with lines that fit a terminal", () => {
    for (const given of [{}, adr, external]) {
      for (const [path, text] of textsFor(given)) {
        assert.match(text, /^[\n\x20-\x7e]*\n$/, path);
        assert(
          text.split("\n").every((line) => line.length <= 105),
          path,
        );
      }
    }
  });
});

describe("the draft of a review", () => {
  it("has the five sections", () => {
    assert.deepEqual(exampleReview(settingsFor()).match(/^[A-Z].*:$/gm), [
      "Context:",
      "Position:",
      "Concerns:",
      "Required Changes:",
      "Questions:",
    ]);
  });

  it("has what the validator wants of schema 2", () => {
    const folder = complete(adr);
    const review = exampleReview(settingsFor(adr));
    folder.texts.set("review.md", `## x - ben - seq 4\n\n${review}`);
    assert.deepEqual(inspected(folder).errors, []);
    assert(!exampleReview(settingsFor()).includes("Review Scope"));
  });
});

describe("the protocol.json that init writes", () => {
  it("has the keys of schema 1", () => {
    assert.deepEqual(protocolFor(opening), {
      objective: "Pick a store",
      participants: [{ id: "ana" }, { id: "ben" }],
      completionGates: ["Gate one", "Gate (two).* [x]"],
      currentPhase: "drafting",
      proposalOwner: "ana",
      waitingFor: ["ana"],
      createdAt: "2026-11-22T02:16:37Z",
      updatedAt: "2026-11-22T02:16:37Z",
    });
  });

  it("has the keys of schema 2", () => {
    const raw = protocolFor({ ...opening, ...adr });
    const gate = (source: string, text: string) => ({ source, text });
    assert.deepEqual(raw, {
      ...protocolFor(opening),
      protocol: "acp",
      schemaVersion: 2,
      objectiveGates: ["Gate one", "Gate (two).* [x]"],
      completionGates: [
        gate("objective", "Gate one"),
        gate("objective", "Gate (two).* [x]"),
        gate("generated", "Primary deliverable exists: `deliverables/adr.md`"),
        gate("generated", "Primary deliverable has required `adr` sections"),
        gate("generated", "Every accepted decision has `Reflected in`"),
        gate("generated", "Every accepted decision is reflected in the primary deliverable"),
        gate("generated", "Primary deliverable status is `Frozen`"),
        gate("generated", "Primary deliverable SHA-256 snapshot recorded"),
      ],
      deliverables: {
        mode: "internal",
        dir: "deliverables",
        owner: "ana",
        coAuthors: [],
        primary: { type: "adr", file: "adr.md", checklist: [] },
        supporting: [],
        attachments: [],
      },
    });
  });

  it("names the repository in external mode only", () => {
    const raw = rawFor(external);
    assert.equal(raw["repoRoot"], "../..");
    assert.match(JSON.stringify(raw["completionGates"]), /exists: `external:adr\.md`/);
    assert(!Object.hasOwn(rawFor(adr), "repoRoot"));
  });

  it("drops blanks and repeated participants, and keeps the rest as it was given", () => {
    const raw = rawFor({
      objective: "  Pick ",
      participants: [" ana", "", "ben", "ana "],
      gates: ["a ", " ", "a", "b"],
      primary: { type: "custom", file: " ./x//y.md ", checks: [" A ", "", "A", "B"] },
      dir: "./out/",
    });
    assert.equal(raw["objective"], "Pick");
    assert.deepEqual(raw["participants"], [{ id: "ana" }, { id: "ben" }]);
    assert.deepEqual(raw["objectiveGates"], ["a", "a", "b"]);
    assert.deepEqual(raw["deliverables"], {
      mode: "internal",
      dir: "./out/",
      owner: "ana",
      coAuthors: [],
      primary: { type: "custom", file: "./x//y.md", checklist: ["A", "A", "B"] },
      supporting: [],
      attachments: [],
    });
  });
});

describe("checking an opening", () => {
  const custom = (file?: string, checks = ["A"]) => ({ primary: { type: "custom", file, checks } });
  const file = (name: string, more: Partial<Opening> = {}) => ({
    primary: { type: "adr", file: name, checks: [] },
    ...more,
  });
  const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);

  const refused: [name: string, given: Partial<Opening>, reasons: (string | RegExp)[]][] = [
    ["a blank objective", { objective: " \n" }, ["--objective must not be blank"]],
    [
      "no participant",
      { participants: [" "] },
      ["at least one non-blank --participant is required"],
    ],
    [
      "one participant in schema 2",
      { ...adr, participants: ["ana", " ana "] },
      ["at least two non-blank --participant values are required"],
    ],
    ["no gate", { gates: ["", " "] }, ["at least one non-blank --completion is required"]],
    [
      "nothing at all, every reason at once",
      { objective: "", participants: [], gates: [] },
      [
        "--objective must not be blank",
        "at least one non-blank --participant is required",
        "at least one non-blank --completion is required",
      ],
    ],
    [
      "65 participants",
      { participants: names(65) },
      [/^participants has 65 entries, expected at most 64/],
    ],
    ["a long name", { participants: ["a".repeat(129)] }, [/a name of 1 to 128 characters/]],
    [
      "a name with a line break",
      { participants: ["a\nb"] },
      [/^participants\[0\] is {"id":"a\\nb"}/],
    ],
    ["a name with U+2028", { participants: ["a\u2028b"] }, [/without control characters/]],
    [
      "a gate on a forbidden file",
      { gates: ["fine", "state.log and opinions.md are gone"] },
      [
        /^completion gate must not reference obsolete file opinions\.md/,
        /^completion gate must not reference obsolete file state\.log/,
      ],
    ],
    ["a gate of two lines", { gates: ["a\nb"] }, [/^--completion "a\\nb" must be one line/]],
    ["201 gates", { gates: names(201) }, [/^201 gates were given, at most 200/]],
    ["an unknown type", { primary: { type: "foo", checks: [] } }, [/^primary deliverable type is/]],
    ["a type of objects", { primary: { type: "valueOf", checks: [] } }, [/choose one of adr, c/]],
    [
      "custom without file and checks",
      custom("", []),
      [
        "custom deliverables require --primary-deliverable-file",
        "custom deliverables require at least one --primary-deliverable-check",
      ],
    ],
    ["a check of two lines", custom("x.md", ["a\n## b"]), [/must be one line of text$/]],
    ["no Markdown", file("x.txt"), ["primary deliverable file must end with .md"]],
    ["Markdown in capitals", file("x.MD"), ["primary deliverable file must end with .md"]],
    ...["/x.md", "../x.md", "a/../b.md"].map((path): [string, Partial<Opening>, string[]] => [
      `the file ${path}`,
      file(path),
      ["primary deliverable file must be relative and must not contain .."],
    ]),
    ...["a\\b.md", "c:x.md", "a`b.md", "a\nb.md"].map(
      (path): [string, Partial<Opening>, RegExp[]] => [
        `the file ${JSON.stringify(path)}`,
        file(path),
        [/(?:must be made of|cannot be a path: write) plain names/],
      ],
    ),
    ["a file of the protocol", file("Proposal.md", { dir: "." }), [/that the protocol writes/]],
    ["a file that conclusion.md cannot name", file("todo.md"), [/TBD, TODO or unresolved/]],
    ["a folder that it cannot name", file("x.md", { dir: "TBD" }), [/TBD, TODO or unresolved/]],
    ["a blank dir", file("x.md", { dir: " " }), ["--deliverables-dir must not be blank"]],
    [
      "an absolute dir",
      file("x.md", { dir: "/x" }),
      ["deliverables.dir must be relative and must not contain .."],
    ],
    [
      "a dir that climbs",
      file("x.md", { dir: "a/.." }),
      ["deliverables.dir must be relative and must not contain .."],
    ],
    [
      "an unknown mode",
      { ...adr, mode: "x" },
      ["--deliverables-mode must be internal or external"],
    ],
    [
      "internal with a repository",
      { ...adr, repoRoot: ".." },
      ["--repo-root is only allowed when --deliverables-mode external"],
    ],
    [
      "external without one",
      { ...adr, mode: "external" },
      ["--repo-root is required when --deliverables-mode external"],
    ],
    [
      "an absolute repository",
      { ...adr, mode: "external", repoRoot: "/repo" },
      ["--repo-root must be relative to the collaboration folder"],
    ],
    [
      "a repository beside the folder",
      { ...adr, mode: "external", repoRoot: "../repo" },
      [/^--repo-root must lead straight up/],
    ],
    [
      "deliverables without a type",
      { primary: { type: "", checks: [] }, dir: "x" },
      ["deliverables need --primary-deliverable-type"],
    ],
  ];
  for (const [name, given, reasons] of refused) {
    it(`refuses ${name}`, () => {
      const opened = checkOpening({ ...opening, ...given });
      assert(!opened.ok);
      assert.equal(opened.reasons.length, reasons.length, opened.reasons.join("\n"));
      for (const [index, reason] of reasons.entries()) {
        const found: string = opened.reasons[index] ?? "";
        if (typeof reason === "string") assert.equal(found, reason);
        else assert.match(found, reason);
      }
    });
  }

  const accepted: [name: string, given: Partial<Opening>][] = [
    ["one participant in schema 1", { participants: ["ana"] }],
    ["64 participants", { participants: names(64) }],
    ["a name of 128 characters in any script", { participants: ["\u00e4".repeat(128), "x, y"] }],
    ["an objective of several lines", { objective: "a\nb" }],
    ["gates with characters of patterns", { gates: ["a.*(b)[c]{2}$^\\d|?+"] }],
    ["a file name with the words inside", file("mytodos.md")],
    ["a protocol's name in a folder of its own", file("proposal.md")],
    ["a repository with that folder", { ...external, dir: "todo" }],
    ["the folder itself as repository", { ...external, repoRoot: "." }],
  ];
  for (const [name, given] of accepted) {
    it(`accepts ${name}`, () => {
      const opened = checkOpening({ ...opening, ...given });
      assert(opened.ok, opened.ok ? "" : opened.reasons.join("\n"));
    });
  }
});
