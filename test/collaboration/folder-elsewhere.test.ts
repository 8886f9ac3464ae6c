import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Collaboration, collaborationAt } from "./folder.ts";

// A collaboration in a folder of the project, as the user names it.

const folder = "docs/sync-api";
const args = ["--folder", folder];
const inDocs = () => new Collaboration({ name: folder }).init();
const outside = (at: Collaboration, program: string, ...words: string[]) =>
  spawnSync(program, words, { cwd: at.project.folder, encoding: "utf8" });

describe("git", () => {
  it("sees the documents and the log, and nothing that our scripts remember", () => {
    const at = inDocs();
    outside(at, "git", "init", "-q");
    at.next("a");
    at.wait("b", "--timeout", "1");
    const { stdout } = outside(at, "git", "status", "--porcelain", "-uall");
    const seen = stdout.split("\n").map((line) => line.slice(3));
    for (const name of ["events.jsonl", "proposal.md"]) assert(seen.includes(join(folder, name)));
    const hidden = seen.filter((path) => path.includes("/.") || path.startsWith("."));
    assert.deepEqual(hidden, []);
  });

  it("keeps the .gitignore that the folder has", () => {
    const at = new Collaboration({ name: folder });
    at.write(".gitignore", "build/\n");
    assert.equal(at.init().read(".gitignore"), "build/\n");
  });
});

describe("a second init in the same folder", () => {
  it("is refused in the original's words, with the line that joins", () => {
    const at = inDocs();
    const { code, stdout, stderr } = at.run("init", at.initArgs());
    assert.deepEqual([code, stdout], [2, ""]);
    const words =
      /^error: collaboration folder already contains protocol\.json; use --resume to acknowledge it; somebody has begun here, join: (node \S+next-action\.cjs --folder docs\/sync-api --participant YOU)$/m;
    const [, line = ""] = words.exec(stderr) ?? [];
    assert.notEqual(line, "", stderr);
    assert.equal(outside(at, "sh", "-c", line.replace("YOU", "b")).status, 0);
  });
});

describe("a folder that is not there", () => {
  it("is taken for a wrong path, in the original's first words", () => {
    const { project } = inDocs();
    const wrong = ["--folder", "docs/snyc-api", "--participant", "a"];
    const { code, stderr } = project.run("next-action", wrong);
    assert.equal(code, 2);
    const words =
      /^error: missing protocol\.json in \/.*snyc-api: there is no such folder; is the path right\? \(init makes a new one\)$/m;
    assert.match(stderr, words);
  });
});

describe("status", () => {
  it("lists a collaboration that was begun or joined from a project with a workspace", () => {
    const at = inDocs();
    const { project } = at;
    assert.doesNotMatch(project.run("status", ["--all"]).stdout, /sync-api/);
    project.open("auth");
    at.next("b");
    const { stdout } = project.run("status", []);
    assert(stdout.includes(`${at.folder}: collaboration, drafting, turn: a;`), stdout);
    assert.match(stdout, /^auth: dialogue/m);
    assert.equal(project.run("init", [...at.initArgs(), "--folder", "other"]).code, 0);
    const both = project.run("status", []).stdout;
    assert(both.includes(`${join(project.folder, "other")}: collaboration,`), both);
  });

  it("shows a session that is named, also when it has ended", () => {
    const { stdout } = collaborationAt("completed").run("status");
    assert.match(stdout, /: collaboration, completed; /);
    assert.doesNotMatch(stdout, /hidden/);
  });

  it("shows the one session of the workspace that is named", () => {
    const { project } = inDocs();
    for (const id of ["auth", "cache"]) project.open(id);
    const named = project.run("status", ["--session", "cache"]);
    assert.equal(named.code, 0, named.stderr);
    assert.match(named.stdout, /^cache: dialogue/m);
    assert.doesNotMatch(named.stdout, /^auth: /m);
    const missing = project.run("status", ["--session", "cahce"]);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /no session cahce in .*; did you mean cache\?$/m);
    const both = project.run("status", ["--session", "cache", ...args]);
    assert.equal(both.code, 2);
    assert.match(both.stderr, /--folder and --session came/);
  });
});
