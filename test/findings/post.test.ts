import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scriptPath } from "../dialogue/project.ts";
import { hasStrace, type Run, runTraced } from "../log/system-calls.ts";
import { type Board, boardOf, inTime, reportText, until } from "./board.ts";
import { marksOf, printOf } from "./pool-print.ts";
import { posix } from "./refusals.ts";

// A report that a script took with exit 0 is there, whatever else happens to the board.

const mine = reportText({ title: "Mine" });
const theirs = reportText({ title: "Theirs" });

/** The names of an agent's reports whose text is this. */
function holding(at: Board, agent: string, text: string): string[] {
  const names = readdirSync(at.path("findings", agent)).filter((name) => name.endsWith(".md"));
  return names.filter((name) => at.read("findings", agent, name) === text);
}

describe("post --file while another writer takes the name", { concurrency: true }, () => {
  const skip = !hasStrace && "NO RACE WAS TESTED: strace is not installed";

  /** Runs `post`, each of whose links is late, and writes its file as soon as its event is stored. */
  async function raced(text: string, tries = 3): Promise<Run & { at: Board }> {
    const at = boardOf(2, "al", "bob");
    const calls = "?link,?linkat";
    const late = ["-e", `inject=${calls}:delay_enter=300000`];
    const words = [at.folder, "al", "cause", "--file", at.put("mine.md", mine)];
    const trace = join(at.project.folder, "trace");
    const run = runTraced(trace, calls, late, [scriptPath("post"), ...words]);
    await until("the event", () => at.eventsOf("posted").length > 0);
    const isFirst = !existsSync(at.path("findings/al/01-cause.md"));
    if (isFirst) at.write("findings/al/01-cause.md", text);
    const ran = await inTime(run);
    if (isFirst) return { ...ran, at };
    assert(tries > 1, "the other writer came too late each time: nothing was raced");
    return raced(text, tries - 1);
  }

  it("keeps both: its own under a free name, whose path it prints", { skip }, async () => {
    const { at, code, output, errors } = await raced(theirs);
    assert.equal(code, 0, errors);
    assert.equal(at.read("findings/al/01-cause.md"), theirs);
    const [path = ""] = output;
    assert.equal(readFileSync(path, "utf8"), mine, `${path} is what was printed`);
    const titles = at.pool("bob").findings.map(({ text }) => text);
    assert.deepEqual(titles.sort(), [mine, theirs].sort());
    assert.match(printOf(at.readAll("bob"), "al").quoted, /^# Mine$/m);
  });

  it("is not posted twice when the other wrote the same", { skip }, async () => {
    const { at, code, output, errors } = await raced(mine);
    assert.equal(code, 0, errors);
    assert.deepEqual(output, [at.path("findings/al/01-cause.md")]);
    assert.deepEqual(holding(at, "al", mine), ["01-cause.md"]);
  });
});

describe("post again", () => {
  it("of a report that was removed meanwhile posts it anew under a new number", () => {
    const at = boardOf(2, "al", "bob");
    const first = at.post("al", "cause", mine);
    rmSync(at.path(first));
    const second = at.post("al", "cause", mine);
    assert.equal(second, "findings/al/02-cause.md");
    assert.equal(at.read(second), mine);
    assert.deepEqual(
      at.pool("bob").findings.map(({ file }) => file),
      ["02-cause.md"],
    );
  });

  it("of a report whose file was written over meanwhile posts it anew", () => {
    const at = boardOf(2, "al", "bob");
    const first = at.post("al", "cause", mine);
    at.write(first, theirs);
    const second = at.post("al", "cause", mine);
    assert.equal(at.read(first), theirs);
    assert.equal(at.read(second), mine, `${second} is what was printed`);
  });
});

describe("a number that nobody counts to, made by hand,", () => {
  it("leaves small distinct numbers to posts", () => {
    const at = boardOf(2, "al", "bob");
    at.write("findings/bob/9007199254740991-x.md", "");
    const paths = [mine, theirs].map((text) => at.post("bob", "cause", text));
    assert.deepEqual(paths, ["findings/bob/01-cause.md", "findings/bob/02-cause.md"]);
    assert.deepEqual(
      paths.map((path) => at.read(path)),
      [mine, theirs],
    );
  });
});

describe("the others are read", () => {
  it("when the lists of one fit no line of the log; that one is marked", () => {
    const at = boardOf(2, "al", "bob");
    const modified = Array.from({ length: 200 }, (_, index) => `${index}${"\u65e5".repeat(995)}`);
    at.write("findings/al/01-wide.md", reportText({ title: "Wide", modified }));
    at.post("bob", "cause");
    at.poll("cy");
    const shown = at.readAll("cy");
    assert.match(printOf(shown, "al").quoted, /^# Wide$/m);
    assert.match(printOf(shown, "bob").quoted, /^# A cause$/m);
    assert.match(marksOf(shown, "al", "01-wide.md").join("\n"), /^not checked: 1 fault in/m);
    assert.match(at.run("ready", ["al"]).stderr, /^warning: 01-wide\.md: .*too long/m);
    const path = at.put("wide.md", reportText({ modified }));
    const { code } = at.run("post", ["al", "again", "--file", path]);
    assert.equal(code, 2);
  });

  it("when nobody may read one", posix, () => {
    const at = boardOf(2, "al", "bob");
    const closed = at.post("al", "closed");
    at.post("al", "open");
    at.post("bob", "cause");
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    if (uid !== undefined) {
      const { folder } = at.project;
      for (const name of Object.keys(at.project.listing())) chownSync(join(folder, name), uid, uid);
    }
    chmodSync(at.path(closed), 0o000);
    const options = uid === undefined ? {} : { uid };
    const ran = (script: string, agent: string) =>
      at.project.run(script, ["board", agent], "", options);
    const { code, stdout, stderr } = ran("read-all", "cy");
    assert.equal(code, 0, stderr);
    assert.match(marksOf(stdout, "al", "01-closed.md")[0] ?? "", /permission/);
    assert.match(printOf(stdout, "al").quoted, /^--- 02-open\.md ---\n# A cause$/m);
    assert.match(printOf(stdout, "bob").quoted, /^# A cause$/m);
    const ready = ran("ready", "al");
    assert.equal(ready.code, 0, ready.stderr);
    assert.match(ready.stderr, /^warning: 01-closed\.md: .*permission/m);
  });
});

describe("a folder of ours that is a link", () => {
  for (const name of [".additions", ".presence"]) {
    it(`(${name}) leads no script to what is precious elsewhere`, posix, () => {
      const at = boardOf(2, "al", "bob");
      const old = Date.now() / 1_000 - 90_000;
      const names = ["1-dead.json", ".tmp-dead", "4-x.json", "al.ready", "00000001.json", "notes"];
      for (const it of names) utimesSync(at.put(`precious/${it}`, `{"is":"${it}"}\n`), old, old);
      mkdirSync(join(at.project.folder, "precious/tmp-dead"));
      rmSync(at.path(name), { recursive: true, force: true });
      symlinkSync("../precious", at.path(name));
      const precious = () =>
        Object.entries(at.project.listing()).filter(([it]) => it.startsWith("./precious"));
      const before = precious();
      at.write("findings/bob/01-hand.md", theirs);
      for (const [script, ...words] of [
        ["post", "al", "cause", "--file", "-"],
        ["ready", "al"],
        ["read-all", "al"],
        ["poll", "al", ...(name === ".presence" ? ["--wait", "--timeout", "1"] : [])],
      ]) {
        const events = at.events();
        const { code, stderr } = at.run(script ?? "", words, mine);
        assert.notEqual(code, 70, stderr);
        // Of poll it says that the deadline has passed.
        if (code === 2 && script !== "poll")
          assert.deepEqual(at.events(), events, `${script} wrote: ${stderr}`);
        assert.deepEqual(precious(), before, `${script}: ${stderr}`);
      }
    });
  }
});
