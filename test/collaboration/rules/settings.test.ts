import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, JsonValue } from "../../../scripts-src/base/json.ts";
import { parseSettings, settingsFault } from "../../../scripts-src/collaboration/rules/settings.ts";
import { settingsFor } from "../acts.ts";

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

const repair = "; restore protocol.json from a copy, or run init in another folder";
const empty = "protocol.json participants must not be empty: ";
const listed = ', expected a list such as [{"id": "claude"}, {"id": "gemini"}]; correct it';
const named =
  "expected a name of 1 to 128 characters without control characters, " +
  'as "NAME" or {"id": "NAME"}; correct it';

const unreadable: [name: string, text: string | undefined, fault: string][] = [
  [
    "no file",
    undefined,
    "protocol.json is missing: it names the participants and the completion gates; " +
      "restore it, or run init in another folder",
  ],
  ["nothing", "", `invalid protocol.json: it is empty, expected an object${repair}`],
  ["blanks", " \n", `invalid protocol.json: it is empty, expected an object${repair}`],
  ["a list", "[]", `invalid protocol.json: it is [], expected an object${repair}`],
  ["null", "null", `invalid protocol.json: it is null, expected an object${repair}`],
  ["a number", "3", `invalid protocol.json: it is 3, expected an object${repair}`],
  [
    "a key twice",
    '{"objective":"a","objective":"b"}',
    `invalid protocol.json: it has the key "objective" twice in one object; keep one${repair}`,
  ],
  [
    "too many levels",
    `{"a":${"[".repeat(40)}${"]".repeat(40)}}`,
    `invalid protocol.json: it is nested deeper than 32 levels; flatten it${repair}`,
  ],
];

const wrong: [name: string, change: JsonObject, fault: string][] = [
  ["no participants", { participants: undefined }, `${empty}there are none${listed}`],
  ["an empty list of participants", { participants: [] }, `${empty}it is []${listed}`],
  ["an object of participants", { participants: { ana: 1 } }, `${empty}it is {"ana":1}${listed}`],
  ["a text as participants", { participants: "ana" }, `${empty}it is "ana"${listed}`],
  ...participants(
    null,
    7,
    "",
    "  ",
    "a\nb",
    "a\u0085b",
    "a\u2028b",
    "x".repeat(129),
    { id: 1 },
    {},
  ),
  [
    "too many participants",
    { participants: Array.from({ length: 65 }, (_, index) => `p${index}`) },
    "invalid protocol.json: participants has 65 entries, expected at most 64; split the group",
  ],
  ...([3, "2", 1, 0, null, 2.5] as const).map((version): [string, JsonObject, string] => [
    `schemaVersion ${JSON.stringify(version)}`,
    { schemaVersion: version },
    `protocol.json schemaVersion must be 2: it is ${JSON.stringify(version)} (none means schema 1); ` +
      "correct it, or update Consulta if a newer one wrote it",
  ]),
  ...([{ protocol: "acp" }, { deliverables: {} }] as const).map(
    (change): [string, JsonObject, string] => [
      `no schemaVersion beside ${Object.keys(change)}`,
      change,
      `protocol.json schemaVersion must be 2: it is missing beside ${Object.keys(change)}; ` +
        "correct it, or update Consulta if a newer one wrote it",
    ],
  ),
];

function participants(...entries: JsonValue[]): [string, JsonObject, string][] {
  return entries.map((entry) => {
    const shown = JSON.stringify(entry).replace("\u2028", "\\u2028").replace("\u0085", "\\u0085");
    const cut = shown.length > 80 ? `${shown.slice(0, 77)}...` : shown;
    return [
      `the participant ${cut}`,
      { participants: ["ana", entry] },
      `invalid protocol.json: participants[1] is ${cut}, ${named}`,
    ];
  });
}

describe("settings at fault", () => {
  for (const [name, text, fault] of unreadable) {
    it(`tell of ${name}`, () => assert.equal(faultOf(text), fault));
  }
  for (const [name, change, fault] of wrong) {
    it(`tell of ${name}`, () => assert.equal(faultWith(change), fault));
  }

  it("tell what is no JSON in the parser's words", () => {
    for (const text of ["{", '{"a":1}}', "\ufeff{}", '{"a"', "nonsense"]) {
      assert.match(faultOf(text), /^invalid protocol\.json: it is not JSON: .+; restore protocol/);
    }
  });

  it("name nobody who could act on them", () => {
    for (const text of [undefined, "", "[]", JSON.stringify({ ...keys, participants: [null] })]) {
      assert.deepEqual(parseSettings(text).participants, []);
    }
  });
});

describe("settings", () => {
  it("hold what the file says, and its keys but for those that follow from the log", () => {
    const derived = {
      currentPhase: "drafting",
      proposalOwner: "ana",
      waitingFor: [],
      updatedAt: "x",
    };
    const own = { ...keys, zeta: { b: [1, null], a: "\u5f85" } };
    assert.deepEqual(parseSettings(JSON.stringify({ ...derived, ...own })), {
      schema: 1,
      fault: "",
      participants: ["ana", "ben"],
      objective: "choose a store",
      gates: ["the gate"],
      createdAt: "2026-01-01T00:00:00Z",
      deliverables: null,
      raw: own,
    });
  });

  it("are those of schema 2 when the file says so", () => {
    const settings = settingsFor(2, ["ana", "ben"]);
    assert.deepEqual([settings.schema, settings.gates], [2, ["the gate"]]);
    assert.equal(settings.deliverables?.primary.path, "deliverables/spec.md");
  });

  /** What the original works with as well; its validator tells, and so does ours. */
  const tolerated: JsonObject[] = [
    { objective: "  " },
    { objective: 3 },
    { objective: undefined },
    { version: 1 },
    { completionGates: undefined },
    { completionGates: [] },
    { completionGates: "the gate" },
    { completionGates: [1, { text: "the gate" }] },
    { createdAt: 5 },
    { schemaVersion: 2, deliverables: "none" },
    { participants: ["ana", { id: "ben", role: "x" }] },
    { participants: ["ana"] },
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
