import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Collaboration, collaborationAt } from "./folder.ts";

// A collaboration in a folder of the project, as the user names it.

const args = ["--folder", "docs/sync-api"];
const inDocs = () => new Collaboration({ name: "docs/sync-api" }).init();

describe("git", () => {
  const statusOf = ({ project }: Collaboration) =>
    spawnSync("git", ["-C", project.folder, "status", "--porcelain", "-uall"], {
      encoding: "utf8",
    })
      .stdout.split("\n")
      .map((line) => line.slice(3));

  it("sees the documents and the log, and nothing that our scripts remember", () => {
    const at = inDocs();
    spawnSync("git", ["-C", at.project.folder, "init", "-q"]);
    at.project.run("next-action", [...args, "--participant", "a"]);
    at.project.run("wait-for-turn", [...args, "--participant", "b", "--timeout", "1"]);
    const seen = statusOf(at);
    assert(seen.includes("docs/sync-api/events.jsonl"), seen.join("\n"));
    assert(seen.includes("docs/sync-api/proposal.md"));
    assert.deepEqual(
      seen.filter((path) => path.includes("/.") || path.startsWith(".")),
      [],
    );
  });

  it("keeps the .gitignore that the folder has", () => {
    const at = new Collaboration({ name: "docs/sync-api" });
    mkdirSync(at.folder, { recursive: true });
    writeFileSync(at.path(".gitignore"), "build/\n");
    at.init();
    assert.equal(readFileSync(at.path(".gitignore"), "utf8"), "build/\n");
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
    const joined = spawnSync("sh", ["-c", line.replace("YOU", "b")], {
      cwd: at.project.folder,
      encoding: "utf8",
    });
    assert.equal(joined.status, 0, joined.stderr);
  });
});

describe("a folder that is not there", () => {
  it("is taken for a wrong path, in the original's first words", () => {
    const { project } = inDocs();
    const ran = project.run("next-action", ["--folder", "docs/snyc-api", "--participant", "a"]);
    assert.equal(ran.code, 2);
    assert.match(
      ran.stderr,
      /^error: missing protocol\.json in \/.*snyc-api: there is no such folder; is the path right\? \(init makes a new one\)$/m,
    );
  });
});

describe("status", () => {
  it("lists a collaboration that was begun or joined from a project with a workspace", () => {
    const at = inDocs();
    const { project } = at;
    assert.doesNotMatch(project.run("status", ["--all"]).stdout, /sync-api/);
    project.open("auth");
    project.run("next-action", [...args, "--participant", "b"]);
    const { stdout } = project.run("status", []);
    assert(stdout.includes(`${at.folder}: collaboration, drafting, turn: a;`), stdout);
    assert.match(stdout, /^auth: dialogue/m);
    const other = new Collaboration({ name: "other" });
    const began = project.run("init", [...other.initArgs(), "--folder", "other"]);
    assert.equal(began.code, 0, began.stderr);
    const both = project.run("status", []).stdout;
    assert(both.includes(`${join(project.folder, "other")}: collaboration,`), both);
  });

  it("shows a session that is named, also when it has ended", () => {
    const at = collaborationAt("completed");
    const { stdout } = at.project.run("status", ["--folder", at.opening.name]);
    assert.match(stdout, /: collaboration, completed; /);
    assert.doesNotMatch(stdout, /hidden/);
  });

  it("shows the one session of the workspace that is named", () => {
    const { project } = inDocs();
    project.open("auth");
    project.open("cache");
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
