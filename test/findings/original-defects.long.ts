import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
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
  for (const name of ["b'o\"$ x*", "\u00fcber (1)"]) {
    it(`${JSON.stringify(name)} serves all six commands`, () => {
      const at = new Board(name).init(2).register("alice", "bob");
      at.post("alice", "cause");
      at.ready("alice", "bob");
      assert.equal(at.poll("bob").stdout, "all-ready (2/2 agents)\n");
      assert.match(at.readAll("bob"), /^--- 01-cause\.md ---$/m);
    });
  }
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
