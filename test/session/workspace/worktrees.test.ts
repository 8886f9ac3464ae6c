import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { draft, Project } from "../../dialogue/project.ts";
import { git } from "../../findings/worktree.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";

let base: string;
let main: Project;
let fix: Project;
let test: Project;

const at = (name: string) => new Project(join(base, name));

/** A repository with a worktree for each of two agents. */
before(() => {
  base = makeScratchFolder();
  [main, fix, test] = [at("shop"), at("fix"), at("test")];
  mkdirSync(join(main.folder, "api"), { recursive: true });
  writeFileSync(join(main.folder, "api", "a.txt"), "a\n");
  git(main.folder, "init", "-q");
  git(main.folder, "add", ".");
  git(main.folder, "commit", "-qm", "one");
  for (const { folder } of [fix, test]) git(main.folder, "worktree", "add", "-q", folder);
});
after(() => removeFolder(base));

describe("agents in worktrees of one repository", () => {
  it("find each other's session, whose files are in the main checkout", () => {
    fix.open("talk");
    fix.say("talk", "claude", draft("REQUEST", "SQLite or files?"));
    const below = new Project(join(test.folder, "api"));
    for (const { stdout } of [test, below, main].map((it) => it.run("next-action", gemini))) {
      assert.match(stdout, /^session talk: YOUR TURN\n[\s\S]*\| content: SQLite or files\?$/m);
    }
    assert.match(main.read("sessions", "talk", "events.jsonl"), /SQLite or files/);
    // A folder that git brought into the worktree changes nothing.
    mkdirSync(test.path("sessions"), { recursive: true });
    assert.match(test.run("status", []).stdout, /^talk: dialogue/m);
    removeFolder(test.path());
  });

  it("cite what lies in their own", () => {
    writeFileSync(join(test.folder, "own.txt"), "only here\n");
    const cite = ["--cite", "own.txt:1", "--expect", "only here"];
    assert.match(test.run("check", [...gemini, ...cite]).stdout, /recorded: as expected/);
    assert.equal(fix.run("check", ["--participant", "claude", ...cite]).code, 2);
    removeFolder(join(test.folder, "own.txt"));
  });

  it("are told by the hooks", () => {
    const event = {
      session_id: "x",
      hook_event_name: "BeforeAgent",
      cwd: test.folder,
      prompt: "hi",
    };
    const told = test.run("hook", ["gemini"], JSON.stringify(event));
    assert.match(told.stdout, /you have the turn in session talk\. Run: node /);
  });

  it("write their drafts where they work", () => {
    const { stdout } = test.run("next-action", gemini);
    assert.match(stdout, /^write it to \.consulta\/drafts\/talk\+gemini-1\.json/m);
  });

  it("leave nothing of ours there: git removes the worktrees, and the session goes on", () => {
    for (const { folder } of [fix, test]) {
      assert.deepEqual(readdirSync(folder).sort(), [".git", "api"]);
      git(main.folder, "worktree", "remove", folder);
    }
    assert.match(main.run("status", []).stdout, /^talk: dialogue/m);
  });
});

const gemini = ["--participant", "gemini"];
