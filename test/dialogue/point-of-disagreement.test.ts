import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { OriginalColleague } from "./original-colleague.ts";
import { draft, type Project, projectMaker } from "./project.ts";

const makeProject = projectMaker();

type Turn = [by: "claude" | "gemini" | "by hand", type: string, content: string, JsonObject?];

/** claude asks in euro, and both go on with these turns; gemini runs the scripts, or writes by hand. */
function played(turns: Turn[]): Project {
  const project = makeProject();
  project.open("talk");
  const colleague = new OriginalColleague(project);
  project.say("talk", "claude", draft("REQUEST", "Which price?", { position: undefined }));
  for (const [by, type, content, fields = {}] of turns) {
    if (by === "by hand") colleague.send("talk", type, content, { confidence: 0.6, ...fields });
    else project.say("talk", by, draft(type, content, fields));
    project.next("talk", "claude");
  }
  return project;
}

const euro: JsonObject = { position: "A price in euro" };
const kronor = "small customers here pay in kronor";
const objection: JsonObject = {
  ...{ acknowledged: ["euro is simple"] },
  objections: [{ point: "a price in euro", because: kronor, about: "judgement" }],
};
const asked: Turn = ["gemini", "RESPONSE", "In euro.", euro];
const inKronor = { position: "A price in kronor", because: "judgement: customers" };
const needsUser = { needs_user: "May prices follow the market?" };
const ends: Turn = ["claude", "ESCALATE", "The user decides."];
const dissent =
  "I agree with one price, but I disagree with euro, because kronor are what they have.";
const rounds = (texts: string[]) =>
  texts.flatMap((text): Turn[] => [
    ["gemini", "CLARIFY", `What ${text}?`],
    ["claude", "CLARIFY", `Which ${text}?`],
  ]);

const points: [name: string, turns: Turn[], point: string][] = [
  [
    "an objection of ours, also where the user is asked",
    [["gemini", "RESPONSE", "Not so.", { ...euro, ...objection, ...needsUser }]],
    `gemini objects: a price in euro, because ${kronor}`,
  ],
  [
    "one that nobody answered",
    [["gemini", "RESPONSE", "Not so.", { ...euro, ...objection }], ends],
    `gemini objects: a price in euro, because ${kronor}`,
  ],
  [
    "one by hand",
    [["by hand", "RESPONSE", `Well. ${dissent}`], ends],
    `gemini objects: ${dissent}`,
  ],
  [
    "a proposal by hand against ours",
    [["by hand", "COUNTER_PROPOSE", "Take kronor."], ends],
    "gemini objects: Take kronor.",
  ],
  [
    "what is pending, by hand",
    [["by hand", "RESPONSE", "Well.", { disagreements_pending: ["the currency"] }], ends],
    "the currency",
  ],
  [
    "the newest of a side, beside that of the other",
    [
      ["gemini", "RESPONSE", "Not so.", { ...euro, ...objection }],
      [
        "claude",
        "EVALUATE",
        "Not that.",
        { ...euro, acknowledged: ["y"], objections: [{ point: "euro", because: "rates move" }] },
      ],
      [
        "gemini",
        "EVALUATE",
        "No.",
        {
          ...euro,
          acknowledged: ["x"],
          objections: [{ point: "kronor only", because: "we sell abroad" }],
        },
      ],
      ends,
    ],
    "claude objects: euro, because rates move; gemini objects: kronor only, because we sell abroad",
  ],
  [
    "the positions, once an objection was taken back",
    [
      ["gemini", "RESPONSE", "Not so.", { ...euro, ...objection }],
      ["claude", "RESPONSE", "They do not.", { position: "A price in kronor" }],
      [
        "gemini",
        "EVALUATE",
        "Right.",
        {
          ...euro,
          synthesis: "A price in euro, and one in kronor",
          resolved: [{ point: "a price in euro", because: "no invoice" }],
        },
      ],
      ends,
    ],
    'claude: "A price in kronor"; gemini: "A price in euro, and one in kronor"',
  ],
  [
    "the positions, where nobody objects",
    [asked, ["claude", "EVALUATE", "So.", inKronor], ends],
    'claude: "A price in kronor"; gemini: "A price in euro"',
  ],
  [
    "the question that stayed open, where the session ran out",
    rounds(["one", "two", "three", "four", "five"]).slice(0, 9),
    'claude answered nothing to P15.1: "What five?"',
  ],
];

describe("an escalation names as point of disagreement", () => {
  for (const [name, turns, point] of points)
    it(name, () => {
      const project = played(turns);
      const told = project.run("report", ["--session", "talk"]).stdout;
      assert.match(told, /## What you must decide/);
      assert(told.includes(`- point of disagreement: ${point}`), told);
      for (const letter of letters(project))
        assert.match(letter, new RegExp(`Point of disagreement: ${point.slice(0, 20)}`));
      const { stdout } = project.next("talk", "claude");
      assert.match(stdout, /point of disagreement: /);
      assert.doesNotMatch(stdout, /point of disagreement: "\d rounds without/);
    });
});

/** What a rule that ended the session has told gemini. */
function letters(project: Project): string[] {
  const names = project
    .files("inbox-gemini")
    .filter((it) => it.endsWith("-consulta-escalate.json"));
  return names.map((name) => project.read("inbox-gemini", name));
}
