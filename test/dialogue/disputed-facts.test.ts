import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { draft, type Project, projectMaker, recordOf } from "./project.ts";

const makeProject = projectMaker();

const point = "SQLite takes 40 ms";
const [files, sqlite] = [{ position: "Files." }, { position: "SQLite." }];

/** gemini answered with a fact; claude has the turn. */
function answered(fields: JsonObject = {}): Project {
  const project = makeProject();
  writeFileSync(join(project.folder, "bench.txt"), "p50 12 ms\n");
  project.open("talk");
  const question_or_proposal = { content: "SQLite or files?" };
  project.say("talk", "claude", { type: "REQUEST", question_or_proposal });
  project.say("talk", "gemini", draft("RESPONSE", `Files: ${point}.`, { ...files, ...fields }));
  return project;
}

/** claude disputes the fact and holds another position. */
function dispute(fields: JsonObject = {}): JsonObject {
  const objection = { point, because: "It felt faster.", about: "fact", ...fields };
  const own = { ...sqlite, acknowledged: ["Files are simple."], objections: [objection] };
  return draft("EVALUATE", "That is not so.", own);
}

function disputed(): Project {
  const project = answered();
  project.say("talk", "claude", dispute());
  return project;
}

/** Looks with a script; gives the id of the record. */
function look(project: Project, by: string, ...how: string[]): string {
  const ran = project.run("check", ["--session", "talk", "--participant", by, ...how, "--json"]);
  assert.equal(ran.stderr, "");
  return String(recordOf(ran.stdout)["id"]);
}

function factIn(project: Project): string {
  const [, id = ""] = /(F\d+\.1)/.exec(project.next("talk", "gemini").stdout) ?? [];
  return id;
}

const cited = ["--cite", "bench.txt:1"];
const judged = { because: "judgement: it is enough" };

function closes(project: Project, fact: string, says: (by: string) => JsonObject): string {
  const said = (by: string) => ({ ...judged, checks: [{ claim: fact, ...says(by) }] });
  project.say("talk", "gemini", draft("AGREE", "SQLite, in one file.", said("gemini")));
  project.say("talk", "claude", draft("AGREE", "Yes.", said("claude")));
  assert.match(project.next("talk", "claude").stdout, /CONSENSUS\. Decision: "?SQLite/);
  assert.equal(project.run("validate", ["--session", "talk"]).code, 0);
  return project.run("report", ["--session", "talk"]).stdout;
}

describe("a fact that is disputed", () => {
  it("obliges both sides to a look before they AGREE, and says so", () => {
    const project = disputed();
    const fact = factIn(project);
    const { stdout } = project.next("talk", "gemini");
    assert.match(
      stdout,
      new RegExp(`^to do: look at the disputed fact before AGREE: ${fact} `, "m"),
    );
    const refused = project.send("talk", "gemini", draft("AGREE", "SQLite.", judged));
    assert.match(
      refused.stderr,
      new RegExp(
        `look at the disputed fact before AGREE: ${fact} .*${point}.*check --cite.*not_run with a reason`,
      ),
    );
    project.say("talk", "gemini", draft("EVALUATE", "SQLite then.", { ...sqlite, ...judged }));
    const other = project.send("talk", "claude", draft("AGREE", "SQLite."));
    assert.match(other.stderr, new RegExp(`disputed fact before AGREE: ${fact}`));
  });

  it("is shown by the look of the side that asserts it, in the place of a synthesis", () => {
    const project = disputed();
    const fact = factIn(project);
    look(project, "gemini", ...cited, "--expect", "p50");
    const { stdout } = project.next("talk", "gemini");
    assert.match(
      stdout,
      new RegExp(
        `required: the positions differ: a look by a script, in checks, or AGREE: ${fact}`,
      ),
    );
    assert.match(stdout, new RegExp(`"claim":"${fact}","outcome":"holds"`));
    const checks = [{ claim: fact, outcome: "holds" }];
    project.say("talk", "gemini", draft("EVALUATE", "The bench says it.", { ...files, checks }));
    look(project, "claude", "--claim", fact);
    project.say("talk", "claude", draft("AGREE", "Files, one line an event.", judged));
    project.say("talk", "gemini", draft("AGREE", "Yes."));
    const report = project.run("report", ["--session", "talk"]).stdout;
    assert.match(report, /CONSENSUS, 1 of 1 claims seen/);
    assert.match(report, new RegExp(`${fact} of gemini: ${point} .*disputed by claude`));
  });

  it("owes no synthesis where a script refuted it, and falls", () => {
    const project = answered();
    const evidence = look(project, "claude", "--find", "40 ms", "bench.txt");
    project.say("talk", "claude", dispute({ evidence }));
    assert.doesNotMatch(project.next("talk", "gemini").stdout, /positions differ|to do: look at/);
    project.say("talk", "gemini", draft("EVALUATE", "Then by the index.", files));
    const own = { ...sqlite, synthesis: "SQLite as an index of files." };
    project.say("talk", "claude", draft("EVALUATE", "Both.", own));
    project.say("talk", "gemini", draft("AGREE", "SQLite, in one file.", judged));
    project.say("talk", "claude", draft("AGREE", "Yes."));
    const report = project.run("report", ["--session", "talk"]).stdout;
    assert.match(report, new RegExp(`What fell\\n+- F\\d+\\.1 of gemini: ${point}.*${evidence}`));
    assert.match(report, /nothing was checked/);
  });

  it("owes no synthesis to whom a script refuted it, either", () => {
    const project = answered();
    project.say("talk", "claude", draft("EVALUATE", "SQLite.", sqlite));
    const evidence = look(project, "gemini", "--find", "40 ms", "bench.txt");
    const objections = [
      { point: "SQLite takes 1 ms", because: "It says 12.", about: "fact", evidence },
    ];
    const refutes = { ...files, acknowledged: ["It is one file."], objections };
    project.say("talk", "gemini", draft("EVALUATE", "It does not.", refutes));
    const judges = [{ point: "SQLite takes 1 ms", because: "It says 12.", about: "judgement" }];
    const again = { ...sqlite, acknowledged: ["Files are simple."], objections: judges };
    project.say("talk", "claude", draft("EVALUATE", "Still.", again));
    const more = draft("EVALUATE", "No.", { ...refutes, objections: judges });
    assert.match(
      project.send("talk", "gemini", more).stderr,
      /the positions differ: .*add synthesis/,
    );
  });

  it("is told as an assumption where nobody could look", () => {
    const project = disputed();
    const fact = factIn(project);
    const report = closes(project, fact, (by) => ({
      outcome: "not_run",
      reason: `${by} has no disk`,
    }));
    assert.match(
      report,
      new RegExp(
        `## Assumptions\\n+- ${fact} of gemini: ${point}, disputed by claude.*seen by nobody; claude did not run it: claude has no disk`,
      ),
    );
    const solution = project.read("artifacts", "talk", "merged-solution.md");
    assert.match(solution, new RegExp(`${fact}, disputed by claude ${point}: assumed \\(`));
  });

  it("that its disputer finds refuted ends with the position that it held", () => {
    const project = disputed();
    const fact = factIn(project);
    look(project, "claude", "--find", "40 ms", "bench.txt");
    const report = closes(project, fact, (by) =>
      by === "claude" ? { outcome: "fails" } : { outcome: "not_run", reason: "no disk" },
    );
    assert.match(report, new RegExp(`What fell\\n+- ${fact} of gemini`));
  });

  it("can be given up: who withdraws it or its dispute owes no look", () => {
    const withdrawn = disputed();
    const claim = factIn(withdrawn);
    const takesBack = { ...judged, withdrawn: [{ claim, because: "I misread it." }] };
    withdrawn.say("talk", "gemini", draft("AGREE", "SQLite, in one file.", takesBack));
    withdrawn.say("talk", "claude", draft("AGREE", "Yes."));
    assert.match(
      withdrawn.run("report", ["--session", "talk"]).stdout,
      /withdrawn by gemini: I misread it/,
    );
    const resolved = disputed();
    const synthesis = "SQLite as an index of files.";
    resolved.say("talk", "gemini", draft("EVALUATE", "Look.", { ...files, synthesis }));
    const gives = { ...judged, resolved: [{ point, because: "I take it." }] };
    resolved.say("talk", "claude", draft("AGREE", "Files, one line an event.", gives));
    const open = resolved.send("talk", "gemini", draft("AGREE", "Yes."));
    assert.match(open.stderr, /look at the disputed fact before AGREE/);
  });

  const rejected: [
    name: string,
    by: string,
    message: (fact: string) => JsonObject,
    reason: RegExp,
  ][] = [
    [
      "in an AGREE",
      "gemini",
      () => ({
        ...draft("AGREE", "SQLite.", judged),
        objections: [{ point: "SQLite is new", because: "it is", about: "fact" }],
      }),
      /AGREE disputes a fact \("?SQLite is new"?\); send EVALUATE/,
    ],
    [
      "on a record of nobody",
      "gemini",
      () =>
        draft("EVALUATE", "No.", {
          ...files,
          synthesis: "SQLite as an index of files.",
          objections: [{ point: "it is fast", because: "grep", about: "fact", evidence: "E99" }],
          acknowledged: ["one file"],
        }),
      /objections\[0\]\.evidence is "?E99"?, which is no record of yours; run check --cite/,
    ],
    [
      "and refuted by the one who asserts it",
      "gemini",
      (claim) => draft("EVALUATE", "No.", { ...files, checks: [{ claim, outcome: "fails" }] }),
      /it is your own; add withdrawn: \[\{claim: F\d+\.1, because\}\]/,
    ],
    [
      "and shown by no look",
      "gemini",
      (claim) => draft("EVALUATE", "No.", { ...files, checks: [{ claim, outcome: "holds" }] }),
      /you have made no record since; run check --cite/,
    ],
    [
      "and shown by prose",
      "gemini",
      (claim) =>
        draft("EVALUATE", "No.", {
          ...files,
          checks: [{ claim, outcome: "holds", evidence: "I ran it" }],
        }),
      /evidence is "I ran it", which is no record of this session/,
    ],
    [
      "and not looked at for no reason",
      "gemini",
      (claim) => draft("AGREE", "SQLite.", { ...judged, checks: [{ claim, outcome: "not_run" }] }),
      /not_run needs a reason/,
    ],
  ];
  for (const [name, by, message, reason] of rejected) {
    it(`is rejected ${name}`, () => {
      const project = disputed();
      const ran = project.send("talk", by, message(factIn(project)));
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, reason);
    });
  }

  it("names no check that could be made before somebody looked", () => {
    const project = disputed();
    const args = ["--session", "talk", "--participant", "claude", "--claim", factIn(project)];
    assert.match(
      project.run("check", args).stderr,
      /is a disputed fact that names no check; run check with --cite/,
    );
  });
});

it("a peer by hand owes no look at what it disputes, and we do", () => {
  const project = makeProject();
  project.open("talk");
  project.say("talk", "claude", draft("REQUEST", "SQLite or files?"));
  const told = { session_id: "talk", from: "gemini", to: "claude", expects_reply: true, round: 1 };
  const stamp = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z$/, "Z");
  const file = `talk-${stamp.replace(/[-:]/g, "")}-gemini-response.json`;
  const said = draft("RESPONSE", "No.", {
    objections: [{ point, because: "It is 12.", about: "fact" }],
  });
  const letter = { ...told, ...said, id: file.replace(/-gemini.*/, ""), timestamp: stamp };
  project.put("claude", file, JSON.stringify(letter));
  assert.match(
    project.next("talk", "claude").stdout,
    /to do: look at the disputed fact before AGREE: F\d+\.1/,
  );
  const report = project.run("report", ["--session", "talk"]).stdout;
  assert.match(report, /claude has not looked at the disputed fact F\d+\.1/);
  assert.doesNotMatch(report, /gemini has not looked/);
});
