import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, JsonValue } from "../../../scripts-src/base/json.ts";
import {
  deliverablesFaults,
  deliverableTypeNames,
  foldersUpOf,
  readDeliverables,
  referenceOf,
  sectionsOf,
} from "../../../scripts-src/collaboration/rules/deliverables.ts";
import { textsOf } from "../../../scripts-src/collaboration/rules/faults.ts";
import { parseSettings, settingsFault } from "../../../scripts-src/collaboration/rules/settings.ts";

const keys: JsonObject = {
  participants: [{ id: "ana" }, { id: "ben" }],
  objective: "choose a store",
  completionGates: ["the gate"],
  createdAt: "2026-01-01T00:00:00Z",
};

function faultOf(text: string | undefined): string {
  return settingsFault(parseSettings(text)) ?? "none";
}

function faultWith(change: JsonObject): string {
  return faultOf(JSON.stringify({ ...keys, ...change }));
}

describe("settings at fault", () => {
  const unreadable: [text: string | undefined, fault: RegExp][] = [
    [
      undefined,
      /^protocol\.json is missing: it names .*; restore it, or run init in another folder$/,
    ],
    [
      " \n",
      /^invalid protocol\.json: it is empty, expected an object; restore protocol\.json from/,
    ],
    [
      "[]",
      /^invalid protocol\.json: it is \[\], expected an object; restore protocol\.json from a/,
    ],
    ["null", /^invalid protocol\.json: it is null, expected an object; restore/],
    [
      '{"a":1,"a":2}',
      /^invalid protocol\.json: it has the key "a" twice in one object; keep one; /,
    ],
    [`{"a":${"[".repeat(40)}${"]".repeat(40)}}`, /^invalid .*: it is nested deeper than 32 levels/],
    ...["{", '{"a":1}}', "\ufeff{}", "nonsense"].map((text): [string, RegExp] => [
      text,
      /^invalid protocol\.json: it is not JSON: .+; restore protocol/,
    ]),
  ];
  for (const [text, fault] of unreadable) {
    it(`tell of ${JSON.stringify(text)?.slice(0, 20)}, and name nobody who could act`, () => {
      assert.match(faultOf(text), fault);
      assert.deepEqual(parseSettings(text).participants, []);
    });
  }

  const listed = ', expected a list such as [{"id": "claude"}, {"id": "gemini"}]; correct it';
  const named =
    'expected a name of 1 to 128 characters without control characters, as "NAME" or {"id": "NAME"}; correct it';
  const entries: JsonValue[] = [
    null,
    7,
    "",
    "  ",
    "a\nb",
    "a\u0085b",
    "x".repeat(129),
    { id: 1 },
    {},
  ];
  const wrong: [change: JsonObject, fault: string][] = [
    ...([undefined, [], { ana: 1 }, "ana"] as const).map((participants): [JsonObject, string] => {
      const came =
        participants === undefined ? "there are none" : `it is ${JSON.stringify(participants)}`;
      return [
        { participants: participants as JsonValue },
        `protocol.json participants must not be empty: ${came}${listed}`,
      ];
    }),
    ...entries.map((entry): [JsonObject, string] => {
      const shown = JSON.stringify(entry).replace("\u0085", "\\u0085");
      const cut = shown.length > 80 ? `${shown.slice(0, 77)}...` : shown;
      return [
        { participants: ["ana", entry] },
        `invalid protocol.json: participants[1] is ${cut}, ${named}`,
      ];
    }),
    [
      { participants: Array.from({ length: 65 }, (_, index) => `p${index}`) },
      "invalid protocol.json: participants has 65 entries, expected at most 64; split the group",
    ],
    ...([3, "2", 1, null] as const).map((version): [JsonObject, string] => [
      { schemaVersion: version },
      `protocol.json schemaVersion must be 2: it is ${JSON.stringify(version)} (none means schema 1); ` +
        "correct it, or update Consulta if a newer one wrote it",
    ]),
    ...[{ protocol: "acp" }, { deliverables: {} }].map((change): [JsonObject, string] => [
      change,
      `protocol.json schemaVersion must be 2: it is missing beside ${Object.keys(change)}; ` +
        "correct it, or update Consulta if a newer one wrote it",
    ]),
  ];
  for (const [change, fault] of wrong) {
    it(`tell of ${JSON.stringify(change).slice(0, 60)}`, () =>
      assert.equal(faultWith(change), fault));
  }
});

describe("settings", () => {
  it("hold what the file says, and its keys but for those that follow from the log", () => {
    const derived = {
      currentPhase: "drafting",
      proposalOwner: "a",
      waitingFor: [],
      updatedAt: "x",
    };
    const raw = { ...keys, zeta: { b: [1, null], a: "\u5f85" } };
    assert.deepEqual(parseSettings(JSON.stringify({ ...derived, ...raw })), {
      ...{ schema: 1, fault: "", participants: ["ana", "ben"], objective: "choose a store" },
      ...{ gates: ["the gate"], createdAt: "2026-01-01T00:00:00Z", deliverables: null, raw },
    });
  });

  /** What the original works with as well; its validator tells, and so does ours. */
  const tolerated: JsonObject[] = [
    ...["  ", 3].map((objective) => ({ objective })),
    ...[[], "the gate", [1, { text: "the gate" }]].map((it) => ({ completionGates: it })),
    { version: 1, createdAt: 5 },
    { schemaVersion: 2, deliverables: "none" },
    { participants: ["ana", { id: "ben", role: "x" }] },
    { participants: Array.from({ length: 64 }, (_, index) => `p${index}`) },
  ];
  for (const change of tolerated) {
    it(`are fine with ${JSON.stringify(change).slice(0, 80)}`, () =>
      assert.equal(faultWith(change), "none"));
  }

  it("take names as the original does, each once and in their order", () => {
    const names = ["Zo\u00eb M\u00fcller", "a - b", "\u5f85", "ana", "ana", "x".repeat(128)];
    const { participants } = parseSettings(JSON.stringify({ ...keys, participants: names }));
    assert.deepEqual(participants, [...new Set(names)]);
  });
});

const primary = { type: "adr", file: "adr.md", checklist: [] };
const internal = { mode: "internal", dir: "deliverables", primary };

describe("deliverables", () => {
  it("are read as they are declared, with the paths that follow", () => {
    const supporting = { type: "adr", file: "s.md", frozen: true };
    const given = {
      ...{ mode: "internal", dir: "./out//docs/", supporting: [supporting, 5] },
      primary: { type: "custom", file: "./a/x.md", checklist: [" A ", "", 5, "B"] },
      attachments: [{ file: "p.png" }, {}, "x"],
    };
    const path = "out/docs/a/x.md";
    assert.deepEqual(readDeliverables({ deliverables: given, repoRoot: "../.." }), {
      ...{ mode: "internal", dir: "./out//docs/", attachments: ["p.png"], repoRoot: "../.." },
      primary: { type: "custom", file: "./a/x.md", path, checklist: ["A", "B"], frozen: false },
      supporting: [{ ...supporting, path: "out/docs/s.md", checklist: [] }],
    });
  });

  const nothing = [null, [], {}, { primary: "x" }, { primary: { type: "adr", file: 5 } }];
  for (const deliverables of [undefined, ...nothing]) {
    it(`are none in ${JSON.stringify(deliverables)}`, () => {
      const raw = deliverables === undefined ? {} : { deliverables: deliverables as JsonValue };
      assert.equal(readDeliverables(raw), undefined);
      const [fault = ""] = textsOf(deliverablesFaults(raw));
      assert.match(fault, /deliverables\.primary is required|deliverables\.mode must be/);
    });
  }

  it("are named by their path, in a repository by the file as it is declared", () => {
    const read = readDeliverables({ deliverables: { ...internal, dir: "." } });
    assert(read !== undefined);
    assert.deepEqual([referenceOf(read, read.primary), foldersUpOf(read)], ["adr.md", 0]);
    const file = { mode: "external", dir: "docs/out", primary: { ...primary, file: "./a//x.md" } };
    const far = readDeliverables({ deliverables: file, repoRoot: "../.." });
    assert(far !== undefined);
    assert.equal(referenceOf(far, far.primary), "external:./a//x.md");
    assert.equal(far.primary.path, "docs/out/a/x.md");
  });

  const ways: Record<string, number | undefined> = {
    ...{ ".": 0, "./": 0, "..": 1, "../..": 2, "..//.././..": 3, "x/..": 0, "../x/../..": 2 },
    ...{ x: undefined, "../x": undefined, "/..": undefined },
  };
  for (const [repoRoot, steps] of Object.entries(ways)) {
    it(`of a repository ${repoRoot} lie ${steps ?? "not straight"} up`, () => {
      const read = readDeliverables({ deliverables: { ...internal, mode: "external" }, repoRoot });
      assert(read !== undefined);
      assert.equal(foldersUpOf(read), steps);
    });
  }

  it("are of the contract's types, each with its sections, none inherited from objects", () => {
    const names =
      "adr, custom, decision-memo, design-spec, implementation-plan, review-report, test-plan";
    assert.equal(deliverableTypeNames.join(", "), names);
    const sections = (type: string) => sectionsOf({ type, checklist: ["A"] }).join(", ");
    const plan = "Scope, Test Matrix, Fixtures, Automation, Manual Tests, Exit Criteria";
    assert.deepEqual(["test-plan", "custom", "toString", "__proto__"].map(sections), [
      plan,
      ...["A", "", ""],
    ]);
  });
});

describe("the faults of declared deliverables", () => {
  const type = "primary deliverable type is invalid";
  const markdown = "primary deliverable file must be Markdown";
  const custom = "custom primary deliverable requires checklist";
  const inside = "collaboration folder must be inside repoRoot";
  const relative = (what: string) => `${what} must be relative and must not contain ..`;
  const attached = relative("attachment file");
  const s = { type: "adr", file: "s.md" };
  const root = "repoRoot is required for external deliverables";
  const unwanted = "repoRoot is not allowed for internal deliverables";

  const faulty: [change: JsonObject, ...faults: string[]][] = [
    [{}],
    [{ mode: "x" }, "deliverables.mode must be internal or external"],
    [{ dir: 5 }, "deliverables.dir is required"],
    [{ dir: " " }, "deliverables.dir is required"],
    [{ dir: "/x" }, relative("deliverables.dir")],
    [{ dir: "a/../b" }, relative("deliverables.dir")],
    [{ dir: "." }],
    [{ primary: {} }, type, markdown],
    [{ primary: { ...primary, type: "zz" } }, type],
    [{ primary: { ...primary, type: ["adr"] } }, type],
    [{ primary: { ...primary, file: "x.MD" } }, markdown],
    [{ primary: { ...primary, file: "../x.md" } }, relative("primary deliverable file")],
    [{ primary: { ...primary, file: "/x.md" } }, relative("primary deliverable file")],
    [{ primary: { ...primary, file: "a..b.md" } }],
    [{ primary: { type: "custom", file: "x.md" } }, custom],
    [{ primary: { type: "custom", file: "x.md", checklist: [" ", 5] } }, custom],
    [{ supporting: 5 }],
    [{ supporting: [5] }],
    [
      { supporting: [{}] },
      "supporting deliverable type is invalid",
      "supporting deliverable file must be Markdown",
    ],
    [{ supporting: [{ ...s, file: "../x.md" }] }, relative("supporting deliverable file")],
    [
      { supporting: [primary] },
      "supporting deliverable must not reuse the primary deliverable file",
    ],
    [{ supporting: [s, s] }, "supporting deliverable files must be unique"],
    [{ attachments: ["x"] }, "attachments must be objects"],
    [{ attachments: [{}, { file: " " }] }, ...Array(2).fill("attachment file is required")],
    [{ attachments: [{ file: "../x" }, { file: "/x" }] }, attached, attached],
    [{ repoRoot: ".." }, unwanted],
    [{ repoRoot: null }, unwanted],
    [{ mode: "external" }, root],
    [{ mode: "external", repoRoot: " " }, root],
    [{ mode: "external", repoRoot: 5 }, root],
    [{ mode: "external", repoRoot: "/tmp" }, "repoRoot must be relative"],
    [{ mode: "external", repoRoot: "deliverables" }, inside],
    [{ mode: "external", repoRoot: "../other" }, inside],
    [{ mode: "external", repoRoot: "../.." }],
    [{ mode: "external", repoRoot: "." }],
  ];
  for (const [{ repoRoot, ...change }, ...faults] of faulty) {
    it(`are told for ${JSON.stringify({ repoRoot, ...change })}`, () => {
      const where = repoRoot === undefined ? {} : { repoRoot };
      const raw = { deliverables: { ...internal, ...change }, ...where };
      assert.deepEqual(textsOf(deliverablesFaults(raw)), faults);
    });
  }
});
