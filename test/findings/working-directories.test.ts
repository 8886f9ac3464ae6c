import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { isRecord } from "../../scripts-src/base/json.ts";
import { scriptPath } from "../dialogue/project.ts";
import { type Board, boardOf, reportText } from "./board.ts";
import { marksOf } from "./pool-print.ts";
import { git, reportOn, worktree, write } from "./worktree.ts";

const _posix = { skip: process.platform === "win32" && "Windows has no such links and scripts" };
const open = () => boardOf(2, "alice", "bob");

/** A board and a folder of one project: those who read there may look at its files. */
function _shared(): [at: Board, dir: string] {
  const at = open();
  return [at, worktree("pika", { within: at.project.folder })];
}

describe("a finding that is posted in a repository", () => {
  it("tells the commit that was checked out", () => {
    const [at, dir] = [open(), worktree()];
    at.post("alice", "cause", reportOn([dir], "See."));
    const commit = git(dir, "rev-parse", "HEAD");
    const told = new RegExp(`^seq \\d+, [\\d.]+ s ago, ${dir} at ${commit.slice(0, 10)}$`);
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
    assert.match(when, /^seq \d+, [\d.]+ s ago$/);
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
});

describe("git", () => {
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
