import assert from "node:assert/strict";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { contentOf } from "../../../scripts-src/findings/rules/finding-content.ts";
import {
  findingMarks,
  type Posting,
  sharedFiles,
  sharedLines,
} from "../../../scripts-src/findings/rules/finding-marks.ts";
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

/** A finding and the files that it lists: keys are the shown names in lower case. */
function finding(name: string, modified: string, investigated = ""): [string, Posting] {
  const files = (text: string) => {
    const names = text.split(" ").filter(Boolean);
    return names.map((shown) => ({ key: shown.toLowerCase(), shown }));
  };
  return posting(name, { modified: files(modified), investigated: files(investigated) });
}

function citing(name: string, from: number, to: number, key = "k"): [string, Posting] {
  return posting(name, { about: [{ key, shown: `a:${from}`, from, to }] });
}

function posting(name: string, given: object): [string, Posting] {
  const lists = { faults: [], roots: [], citations: [], missing: [], about: [], dirty: [] };
  const files = { modified: [], investigated: [], confirms: [], supersedes: [] };
  const content = contentOf({
    content: { sha256: "", title: "", said: "", ...lists, ...files, ...given },
  });
  assert(content !== undefined);
  return [name, { seq: 1, at: "", content }];
}

const shared: [name: string, findings: [string, Posting][], ...lines: string[]][] = [
  ["no findings", []],
  ["one finding", [finding("a/1", "x y", "z")]],
  ["findings about different files", [finding("a/1", "x"), finding("b/1", "y", "z")]],
  ["files that all only looked at", [finding("a/1", "", "x"), finding("b/1", "", "x")]],
  ["findings of one agent", [finding("a/1", "x"), finding("a/2", "x", "x")]],
  [
    "two that modified one file",
    [finding("a/1", "SRC"), finding("b/1", "src")],
    "SRC: modified by a/1 and b/1",
  ],
  [
    "one that modified what another looked at",
    [finding("a/1", "", "x"), finding("b/1", "x")],
    "x: modified by b/1, investigated by a/1",
  ],
  [
    "an agent whose name begins like another's",
    [finding("a/1", "x"), finding("a-b/1", "x")],
    "x: modified by a/1 and a-b/1",
  ],
  [
    "an agent that looked at its own change, which concerns nobody",
    [finding("a/1", "x x", "x"), finding("a/2", "", "x"), finding("b/1", "", "x")],
    "x: modified by a/1, investigated by b/1",
  ],
  [
    "an agent that looked at what it and another changed",
    [finding("a/1", "x"), finding("a/2", "", "x"), finding("b/1", "x")],
    "x: modified by a/1 and b/1, investigated by a/2",
  ],
  [
    "conflicts before changes that others looked at, each in order of mention",
    [finding("a/1", "v x z"), finding("b/1", "z x", "v"), finding("c/1", "", "z")],
    "x: modified by a/1 and b/1",
    "z: modified by a/1 and b/1, investigated by c/1",
    "v: modified by a/1, investigated by b/1",
  ],
];

describe("files that several reports are about", () => {
  for (const [name, findings, ...lines] of shared) {
    it(`are told for ${name}`, () => assert.deepEqual(sharedFiles(new Map(findings)), lines));
  }
});

describe("lines that several reports are about", () => {
  const told = (...findings: [string, Posting][]) => sharedLines(new Map(findings));

  it("are those that findings of different agents have in common", () => {
    assert.deepEqual(told(citing("a/1", 1, 3), citing("b/1", 3, 4)), ["a:1: cited by a/1 and b/1"]);
    assert.deepEqual(told(citing("a/1", 1, 3), citing("b/1", 4, 4)), []);
    assert.deepEqual(told(citing("a/1", 1, 3), citing("a/2", 1, 3)), []);
    assert.deepEqual(told(citing("a/1", 1, 3), citing("b/1", 1, 3, "other")), []);
  });
});

describe("a confirmation that cites other files", () => {
  it("is told to the readers of what it confirms", () => {
    const other = posting("b/1", {
      about: [{ key: "o", shown: "o:1", from: 1, to: 1 }],
      confirms: ["a/1"],
    });
    const marks = findingMarks(new Map([citing("a/1", 1, 3), other]));
    assert.deepEqual(marks.get("a/1"), [
      "confirmed by a look at other files: b/1 cites none of its",
    ]);
  });
});
