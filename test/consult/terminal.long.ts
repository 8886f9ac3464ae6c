/** What a person sees in a terminal, in one. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { bundledFixture } from "../bundled-fixture.ts";
import { scriptedLine } from "./scripted-line.ts";
import { dist, hasTmux, TerminalWindow } from "./terminal-window.ts";

const question = "Should we store sessions in SQLite or in files?";
const session = "should-we-store-sessions-in";

/** Scripted participants that take their time for their first turns, and as long as is said for later ones. */
function consult(options = "", seconds = 1, later = 0): string {
  const isFirst = "mkdir turn-1 2>/dev/null || mkdir turn-2 2>/dev/null";
  const line = `if ${isFirst}; then sleep ${seconds}; else sleep ${later}; fi; ${scriptedLine()}`;
  const people = `claude=command:${line},gemini=command:${line}`;
  return `node ${dist}/consult.cjs ${options} --participants '${people}' '${question}'`;
}

describe("a terminal", { skip: !hasTmux, concurrency: false }, () => {
  let window: TerminalWindow | undefined;
  afterEach(() => window?.close());
  const opened = (...options: ConstructorParameters<typeof TerminalWindow>) => {
    window = new TerminalWindow(...options);
    return window;
  };
  /** A script beside the one that runs in the window. */
  const beside = (it: TerminalWindow, script: string, ...args: string[]) => {
    const env = { PATH: process.env["PATH"], HOME: join(it.root, "home") };
    const words = [join(dist, `${script}.cjs`), ...args];
    const ran = spawnSync(process.execPath, words, { cwd: it.folder, env, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
  };

  it("shows a run in place, then the report, rendered", async () => {
    const at = opened();
    at.type(consult("", 2, 1));
    await at.until(/gemini +at work +\d:\d\d/);
    const frame = at.shown().trimEnd().split("\n");
    assert.match(frame[0] ?? "", new RegExp(`^consult ${session} +\\d:\\d\\d$`));
    assert.equal(frame[1], question);
    assert.match(frame.join("\n"), /\n\n {2}claude +at work +\d:\d\d\n {2}gemini +at work/);
    assert.match(frame.join("\n"), /\nlast {3}claude: REQUEST: Should we store/);
    assert.equal(frame.at(-1), "Ctrl+C stops; the session stays open");
    await at.until(/claude +\w+ .*confidence 0\.\d\d/);
    const all = await at.until(/exit code 0/);
    assert.equal(all.match(/Ctrl\+C stops/g), null, "nothing of it is left");
    assert.equal(all.match(new RegExp(`^consult ${session}`, "gm"))?.length, 1, "in place");
    assert.match(all, /^Should we store.*\n\u2500+$/m);
    assert.match(all, /^\u2022 .*\n/m);
    assert.doesNotMatch(all, /\*\*|^#|^> /m);
    assert.doesNotMatch(all, /: notified|: seen|: answered \(/);
  });

  it("shows what an agent does while it works", async () => {
    const at = opened();
    const fixture = bundledFixture("test/consult/acp-agent.fixture.ts");
    const agent = `"${process.execPath}" "${fixture}" "${join(at.root, "notes")}" hang`;
    const list = `claude=command:${scriptedLine()},it=acp:${agent}`;
    at.type(`node ${dist}/consult.cjs --mode turns --participants '${list}' '${question}'`);
    await at.until(/ it +at work +\d:\d\d +writes its answer\n/);
  });

  it("rings when a run has ended, and hides the cursor no longer than it draws", async () => {
    for (const [environment, expected] of [
      [{}, `\u001b]9;Consulta: ${session} has ended\u0007\u0007`],
      [{ TERM: "dumb" }, "\u0007"],
    ] as const) {
      const at = opened({ environment });
      const raw = at.record();
      at.type(consult("--mode turns", 0));
      await at.until(/exit code 0/);
      assert(raw().includes(expected));
      assert.equal(raw().includes("\u001b]9;"), expected.length > 1);
      assert(raw().lastIndexOf("\u001b[?25h") >= raw().lastIndexOf("\u001b[?25l"));
      at.close();
    }
  });

  it("fits a small window, and one that becomes small", async () => {
    const at = opened({ columns: 40, rows: 15 });
    at.type(consult("", 3));
    await at.until(/gemini +at work/);
    const frame = at.shown().trimEnd().split("\n");
    assert(frame.length <= 15);
    for (const line of frame) assert([...line].length <= 40, line);
    assert.match(frame[0] ?? "", /^consult should-we-store-\S+ +\d:\d\d$/);
    assert.match(frame.at(-1) ?? "", /^Ctrl\+C stops/);
    at.resize(30, 10);
    await at.until(/Ctrl\+C stops; the session s/);
    assert(at.shown().trimEnd().split("\n").length <= 10);
  });

  it("takes a size of 0 for one that nobody knows", async () => {
    const at = opened();
    const raw = at.record();
    at.type(`stty cols 0 rows 0; ${consult("", 2)}`);
    const all = await at.until(/exit code 0/);
    assert.equal(all.match(new RegExp(`^consult ${session} +\\d`, "gm"))?.length, 1, "in place");
    assert.doesNotMatch(raw(), /Infinity/);
  });

  it("has no colours where nobody wants them", async () => {
    for (const [environment, expected] of [
      [{}, true],
      [{ NO_COLOR: "1" }, false],
    ] as const) {
      const at = opened({ environment });
      at.type(consult());
      await at.until(/gemini +at work/);
      assert.equal(at.shown("-e").includes("\u001b["), expected);
      at.close();
    }
  });

  const lines: [name: string, environment: Record<string, string>, options: string][] = [
    ["where it cannot draw", { TERM: "dumb" }, ""],
    ["with --plain", {}, "--plain"],
  ];
  for (const [name, environment, options] of lines)
    it(`prints a line for each thing that matters ${name}, and the report as Markdown`, async () => {
      const at = opened({ columns: 200, rows: 50, environment });
      at.type(consult(options, 0));
      const all = await at.until(/exit code 0/);
      assert.match(all, /^ +0:0\d {2}claude has the turn \(command\)$/m);
      assert.match(all, /^ +0:\d\d {2}claude: \w+ to gemini \(message \d+; .*\): Files it is/m);
      assert.match(all, /^# /m);
      assert.doesNotMatch(all, /: notified|: seen|: answered \(/);
    });

  it("tells how far messages came with --verbose", async () => {
    const at = opened({ columns: 200, rows: 50 });
    at.type(consult("--verbose", 0));
    const all = await at.until(/exit code 0/);
    assert.match(all, /message \d+ to gemini: seen \(consult\)/);
    assert.match(all, /message \d+ to gemini: answered \(message \d+\)/);
  });

  it("leaves the session open at Ctrl+C, with the line that resumes it", async () => {
    const at = opened({ columns: 600 });
    at.type(consult("", 2));
    await at.until(/gemini +at work/);
    at.press("C-c");
    const all = await at.until(/exit code 130/);
    assert.match(all, /The session is open and nothing is lost\. Go on with:/);
    const [, line = ""] = /^ {2}(node \S+consult\.cjs .*)$/m.exec(all) ?? [];
    assert.match(line, new RegExp(`--session ${session}`));
    at.type(line);
    assert.match(await at.until(/exit code 0/), /CONSENSUS/);
  });

  it("shows a pause, who has not reached it, and goes on", async () => {
    const at = opened();
    at.type(consult("--mode turns", 3));
    await at.until(/gemini +at work/);
    beside(at, "step-in", "pause", "lunch");
    await at.until(/gemini +ends its turn/);
    // Its words end its turn; the other does not get one.
    await at.until(/claude +paused/);
    assert.match(at.shown(), /note {3}paused by you since .*"lunch"/);
    beside(at, "step-in", "resume");
    await at.until(/exit code 0/);
  });

  it("shows controls of a participant as text", async () => {
    const at = opened();
    const hostile = String.raw`printf "\033[2J\033]0;owned\007 gone \342\200\256back" >&2; exit 3`;
    const people = `claude=command:sleep 60,gemini=command:${hostile}`;
    at.type(`node ${dist}/consult.cjs --mode turns --participants '${people}' '${question}'`);
    const all = await at.until(/exit code 1/);
    assert.match(all, /\\+u001b\[2J\\+u001b\]0;owned\\+u0007 gone \\+u202eback/);
    assert.match(all, /^consult should-we-store/m, "nothing was cleared");
  });

  it("prints a line for each change of any session", async () => {
    const at = opened();
    const begin = (id: string) => {
      const who = ["--participant", "claude", "--participant", "gemini"];
      beside(at, "init", "--topic", `About ${id}`, "--session", id, ...who);
    };
    begin("alpha");
    at.type(`node ${dist}/status.cjs --watch`);
    await at.until(/^\d\d:\d\d:\d\d {2}alpha: dialogue, asking, turn: claude/m);
    begin("beta");
    await at.until(/^\d\d:\d\d:\d\d {2}beta: dialogue, asking, turn: claude/m);
    const draft = {
      type: "ESCALATE",
      needs_user: "Cost or speed?",
      question_or_proposal: { content: "Which?" },
    };
    writeFileSync(join(at.folder, "ask.json"), JSON.stringify(draft));
    const by = ["--session", "beta", "--participant", "claude"];
    beside(at, "append-event", ...by, "--message", "ask.json");
    await at.until(/^\d\d:\d\d:\d\d {4}waits for your answer: "Cost or speed\?"/m);
    beside(at, "step-in", "pause", "--session", "alpha");
    await at.until(/^\d\d:\d\d:\d\d {4}paused by you since/m);
    at.press("C-c");
    await at.until(/exit code 130/);
  });
});
