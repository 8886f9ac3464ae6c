import assert from "node:assert/strict";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { contentOf } from "../../../scripts-src/findings/rules/finding-content.ts";
import { findingMarks, sharedLines } from "../../../scripts-src/findings/rules/finding-warnings.ts";
import { boardOf, reportText } from "../board.ts";
import { marksOf, poolPrint } from "../pool-print.ts";
import { git, reportOn, worktree, write } from "../worktree.ts";

const open = () => {
  const at = boardOf(3, "alice", "bob");
  return [at, worktree("pika", { within: at.project.folder })] as const;
};

describe("what a script knows of a finding", () => {
  it("is the line that it cites, as it was, beside what became of it", () => {
    const [at, dir] = open();
    at.post("alice", "cause", reportOn([dir], "The cause is src/a.rs:2 alone."));
    const read = () => marksOf(at.readAll("reader"), "alice", "01-cause.md");
    assert(read().includes('cited: src/a.rs:2 "two"'));
    write(join(dir, "src/a.rs"), "one", "TWO");
    assert(read().includes('stale: src/a.rs:2 has changed since; it said "two"'));
    const { stdout } = at.project.run("report", ["--folder", at.name]);
    assert.match(stdout, /^ {2}- cites src\/a\.rs:2: "two"$/m);
  });

  it("keeps no line of a file that holds credentials, and no credential of another", () => {
    const [at, dir] = open();
    write(join(dir, ".env"), "TOKEN=hunter2hunter2");
    write(join(dir, "c.ts"), `const key = "ghp_${"a1B2".repeat(9)}";`);
    at.post("alice", "cause", reportOn([dir], "See ./.env:1 and ./c.ts:1."));
    const log = at.read("events.jsonl");
    assert.doesNotMatch(log, /hunter2/);
    assert.doesNotMatch(log, /ghp_a1B2/);
    assert.match(log, /c\.ts:1/);
  });

  it("is that it cites nothing, and that what confirms it cites nothing", () => {
    const [at, dir] = open();
    at.post("alice", "cause", reportOn([dir], "The cause is src/a.rs:2 alone."));
    at.post("bob", "same", reportText({ summary: "I agree.", rest: "Confirms: alice/01" }));
    const shown = at.readAll("reader");
    assert(marksOf(shown, "bob", "01-same.md").includes("cites nothing"));
    const told = "confirmed without a citation: by bob/01-same.md";
    assert(marksOf(shown, "alice", "01-cause.md").includes(told));
    assert(at.project.run("report", ["--folder", at.name]).stdout.includes(`  - ${told}\n`));
  });

  it("is not that about a confirmation that cites a line", () => {
    const [at, dir] = open();
    at.post("alice", "cause", reportOn([dir], "The cause is src/a.rs:2 alone."));
    const report = reportOn([dir], "Seen in src/b.rs:1 too.").concat("\nConfirms: alice/01\n");
    at.post("bob", "same", report);
    assert.doesNotMatch(at.readAll("reader"), /without a citation|one line:/);
  });

  it("is that two say the same, whatever the case, and that two are about one line", () => {
    const [at, dir] = open();
    at.post("alice", "cause", reportOn([dir], "The cause is src/a.rs:2-4 alone."));
    at.post("bob", "other", reportOn([dir], "THE cause is  src/a.rs:2-4 alone."));
    const shown = at.readAll("reader");
    const told = "duplicate: says what alice/01-cause.md says";
    assert(marksOf(shown, "bob", "01-other.md").includes(told));
    const one = "one line: src/a.rs:2-4: cited by alice/01-cause.md and bob/01-other.md";
    assert(poolPrint(shown).front.includes(one), shown);
    const { stdout } = at.project.run("report", ["--folder", at.name]);
    assert.match(stdout, /## Reports about the same line\n\n- src\/a\.rs:2-4: cited by alice/);
  });

  it("is that an agent is ready with nothing posted", () => {
    const [at, dir] = open();
    at.post("alice", "cause", reportOn([dir], "The cause is src/a.rs:2 alone."));
    at.ready("bob");
    assert.match(
      at.readAll("reader"),
      /^nothing to show from: bob \(ready with nothing posted\)$/m,
    );
    const { stdout } = at.project.run("report", ["--folder", at.name]);
    assert.match(stdout, /## bob\n\n- ready with nothing posted/);
  });
});

describe("a report that lists no modified file", () => {
  it("is marked where git shows changes, by their names", () => {
    const [at, dir] = open();
    write(join(dir, "src/b.rs"), "changed");
    at.post("alice", "cause", reportOn([dir], "The cause is src/a.rs:2 alone."));
    const told = '"Files Modified" names none, git shows changes in "src/b.rs"';
    assert(marksOf(at.readAll("reader"), "alice", "01-cause.md").includes(told));
  });

  it("is not marked where git shows none", () => {
    const [at, dir] = open();
    at.post("alice", "cause", reportOn([dir], "The cause is src/a.rs:2 alone."));
    assert.doesNotMatch(at.readAll("reader"), /git shows/);
  });

  it("lets no setting of the repository run anything", {
    skip: process.platform === "win32",
  }, () => {
    const [at, dir] = open();
    const ran = join(at.project.folder, "ran");
    const script = join(dir, "evil.sh");
    writeFileSync(script, `#!/bin/sh\ntouch '${ran}'\n`);
    chmodSync(script, 0o755);
    for (const key of ["core.fsmonitor", "core.sshCommand", "diff.external", "filter.x.clean"]) {
      git(dir, "config", key, script);
    }
    write(join(dir, ".gitattributes"), "* filter=x");
    write(join(dir, "src/b.rs"), "changed");
    at.post("alice", "cause", reportOn([dir], "The cause is src/a.rs:2 alone."));
    assert.equal(existsSync(ran), false);
  });
});

describe("marks", () => {
  it("of lines are about those that findings of different agents have in common", () => {
    const about = (from: number, to: number, key = "k") => [{ key, shown: `a:${from}`, from, to }];
    const told = (...places: [string, ReturnType<typeof about>][]) =>
      sharedLines(new Map(places.map(([name, it]) => [name, { content: content({ about: it }) }])));
    assert.deepEqual(told(["a/1", about(1, 3)], ["b/1", about(3, 4)]), [
      "a:1: cited by a/1 and b/1",
    ]);
    assert.deepEqual(told(["a/1", about(1, 3)], ["b/1", about(4, 4)]), []);
    assert.deepEqual(told(["a/1", about(1, 3)], ["a/2", about(1, 3)]), []);
    assert.deepEqual(told(["a/1", about(1, 3)], ["b/1", about(1, 3, "other")]), []);
  });

  it("are none where the log is older than what they rest on", () => {
    const older = { content: content({ confirms: ["b/1"] }) };
    assert.equal(findingMarks(new Map([["a/1", older]])).size, 0);
  });
});

function content(given: object) {
  const none = { faults: [], roots: [], citations: [], modified: [], investigated: [] };
  const whole = { sha256: "", title: "", ...none, confirms: [], supersedes: [], ...given };
  const read = contentOf({ content: whole });
  assert(read !== undefined);
  return read;
}
