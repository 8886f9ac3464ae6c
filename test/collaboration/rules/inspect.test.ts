import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../../scripts-src/base/json.ts";
import { filesWanted } from "../../../scripts-src/collaboration/rules/files.ts";
import { initialState } from "../../../scripts-src/collaboration/rules/state.ts";
import type { LogEvent } from "../../../scripts-src/log/event.ts";
import {
  adr,
  adrPath,
  complete,
  deliverablesOf,
  edit,
  type Folder,
  inspected,
  settingsFor,
  sha256Of,
} from "../complete-folder.ts";

type Case = [name: string, spoil: (folder: Folder) => void, errors: string[]];

const schemas = [
  ["schema 1", complete],
  ["schema 2", () => complete(adr)],
] as const;

/** Each case spoils a valid, completed folder in one place. */
function check(make: () => Folder, cases: readonly Case[]): void {
  for (const [name, spoil, errors] of cases) {
    it(`${errors.length === 0 ? "passes" : "faults"} ${name}`, () => {
      const folder = make();
      spoil(folder);
      assert.deepEqual(inspected(folder), { errors, warnings: [] });
    });
  }
}

/** Cuts the log after the last event of a name and makes `protocol.json` agree. */
function upTo(folder: Folder, name: string, state: JsonObject): void {
  const last = folder.events.findLastIndex(({ event }) => event === name);
  assert.notEqual(last, -1);
  folder.events.splice(last + 1);
  Object.assign(folder.protocol, state);
}

/** What the original says of documents without text: it takes a missing one for an empty one. */
function emptied(folder: Folder, paths: readonly string[]): string[] {
  for (const path of paths) folder.texts.set(path, "");
  return inspected(folder).errors;
}

function eventOf({ events }: Folder, name: string): LogEvent {
  const found = events.find(({ event }) => event === name);
  assert(found !== undefined);
  return found;
}

const phaseFault =
  "currentPhase must be one of ['blocked', 'completed', 'decision_review', 'drafting', " +
  "'readiness_check', 'reviewing', 'revising']";
const obsolete = (name: string) =>
  `${name} is not part of the protocol; remove it and use events.jsonl/readiness.md instead`;
const gatesFault = (gates: string) => `completion gates must be checked before completed: ${gates}`;
const documents = ["proposal.md", "review.md", "decisions.md", "readiness.md", "conclusion.md"];

for (const [schema, make] of schemas) {
  describe(`inspecting a folder of ${schema}`, () => {
    const review = schema === "schema 1" ? 3 : 4;
    const accepted = schema === "schema 1" ? [6, 7] : [7, 8];

    check(make, [
      ["a complete folder", () => {}, []],
      ["a folder without README.md", ({ texts }) => texts.delete("README.md"), []],
      [
        "a missing events.jsonl",
        ({ texts }) => texts.delete("events.jsonl"),
        ["missing events.jsonl"],
      ],
      ...documents.map((path): Case => {
        const errors = [`missing ${path}`, ...emptied(make(), [path])];
        return [`a missing ${path}`, ({ texts }) => texts.delete(path), errors];
      }),
      ...["state.log", "discussion.md", "opinions.md"].map((path): Case => {
        return [`a ${path}`, ({ texts }) => texts.set(path, ""), [obsolete(path)]];
      }),
      [
        "a folder named opinions.md",
        ({ facts }) => facts.set("opinions.md", { bytes: 0, fault: "is not a regular file" }),
        [obsolete("opinions.md")],
      ],
      ...documents.map((path): Case => {
        const fault = "is not UTF-8 text: save it as UTF-8";
        return [
          `a ${path} that is not UTF-8`,
          ({ facts }) => facts.set(path, { bytes: 3, fault }),
          [`${path} ${fault}`],
        ];
      }),
      [
        "all missing at once, in their order",
        ({ texts }) => {
          for (const path of documents) texts.delete(path);
          texts.set("opinions.md", "").set("state.log", "");
        },
        [
          ...documents.map((path) => `missing ${path}`),
          obsolete("state.log"),
          obsolete("opinions.md"),
          ...emptied(make(), documents),
        ],
      ],
      [
        "an unknown phase",
        ({ protocol }) => Object.assign(protocol, { currentPhase: "x" }),
        [phaseFault, 'protocol.json currentPhase is "x", expected completed'],
      ],
      [
        "a blank objective",
        ({ protocol }) => Object.assign(protocol, { objective: "" }),
        ["protocol.json objective must not be blank"],
      ],
      [
        "a state that the log contradicts",
        ({ protocol }) => {
          const state = { currentPhase: "revising", proposalOwner: "b'n\n", waitingFor: ["ana"] };
          Object.assign(protocol, state);
        },
        [
          'protocol.json currentPhase is "revising", expected completed',
          `protocol.json proposalOwner is "b'n\\n", expected "ana"`,
          'protocol.json waitingFor is ["ana"], expected []',
        ],
      ],
      [
        "values of other kinds in the state",
        ({ protocol }) => {
          const state = { currentPhase: null, proposalOwner: [1.5, true], waitingFor: { a: null } };
          Object.assign(protocol, state);
        },
        [
          phaseFault,
          "protocol.json currentPhase is null, expected completed",
          'protocol.json proposalOwner is [1.5,true], expected "ana"',
          'protocol.json waitingFor is {"a":null}, expected []',
        ],
      ],
      [
        "a state without its keys",
        ({ protocol }) => {
          for (const key of ["currentPhase", "waitingFor", "proposalOwner"]) delete protocol[key];
        },
        [
          phaseFault,
          "protocol.json waitingFor must be present",
          "protocol.json proposalOwner must be present",
          "protocol.json currentPhase is null, expected completed",
        ],
      ],
      [
        "waitingFor in another order",
        (folder) => {
          upTo(folder, "question_classified", {
            currentPhase: "decision_review",
            waitingFor: ["ben", "ana"],
          });
        },
        ['protocol.json waitingFor is ["ben","ana"], expected ["ana","ben"]'],
      ],
      [
        "an empty log",
        (folder) => {
          folder.events.length = 0;
          edit(folder, "review.md", `seq ${review}`, "seq ?");
          Object.assign(folder.protocol, { currentPhase: "drafting", waitingFor: ["ana"] });
        },
        ['protocol.json waitingFor is ["ana"], expected []'],
      ],
      [
        "a review without heading",
        (folder) => edit(folder, "review.md", `seq ${review}`, `seq: ${review}`),
        [`seq ${review}: review_submitted requires matching review.md heading`],
      ],
      [
        "headings that match nothing",
        (folder) => {
          const text = folder.texts.get("review.md");
          const more = "## x - ana - seq 2\r\n## x - zoe - seq 99\n## y - ana - seq 1";
          folder.texts.set("review.md", `${text}\r\n${more}`);
        },
        [
          `review.md heading seq 2: matching event is ${schema === "schema 1" ? "proposal_submitted" : "deliverable_drafted"}, not review_submitted`,
          "review.md heading seq 99: no matching event",
          "review.md heading seq 1: matching event is initialized, not review_submitted",
        ],
      ],
      [
        "a heading with another name, control characters shown",
        (folder) => edit(folder, "review.md", "- ben -", "- b\u001ben -"),
        [
          `review.md heading seq ${review}: participant "b\\u001ben" does not match event from "ben"`,
        ],
      ],
      [
        "the last of two headings of a seq",
        (folder) => {
          folder.texts.set(
            "review.md",
            `${folder.texts.get("review.md")}\n## y - ana - seq ${review}`,
          );
        },
        [`review.md heading seq ${review}: participant "ana" does not match event from "ben"`],
      ],
      [
        "open questions after everything",
        (folder) => {
          const items = "- [blocking] a\n- [unresolved] b\n- [deferred_nonblocking] c";
          edit(folder, "readiness.md", "- [resolved] SQLite", items);
          edit(folder, "readiness.md", "[x] Ready to", "[ ] Ready to");
        },
        [
          ...accepted.flatMap((seq) => [
            `seq ${seq}: blocking readiness items must be cleared before decision_accepted`,
            `seq ${seq}: unresolved readiness questions must be classified before decision_accepted`,
            `seq ${seq}: deferred_nonblocking readiness items require a reason before decision_accepted`,
          ]),
          "blocking readiness items must be cleared before decision_accepted",
          "unresolved readiness questions must be classified before decision_accepted",
          "deferred_nonblocking readiness items require a reason before decision_accepted",
          "blocking readiness items must be cleared before readiness_passed or completed",
          "unresolved readiness questions must be classified before readiness_passed or completed",
          "deferred_nonblocking readiness items require a reason",
          "readiness.md must check 'Ready to implement' before readiness_passed or completed",
        ],
      ],
      [
        "an unchecked gate after completed",
        (folder) => edit(folder, "readiness.md", "[x] Gate one", "[ ] Gate one"),
        [gatesFault("Gate one")],
      ],
      [
        "an unchecked gate before completed",
        (folder) => {
          edit(folder, "readiness.md", "[x] Gate one", "[ ] Gate one");
          upTo(folder, "readiness_passed", {
            currentPhase: "readiness_check",
            waitingFor: ["ana"],
          });
        },
        [],
      ],
      [
        "an unchecked Ready line before readiness_passed",
        (folder) => {
          edit(folder, "readiness.md", "[x] Ready to", "[ ] Ready to");
          upTo(folder, "decision_accepted", {
            currentPhase: "readiness_check",
            waitingFor: ["ana"],
          });
          folder.events.length = accepted[1] ?? 0;
        },
        [],
      ],
      [
        "questions before any acceptance",
        (folder) => {
          edit(folder, "readiness.md", "- [resolved]", "- [blocking] a\n- [unresolved]");
          upTo(folder, "question_classified", {
            currentPhase: "decision_review",
            waitingFor: ["ana", "ben"],
          });
        },
        [],
      ],
      [
        "a conclusion without sections, outcome and certainty",
        (folder) => {
          edit(folder, "conclusion.md", "## Rationale", "## Why");
          edit(folder, "conclusion.md", "## Assumptions", "## Guesses");
          edit(folder, "conclusion.md", "- [proceed] agreed", "- [proceed] a\n- [defer] TBD");
        },
        [
          "conclusion.md is missing required sections: Rationale, Assumptions",
          "conclusion.md must declare exactly one final outcome",
          "conclusion.md must not contain unresolved placeholders before completed",
        ],
      ],
      [
        "a conclusion that is blocked",
        (folder) => edit(folder, "conclusion.md", "- [proceed] agreed", "- [blocked] why"),
        ["conclusion.md outcome cannot be completed while blocked"],
      ],
      [
        "an unfinished conclusion before completed",
        (folder) => {
          folder.texts.set("conclusion.md", "TBD");
          upTo(folder, "readiness_passed", {
            currentPhase: "readiness_check",
            waitingFor: ["ana"],
          });
        },
        [],
      ],
    ]);

    it("warns of a deferred item without reason while nothing was accepted", () => {
      const folder = make();
      edit(folder, "readiness.md", "- [resolved] SQLite", "- [deferred_nonblocking] later");
      upTo(folder, "question_classified", {
        currentPhase: "decision_review",
        waitingFor: ["ana", "ben"],
      });
      assert.deepEqual(inspected(folder), {
        errors: [],
        warnings: ["deferred_nonblocking readiness items should include a reason"],
      });
    });

    const broken: [name: string, text: string, error: RegExp][] = [
      ["empty", "", /^invalid protocol\.json: it is empty, expected an object$/],
      ["half of an object", '{"objective": "x', /^invalid protocol\.json: it is not JSON/],
      ["an array", "[]", /^invalid protocol\.json: it is \[\], expected an object$/],
      ["null", "null", /^invalid protocol\.json: it is null, expected an object$/],
      ["a text", '"x"', /^invalid protocol\.json: it is "x", expected an object$/],
      ["a key twice", '{"a":1,"a":2}', /^invalid protocol\.json: it has the key "a" twice/],
      ["nested without end", "[".repeat(99), /^invalid protocol\.json: /],
    ];
    for (const [name, text, error] of broken) {
      it(`goes no further than protocol.json and files when it is ${name}`, () => {
        const folder = make();
        folder.texts.set("protocol.json", text).set("state.log", "");
        folder.texts.delete("review.md");
        const { errors, warnings } = inspected(folder);
        assert.match(errors[0] ?? "", error);
        assert.deepEqual(errors.slice(1), ["missing review.md", obsolete("state.log")]);
        assert.deepEqual(warnings, []);
      });
    }

    it("says why protocol.json cannot be read", () => {
      const folder = make();
      folder.facts.set("protocol.json", { bytes: 2_000_000, fault: "is larger than 1 MiB" });
      assert.deepEqual(inspected(folder).errors, [
        "invalid protocol.json: it is larger than 1 MiB",
      ]);
    });

    it("asks for every file that it looks at", () => {
      const wanted = inspectionFiles(schema === "schema 1" ? {} : adr);
      const deliverable = [
        { path: adrPath, foldersUp: 0, as: "text" },
        { path: adrPath, foldersUp: 0, as: "sha256" },
      ];
      assert.deepEqual(wanted, [
        ...[...["protocol.json", ...documents, "state.log", "discussion.md", "opinions.md"]].map(
          (path) => ({ path, as: "text" }),
        ),
        { path: "events.jsonl", as: "file" },
        ...(schema === "schema 1" ? [] : deliverable),
      ]);
    });
  });
}

describe("protocol.json of schema 1", () => {
  check(complete, [
    [
      "a version",
      ({ protocol }) => Object.assign(protocol, { version: null }),
      ["protocol.json must not include a protocol version field"],
    ],
    [
      "no gates",
      ({ protocol }) => Object.assign(protocol, { completionGates: [] }),
      ["protocol.json completionGates must not be empty"],
    ],
    [
      "gates with line breaks and control characters, on one line",
      ({ protocol }) => Object.assign(protocol, { completionGates: ["a\nERROR: b\u001b"] }),
      [gatesFault("a\\nERROR: b\\u001b")],
    ],
    [
      "forbidden files in gates",
      (folder) => {
        const gates = ["see mystate.log and opinions.md", "discussion.md is empty"];
        Object.assign(folder.protocol, { completionGates: gates });
        const lines = gates.map((gate) => `- [x] ${gate}`).join("\n");
        folder.texts.set("readiness.md", `- [x] Ready to implement\n${lines}`);
      },
      [
        "completion gate must not reference obsolete file opinions.md",
        "completion gate must not reference obsolete file state.log",
        "completion gate must not reference obsolete file discussion.md",
      ],
    ],
  ]);
});

describe("settings that nobody can work with", () => {
  const faults: [participants: unknown, error: RegExp][] = [
    [["ana", 5], /^invalid protocol\.json: participants\[1\] is 5, expected a name/],
    [Array(65).fill("a"), /^invalid protocol\.json: participants has 65 entries/],
    [[], /^protocol\.json participants must not be empty$/],
  ];
  for (const [participants, error] of faults) {
    it(`are told once: ${error.source}`, () => {
      const folder = complete();
      Object.assign(folder.protocol, { participants });
      const told = inspected(folder).errors.filter((line) => line.includes("participants"));
      assert.equal(told.length, 1, told.join("\n"));
      assert.match(told[0] ?? "", error);
    });
  }
});

describe("a schema that nobody knows", () => {
  for (const schemaVersion of [1, 3, "2", null, undefined]) {
    it(`is told for ${JSON.stringify(schemaVersion)}`, () => {
      const folder = complete(adr);
      Object.assign(folder.protocol, { schemaVersion });
      assert.equal(inspected(folder).errors[0], "protocol.json schemaVersion must be 2");
    });
  }
});

describe("schema 2", () => {
  check(
    () => complete(adr),
    [
      [
        "another protocol",
        ({ protocol }) => Object.assign(protocol, { protocol: "x" }),
        ["protocol.json protocol must be 'acp'"],
      ],
      ["a version", ({ protocol }) => Object.assign(protocol, { version: 3 }), []],
      [
        "gates of another shape",
        (folder) => {
          const gates = [
            "text",
            { text: "a" },
            { source: "objective", text: " " },
            { source: "x", text: "a" },
            { source: "generated", text: "state.log" },
          ];
          Object.assign(folder.protocol, { completionGates: gates });
          folder.texts.set(
            "readiness.md",
            "- [x] Ready to implement\n- [x] text\n- [x] a\n- [x] state.log\n- [x]",
          );
        },
        [
          ...[1, 2, 3, 4].map((n) => `completionGates[${n}] must include source and text`),
          "completion gate must not reference obsolete file state.log",
        ],
      ],
      [
        "declared faults, and looks at no deliverable then",
        (folder) => {
          Object.assign(deliverablesOf(folder), { mode: "x", attachments: ["x"] });
          folder.texts.delete(adrPath);
        },
        ["deliverables.mode must be internal or external", "attachments must be objects"],
      ],
      [
        "a review.md without what it must declare",
        (folder) => {
          folder.texts.set("review.md", "## x - ben - seq 4\nreview scope:");
        },
        [
          "review.md must declare Reviewed primary deliverable",
          "review.md must declare Review Scope",
          "review.md Review Scope must include Primary deliverable completeness",
          "review.md must reference the primary deliverable",
        ],
      ],
      [
        "a review.md that is empty before the first review",
        (folder) => {
          folder.texts.set("review.md", "");
          upTo(folder, "proposal_submitted", { currentPhase: "reviewing", waitingFor: ["ben"] });
        },
        [],
      ],
      [
        "a primary deliverable that is gone",
        ({ texts }) => texts.delete(adrPath),
        ["seq 9: deliverable_frozen doc does not exist", `primary deliverable missing: ${adrPath}`],
      ],
      [
        "a primary deliverable that is not text",
        ({ facts, texts }) => {
          const sha256 = sha256Of(texts.get(adrPath) ?? "");
          facts.set(adrPath, { bytes: 1, sha256, fault: "is not UTF-8 text" });
        },
        [`primary deliverable ${adrPath} is not UTF-8 text`],
      ],
      [
        "a link in place of the primary deliverable",
        ({ facts }) => facts.set(adrPath, { bytes: 1, fault: "is not a regular file" }),
        [`primary deliverable ${adrPath} is not a regular file`],
      ],
      [
        "a change after the freeze",
        (folder) => edit(folder, adrPath, "Text.", "Other."),
        ["seq 9: deliverable_frozen sha256 does not match current file"],
      ],
      [
        "a hash that is none, which is the audit's",
        (folder) => {
          Object.assign(eventOf(folder, "deliverable_frozen"), { sha256: "abc" });
          upTo(folder, "deliverable_frozen", {
            currentPhase: "readiness_check",
            waitingFor: ["ana"],
          });
        },
        [],
      ],
      [
        "what was frozen as a draft without words",
        (folder) => {
          edit(folder, adrPath, "Status: Frozen", "Status: Draft");
          edit(folder, adrPath, "## Context\n\nText.", "## Context\n\n \n");
          const sha256 = sha256Of(folder.texts.get(adrPath) ?? "");
          Object.assign(eventOf(folder, "deliverable_frozen"), { sha256 });
        },
        [
          "primary deliverable status must be Frozen",
          "primary deliverable section must not be empty when frozen: Context",
        ],
      ],
      [
        "a deliverable without status and a section",
        (folder) => {
          edit(folder, adrPath, "Status: Frozen", "Status: done");
          edit(folder, adrPath, "## Decision\n", "### Decision\n");
          edit(folder, adrPath, "## Follow-ups", "## Follow ups");
          upTo(folder, "decision_accepted", {
            currentPhase: "readiness_check",
            waitingFor: ["ana"],
          });
        },
        [
          "primary deliverable must include Status: Draft, In Review, or Frozen",
          "primary deliverable missing required section: Decision",
          "primary deliverable missing required section: Follow-ups",
        ],
      ],
      [
        "sections that hold only a subheading",
        (folder) => {
          const text = (folder.texts.get(adrPath) ?? "").replaceAll("Text.", "### Sub");
          folder.texts.set(adrPath, text);
          const sha256 = sha256Of(text);
          Object.assign(eventOf(folder, "deliverable_frozen"), { sha256 });
        },
        [],
      ],
    ],
  );
});

describe("supporting deliverables and attachments", () => {
  const path = "deliverables/s.md";
  const name = `supporting deliverable ${path}`;
  const text = "Status: Frozen\n## Q\nyes\n";

  /** A folder with a supporting deliverable that was frozen before the primary one. */
  function supported(change: JsonObject = {}, content: string | undefined = text): Folder {
    const folder = complete(adr);
    const entry = { type: "custom", file: "s.md", checklist: ["Q"], frozen: true, ...change };
    Object.assign(deliverablesOf(folder), {
      supporting: [entry],
      attachments: [{ file: "a.png" }],
    });
    folder.texts.set(path, content).set("deliverables/a.png", "");
    const { summary, at } = eventOf(folder, "initialized");
    const fields = { role: "supporting", doc: path, sha256: sha256Of(content), reply_to: 1 };
    folder.events.push({
      seq: 12,
      from: "ben",
      event: "deliverable_frozen",
      at,
      summary,
      ...fields,
    });
    return folder;
  }

  check(supported, [
    ["one that is frozen and marked", () => {}, []],
    [
      "one that is marked without an event",
      ({ events }) => events.pop(),
      [`supporting deliverable requires deliverable_frozen: ${path}`],
    ],
    [
      "one that changed after its freeze",
      (folder) => edit(folder, path, "yes", "no"),
      ["seq 12: deliverable_frozen sha256 does not match current file"],
    ],
    [
      "one that is gone",
      ({ texts }) => texts.delete(path),
      [
        "seq 12: deliverable_frozen doc does not exist",
        `supporting deliverable requires deliverable_frozen: ${path}`,
        `supporting deliverable missing: ${path}`,
      ],
    ],
    [
      "an attachment that is gone",
      ({ texts }) => texts.delete("deliverables/a.png"),
      ["attachment missing: a.png"],
    ],
    [
      "an attachment of any bytes",
      ({ facts }) => facts.set("deliverables/a.png", { bytes: 9, fault: "is not UTF-8 text" }),
      [],
    ],
    [
      "a decision reflected in it",
      (folder) => edit(folder, "decisions.md", /`deliverables\/adr\.md[^`]*`$/m, path),
      [],
    ],
  ]);
  check(
    () => supported({ frozen: false }),
    [
      [
        "an event without the mark",
        () => {},
        [`supporting deliverable has freeze event but is not marked frozen: ${path}`],
      ],
    ],
  );
  check(
    () => supported({}, "Status: x\n## Q\n"),
    [
      [
        "one that was frozen unfinished",
        () => {},
        [
          `${name} must include Status`,
          `${name} status must be Frozen`,
          `${name} section must not be empty when frozen: Q`,
        ],
      ],
    ],
  );
  check(
    () => supported({ type: "test-plan" }),
    [
      [
        "one without the sections of its type",
        () => {},
        ["Scope", "Test Matrix", "Fixtures", "Automation", "Manual Tests", "Exit Criteria"].map(
          (section) => `${name} missing required section: ${section}`,
        ),
      ],
    ],
  );
});

describe("decisions.md of schema 2", () => {
  const reflected = `- Reflected in: ${adrPath}#decision`;
  const good = (id: string) => `### ${id}. Title\n- Decision: x\n${reflected}\n`;
  const headings = "accepted decision headings must use D<number>";
  const sequential = "accepted decision ids must be sequential";
  const needs = (id: string, what: string) => `accepted decision ${id} requires ${what}`;
  const points = "accepted decision D1 Reflected in must point to declared deliverable";

  const cases: [name: string, text: string, errors: string[]][] = [
    ["nothing", "", []],
    ["three in order", good("D1") + good("D2") + good("D3"), []],
    ["CRLF", good("D1").replaceAll("\n", "\r\n"), []],
    ["headings of other levels", "## D5. a\n#### D6. b\n", []],
    ["a first number that is not 1", good("D2"), [sequential]],
    ["a gap", good("D1") + good("D3"), [sequential]],
    ["a zero before the number", good("D01"), [sequential]],
    ["a number twice", good("D1") + good("D1"), ["duplicate accepted decision id D1", sequential]],
    ["no number", good("Title"), [headings]],
    ["no dot", "### D1 Title\n- Decision: x\n- Reflected in: deliverables/adr.md", [headings]],
    ["no title", "### D1.\n- Decision: x\n- Reflected in: deliverables/adr.md", [headings]],
    ["a small d", good("d1"), [headings]],
    ["no lines", "### D1. Title\ntext", [needs("D1", "Decision"), needs("D1", "Reflected in")]],
    [
      "lines of the next decision",
      `### D1. Title\n- Decision: x\n${good("D2")}`,
      [needs("D1", "Reflected in")],
    ],
    ["an indented list", good("D1").replaceAll("- ", "  - "), []],
    [
      "another bullet",
      good("D1").replaceAll("- ", "* "),
      [needs("D1", "Decision"), needs("D1", "Reflected in")],
    ],
    ["a file that nobody declared", good("D1").replace(adrPath, "other.md"), [points]],
    ["the file without its folder", good("D1").replace("deliverables/", ""), [points]],
    ["the other mode's name", good("D1").replace("deliverables/", "external:"), [points]],
  ];
  for (const [name, text, errors] of cases) {
    it(`is judged with ${name}`, () => {
      const folder = complete(adr);
      folder.texts.set("decisions.md", text);
      assert.deepEqual(inspected(folder).errors, errors);
    });
  }
});

describe("external deliverables", () => {
  it("are looked for above the folder and named with external:", () => {
    const external = { ...adr, mode: "external", dir: "docs", repoRoot: "../.." };
    const wanted = inspectionFiles(external);
    assert.deepEqual(wanted.slice(-2), [
      { path: "docs/adr.md", foldersUp: 2, as: "text" },
      { path: "docs/adr.md", foldersUp: 2, as: "sha256" },
    ]);
    const folder = complete(external);
    folder.texts.delete("docs/adr.md");
    upTo(folder, "initialized", { currentPhase: "drafting", waitingFor: ["ana"] });
    edit(folder, "review.md", "- seq 3", "- seq");
    assert.deepEqual(inspected(folder).errors, ["primary deliverable missing: external:adr.md"]);
  });
});

describe("whatever the files hold", () => {
  const odd = fc.oneof(fc.jsonValue(), fc.constantFrom("adr", "a.md", "external", "..", "", null));
  const entry = fc.dictionary(fc.constantFrom("type", "file", "frozen", "checklist"), odd);
  const deliverables = fc.record(
    { mode: odd, dir: odd, primary: entry, supporting: fc.array(entry), attachments: odd },
    { requiredKeys: [] },
  );
  const change = fc.record(
    {
      ...{ schemaVersion: odd, participants: odd, completionGates: fc.array(odd), repoRoot: odd },
      ...{ currentPhase: odd, waitingFor: odd, deliverables: fc.oneof(odd, deliverables) },
    },
    { requiredKeys: [] },
  );
  const line = fc.constantFrom(
    "## x - y - seq 1",
    "- [x]",
    "### D1. a",
    "-",
    "##",
    "Status:",
    "\r",
  );
  const text = fc.array(fc.oneof(line, fc.string())).map((lines) => lines.join("\n"));

  it("the inspection answers in lines of text", () => {
    const paths = [...documents, adrPath];
    const texts = fc.dictionary(fc.constantFrom(...paths), fc.option(text));
    fc.assert(
      fc.property(change, texts, fc.boolean(), (protocol, changed, isSecond) => {
        const folder = complete(isSecond ? adr : {});
        Object.assign(folder.protocol, protocol);
        for (const [path, content] of Object.entries(changed)) {
          if (content === null) folder.texts.delete(path);
          else folder.texts.set(path, content);
        }
        const { errors, warnings } = inspected(folder);
        assert([...errors, ...warnings].every((error) => /^[^\n\r]+$/.test(error)));
      }),
      { numRuns: 500 },
    );
  });
});

function inspectionFiles(given: Parameters<typeof settingsFor>[0]) {
  return filesWanted(initialState(settingsFor(given)), { for: "inspection" });
}
