import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { isOneLine } from "../dialogue/project.ts";
import { Board, boardOf, inTime, reportText, together, until } from "./board.ts";
import { OriginalAgent } from "./original-agent.ts";

// What the original does wrong (facts/originals.md 3.2, by its numbers), done right here.

const deadlinesIn = (text: string) => text.split("\n").filter((it) => it.includes("deadline:"));

describe("defects 1 and 11: agents that register at the same instant", () => {
  // The original: both count two, nobody writes the deadline, poll waits for ever.
  it("count each once, and exactly one writes the deadline", async () => {
    const at = boardOf(6);
    const ran = await together(6, (index) => at.start("register", [`agent-${index}`]).done);
    assert.deepEqual(
      ran.map(({ code }) => code),
      Array(6).fill(0),
    );
    const counts = ran.map(({ stdout }) => Number(/\((\d)\/6 agents\)\n$/.exec(stdout)?.[1]));
    assert.deepEqual(new Set(counts).size, 6, counts.join());
    assert.equal(at.eventsOf("registered").length, 6);
    assert.equal(at.eventsOf("deadline_set").length, 1);
    assert.equal(deadlinesIn(at.read("meta.md")).length, 1);
    assert.equal(at.read("agents.md").match(/^- agent-\d \(/gm)?.length, 6);
  });
});

describe("defect 2: one name, asked for by several at once,", () => {
  it("is given once", async () => {
    const at = boardOf(2);
    const ran = await together(6, () => at.start("register", ["alice"]).done);
    assert.deepEqual(ran.map(({ code }) => code).sort(), [0, 1, 1, 1, 1, 1]);
    const losers = ran.filter(({ code }) => code === 1);
    assert(losers.every(({ stdout }) => stdout === "Already registered: alice\n"));
    assert.equal(at.read("agents.md").match(/^- alice /gm)?.length, 1);
    assert.equal(at.eventsOf("registered").length, 1);
  });
});

describe("defect 3: whoever joins while a board is being made", () => {
  // The original makes the folder first: the joiner finds no agents.md and fails.
  it("never sees a board that is half there, and one of all has made it", async () => {
    const at = new Board();
    let isOver = false;
    const openings = together(4, async (index) => {
      const made = await at.start("init", ["4"]).done;
      const joined = await at.start("register", [`agent-${index}`]).done;
      assert.equal(joined.code, 0, joined.stderr);
      return made;
    }).finally(() => {
      isOver = true;
    });
    let looks = 0;
    while (!isOver) {
      const isThere = existsSync(at.folder);
      const files = ["agents.md", "meta.md", "findings"].map((name) => existsSync(at.path(name)));
      if (isThere) assert.deepEqual(files, [true, true, true]);
      looks += 1;
      await setImmediate();
    }
    const codes = (await openings).map(({ code }) => code).sort();
    assert.deepEqual(codes, [0, 3, 3, 3]);
    assert(looks > 10);
    assert.equal(at.eventsOf("board_opened").length, 1);
    assert.equal(at.eventsOf("registered").length, 4);
  });
});

describe("defect 4: numbers of findings", () => {
  // The original counts files: after a deletion it gives out a path that exists.
  it("are not given again after a finding was deleted", () => {
    const at = boardOf(1, "alice");
    at.post("alice", "one");
    at.post("alice", "two");
    rmSync(at.path("findings/alice/01-one.md"));
    assert.equal(at.post("alice", "two", reportText({ title: "New" })), "findings/alice/03-two.md");
    rmSync(at.path("findings/alice/03-two.md"));
    assert.equal(at.done("post", ["alice", "x"]), "board/findings/alice/04-x.md\n");
    assert.equal(at.read("findings/alice/02-two.md"), reportText());
  });

  it("differ for posts at the same instant, and nothing is overwritten", async () => {
    const at = boardOf(1, "alice");
    const ran = await together(6, (index) => {
      const text = reportText({ title: `Cause ${index}` });
      return at.start("post", ["alice", "same topic", "--file", "-"], text).done;
    });
    assert.deepEqual(
      ran.map(({ stdout }) => stdout).sort(),
      [1, 2, 3, 4, 5, 6].map((it) => `board/findings/alice/0${it}-same-topic.md\n`),
    );
    for (const [index, { stdout }] of ran.entries()) {
      const path = stdout.trimEnd().replace("board/", "");
      assert.equal(at.read(path), reportText({ title: `Cause ${index}` }));
    }
  });
});

describe("defect 5: a folder whose name has blanks and more", () => {
  for (const name of ["my board", "b'o\"$x*", "\u00fcber (1)"]) {
    it(`${JSON.stringify(name)} serves all six commands`, () => {
      const at = new Board(name).init(2).register("alice", "bob");
      at.post("alice", "cause");
      at.ready("alice", "bob");
      assert.equal(at.poll("bob").stdout, "all-ready (2/2 agents)\n");
      assert.match(at.readAll("bob"), /^--- 01-cause\.md ---$/m);
    });
  }
});

describe("defect 6: a name of several lines", () => {
  // The original checks line by line: one good line lets the others into agents.md.
  for (const name of ["x\ny", "a\n", "\na", "x\n../../evil", "x\r"]) {
    it(`${JSON.stringify(name)} is refused`, () => {
      const at = boardOf(2);
      const before = at.project.listing();
      const { code, stdout, stderr } = at.run("register", [name]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert(isOneLine(stderr), stderr);
      assert.deepEqual(at.project.listing(), before);
    });
  }
});

describe("defect 7: a board whose numbers are none", () => {
  it("is not made", () => {
    for (const words of [["abc"], ["3", "xyz"]]) {
      const at = new Board();
      const { code, stdout } = at.run("init", words);
      assert.deepEqual([code, stdout], [2, ""]);
      assert(!existsSync(at.folder));
    }
  });

  it("made by an original, is refused by poll with a code that is not that of waiting", async () => {
    const at = new Board();
    await OriginalAgent.open(at.folder, Number.NaN);
    const { code, stdout, stderr } = at.poll("alice");
    assert.deepEqual([code, stdout], [64, ""]);
    assert.match(stderr, /^error: .*meta\.md.*expected_agents/);
  });
});

describe("defect 8: every failure", () => {
  it("of poll is another code than that of waiting", () => {
    const at = new Board();
    at.put("plain-file", "x");
    const usage = [[], ["board"]];
    for (const words of usage) assert.equal(at.project.run("poll", words).code, 64, words.join());
    // The deadline's code, with nothing on stdout: read-all, which follows, says the same.
    for (const dir of ["nowhere", "plain-file"]) {
      const { code, stdout, stderr } = at.project.run("poll", [dir, "alice"]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^error: no board at /);
    }
  });

  it("of init is another code than that of a board to join", () => {
    const at = new Board("deep/er/board");
    at.init(2).register("alice");
    at.put("plain-file", "x");
    for (const dir of ["plain-file", "plain-file/board", "deep"]) {
      const { code, stdout } = at.project.run("init", [dir, "2"]);
      assert(code === 2 || code === 4, `${dir}: ${code}`);
      assert.equal(stdout, "");
    }
  });
});

describe("defect 9: more agents than were expected", () => {
  // The original takes any two marks for all of three agents.
  it("are told, and everybody who registered is waited for", () => {
    const at = boardOf(2, "alice", "bob");
    const { code, stdout, stderr } = at.run("register", ["cy"]);
    assert.deepEqual([code, stdout], [0, "Registered: cy (3/2 agents)\n"]);
    assert.match(stderr, /agent 3 where 2 were expected/);
    at.ready("alice", "bob");
    assert.equal(at.poll("alice").stdout, "waiting (2/3 agents ready)\n");
    at.ready("cy");
    assert.equal(at.poll("alice").stdout, "all-ready (3/2 agents)\n");
  });

  it("end at the limit of a board", () => {
    const at = boardOf(2);
    const names = Array.from({ length: 64 }, (_, index) => `agent-${index}`);
    for (const name of names) new OriginalAgent(at.folder, name).registerAsSecond();
    const { code, stderr } = at.run("register", ["one-more"]);
    assert.equal(code, 2);
    assert.match(stderr, /64/);
    assert.doesNotMatch(at.read("agents.md"), /one-more/);
  });
});

describe("defect 10: a topic", () => {
  it("without a letter or digit is refused, where the original makes 01-.md", () => {
    const at = boardOf(1, "alice");
    const before = at.project.listing();
    for (const topic of ["", "...", "   ", "_", "\u{1f600}", "\u65e5\u672c"]) {
      const { code, stdout, stderr } = at.run("post", ["alice", topic]);
      assert.deepEqual([code, stdout], [2, ""], topic);
      assert(isOneLine(stderr), stderr);
    }
    assert.deepEqual(at.project.listing(), before);
  });

  it("keeps its letters without their accents, where the original drops them", () => {
    const at = boardOf(1, "alice");
    const path = at.done("post", ["alice", "\u00dcber na\u00efve Gr\u00f6sse"]);
    assert.equal(path, "board/findings/alice/01-uber-naive-grosse.md\n");
  });
});

describe("defect 11: a deadline that two originals forgot to set", () => {
  it("is set once by whoever of ours waits, and the wait ends", async () => {
    const at = new Board();
    await OriginalAgent.open(at.folder, 3, { timeoutSeconds: 4 });
    for (const name of ["alice", "bob"]) new OriginalAgent(at.folder, name).registerAsSecond();
    assert.deepEqual(deadlinesIn(at.read("meta.md")), []);
    const waits = ["alice", "bob"].map((name) => at.start("poll", [name, "--wait"]).done);
    await until("the deadline", () => deadlinesIn(at.read("meta.md")).length > 0);
    const ends = await inTime(Promise.all(waits));
    const told = [2, "timeout (0/3 agents ready, deadline passed)\n"];
    assert.deepEqual(
      ends.map(({ code, stdout }) => [code, stdout]),
      [told, told],
    );
    assert.equal(deadlinesIn(at.read("meta.md")).length, 1);
  });
});

describe("defect 12: the timeout that --help of init names", () => {
  it("is the one that a board gets", () => {
    const at = new Board();
    const help = at.project.run("init", ["--help"]).stdout.replace(/\s+/g, " ");
    const [, named] = /TIMEOUT the seconds .*?\(default: (\d+)\)/.exec(help) ?? [];
    assert.equal(at.done("init", ["2"]).split("\n")[2], `Timeout: ${named}s`);
    assert(existsSync(join(at.folder, "meta.md")));
  });
});
