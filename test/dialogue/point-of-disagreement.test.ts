import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { asked, byHand, claude, files, gemini, sqlite, type Turn } from "./given.ts";

const because = "small teams have no operator";
const objects = (fields: JsonObject = {}) => ({
  ...{ position: files, acknowledged: ["it is fast"] },
  objections: [{ point: "a server", because, about: "judgement" }],
  ...fields,
});
const dissent = "I agree with one store, but I disagree with SQLite, because files are simple.";
const hand = (...turn: Parameters<typeof gemini>) => byHand(gemini(...turn));
const ends = claude("ESCALATE");
const idle = Array.from({ length: 5 }, (_, at) => [
  gemini("CLARIFY", { says: `What ${at}?` }),
  claude("CLARIFY", { says: `Which ${at}?` }),
]);

const points: [name: string, turns: Turn[], point: string][] = [
  [
    "an objection of ours, also where the user is asked",
    [gemini("RESPONSE", objects({ needs_user: "May it cost money?" }))],
    `gemini objects: a server, because ${because}`,
  ],
  [
    "one that nobody answered",
    [gemini("RESPONSE", objects()), ends],
    `gemini objects: a server, because ${because}`,
  ],
  [
    "one by hand",
    [hand("RESPONSE", { says: `Well. ${dissent}` }), ends],
    `gemini objects: ${dissent}`,
  ],
  [
    "a proposal by hand against ours",
    [hand("COUNTER_PROPOSE", { says: "Take files." }), ends],
    "gemini objects: Take files.",
  ],
  [
    "what is pending, by hand",
    [hand("RESPONSE", { disagreements_pending: ["the store"] }), ends],
    "the store",
  ],
  [
    "the newest of a side, beside that of the other",
    [
      gemini("RESPONSE", objects()),
      claude("EVALUATE", {
        ...{ position: files, acknowledged: ["y"] },
        objections: [{ point: "files", because: "they tear" }],
      }),
      gemini("EVALUATE", objects({ objections: [{ point: "one file", because: "it grows" }] })),
      ends,
    ],
    "claude objects: files, because they tear; gemini objects: one file, because it grows",
  ],
  [
    "the positions, once an objection was taken back",
    [
      gemini("RESPONSE", objects()),
      claude("RESPONSE"),
      gemini("EVALUATE", {
        ...{ position: files, synthesis: "SQLite over files" },
        resolved: [{ point: "a server", because: "it needs none" }],
      }),
      ends,
    ],
    'claude: "Use SQLite."; gemini: "SQLite over files"',
  ],
  [
    "the positions, where nobody objects",
    [gemini("RESPONSE"), claude("EVALUATE", { position: files }), ends],
    `claude: "${files}"; gemini: "${sqlite}"`,
  ],
  [
    "the question that stayed open, where the session ran out",
    idle.flat().slice(0, 9),
    'claude answered nothing to P11.1: "What 4?"',
  ],
];

describe("an escalation names as point of disagreement", () => {
  for (const [name, turns, point] of points)
    it(name, () => {
      const { outcome } = asked(turns).state;
      assert(outcome?.kind === "escalated");
      assert.equal(outcome.disagreement, point);
    });
});
