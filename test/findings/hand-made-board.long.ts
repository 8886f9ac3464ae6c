import assert from "node:assert/strict";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import { describe, it } from "node:test";
import { Board, boardOf, inTime, reportText } from "./board.ts";
import { OriginalAgent, secondNow } from "./original-agent.ts";
import { marksOf } from "./pool-print.ts";

// Agents that keep the seed's file rules by hand share a board with those that run our scripts.

const noticed = (at: Board) =>
  at
    .events()
    .flatMap(({ event, from, noticed: was }) => (was === true ? [`${from} ${event}`] : []));

describe("a board that was made by hand", () => {
  it("serves ours like one of ours, from registration to reading", async () => {
    const at = new Board();
    await OriginalAgent.open(at.folder, 2, { timeoutSeconds: 60 });
    const theirs = new OriginalAgent(at.folder, "theirs");
    theirs.register();
    const meta = at.read("meta.md");
    assert.equal(at.done("register", ["ours"]), "Registered: ours (2/2 agents)\n");
    assert.equal(at.read("meta.md"), meta, "the deadline was set by hand");
    theirs.post("cause", reportText({ title: "By hand" }));
    at.post("ours", "cause");
    theirs.ready();
    assert.equal(at.poll("ours").stdout, "waiting (1/2 agents ready)\n");
    assert.equal(theirs.poll(), "waiting");
    at.ready("ours");
    assert.equal(at.poll("ours").stdout, "all-ready (2/2 agents)\n");
    assert.equal(theirs.poll(), "all-ready");
    assert.match(at.readAll("ours"), /^\| # By hand$/m);
    assert.deepEqual(theirs.readAll(), { "ours/01-cause.md": reportText() });
    assert.equal(
      at.project.run("validate", ["--folder", "board"]).stdout,
      "board validation passed\n",
    );
  });

  it("has no log until ours looks, and then one that says what the files say", async () => {
    const at = new Board();
    await OriginalAgent.open(at.folder, 2);
    const theirs = new OriginalAgent(at.folder, "theirs");
    theirs.register();
    theirs.post("cause", reportText());
    theirs.ready();
    const before = at.project.listing();
    const marksNow = () => marksOf(at.readAll("anybody"), "theirs", "01-cause.md");
    assert.deepEqual(marksNow(), ["not recorded", "cites nothing"]);
    assert.deepEqual(at.project.listing(), before, "read-all writes nothing");
    assert.equal(at.poll("anybody").stdout, "waiting (1/2 agents ready)\n");
    assert.match(marksNow()[0] ?? "", /^seq \d/);
    assert.equal(at.events()[0]?.["event"], "board_opened");
    assert.deepEqual(noticed(at), ["theirs registered", "theirs readied", "theirs posted"]);
  });

  it("is waited for while it is half there, by register and by init", async () => {
    for (const script of ["register", "init"]) {
      const at = new Board();
      const opening = OriginalAgent.open(at.folder, 2, { pauseMs: 300 });
      const begun = at.start(script, [script === "init" ? "2" : "ours"]).done;
      const { code, stdout, stderr } = await inTime(begun);
      assert.equal(await opening, true);
      const told = {
        register: [0, "Registered: ours (1/2 agents)\n"],
        init: [3, "Already initialized: board\n"],
      };
      assert.deepEqual([code, stdout], script === "init" ? told.init : told.register, stderr);
    }
  });
});

describe("what an agent does by hand", () => {
  it("is noticed: its registration, its finding, its mark, and that the mark was taken back", () => {
    const at = boardOf(2, "ours");
    const theirs = new OriginalAgent(at.folder, "theirs");
    theirs.register();
    assert.equal(at.run("register", ["theirs"]).code, 1, "the name is taken");
    const file = theirs.post("cause", reportText({ title: "By hand" }));
    const when = () => marksOf(at.readAll("ours"), "theirs", file)[0] ?? "";
    assert.equal(when(), "not recorded");
    at.poll("ours");
    assert.match(when(), /^seq \d+, [\d.]+ s ago$/);
    theirs.ready();
    at.ready("ours");
    assert.equal(at.poll("ours").stdout, "all-ready (2/2 agents)\n");
    rmSync(at.path("findings/theirs/.ready"));
    assert.equal(at.poll("ours").stdout, "waiting (1/2 agents ready)\n");
    assert.deepEqual(noticed(at), [
      "theirs registered",
      "theirs posted",
      "theirs readied",
      "theirs withdrawn",
    ]);
    assert.equal(at.eventsOf("posted")[0]?.["file"], file);
  });

  it("to its own or our finding is recorded again, once for each content", () => {
    const at = boardOf(2, "ours");
    const path = at.post("ours", "cause");
    at.write(path, reportText({ title: "Written anew" }));
    for (const _ of [1, 2]) {
      assert.match(at.readAll("reader"), /^\| # Written anew$/m);
      at.poll("reader");
    }
    const posted = at.eventsOf("posted");
    assert.deepEqual(
      posted.map(({ summary }) => summary),
      ["A cause", "Written anew"],
    );
  });

  it("to agents.md stays, whatever ours adds: nobody's line is lost", async () => {
    const at = boardOf(8);
    const theirs = [1, 2, 3, 4].map((it) => new OriginalAgent(at.folder, `theirs-${it}`));
    const ours = [1, 2, 3, 4].map((it) => at.start("register", [`ours-${it}`]).done);
    for (const it of theirs) {
      it.registerAsSecond();
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    for (const { code, stderr } of await Promise.all(ours)) assert.equal(code, 0, stderr);
    const names = [...at.read("agents.md").matchAll(/^- (\S+) \(registered: /gm)].map(
      ([, it]) => it,
    );
    const all = ["ours", "theirs"].flatMap((who) => [1, 2, 3, 4].map((it) => `${who}-${it}`));
    assert.deepEqual(names.sort(), all);
    assert.match(at.poll("ours-1").stdout, /^waiting \(0\/8/);
    at.ready("ours-1");
    assert.equal(at.eventsOf("registered").length, 8);
  });

  it("in lines that register nobody is named by validate and counted by nobody", () => {
    const at = boardOf(1, "ours");
    appendFileSync(at.path("agents.md"), "- Not A Name (registered: now)\n* star\n\nprose\n");
    const { code, stdout } = at.project.run("validate", ["--folder", "board"]);
    assert.equal(code, 1);
    assert.match(stdout, /^WARNING: agents\.md holds "- Not A Name .*registers nobody$/m);
    at.ready("ours");
    assert.equal(at.poll("ours").stdout, "all-ready (1/1 agents)\n");
  });
});

describe("a deadline", () => {
  it("that was set by hand counts, and when it is put off, that counts", () => {
    const at = boardOf(2);
    new OriginalAgent(at.folder, "theirs").register();
    const meta = at.read("meta.md");
    at.register("ours");
    assert.equal(at.read("meta.md"), meta);
    const past = meta.replace(/(deadline:\*\* ).*/, `$1${secondNow(-60)}`);
    at.write("meta.md", past);
    assert.equal(at.poll("ours").code, 2);
    at.write("meta.md", meta.replace(/(deadline:\*\* ).*/, `$1${secondNow(600)}`));
    assert.equal(at.poll("ours").code, 1);
  });
});

describe("a board whose log was lost", () => {
  it("begins a new one from its files; no finding is lost and no number given again", () => {
    const at = boardOf(2, "alice", "bob");
    at.post("alice", "cause");
    at.ready("alice");
    for (const name of ["events.jsonl", ".checkpoint.json"]) rmSync(at.path(name));
    assert.equal(at.poll("bob").stdout, "waiting (1/2 agents ready)\n");
    assert.equal(at.post("alice", "more"), "findings/alice/02-more.md");
    assert.match(marksOf(at.readAll("bob"), "alice", "01-cause.md")[0] ?? "", /^seq \d/);
    at.ready("bob");
    assert.equal(at.poll("bob").code, 0);
    assert(existsSync(at.path("events.jsonl")));
  });
});
