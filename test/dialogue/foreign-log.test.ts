import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
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

describe("a foreign REQUEST", () => {
  it("that is refused leaves no session behind", () => {
    const project = newProject();
    project.open("other");
    project.put("claude", "bad.json", request("fresh", { confidence: 2 }));
    project.next("other", "claude");
    assert.deepEqual(project.files("errors"), ["bad.json", "bad.json.reason.txt"]);
    assert(!existsSync(project.path("sessions", "fresh", "events.jsonl")));
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
  const isLinux = process.platform === "linux";
  it("does not wait for a home that is only announced", { skip: !isLinux }, () => {
    const words = [scriptPath("status"), "--help"];
    const options = { env: { HOME: "/proc/self" }, timeout: 60_000 };
    assert.equal(spawnSync(process.execPath, words, options).status, 0);
  });
});
