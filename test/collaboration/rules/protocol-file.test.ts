import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../scripts-src/base/json.ts";
import {
  protocolFile,
  protocolText,
  views,
} from "../../../scripts-src/collaboration/rules/protocol-file.ts";
import { parseSettings } from "../../../scripts-src/collaboration/rules/settings.ts";
import { initialState } from "../../../scripts-src/collaboration/rules/state.ts";
import { given, settingsFor } from "../acts.ts";

/** As the original wrote it after `proposal_submitted`. */
const original = `{
  "completionGates": [
    "the gate"
  ],
  "createdAt": "2026-01-01T00:00:00Z",
  "currentPhase": "reviewing",
  "objective": "choose a store",
  "participants": [
    {
      "id": "ana"
    },
    {
      "id": "b\u00e9n"
    }
  ],
  "proposalOwner": "ana",
  "updatedAt": "2026-01-01T00:00:02Z",
  "waitingFor": [
    "b\u00e9n"
  ]
}
`;

/** Keys and values as Python's json writes them with indent 2, sorted keys and raw Unicode. */
const formats: [name: string, value: JsonObject, text: string][] = [
  ["nothing", {}, "{}\n"],
  ["empty lists and objects", { b: [], a: {} }, '{\n  "a": {},\n  "b": []\n}\n'],
  [
    "keys that look like numbers, by code point",
    { 9: 1, 10: 2, b: 3, B: 4, "\u{1f600}": 5, "\uffff": 6 },
    '{\n  "10": 2,\n  "9": 1,\n  "B": 4,\n  "b": 3,\n  "\uffff": 6,\n  "\u{1f600}": 5\n}\n',
  ],
  [
    "nested keys, sorted as well",
    { a: [{ z: 1, y: [true, null] }] },
    '{\n  "a": [\n    {\n      "y": [\n        true,\n        null\n      ],\n      "z": 1\n    }\n  ]\n}\n',
  ],
  [
    "raw Unicode and escaped controls",
    { a: '\u5f85\u2028/\u007f"\\\n\t\b\f\u0001' },
    '{\n  "a": "\u5f85\u2028/\u007f\\"\\\\\\n\\t\\b\\f\\u0001"\n}\n',
  ],
];

describe("protocol.json", () => {
  const settings = settingsFor(1, ["ana", "b\u00e9n"]);
  const state = given(settings, ["ana", "initialized"], ["ana", "proposal_submitted"]);

  it("is byte for byte what the original writes", () => {
    assert.equal(protocolFile(state), original);
  });

  for (const [name, value, text] of formats) {
    it(`writes ${name}`, () => assert.equal(protocolText(value), text));
  }

  it("keeps the keys that nobody knows and replaces those that follow from the log", () => {
    const keys = { zeta: [1], aleph: { b: 1 }, currentPhase: "lost", waitingFor: "all" };
    const odd = given(settingsFor(1, ["ana", "ben"], keys), ["ana", "initialized"]);
    const { zeta, aleph, currentPhase, waitingFor } = JSON.parse(protocolFile(odd));
    assert.deepEqual([zeta, aleph, currentPhase, waitingFor], [[1], { b: 1 }, "drafting", ["ana"]]);
  });

  it("names no owner for a log that begins with blocked, as the original", () => {
    const { proposalOwner } = JSON.parse(protocolFile(given(settings, ["ana", "blocked"])));
    assert.equal(proposalOwner, null);
  });

  it("is a file of the session's own folder", () => {
    const view = { within: "session", folder: [], name: "protocol.json", text: original };
    assert.deepEqual(views(state), [view]);
  });

  it("is left alone where nothing is known to write", () => {
    assert.deepEqual(views(initialState(settings)), []);
    assert.deepEqual(views({ ...state, settings: parseSettings("[]") }), []);
  });
});
