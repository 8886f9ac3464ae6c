import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { isRecord } from "../../scripts-src/base/json.ts";
import { scriptPath } from "../dialogue/project.ts";
import { type Board, boardOf, reportText } from "./board.ts";
import { marksOf } from "./pool-print.ts";
import { git, reportOn, scratch, worktree, write } from "./worktree.ts";

const posix = { skip: process.platform === "win32" && "Windows has no such links and scripts" };
const open = () => boardOf(2, "alice", "bob");

/** A board and a folder of one project: those who read there may look at its files. */
function shared(): [at: Board, dir: string] {
  const at = open();
  return [at, worktree("pika", { within: at.project.folder })];
}

describe("a finding that is posted in a repository", () => {
  it("tells the commit that was checked out", () => {
    const [at, dir] = [open(), worktree()];
    at.post("alice", "cause", reportOn([dir], "See."));
    const commit = git(dir, "rev-parse", "HEAD");
    const told = new RegExp(`^seq \\d+, 0 min ago, ${dir} at ${commit.slice(0, 10)}$`);
    assert.match(marksOf(at.readAll("bob"), "alice", "01-cause.md")[0] ?? "", told);
    const [finding] = at.pool("bob").findings;
    assert.match(JSON.stringify(finding?.["commits"]), new RegExp(commit));
  });

  it("tells none before the first commit, and none outside of a repository", () => {
    const at = open();
    const bare = { commits: false, within: at.project.folder };
    const [empty, plain] = [worktree("a", bare), worktree("b", bare)];
    git(empty, "init", "-q");
    for (const [dir, where] of [
      [empty, "There"],
      [plain, "Here"],
    ] as const) {
      at.post("alice", "cause", reportOn([dir], `${where}: see \`src/a.rs:2\`.`));
    }
    write(join(plain, "src/a.rs"), "one", "TWO");
    const [when = "", ...facts] = marksOf(at.readAll("bob"), "alice", "02-cause.md");
    assert.match(when, /^seq \d+, 0 min ago$/);
    assert.deepEqual(facts, [
      'cited: src/a.rs:2 "two"',
      'stale: src/a.rs:2 has changed since; it said "two"',
    ]);
    assert.doesNotMatch(at.readAll("bob"), / at [0-9a-f]{7}/);
  });
});

describe("two reports on one file", () => {
  const modified = (dir: string, path: string) =>
    reportText({ directories: [dir], modified: [path] });

  it("conflict when they come from two worktrees of one repository", () => {
    const [at, dir] = [open(), worktree()];
    const second = join(dirname(dir), "other-tree");
    git(dir, "worktree", "add", "-q", second);
    at.post("alice", "mine", modified(dir, "src/a.rs"));
    at.post("bob", "mine", modified(second, "src/a.rs"));
    const expected = ["src/a.rs: modified by alice/01-mine.md and bob/01-mine.md"];
    assert.deepEqual(at.pool("reader").conflicts, expected);
  });

  it("conflict when one worked in a folder below the other's", () => {
    const [at, dir] = [open(), worktree()];
    at.post("alice", "mine", modified(dir, "src/a.rs"));
    at.post("bob", "mine", modified(join(dir, "src"), "a.rs"));
    assert.equal(at.pool("reader").conflicts.length, 1);
  });

  it("do not when the paths are alike in two repositories", () => {
    const at = open();
    at.post("alice", "mine", modified(worktree("x"), "src/a.rs"));
    at.post("bob", "mine", modified(worktree("x"), "src/a.rs"));
    assert.deepEqual(at.pool("reader").conflicts, []);
  });

  it("tell who only looked at what another has changed", () => {
    const [at, dir] = [open(), worktree()];
    at.post("alice", "mine", modified(dir, "src/a.rs"));
    at.post("bob", "look", reportOn([dir], "I saw it.", ["src/a.rs"]));
    const expected = ["src/a.rs: modified by alice/01-mine.md, investigated by bob/01-look.md"];
    assert.deepEqual(at.pool("reader").conflicts, expected);
  });
});

describe("git", () => {
  it("need not be there", posix, () => {
    const [at, dir] = shared();
    const env = { PATH: join(scratch, "no-such-folder"), HOME: scratch };
    const options = { cwd: at.project.folder, env, encoding: "utf8" } as const;
    const run = (script: string, ...words: string[]) =>
      spawnSync(process.execPath, [scriptPath(script), "board", ...words], options);
    const path = at.put("r.md", reportOn([dir], "See `src/a.rs:2`.", ["src/a.rs"]));
    const posted = run("post", "alice", "cause", "--file", path);
    assert.deepEqual([posted.status, posted.stdout], [0, "board/findings/alice/01-cause.md\n"]);
    assert.equal(run("ready", "alice", "--strict").status, 0);
    write(join(dir, "src/a.rs"), "one", "TWO");
    const { status, stdout } = run("read-all", "bob");
    assert.equal(status, 0);
    const [when = "", ...facts] = marksOf(stdout, "alice", "01-cause.md");
    assert.match(when, /pika at [0-9a-f]{10}$/);
    assert.deepEqual(facts, [
      'cited: src/a.rs:2 "two"',
      'stale: src/a.rs:2 has changed since; it said "two"',
    ]);
  });

  it("runs nothing that a repository's own config names", posix, () => {
    const [at, dir] = shared();
    const marker = join(dirname(dir), "executed");
    const trap = join(dirname(dir), "trap.sh");
    writeFileSync(trap, `#!/bin/sh\necho "$0" >> '${marker}'\n`);
    chmodSync(trap, 0o755);
    write(join(dir, ".gitattributes"), "*.rs filter=evil diff=evil");
    const keys = ["filter.evil.clean", "filter.evil.smudge", "filter.evil.process"];
    const others = ["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand"];
    const more = ["diff.evil.command", "diff.evil.textconv", "diff.external", "alias.rev-parse"];
    for (const key of [...keys, ...others, ...more]) {
      const value = key.startsWith("alias") ? `!${trap}` : trap;
      git(dir, "config", key, value);
    }
    for (const hook of ["post-index-change", "reference-transaction", "post-checkout"]) {
      writeFileSync(join(dir, ".git/hooks", hook), readFileSync(trap));
      chmodSync(join(dir, ".git/hooks", hook), 0o755);
    }
    at.post("alice", "cause", reportOn([dir], "See `src/a.rs:2`.", ["src/a.rs"]));
    at.done("ready", ["alice", "--strict"]);
    write(join(dir, "src/a.rs"), "one", "TWO");
    const [when = "", ...facts] = marksOf(at.readAll("bob"), "alice", "01-cause.md");
    assert.match(when, /pika at [0-9a-f]{10}$/);
    assert.deepEqual(facts, [
      'cited: src/a.rs:2 "two"',
      'stale: src/a.rs:2 has changed since; it said "two"',
    ]);
    assert(!existsSync(marker), "the repository's config ran a program");
    // The trap is real: a command that looks at the files springs it.
    spawnSync("git", ["-C", dir, "status"]);
    assert(existsSync(marker));
  });

  it("is asked about the report's directory, whatever repository the caller works in", () => {
    const [at, dir, other] = [open(), worktree(), worktree("other")];
    write(join(other, "more"), "x");
    git(other, "add", ".");
    git(other, "commit", "-qm", "second");
    const env = { ...process.env, GIT_DIR: join(other, ".git"), GIT_WORK_TREE: other };
    const words = [scriptPath("post"), "board", "alice", "cause", "--file", "-"];
    const input = reportOn([dir], "See.");
    const options = { cwd: at.project.folder, env, input, encoding: "utf8" } as const;
    const { status, stderr } = spawnSync(process.execPath, words, options);
    assert.equal(status, 0, stderr);
    const [posted] = at.eventsOf("posted");
    const content = posted?.["content"];
    assert(isRecord(content));
    assert.match(JSON.stringify(content["roots"]), new RegExp(git(dir, "rev-parse", "HEAD")));
  });
});
