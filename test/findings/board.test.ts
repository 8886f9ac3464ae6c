import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { draft, Project } from "../dialogue/project.ts";
import { printedDraft } from "../skill/skill-text.ts";
import { Board, boardOf } from "./board.ts";

describe("next-action on a board", () => {
  /** The first command that it prints; the draft that it wants is written, with all `<...>` filled in. */
  function commandIn(told: string, folder: string): string {
    const [first = ""] = told.split(/\n(?=or else)/);
    const printed = printedDraft(first);
    if (printed === undefined) return /^next: .*\n(.*)$/m.exec(first)?.[1] ?? "";
    writeFileSync(join(folder, printed.file), printed.draft.replace(/<[^<>]+>/g, "So"));
    return printed.line;
  }

  it("leads from registration to reading, by commands that run as they stand", () => {
    const at = new Board("my board").init(1);
    const args = ["--folder", "my board", "--participant", "alice"];
    const scripts: string[] = [];
    for (let steps = 0; steps < 5; steps += 1) {
      const ran = at.project.run("next-action", args);
      assert.equal(ran.code, 0, ran.stderr);
      const command = commandIn(ran.stdout, at.project.folder).replace(/<[^<>]+>/, "cause");
      const [, script = ""] = /([a-z-]+)\.cjs/.exec(command) ?? [];
      scripts.push(script);
      const shell = spawnSync("sh", ["-c", command], { cwd: at.project.folder, encoding: "utf8" });
      assert.equal(shell.status, 0, `${command}\n${shell.stderr}`);
    }
    assert.deepEqual(scripts, ["register", "post", "ready", "read-all", "read-all"]);
  });

  it("tells who is waited for, and until when", () => {
    const at = boardOf(3, "alice", "bob").ready("alice");
    const args = ["--folder", "board", "--participant", "alice"];
    const { stdout } = at.project.run("next-action", args);
    assert.match(stdout, /^waiting for: bob, 1 who have not registered$/m);
    assert.match(stdout, /^deadline: \d{4}-/m);
    assert.match(stdout, /poll\.cjs board alice --wait --timeout 240/);
  });
});

describe("validate on a board", () => {
  it("passes one that is sound, and names what is not", () => {
    const at = boardOf(2, "alice");
    const path = at.post("alice", "cause");
    const sound = at.project.run("validate", ["--folder", "board"]);
    assert.deepEqual([sound.code, sound.stdout], [0, "board validation passed\n"]);
    rmSync(at.path(path));
    const { code, stdout } = at.project.run("validate", ["--folder", "board"]);
    assert.equal(code, 1);
    assert.match(stdout, /^WARNING: findings\/alice\/01-cause\.md is gone$/m);
  });
});

describe("the draft of a report", () => {
  const at = new Board("lost rows").init(1);
  const told = at.run("register", ["alice"]).stderr;
  const args = ["--folder", "lost rows", "--participant", "alice"];

  it("has one path, whoever prints the line", () => {
    const next = at.project.run("next-action", args).stdout;
    const [, file] = /--file (\.consulta\/drafts\/\S+\+alice-1\.md)$/m.exec(told) ?? [];
    assert(file !== undefined && next.includes(file), `${told}\n${next}`);
    at.post("alice", "one");
    const again = at.project.run("next-action", args).stdout;
    assert(again.includes(file.replace("-1.md", "-2.md")), again);
  });

  it("is not posted with its blanks", () => {
    const at = boardOf(1, "alice");
    const args = ["--folder", "board", "--participant", "alice"];
    const file = printedDraft(at.project.run("next-action", args).stdout)?.draft ?? "";
    const ran = at.run("post", ["alice", "half", "--file", "-"], file);
    assert.deepEqual([ran.code, ran.stdout], [2, ""]);
    assert.match(ran.stderr, /# Title is still "<.*>": write the finding in one sentence/);
    assert.match(ran.stderr, /"## Summary" is not filled in: write what you found/);
    const filled = file.replace(/<[^<>]+>/g, "It is slow.");
    assert.equal(at.run("post", ["alice", "whole", "--file", "-"], filled).code, 0);
  });
});

describe("git", () => {
  it("sees nothing of what is drafted and noted for a board that lies elsewhere", () => {
    const [{ project }, elsewhere] = [new Board(), new Board()];
    const git = (...words: string[]) =>
      spawnSync("git", ["-C", project.folder, ...words], { encoding: "utf8" }).stdout;
    git("init", "-q");
    const board = elsewhere.init(2).folder;
    // A workspace whose .gitignore somebody removed.
    mkdirSync(project.path("sessions"), { recursive: true });
    project.run("register", [board, "alice"]);
    const drafted = project.run("next-action", ["--folder", board, "--participant", "alice"]);
    assert.equal(drafted.code, 0, drafted.stderr);
    project.run("register", [board, "bob"]);
    assert.deepEqual(readdirSync(project.path()).sort(), ["boards", "drafts", "sessions"]);
    assert(project.run("status", []).stdout.includes(`${board}: findings`));
    assert.equal(git("status", "--porcelain", "-uall"), "");
  });
});

describe("boards in a project with a workspace", () => {
  const at = new Board(".consulta/sessions/pool")
    .init(2, "--about", "the login")
    .register("claude");
  const { project } = at;
  project.open("auth");
  const outside = new Board("elsewhere", new Project()).init(2);
  const path = outside.folder;
  assert.equal(project.run("register", [path, "claude"]).code, 0);

  it("are listed by status, those elsewhere by their folder, until they are gone", () => {
    const { stdout } = project.run("status", []);
    assert.match(stdout, /^pool: findings, gathering, not ready: claude; .*; "the login"$/m);
    assert(stdout.includes(`${path}: findings, gathering, not ready: claude; `), stdout);
    assert.match(stdout, /^auth: dialogue, /m);
    const other = new Board("b", project).init(1);
    assert.match(project.run("status", []).stdout, /\/b: findings, /);
    rmSync(other.folder, { recursive: true });
    assert.doesNotMatch(project.run("status", []).stdout, /\/b: findings, /);
  });

  it("do not take anybody's turn: wait-for-turn and next-action are about the dialogue", () => {
    const mine = project.run("wait-for-turn", ["--participant", "claude", "--timeout", "5"]);
    assert.match(mine.stdout, /^ready: claude has the turn in auth$/m);
    const theirs = project.run("wait-for-turn", ["--participant", "gemini", "--timeout", "1"]);
    assert.equal(theirs.code, 1);
    const next = project.run("next-action", ["--participant", "claude"]);
    assert.match(next.stdout, /^session auth: YOUR TURN\b/m, next.stderr);
  });

  it("do not count among the sessions that may be open at once", () => {
    for (const name of ["p1", "p2", "p3"]) {
      new Board(`.consulta/sessions/${name}`, project).init(2).register("x");
    }
    project.open("second");
    project.open("third");
    const words = ["--topic", "t", "--participant", "claude", "--participant", "gemini"];
    const { code, stderr } = project.run("init", words);
    assert.equal(code, 2);
    assert.match(stderr, /3 sessions are open .*: auth, second, third;/);
  });

  it("stay when dialogues come and go, and after all are ready", () => {
    const done = new Board(".consulta/sessions/done", project).init(1).register("x").ready("x");
    assert.match(project.run("status", []).stdout, /^done: findings, all_ready; 1 of 1 agents/m);
    project.send("auth", "claude", draft("REQUEST", "SQLite?"));
    assert(existsSync(join(done.folder, "events.jsonl")));
  });
});
