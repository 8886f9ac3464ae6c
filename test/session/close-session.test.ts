import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { draft, Project, recordOf } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

const made: Project[] = [];
after(() => {
  for (const { folder } of made) removeFolder(folder);
});

function makeProject(...sessions: string[]): Project {
  const project = new Project();
  made.push(project);
  for (const id of sessions) project.open(id);
  return project;
}

const agent = (name: string) => ["--participant", name];
const inClaude = { env: { CLAUDECODE: "1" } };

describe("close", () => {
  it("ends a session for the user at a terminal, tells the others, and makes room", () => {
    const project = makeProject("one", "two", "three");
    project.say("one", "claude", draft("REQUEST", "Which?"));
    const fourth = ["--topic", "Four", ...agent("claude"), ...agent("gemini")];
    const full = project.run("init", fourth);
    assert.equal(full.code, 2);
    assert.match(full.stderr, /^error: 3 sessions are open .*close --session one --reason "why"/m);
    const closed = project.run("close", ["--session", "one", "--reason", "nobody goes on with it"]);
    assert.equal(closed.code, 0, closed.stderr);
    assert.match(
      closed.stdout,
      /^closed one \(closed\)\nits report:\nnode \S+report\.cjs .*one\n$/,
    );
    assert.equal(project.run("init", fourth).code, 0);
    const told = project.next("one", "gemini").stdout;
    assert.match(told, /ENDED/);
    assert.match(told, /NOT DECIDED, closed by user: "nobody goes on with it"/);
    const [letter = ""] = project.files("inbox-gemini").filter((it) => it.includes("escalate"));
    const shown = [...project.files("archive"), letter].find((it) => it.includes("escalate"));
    assert(shown !== undefined, "an original colleague is told in its own language");
    assert.match(
      project.run("report", ["--session", "one"]).stdout,
      /\*\*NOT DECIDED, closed by user: /,
    );
    const view = recordOf(readFileSync(project.path("sessions", "one.json"), "utf8"));
    assert.equal(view["state"], "ESCALATED");
    const { code, stdout } = project.run("validate", ["--session", "one"]);
    assert.equal(code, 0, stdout);
    assert.match(project.run("status", ["--session", "one"]).stdout, /^one: dialogue, closed;/m);
  });

  it("ends it for the agent that opened it, in the log under its name", () => {
    const project = makeProject("talk");
    const closed = project.run(
      "close",
      ["--session", "talk", "--reason", "wrong question"],
      "",
      inClaude,
    );
    assert.equal(closed.code, 0, closed.stderr);
    const last = project.events("talk").at(-1);
    assert.deepEqual(
      [last?.from, last?.event, last?.["closed_by"], last?.summary],
      ["claude", "closed", "claude", "closed by claude: wrong question"],
    );
    const again = project.run("close", ["--session", "talk", "--reason", "again"], "", inClaude);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /^error: session talk has ended \(closed\); see its report$/m);
  });

  it("takes the only open session, and asks which of several", () => {
    const project = makeProject("talk");
    assert.equal(project.run("close", ["--reason", "tried it out"]).code, 0);
    const none = project.run("close", ["--reason", "tried it out"]);
    assert.match(none.stderr, /no session is open here/);
    for (const id of ["a", "b"]) project.open(id);
    const which = project.run("close", ["--reason", "tried it out"]);
    assert.equal(which.code, 2);
    assert.match(which.stderr, /2 sessions are open; give --session with one of: a, b/);
  });

  const refused: [name: string, args: string[], reason: RegExp][] = [
    [
      "its colleague",
      ["--reason", "no", ...agent("gemini")],
      /only claude or the user can close it/,
    ],
    ["a stranger", ["--reason", "no", ...agent("cy")], /only claude or the user can close it/],
    ["no reason", [], /--reason/],
    ["an empty reason", ["--reason", " "], /the reason has 0 characters, expected 1 to/],
    ["a long reason", ["--reason", "x".repeat(1_001)], /the reason has 1001 characters/],
  ];
  it("is rejected for whoever may not, and without a reason", () => {
    const project = makeProject("talk");
    const before = readFileSync(project.path("sessions", "talk", "events.jsonl"), "utf8");
    for (const [name, args, reason] of refused) {
      const { code, stderr } = project.run("close", ["--session", "talk", ...args]);
      assert.equal(code, 2, name);
      assert.match(stderr, reason, name);
    }
    const after = readFileSync(project.path("sessions", "talk", "events.jsonl"), "utf8");
    assert.equal(after, before);
  });

  it("blocks a collaboration, as the original reads it, and is no way to end a board", () => {
    const project = makeProject();
    const about = ["--objective", "Agree on the API", "--completion", "Listed"];
    const who = [...agent("ana"), ...agent("bob")];
    assert.equal(project.run("init", [...about, ...who, "--folder", "docs/api"]).code, 0);
    const folder = ["--folder", "docs/api"];
    const closed = project.run("close", [...folder, "--reason", "no longer wanted"]);
    assert.equal(closed.code, 0, closed.stderr);
    assert.match(closed.stdout, /^closed .* \(blocked\)\n/);
    assert.match(
      project.run("report", folder).stdout,
      /BLOCKED by ana .*closed by user: no longer wanted/,
    );
    assert.equal(project.run("validate", folder).code, 0);
    assert.equal(project.run("init", ["board", "2"]).code, 0);
    const board = project.run("close", ["--folder", "board", "--reason", "no longer wanted"]);
    assert.equal(board.code, 2);
    assert.match(board.stderr, /is a board of findings/);
    assert(existsSync(project.folder) && readdirSync(project.folder).includes("board"));
  });

  it("leaves nothing that the next session on the topic is told of", () => {
    const project = makeProject();
    const topic = ["--topic", "SQLite or files?", ...agent("claude"), ...agent("gemini")];
    project.run("init", [...topic, "--session", "first"]);
    project.say("first", "claude", draft("REQUEST", "SQLite or files?"));
    assert.equal(project.run("close", ["--session", "first", "--reason", "typo"]).code, 0);
    project.run("init", [...topic, "--session", "second"]);
    assert.doesNotMatch(project.next("second", "claude").stdout, /earlier/);
  });
});
