import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { describe, it } from "node:test";
import { limits } from "../../scripts-src/base/limits.ts";
import { draft, type Project, projectMaker, type Ran, scriptPath } from "../dialogue/project.ts";

const made = projectMaker();

/** A project with so many sessions that have ended, one of which was played, and an open one. */
function withSessions(count: number): Project {
  const project = made();
  project.open("s0");
  project.say("s0", "claude", draft("REQUEST", "SQLite or files?"));
  project.say("s0", "claude", draft("ESCALATE", "The user decides."));
  const files = ["events.jsonl", "protocol.json"].map((name) => {
    return [name, project.read("sessions", "s0", name)] as const;
  });
  for (let number = 1; number < count; number += 1) {
    mkdirSync(project.path("sessions", `s${number}`), { mode: 0o700 });
    for (const [name, text] of files) {
      const path = project.path("sessions", `s${number}`, name);
      writeFileSync(path, text.replaceAll("s0", `s${number}`), { mode: 0o600 });
    }
  }
  project.open("open");
  return project;
}

/** How many files a script opens, the folders on the way not counted: what it costs, whatever else the machine does. */
function filesOpened(project: Project, script: string, args: string[], input = ""): number {
  const counter =
    "const fs=require('node:fs');const open=fs.openSync;let n=0;" +
    "fs.openSync=(...a)=>{if(!(a[1]&fs.constants.O_DIRECTORY))n++;return open(...a)};require('node:module').syncBuiltinESMExports();" +
    "process.on('exit',()=>fs.writeSync(2,'OPENED '+n))";
  const preload = project.path("count.cjs");
  writeFileSync(preload, counter);
  const words = ["--require", preload, scriptPath(script), ...args];
  const { stderr } = spawnSync(process.execPath, words, {
    cwd: project.folder,
    encoding: "utf8",
    input,
    env: { ...process.env, CLAUDECODE: undefined, CLAUDE_CODE_SSE_PORT: undefined },
  });
  const opened = Number(/OPENED (\d+)/.exec(stderr)?.[1]);
  assert.ok(opened > 0, stderr);
  return opened;
}

describe("of very many sessions", () => {
  const project = withSessions(700);
  const hook = JSON.stringify({
    hook_event_name: "UserPromptSubmit",
    cwd: project.folder,
    prompt: "hello",
    session_id: "x",
  });
  const looks: [script: string, args: string[], input: string][] = [
    ["status", [], ""],
    ["next-action", ["--participant", "claude"], ""],
    ["wait-for-turn", ["--participant", "claude", "--timeout", "1"], ""],
    ["hook", ["claude"], hook],
  ];
  const perSession = 3;
  for (const [script, args, input] of looks) {
    it(`${script} opens a bounded number, and soon hardly any`, () => {
      const first = filesOpened(project, script, args, input);
      assert.ok(first < perSession * 3 * limits.sessionsLooked, `${first} files`);
      for (let looked = 0; looked < 700; looked += limits.sessionsLooked) {
        project.run("status", []);
      }
      const later = filesOpened(project, script, args, input);
      // A session that began is compared with what others were about, and a wait with what changed last.
      const compared = script === "next-action" ? limits.comparedSessions : 200;
      const most = script === "wait-for-turn" ? 8 * limits.sessionsLooked : compared;
      assert.ok(later < most, `${later} files`);
    });
  }

  it("the open one is found, and the ended ones are counted", () => {
    const ran = project.run("status", []);
    assert.match(ran.stdout, /^open: dialogue/m);
    assert.match(ran.stdout, /^s0: .*\n {2}waits for your decision/m, "begun here, and undecided");
    assert.match(ran.stdout, /2 sessions shown, 699 ended ones hidden/);
    const next = project.run("next-action", ["--participant", "claude"]);
    assert.match(next.stdout, /^session open: YOUR TURN/);
  });

  it("an open one is not hidden by a forged memory of it", () => {
    const path = project.path(".ended.json");
    const before = readFileSync(path, "utf8");
    const { size, mtimeMs, ino } = statSync(project.path("sessions", "open", "events.jsonl"));
    const marks = before
      .slice(before.indexOf("\n") + 1)
      .replace("{", `{"open":"${size} ${mtimeMs} ${ino}",`);
    for (const forged of [marks, `${before.slice(0, before.indexOf("\n") + 1)}${marks}`]) {
      writeFileSync(path, forged);
      assert.match(project.run("status", []).stdout, /^open: dialogue/m);
    }
    writeFileSync(path, before);
    assert.match(project.run("status", []).stdout, /2 sessions shown, 699 ended ones hidden/);
  });

  it("the open one begun here is not hidden by many that came with the project and changed later", () => {
    const forged = made();
    forged.open("mine");
    const log = forged.read("sessions", "mine", "events.jsonl");
    for (let number = 0; number <= limits.sessionsLooked; number += 1) {
      mkdirSync(forged.path("sessions", `other-${number}`), { mode: 0o700 });
      const text = log.replaceAll("mine", `other-${number}`);
      writeFileSync(forged.path("sessions", `other-${number}`, "events.jsonl"), text);
    }
    const { stdout } = forged.run("next-action", ["--participant", "claude"]);
    assert.match(stdout, /^session mine: YOUR TURN/);
    assert.match(forged.run("status", []).stdout, /^mine: dialogue/m);
  });

  it("one that is written again is looked at again, also where it was known to have ended", () => {
    const path = project.path("sessions", "s9", "events.jsonl");
    appendFileSync(path, "damage\n");
    assert.match(project.run("status", []).stdout, /^s9: unreadable: /m);
    writeFileSync(path, readFileSync(path, "utf8").replace("damage\n", ""));
  });

  it("validate lists each folder of messages once for all", () => {
    const few = withSessions(60);
    const listed = few.path("count-lists.cjs");
    writeFileSync(
      listed,
      "const fs=require('node:fs');const list=fs.readdirSync;let n=0;" +
        "fs.readdirSync=(...a)=>{n++;return list(...a)};require('node:module').syncBuiltinESMExports();" +
        "process.on('exit',()=>fs.writeSync(2,'LISTED '+n))",
    );
    const { stderr, stdout } = few.runNode(["--require", listed], [scriptPath("validate")]);
    assert.match(stdout, /^validation (passed|failed).*61 sessions/);
    const count = Number(/LISTED (\d+)/.exec(stderr)?.[1]);
    assert.ok(count > 0 && count < 40, `${count} folders listed`);
  });
});

describe("a long log", () => {
  /** A session in which the two only say that they have read, so many times. */
  function withEvents(count: number): Project {
    const project = made();
    project.open("long");
    project.say("long", "claude", draft("REQUEST", "SQLite or files?"));
    const path = project.path("sessions", "long", "events.jsonl");
    const [, sent] = project.events("long");
    const at = String(sent?.["at"]);
    const lines: string[] = [];
    const summary = "x".repeat(5_000);
    for (let seq = 3; seq <= count; seq += 1) {
      const note = { event: "rung", at, summary, id: `n${seq}`, messages: [2], by: "hook" };
      lines.push(JSON.stringify({ seq, from: "gemini", ...note }));
    }
    appendFileSync(path, `${lines.join("\n")}\n`);
    return project;
  }

  /** Runs a script that may hold so little in memory that a whole log does not fit. */
  function runSmall(project: Project, script: string): Ran {
    return project.runNode([`--max-old-space-size=${megabytes}`], [scriptPath(script)]);
  }

  const megabytes = 48;
  const long = withEvents(12_000);
  for (const script of ["validate", "report"]) {
    it(`is never held whole by ${script}`, () => {
      const { code, stdout, stderr } = runSmall(long, script);
      assert.doesNotMatch(stderr, /heap out of memory/);
      assert.match(stdout, script === "validate" ? /^validation / : /# About long/);
      assert.ok(code !== null && code <= 2, `${code}`);
    });
  }

  it("is told in its newest part, and the report says so", () => {
    const { stdout } = runSmall(long, "report");
    assert.match(stdout, /only the newest 5000 events are told; the 7000 before them stand in/);
  });
});

describe("what is put before a model", () => {
  it("is bounded for refused letters, which are told until their recipient sends something", () => {
    const project = made();
    project.open("auth");
    for (let number = 0; number < 40; number += 1) {
      project.put(
        "claude",
        `letter-${number}-${"x".repeat(150)}.json`,
        `{"a": "${"y".repeat(9_000)}`,
      );
    }
    const args = ["--session", "auth", "--participant", "claude"];
    const first = project.run("next-action", args).stdout;
    assert.equal(first.match(/^rejected mail, now in errors/gm)?.length, limits.rejectedTold);
    assert.match(
      first,
      /^35 more were rejected; they are in errors\/, each with its reason beside it$/m,
    );
    assert.ok(first.length < 6_000, `${first.length} characters`);
    const second = project.run("next-action", args).stdout;
    assert.equal(second.match(/^rejected mail, now in errors/gm)?.length, limits.rejectedTold);
    assert.ok(second.length < 6_000, `${second.length} characters`);
    project.say("auth", "claude", draft("REQUEST", "SQLite or files?"));
    assert.doesNotMatch(project.run("next-action", args).stdout, /refused/);
  });

  it("is bounded for many unanswered messages, of which each is cut to its share", () => {
    const project = made();
    project.open("many", "--mode", "parallelo");
    project.say("many", "claude", draft("REQUEST", "SQLite or files?"));
    for (let number = 0; number < 10; number += 1) {
      const content = `${number} ${"\u0007".repeat(1)}${"word ".repeat(1_200)}`.replace(
        "\u0007",
        "\u202e",
      );
      project.say("many", "claude", draft("CLARIFY", content));
    }
    const { stdout } = project.next("many", "gemini");
    assert.match(stdout, /message 11 from your peer/);
    assert.ok(stdout.length < limits.quotesCharacters + 8_000, `${stdout.length} characters`);
  });
});

describe("of a line without an end", () => {
  it("validate keeps no more than tells so", () => {
    const project = made();
    project.open("s0");
    truncateSync(project.path("sessions", "s0", "events.jsonl"), 400 * 2 ** 20);
    const preload = project.path("peak.cjs");
    writeFileSync(
      preload,
      "process.on('exit',()=>require('node:fs').writeSync(2,'PEAK '+process.resourceUsage().maxRSS))",
    );
    const words = ["--require", preload, scriptPath("validate"), "--session", "s0"];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: project.folder,
      encoding: "utf8",
    });
    assert.equal(status, 2);
    assert.match(stdout, /line 2 is longer than/);
    const kilobytes = Number(/PEAK (\d+)/.exec(stderr)?.[1]);
    assert.ok(kilobytes > 0 && kilobytes < 300_000, stderr);
  });
});
