import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkRefused, isOneLine } from "../dialogue/project.ts";
import { Board } from "./board.ts";
import {
  allRefused,
  base,
  type Call,
  callsOn,
  good,
  posix,
  refused,
  withoutBoard,
} from "./refusals.ts";

// Bad words on the command line: one line, the right exit code, nothing lost.

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
  const dirs = ["empty", "other", "half", "file", "file/below", "dangling", "loop"];
  for (const dir of dirs) {
    it(`something else (${dir}) is refused`, posix, async () => {
      await allRefused(at, /^error: \S/, callsOn(dir, dir === "file" ? everyScript : someScripts));
    });
  }

  it("missing is refused by every script but init, with the way out", async () => {
    const reason = /no board at nowhere: there is no such folder.*init\.cjs nowhere N/;
    await allRefused(at, reason, callsOn("nowhere", withoutBoard));
  });

  it("without a name is refused", async () => {
    await allRefused(at, /^error: \S/, callsOn("", someScripts));
  });

  it("too long for a name is refused", async () => {
    await allRefused(at, /^error: \S/, callsOn("x".repeat(300), someScripts));
    await allRefused(at, /^error: \S/, callsOn("x".repeat(5_000), someScripts));
  });
});

describe("init refuses", () => {
  const numbers = ["0", "-1", "abc", "65", "", " 3 ", "3.5", "+3", "0x3", "1e1", "2\n3", "\uff13"];
  for (const agents of numbers) {
    it(`${JSON.stringify(agents)} agents`, async () => {
      const at = new Board();
      const reason = /^error: the number of agents is ".*expected a whole number from 1 to 64/;
      await checkRefused(at.project, 2, reason, () => at.run("init", [agents]));
    });
  }

  for (const timeout of ["-1", "xyz", "", "1.5", "604801", "60s", " 60 ", "99999999999"]) {
    it(`a timeout of ${JSON.stringify(timeout)}`, async () => {
      const at = new Board();
      const reason =
        /^error: the timeout in seconds is ".*expected a whole number from 0 to 604800/;
      await checkRefused(at.project, 2, reason, () => at.run("init", ["3", timeout]));
    });
  }

  it("what a board is about in several lines, with control characters, or without end", async () => {
    for (const about of ["a\nb", "a\u001b[31m", "x".repeat(1_001)]) {
      const at = new Board();
      const run = () => at.run("init", ["3", "--about", about]);
      await checkRefused(at.project, 2, /^error: --about /, run);
    }
  });

  it("options of other protocols", async () => {
    const at = new Board();
    const run = () => at.run("init", ["3", "--topic", "SQLite?"]);
    await checkRefused(at.project, 2, /--topic does not belong to a board/, run);
  });
});

describe("a timeout of 0", () => {
  it("is allowed: the deadline is at once", () => {
    const { code, stdout } = new Board().init(2, "0").register("alice").poll("alice");
    assert.deepEqual([code, stdout], [2, "timeout (0/2 agents ready, deadline passed)\n"]);
  });
});

describe("names and topics", () => {
  it("of agents that are not registered are refused with those who are", async () => {
    await refused(1, /"cy" is not registered.*alice, bob.*register/, "post", "cy", "t");
    await refused(1, /"cy" is not registered.*alice, bob.*register/, "ready", "cy");
    await refused(1, /"\.\.\/x" is not registered/, "post", "../x", "t");
  });

  it("that are registered already are refused, with another that may be free", () => {
    const before = base.project.listing();
    const { code, stdout, stderr } = base.run("register", ["alice"]);
    assert.deepEqual([code, stdout], [1, "Already registered: alice\n"]);
    assert.match(stderr, /^error: alice is registered already; .*alice-2\n$/);
    assert(isOneLine(stderr));
    assert.deepEqual(base.project.listing(), before);
  });

  it("of agents that are too long, reserved or device names are refused", async () => {
    for (const name of ["x".repeat(65), "all", "system", "consulta", "con", "nul"]) {
      await refused(2, /cannot name an agent/, "register", name);
    }
  });

  const topics = ["", "   ", "../", "../../..", "x".repeat(101), "a\nb", "\u001b[31mred", "\u65e5"];
  for (const topic of topics) {
    it(`the topic ${JSON.stringify(topic.slice(0, 20))} is refused`, async () => {
      await refused(2, /is no topic \(/, "post", "alice", topic);
      await refused(2, /is no topic \(/, "post", "alice", topic, "--file", good);
    });
  }

  it("a topic that looks like a path stays a name", () => {
    const at = base.copy();
    const path = at.done("post", ["alice", "../../evil/x"]);
    assert.equal(path, "board/findings/alice/02-evilx.md\n");
  });
});

describe("options that are none", () => {
  const rows: [script: string, words: string[], code: number, reason: RegExp][] = [
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
    it(`${script} ${words.join(" ")} is refused`, () => refused(code, reason, script, ...words));
  }
});
