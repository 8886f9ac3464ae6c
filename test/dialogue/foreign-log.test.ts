import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { statesDisagreement } from "../../scripts-src/dialogue/phrases.ts";
import { cpuMs } from "../cpu-time.ts";
import { draft, projectMaker, scriptPath } from "./project.ts";

const newProject = projectMaker();

const request = (session: string, more: object = {}) =>
  JSON.stringify({
    session_id: session,
    from: "gemini",
    to: "claude",
    type: "REQUEST",
    question_or_proposal: { content: "Which?" },
    ...more,
  });

describe("a log that somebody else wrote", () => {
  const names: [what: string, from: string, to: string][] = [
    ["session", '"session_id":"talk"', '"session_id":"../../package"'],
    ["participant", '"participants":["claude","gemini"]', '"participants":["../../x","gemini"]'],
    ["file", '"file":"talk-', '"file":"../../talk-'],
  ];
  for (const [what, from, to] of names) {
    it(`cannot lead out of the workspace by the name of a ${what}`, () => {
      const project = newProject();
      writeFileSync(project.path("..", "package.json"), "{}");
      project.open("talk");
      project.say("talk", "claude", draft("REQUEST", "Which?"));
      const log = project.path("sessions", "talk", "events.jsonl");
      const text = readFileSync(log, "utf8");
      assert(text.includes(from), `${from} is not in the log`);
      writeFileSync(log, text.replace(from, to));
      for (const args of [
        ["validate", "--repair"],
        ["next-action", "--session", "talk", "--participant", "gemini"],
      ]) {
        const [script = "", ...options] = args;
        const { code, stderr } = project.run(script, options);
        assert.equal(code, 2, stderr);
      }
      assert.equal(
        project.run("init", ["--topic", "More", "--participant", "a", "--participant", "b"]).code,
        0,
      );
      assert.deepEqual(readdirSync(project.folder).sort(), [".consulta", "package.json"]);
      assert.equal(readFileSync(project.path("..", "package.json"), "utf8"), "{}");
    });
  }
});

describe("a sealed position", () => {
  it("is in no report before both are in", () => {
    const project = newProject();
    project.open("blind", "--mode", "competitiva");
    project.say("blind", "claude", draft("REQUEST", "Which?"));
    project.say("blind", "gemini", draft("RESPONSE", "The secret one."));
    for (const options of [[], ["--json"]]) {
      const { stdout } = project.run("report", ["--session", "blind", ...options]);
      assert(!stdout.includes("secret"), stdout);
    }
    project.say("blind", "claude", draft("RESPONSE", "The open one."));
    assert.match(project.run("report", ["--session", "blind"]).stdout, /The secret one/);
  });
});

describe("a text made to be slow", () => {
  for (const [name, text] of [
    ["many empty lines", `object${"\n".repeat(100_000)}`],
    ["many opening quotes", `object ${"\u201c".repeat(100_000)}`],
    ["many blanks before a quotation", `object\n${" ".repeat(100_000)}`],
  ] as const) {
    it(`is read at once: ${name}`, () => {
      const started = cpuMs();
      statesDisagreement(text);
      assert(cpuMs() - started < 1_000, `${cpuMs() - started} ms`);
    });
  }
});

describe("a foreign REQUEST", () => {
  it("that is refused leaves no session behind", () => {
    const project = newProject();
    project.open("other");
    project.put("claude", "bad.json", request("fresh", { confidence: 2 }));
    project.next("other", "claude");
    assert.deepEqual(project.files("errors"), ["bad.json", "bad.json.reason.txt"]);
    assert(!existsSync(project.path("sessions", "fresh", "events.jsonl")));
  });

  it("beyond the limit of sessions waits in the inbox and is entered when there is room", () => {
    const project = newProject();
    for (const id of ["one", "two", "three"]) project.open(id);
    project.put("claude", "late.json", request("late"));
    project.next("one", "claude");
    assert.deepEqual(project.files("inbox-claude"), ["late.json", "late.json.reason.txt"]);
    project.say("one", "claude", draft("ESCALATE", "Enough."));
    const { stderr } = project.next("late", "claude");
    assert.match(stderr, /not entered yet: "session late has to wait[\s\S]*no session late/);
    project.say("two", "claude", draft("ESCALATE", "Enough."));
    assert.match(project.next("late", "claude").stdout, /YOUR TURN/);
  });

  it("is entered once by waiters that race for it", async () => {
    const project = newProject();
    project.open("seed");
    project.put("claude", "race.json", request("race"));
    const args = ["--participant", "claude", "--session", "seed", "--timeout", "1"];
    await Promise.all(
      [1, 2, 3, 4].map(() => project.start("next-action", args.slice(0, 4), "").done),
    );
    assert(!existsSync(project.path("errors")));
    assert.match(project.next("race", "claude").stdout, /content: Which\?/);
    assert.equal(project.acts("race").length, 2);
  });
});

describe("the code cache", () => {
  it("is neither read nor written where others may write", () => {
    const project = newProject();
    const base = join(project.folder, "cache");
    mkdirSync(base);
    chmodSync(base, 0o777);
    const home = join(project.folder, "home");
    mkdirSync(home, { mode: 0o700 });
    for (const [cache, expected] of [
      [base, false],
      [home, true],
    ] as const) {
      const ran = spawnSync(process.execPath, [scriptPath("status"), "--help"], {
        env: { XDG_CACHE_HOME: cache },
      });
      assert.equal(ran.status, 0);
      const kept =
        existsSync(join(cache, "consulta")) && readdirSync(join(cache, "consulta")).length > 0;
      assert.equal(kept, expected, cache);
    }
  });

  const isLinux = process.platform === "linux";
  it("does not wait for a home that is only announced", { skip: !isLinux }, () => {
    const words = [scriptPath("status"), "--help"];
    const options = { env: { HOME: "/proc/self" }, timeout: 60_000 };
    assert.equal(spawnSync(process.execPath, words, options).status, 0);
  });
});
