import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import { Board } from "./board.ts";
import { allRefused, base, type Call, callsOn, good, posix, withoutBoard } from "./refusals.ts";

// Bad files of a board: one line, the right exit code, nothing lost.

/** What the scripts answer where the board is damaged. */
const onDamage: readonly Call[] = [
  ["register", ["board", "cy"], 2],
  ["poll", ["board", "alice", "--wait"], 64],
  ["read-all", ["board", "bob"], 2],
];

const everyScriptOnDamage: readonly Call[] = [
  ...onDamage,
  ["post", ["board", "alice", "t"], 2],
  ["post", ["board", "alice", "t", "--file", good], 2],
  ["ready", ["board", "alice"], 2],
  ["poll", ["board", "alice"], 64],
  ["next-action", ["--folder", "board", "--participant", "alice"], 2],
  ["report", ["--folder", "board"], 2],
];

describe("a damaged board", () => {
  const rows: [name: string, content: string, reason: RegExp][] = [
    ["meta.md", "- **expected_agents:** abc\n", /meta\.md: expected_agents is "abc"/],
    ["events.jsonl", "not an event\n", /events\.jsonl/],
  ];
  for (const [name, content, reason] of rows) {
    it(`(${name}) is refused by every script but init, which tells to join it`, async () => {
      const at = base.copy().age();
      at.write(name, content);
      rmSync(at.path(".checkpoint.json"));
      await allRefused(at, reason, everyScriptOnDamage);
      if (name === "events.jsonl") {
        const { stdout } = at.project.run("validate", ["--folder", "board"]);
        assert.match(
          stdout,
          /^ERROR: move events\.jsonl and \.checkpoint\.json out of the folder: /m,
        );
      }
      assert.equal(at.run("init", ["3"]).code, 3);
      at.write(name, base.read(name));
      assert.equal(at.done("register", ["cy"]), "Registered: cy (3/3 agents)\n");
    });
  }

  it("that lost events keeps its report, also when its files have filled the log again", () => {
    const at = base.copy();
    const report = () => at.project.run("report", ["--folder", "board"]);
    at.done("post", ["alice", "t", "--file", good]);
    assert.equal(report().code, 0);
    const kept = at.read("report.md");
    const lines = at.read("events.jsonl").split("\n");
    at.write("events.jsonl", `${lines.slice(0, 3).join("\n")}\n`);
    const validate = () => at.project.run("validate", ["--folder", "board"]);
    assert.match(validate().stdout, /the log is shorter than when last seen: /);
    at.project.run("read-all", ["board", "bob"]);
    at.project.run("validate", ["--folder", "board", "--repair"]);
    const { code, stdout, stderr } = report();
    assert.equal(code, 1, stderr);
    assert.match(stdout, /## alice/);
    assert.match(stderr, /the log .*: it is not replaced; run validate/);
    assert.equal(at.read("report.md"), kept);
    assert.equal(validate().code, 1);
  });

  it("does not hide the others from status", () => {
    const at = new Board(".consulta/sessions/damaged").init(2);
    const other = new Board(".consulta/sessions/sound", at.project).init(2);
    at.write("meta.md", "");
    const { code, stdout, stderr } = other.project.run("status", []);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^damaged: unreadable: .*meta\.md/m);
    assert.match(stdout, /^sound: findings, gathering/m);
  });
});

describe("a meta.md that", () => {
  it("is a folder, or a link, is refused", posix, async () => {
    for (const make of [
      (at: Board) => mkdirSync(at.path("meta.md")),
      (at: Board) => symlinkSync("../good.md", at.path("meta.md")),
    ]) {
      const at = base.copy();
      rmSync(at.path("meta.md"));
      make(at);
      await allRefused(at.age(), /meta\.md/, onDamage);
    }
  });
});

describe("a board without", () => {
  for (const name of ["meta.md", "agents.md"]) {
    it(`its ${name} is none, and what it holds stays`, async () => {
      const at = base.copy();
      const text = at.read(name);
      rmSync(at.path(name));
      at.age();
      const reason = /no board at board: meta\.md or agents\.md is missing/;
      await allRefused(at, reason, callsOn("board", withoutBoard));
      at.write(name, text);
      assert.match(at.readAll("bob"), /^--- 01-cause\.md ---$/m);
    });
  }
});
