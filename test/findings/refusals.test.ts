import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkRefused, isOneLine } from "../dialogue/project.ts";
import { Board, reportText } from "./board.ts";
import { marksOf, printOf } from "./pool-print.ts";
import { allRefused, base, type Call, callsOn, good, posix, withoutBoard } from "./refusals.ts";

// Bad words on the command line, bad reports: one line, the right exit code, nothing lost.

describe("wrong usage is told with the original's code", () => {
  const calls: [script: string, code: number, words: string[][]][] = [
    ["init", 1, [["board"]]],
    ["register", 1, [[], ["board"], ["board", "a", "b"]]],
    ["post", 1, [[], ["board", "a"], ["board", "a", "t", "more"]]],
    ["ready", 1, [[], ["board"], ["board", "a", "--nonsense"]]],
    ["poll", 64, [[], ["board"], ["board", "a", "b"], ["board", "a", "--timeout", "3"]]],
    ["read-all", 1, [[], ["board"], ["board", "a", "--nonsense"]]],
  ];
  for (const [script, code, all] of calls) {
    it(`by ${script}: exit ${code}`, () => {
      for (const words of all) {
        const ran = base.project.run(script, words);
        assert.deepEqual([ran.code, ran.stdout], [code, ""], words.join(" "));
        assert.match(ran.stderr, /^error: \S/);
      }
    });
  }
});

describe("a directory that is", () => {
  const at = new Board();
  const { folder } = at.project;
  at.put("file", "x");
  at.put("other/notes.md", "x");
  at.put("half/meta.md", "- **expected_agents:** 2\n");
  mkdirSync(join(folder, "empty"));
  if (posix.skip === false) {
    symlinkSync("nowhere-at-all", join(folder, "dangling"));
    symlinkSync("loop", join(folder, "loop"));
  }
  // Young folders are given time: somebody may be making a board there.
  const then = Date.now() / 1_000 - 3_600;
  for (const name of ["empty", "other", "half", "."]) utimesSync(join(folder, name), then, then);
  const everyScript: Call[] = [["init", ["2"], 2], ...withoutBoard];
  const someScripts = everyScript.filter(([script]) => /init|register|poll/.test(script));
  for (const dir of ["empty", "other", "half", "file", "file/below", "dangling", "loop"]) {
    it(`something else (${dir}) is refused`, posix, async () => {
      await allRefused(at, /^error: \S/, callsOn(dir, dir === "file" ? everyScript : someScripts));
    });
  }

  it("missing is refused by every script but init, with the way out", async () => {
    const reason = /no board at nowhere: there is no such folder.*init\.cjs nowhere N/;
    await allRefused(at, reason, callsOn("nowhere", withoutBoard));
  });

  it("without a name, or too long for one, is refused", async () => {
    for (const dir of ["", "x".repeat(300), "x".repeat(5_000)])
      await allRefused(at, /^error: \S/, callsOn(dir, someScripts));
  });
});

describe("init refuses", () => {
  const rows: [what: string, words: string[], reason: RegExp][] = [
    ...["0", "abc", "65", "", " 3 ", "3.5", "2\n3", "\uff13"].map(
      (agents): [string, string[], RegExp] => [
        `${JSON.stringify(agents)} agents`,
        [agents],
        /^error: the number of agents is ".*expected a whole number from 1 to 64/,
      ],
    ),
    ...["-1", "xyz", "", "604801", "60s"].map((timeout): [string, string[], RegExp] => [
      `a timeout of ${JSON.stringify(timeout)}`,
      ["3", timeout],
      /^error: the timeout in seconds is ".*expected a whole number from 0 to 604800/,
    ]),
    ["what a board is about in several lines", ["3", "--about", "a\nb"], /^error: --about /],
    ["control characters in it", ["3", "--about", "a\u001b[31m"], /^error: --about /],
    ["more than fits into a line", ["3", "--about", "x".repeat(1_001)], /^error: --about /],
    ["options of other protocols", ["3", "--topic", "SQLite?"], /--topic does not belong to a bo/],
  ];
  for (const [what, words, reason] of rows) {
    it(what, async () => {
      const at = new Board();
      await checkRefused(at.project, 2, reason, () => at.run("init", words));
    });
  }
});

describe("on a board is refused", () => {
  const outsider = /"cy" is not registered.*alice, bob.*register/;
  const rows: [script: string, words: string[], code: number, reason: RegExp][] = [
    ["post", ["cy", "t"], 1, outsider],
    ["post", ["../x", "t"], 1, /"\.\.\/x" is not registered/],
    ["ready", ["cy"], 1, outsider],
    ...["Alice", "", "x\ny", "../x", "con"].map((name): [string, string[], number, RegExp] => [
      "register",
      [name],
      2,
      /cannot name an agent/,
    ]),
    ...["", "../../..", "a\nb", "\u001b[31mred"].flatMap(
      (topic): [string, string[], number, RegExp][] => [
        ["post", ["alice", topic], 2, /is no topic \(/],
        ["post", ["alice", topic, "--file", good], 2, /is no topic \(/],
      ],
    ),
    ["read-all", ["bob", "--since", "abc"], 2, /--since is "abc"/],
    ["read-all", ["bob", "--since", "-1"], 2, /--since is "-1"/],
    ["read-all", ["bob", "--limit", "much"], 2, /--limit is "much"/],
    ["read-all", ["bob", "--agent", "cy"], 2, /--agent is "cy"; on this board are alice, bob/],
    ["poll", ["bob", "--wait", "--timeout", "soon"], 64, /--timeout is "soon"/],
    ["poll", ["bob", "--timeout", "3"], 64, /--timeout needs --wait/],
    ["post", ["alice", "t", "--file", "nowhere.md"], 2, /cannot read nowhere\.md/],
    ["post", ["alice", "t", "--file", "."], 2, /cannot read \./],
  ];
  for (const [script, words, code, reason] of rows) {
    it(`${script} ${words.map((it) => JSON.stringify(it)).join(" ")}`, () =>
      checkRefused(base.project, code, reason, () => base.run(script, words)));
  }

  it("a name that is registered already, with another that may be free", () => {
    const before = base.project.listing();
    const { code, stdout, stderr } = base.run("register", ["alice"]);
    assert.deepEqual([code, stdout], [1, "Already registered: alice\n"]);
    assert.match(stderr, /^error: alice is registered already; .*alice-2\n$/);
    assert(isOneLine(stderr));
    assert.deepEqual(base.project.listing(), before);
  });
});

describe("a report that", () => {
  const refused: [what: string, content: string | Uint8Array, reasons: RegExp[]][] = [
    ["is empty", "", [/the report is empty/]],
    [
      "has no header at all",
      "It is the cache.\n",
      [
        ...[/expected a title/, /"## Working Directories" is missing/, /"## Files Modified"/],
        ...[/"## Files Investigated \(not modified\)"/, /"## Summary" is missing/],
      ],
    ],
    [
      "has control characters in a path",
      reportText({ modified: ["src/\u001b[31m.rs"] }),
      [/control characters in its path/],
    ],
    [
      "confirms what is not there",
      reportText({ rest: "Confirms: bob/07" }),
      [/"Confirms: bob\/07" names no finding here/],
    ],
    [
      "confirms its own author",
      reportText({ rest: "Confirms: alice/01" }),
      [/"Confirms: alice\/01" is your own finding/],
    ],
  ];
  for (const [what, text, reasons] of refused) {
    it(`${what} is refused by post, in one line that names everything`, async () => {
      const all = new RegExp(reasons.map(({ source }) => `(?=.*${source})`).join(""));
      const path = base.put("bad.md", text);
      await checkRefused(base.project, 2, all, () =>
        base.run("post", ["alice", "t", "--file", path]),
      );
    });
  }

  const large = `${reportText()}${"x".repeat(2 << 20)}`;
  const notText = Buffer.concat([Buffer.from(reportText()), Buffer.from([0xff, 0xfe, 0x80])]);
  for (const [what, content, reason] of [
    ["has 2 MiB", large, /has \d+ bytes/],
    ["is not UTF-8", notText, /not UTF-8/],
  ] as const) {
    it(`${what} is refused by post, and named by ready and read-all`, async () => {
      const path = base.put("bad.md", content);
      const post = () => base.run("post", ["alice", "big", "--file", path]);
      await checkRefused(base.project, 2, reason, post);
      const at = base.copy();
      at.write("findings/bob/01-bad.md", content);
      const strict = () => at.run("ready", ["bob", "--strict"]);
      await checkRefused(at.project, 2, new RegExp(`01-bad\\.md.*${reason.source}`), strict);
      const { code, stderr } = at.run("ready", ["bob"]);
      assert.equal(code, 0);
      assert.match(stderr, new RegExp(`^warning: 01-bad\\.md: .*${reason.source}`, "m"));
      const shown = at.readAll("cy");
      assert.match(marksOf(shown, "bob", "01-bad.md")[0] ?? "", reason);
      assert.match(printOf(shown, "bob").quoted, /--- 01-bad\.md ---\n\n$/);
      assert(shown.length < 10_000, "what nobody can read is not printed");
    });
  }

  it("holds control sequences never brings them to a terminal", () => {
    const at = base.copy();
    const wild = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u0000";
    const text = reportText({ title: `T ${wild}`, summary: `S ${wild}`, rest: `R ${wild}` });
    at.post("bob", "wild", text);
    at.ready("bob");
    assert.equal(at.read("findings/bob/01-wild.md"), text);
    const outputs = [
      at.readAll("alice"),
      at.project.run("report", ["--folder", "board"]).stdout,
      at.project.run("status", ["--folder", "board"]).stdout,
      at.project.run("next-action", ["--folder", "board", "--participant", "alice"]).stdout,
    ];
    for (const output of outputs) {
      assert.doesNotMatch(output, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    assert.match(outputs[0] ?? "", /\\u001b\[2J/);
  });

  it("was written by hand and is empty or malformed is named by ready, and let through", () => {
    const at = base.copy();
    at.write("findings/bob/01-empty.md", "");
    at.write("findings/bob/02-loose.md", "It is the cache.\n");
    const strict = at.run("ready", ["bob", "--strict"]);
    assert.deepEqual([strict.code, strict.stdout], [2, ""]);
    assert(isOneLine(strict.stderr), strict.stderr);
    assert.match(strict.stderr, /not marked ready: 01-empty\.md: .*02-loose\.md: .*Summary/);
    assert.equal(at.poll("bob").stdout, "waiting (0/3 agents ready)\n");
    const { code, stdout, stderr } = at.run("ready", ["bob"]);
    assert.deepEqual([code, stdout], [0, "Agent bob marked ready (1/3)\n"]);
    assert.match(stderr, /^warning: 01-empty\.md: .*empty$/m);
    assert.match(stderr, /^warning: 02-loose\.md: .*title/m);
  });

  it("is not there at all is told by ready, and refused with --strict", async () => {
    const at = base.copy();
    const strict = () => at.run("ready", ["bob", "--strict"]);
    await checkRefused(at.project, 2, /not marked ready: no report is posted/, strict);
    assert.match(at.run("ready", ["bob"]).stderr, /^warning: no report is posted$/m);
  });
});
