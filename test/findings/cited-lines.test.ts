import assert from "node:assert/strict";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { isRecord } from "../../scripts-src/base/json.ts";
import { sha256 } from "../../scripts-src/files/hash.ts";
import { contentOf } from "../../scripts-src/findings/rules/finding-content.ts";
import { type Board, boardOf, reportText } from "./board.ts";
import { OriginalAgent } from "./original-agent.ts";
import { marksOf } from "./pool-print.ts";
import { reportOn, source, worktree, write } from "./worktree.ts";

const posix = { skip: process.platform === "win32" && "Windows has no such links and scripts" };
const open = () => boardOf(2, "alice", "bob");

/** A board and a folder of one project: those who read there may look at its files. */
function shared(): [at: Board, dir: string] {
  const at = open();
  return [at, worktree("pika", { within: at.project.folder })];
}

/** What `read-all` says of a finding besides when it was recorded and the lines that it cites. */
function factsOf(at: Board, file: string, agent = "alice"): string[] {
  return marksOf(at.readAll("reader"), agent, file)
    .slice(1)
    .filter((line) => !line.startsWith("cited: "));
}

/** The lines that `post` has read of what each report cites. */
function readOf(at: Board): unknown[] {
  return at
    .eventsOf("posted")
    .map((event) => contentOf(event)?.cited.filter(({ sha256 }) => sha256 !== undefined));
}

describe("a finding whose cited lines", () => {
  const told: [what: string, change: (file: string) => void, facts: string[]][] = [
    ["are as they were is not marked", () => undefined, []],
    [
      "are as they were, with others changed below, is not marked",
      (file) => write(file, ...source.slice(0, 5), "SIX"),
      [],
    ],
    [
      "have changed is stale",
      (file) => write(file, "one", "TWO", ...source.slice(2)),
      ['stale: src/a.rs:2 has changed since; it said "two"'],
    ],
    [
      "have changed within a range is stale",
      (file) => write(file, ...source.slice(0, 4), "FIVE"),
      ['stale: src/a.rs:4-5 has changed since; it said "four"'],
    ],
    [
      "have moved is told where they are",
      (file) => write(file, "new", "new", ...source),
      [
        'moved: src/a.rs:2 is at line 4 now; it said "two"',
        'moved: src/a.rs:4-5 is at line 6 now; it said "four"',
      ],
    ],
    [
      "stand at two places now is stale: nobody knows which is meant",
      (file) => write(file, "new", "new", "two", "two", "four", "five"),
      [
        'stale: src/a.rs:2 has changed since; it said "two"',
        'moved: src/a.rs:4-5 is at line 5 now; it said "four"',
      ],
    ],
    [
      "are cut off is stale",
      (file) => write(file, "one", "two"),
      ['stale: src/a.rs:4-5 has changed since; it said "four"'],
    ],
    [
      "were in a file that is gone tells so",
      (file) => rmSync(file),
      ['gone: src/a.rs:2; it said "two"', 'gone: src/a.rs:4-5; it said "four"'],
    ],
    [
      "are in a file that is no text any more is stale",
      (file) => writeFileSync(file, Buffer.from([0xff, 0xfe])),
      [
        'stale: src/a.rs:2 can no longer be read; it said "two"',
        'stale: src/a.rs:4-5 can no longer be read; it said "four"',
      ],
    ],
  ];
  for (const [what, change, facts] of told) {
    it(what, () => {
      const [at, dir] = shared();
      at.post(
        "alice",
        "cause",
        reportOn([dir], "See `src/a.rs:2` and src/a.rs:4-5.", ["src/a.rs"]),
      );
      change(join(dir, "src/a.rs"));
      assert.deepEqual(factsOf(at, "01-cause.md"), facts);
      assert.deepEqual(at.pool("bob").findings[0]?.["stale"], facts);
    });
  }

  it("have changed is fresh again when its author has written it anew", () => {
    const [at, dir] = shared();
    const path = at.post("alice", "cause", reportOn([dir], "See `src/a.rs:2`."));
    write(join(dir, "src/a.rs"), "one", "TWO");
    assert.equal(factsOf(at, "01-cause.md").length, 1);
    at.write(path, reportOn([dir], "It is `src/a.rs:2` now."));
    assert.deepEqual(factsOf(at, "01-cause.md"), []);
  });

  it("end otherwise, with the line ends of Windows, are not taken for changed", () => {
    const [at, dir] = shared();
    at.post("alice", "cause", reportOn([dir], "See `src/a.rs:2`."));
    writeFileSync(join(dir, "src/a.rs"), source.join("\r\n"));
    assert.deepEqual(factsOf(at, "01-cause.md"), []);
  });
});

describe("the lines that a report cites", () => {
  it("are kept without a file of credentials, and without the credentials of another", () => {
    const [at, dir] = shared();
    write(join(dir, ".env"), "TOKEN=hunter2hunter2");
    write(join(dir, "c.ts"), `const key = "ghp_${"a1B2".repeat(9)}";`);
    at.post("alice", "cause", reportOn([dir], "See ./.env:1 and ./c.ts:1."));
    const log = at.read("events.jsonl");
    assert.doesNotMatch(log, /hunter2|ghp_a1B2/);
    assert.match(log, /c\.ts:1/);
  });
});

describe("where a report's lines are looked for", () => {
  it("not outside of its working directories, whatever it cites", () => {
    const [at, dir] = shared();
    const outside = join(dirname(dir), "secret.txt");
    write(outside, "secret");
    const cited = ["../secret.txt:1", `${outside}:1`, "src/../../secret.txt:1"];
    const report = reportOn([dir], cited.map((it) => `\`${it}\``).join(" and "));
    const { code, stderr } = at.run("post", ["alice", "cause", "--file", "-"], report);
    assert.equal(code, 0);
    for (const it of cited) assert(stderr.includes(`not watched, `) && stderr.includes(it), stderr);
    rmSync(outside);
    const never = (it: string) => `never found: ${it}, no such line below its directories`;
    assert.deepEqual(factsOf(at, "01-cause.md"), cited.map(never));
    assert.deepEqual(readOf(at), [[]]);
  });

  it("not through links that lead out of them", posix, () => {
    const [at, dir] = shared();
    const outside = join(dirname(dir), "outside");
    write(join(outside, "secret.txt"), "secret");
    symlinkSync(outside, join(dir, "src/folder"));
    symlinkSync(join(outside, "secret.txt"), join(dir, "src/file.txt"));
    at.post("alice", "cause", reportOn([dir], "See `src/folder/secret.txt:1`, `src/file.txt:1`."));
    assert.deepEqual(readOf(at), [[]]);
    const never = "no such line below its directories";
    assert.deepEqual(factsOf(at, "01-cause.md"), [
      `never found: src/folder/secret.txt:1, ${never}`,
      `never found: src/file.txt:1, ${never}`,
    ]);
  });

  it("in the working directory that the repository before the path names", () => {
    const at = open();
    const within = at.project.folder;
    const [pika, bot] = [worktree("pika", { within }), worktree("bot", { within })];
    const text = reportText({
      directories: [pika, bot],
      investigated: ["pika: src/a.rs", "bot: src/a.rs"],
      summary: "See `pika: src/a.rs:2` and `bot: src/a.rs:3`.",
    });
    at.post("alice", "cause", text);
    write(join(bot, "src/a.rs"), "one", "two", "THREE");
    assert.deepEqual(factsOf(at, "01-cause.md"), [
      'stale: bot: src/a.rs:3 has changed since; it said "three"',
    ]);
    write(join(pika, "src/a.rs"), "one", "TWO");
    assert.deepEqual(factsOf(at, "01-cause.md"), [
      'stale: pika: src/a.rs:2 has changed since; it said "two"',
      'stale: bot: src/a.rs:3 has changed since; it said "three"',
    ]);
  });

  it("from where the author ran the script, when the directory is relative", () => {
    const at = open();
    write(join(at.project.folder, "work/src/a.rs"), ...source);
    at.post("alice", "cause", reportOn(["work"], "See `src/a.rs:2`."));
    write(join(at.project.folder, "work/src/a.rs"), "one", "TWO");
    assert.deepEqual(factsOf(at, "01-cause.md"), [
      'stale: src/a.rs:2 has changed since; it said "two"',
    ]);
  });

  it("for reports written by hand too, from when their author is ready", () => {
    const [at, dir] = shared();
    const theirs = new OriginalAgent(at.folder, "theirs");
    theirs.register();
    theirs.post("cause", reportOn([dir], "See `src/a.rs:2`."));
    assert.deepEqual(factsOf(at, "01-cause.md", "theirs"), []);
    at.poll("alice");
    at.done("ready", ["theirs"]);
    at.done("ready", ["theirs"]);
    assert.equal(at.eventsOf("posted").length, 2, "a reader's, and its author's");
    write(join(dir, "src/a.rs"), "one", "TWO");
    const stale = ['stale: src/a.rs:2 has changed since; it said "two"'];
    assert.deepEqual(factsOf(at, "01-cause.md", "theirs"), stale);
  });
});

describe("a report whose cited lines were never there", () => {
  const never = ["never found: src/a.rs:99, no such line below its directories"];

  it("is marked for every reader, by read-all, in JSON and in the report", () => {
    const [at, dir] = shared();
    at.post("alice", "cause", reportOn([dir], "See `src/a.rs:99` and `src/a.rs:2`."));
    for (const reader of ["bob", "cy"]) {
      const marks = marksOf(at.readAll(reader), "alice", "01-cause.md").slice(1);
      assert.deepEqual(marks, ['cited: src/a.rs:2 "two"', ...never], reader);
    }
    assert.deepEqual(at.pool("bob").findings[0]?.missing, ["src/a.rs:99"]);
    const { stdout } = at.project.run("report", ["--folder", at.folder]);
    assert.match(stdout, /01-cause\.md.*\(never found: src\/a\.rs:99\)$/m);
    assert.match(stdout, /^ {2}- cites src\/a\.rs:2: "two"$/m);
    // It comes later, and nobody has looked at it then.
    write(join(dir, "src/a.rs"), ...Array.from({ length: 120 }, () => "x"));
    assert.equal(factsOf(at, "01-cause.md").at(-1), never[0]);
  });
});

describe("what a report names that others wrote", () => {
  const readers: [script: string, words: string[]][] = [
    ["poll", ["reader"]],
    ["report", []],
  ];
  for (const [script, words] of readers) {
    it(`is not recorded by whoever runs ${script}, in its project or elsewhere`, () => {
      const [at, dir] = shared();
      const elsewhere = worktree("private");
      const theirs = new OriginalAgent(at.folder, "theirs");
      theirs.register();
      for (const it of [dir, elsewhere, "~"]) {
        const listed = it === "~" ? ".profile" : "src/b.rs";
        theirs.post("cause", reportOn([it], "See `src/a.rs:2`.", [listed]));
      }
      const named = script === "report" ? ["--folder", at.folder] : [at.name, ...words];
      assert.equal(at.project.run(script, named).code, script === "poll" ? 1 : 0);
      const posted = at.eventsOf("posted");
      assert.equal(posted.length, 3);
      for (const { content } of posted) {
        assert(isRecord(content));
        assert.deepEqual(content["roots"], []);
      }
      assert.deepEqual(readOf(at), [[], [], []]);
      const log = at.read("events.jsonl");
      assert(!log.includes(sha256("two")) && !log.includes(elsewhere), log);
    });
  }

  it("is not opened outside of the reader's project, whoever recorded it: read-all says so", () => {
    const [at, dir] = [open(), worktree()];
    at.post("alice", "cause", reportOn([dir], "See `src/a.rs:2`."));
    write(join(dir, "src/a.rs"), "one", "TWO");
    const facts = ["not compared: src/a.rs:2, it lies outside of your project"];
    assert.deepEqual(factsOf(at, "01-cause.md"), facts);
    rmSync(join(dir, "src/a.rs"));
    assert.deepEqual(factsOf(at, "01-cause.md"), facts);
  });

  it("is not opened through a link in the project", posix, () => {
    const [at, dir] = shared();
    at.post("alice", "cause", reportOn([dir], "See `src/a.rs:2`."));
    rmSync(join(dir, "src"), { recursive: true });
    symlinkSync(join(worktree(), "src"), join(dir, "src"));
    const facts = ["not compared: src/a.rs:2, it lies outside of your project"];
    assert.deepEqual(factsOf(at, "01-cause.md"), facts);
  });
});
