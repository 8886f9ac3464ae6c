import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { isOneLine } from "../dialogue/project.ts";
import { Board, boardOf, inTime, reportText, until } from "./board.ts";
import { OriginalAgent, secondNow } from "./original-agent.ts";
import { printOf } from "./pool-print.ts";

describe("who comes late, and who never comes back", () => {
  it("a fourth is told, can read and post, and nobody waits again", () => {
    const at = boardOf(3, "a", "b", "c").ready("a", "b", "c");
    assert.equal(at.poll("a").code, 0);
    const { code, stdout, stderr } = at.run("register", ["d"]);
    assert.deepEqual([code, stdout], [0, "Registered: d (4/3 agents)\n"]);
    assert.match(stderr, /^you are agent 4 where 3 were expected: .* do not wait for you/m);
    assert.equal(at.poll("a").stdout, "all-ready (3/3 agents)\n");
    at.post("d", "late");
    at.ready("d");
    assert.equal(at.poll("a").stdout, "all-ready (4/3 agents)\n");
    assert.match(at.readAll("a"), /^--- 01-late\.md ---$/m);
  });

  it("a dead third ends the wait at the deadline; what it wrote is there, marked", async () => {
    const at = new Board().init(3, "2").register("a", "b", "dead");
    at.write("findings/dead/01-half.md", reportText({ title: "Half" }));
    at.ready("a", "b");
    const { code, stdout } = await inTime(at.start("poll", ["a", "--wait"]).done);
    assert.deepEqual([code, stdout], [2, "timeout (2/3 agents ready, deadline passed)\n"]);
    const { marks, quoted } = printOf(at.readAll("a"), "dead");
    assert.equal(marks[0], "dead is not ready: it may still be writing");
    assert.match(quoted, /^# Half$/m);
    const next = at.project.run("next-action", ["--folder", "board", "--participant", "a"]).stdout;
    assert.match(next, /^waiting for: dead$/m);
  });
});

describe("poll", () => {
  it("gives up after --timeout with exit 1, and prints the line to wait on", () => {
    const at = boardOf(2, "alice", "bob");
    const { code, stdout, stderr } = at.poll("alice", "--wait", "--timeout", "1");
    assert.deepEqual([code, stdout], [1, "waiting (0/2 agents ready)\n"]);
    assert.match(stderr, /poll\.cjs board alice --wait --timeout 1 --again 2$/m);
  });
});

describe("poll --wait", () => {
  const soon = (at: Board, name: string) => at.start("poll", [name, "--wait", "--timeout", "20"]);
  const waits = (at: Board, name: string) =>
    until(`the wait of ${name}`, () => existsSync(at.path(".presence", `${name}.ready`)));

  it("wakes all who wait when the last is ready, by our scripts or by hand", async () => {
    for (const way of ["ours", "by hand"]) {
      const at = boardOf(3, "a", "b", "last").ready("a", "b");
      const waiting = ["a", "b"].map((name) => soon(at, name));
      await Promise.all(["a", "b"].map((name) => waits(at, name)));
      const begun = Date.now();
      if (way === "ours") at.ready("last");
      else new OriginalAgent(at.folder, "last").ready();
      for (const { code, stdout } of await Promise.all(waiting.map(({ done }) => done))) {
        assert.deepEqual([code, stdout], [0, "all-ready (3/3 agents)\n"]);
      }
      assert(Date.now() - begun < 15_000, `${way}: ${Date.now() - begun} ms`);
    }
  });

  it("follows a deadline that is put off or brought forward meanwhile", async () => {
    const at = new Board().init(2, "600").register("a");
    const { done } = soon(at, "a");
    await waits(at, "a");
    at.write("meta.md", at.read("meta.md").replace(/(deadline:\*\* ).*/, `$1${secondNow(-1)}`));
    const { code } = await inTime(done);
    assert.equal(code, 2);
  });

  it("ends by SIGTERM, and nobody is seen waiting afterwards", async () => {
    const at = boardOf(2, "a");
    const { child, done } = soon(at, "a");
    await waits(at, "a");
    child.kill("SIGTERM");
    const { code, stdout } = await inTime(done);
    assert.deepEqual([code, stdout], [143, ""]);
    assert(!existsSync(at.path(".presence/a.ready")));
  });

  it("refuses with exit 64 when meta.md is damaged meanwhile", async () => {
    const at = boardOf(2, "a");
    const { done } = soon(at, "a");
    await waits(at, "a");
    at.write("meta.md", "- **expected_agents:** abc\n");
    const { code, stderr } = await inTime(done);
    assert.equal(code, 64);
    assert(isOneLine(stderr), stderr);
  });
});
