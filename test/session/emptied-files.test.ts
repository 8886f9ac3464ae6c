import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import { decide } from "../dialogue/finished.ts";
import { draft, Project } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

const words = "Files or a database?";

describe("a file that a power cut emptied", () => {
  let project: Project;
  beforeEach(() => {
    project = new Project();
    project.open("talk");
    project.say("talk", "claude", draft("REQUEST", words));
  });
  afterEach(() => removeFolder(project.folder));

  for (const [what, lost] of [
    ["nothing", () => ""],
    ["zeros", (text: string) => "\0".repeat(text.length)],
  ] as const) {
    it(`stops nobody where config.json holds ${what}, and the next init writes it`, () => {
      const before = project.read("config.json");
      writeFileSync(project.path("config.json"), lost(before));
      assert.equal(project.next("talk", "gemini").code, 0);
      project.open("other");
      assert.equal(project.read("config.json"), before);
    });

    it(`is written anew where a copy in an inbox holds ${what}`, () => {
      const [name = ""] = project.files("inbox-gemini");
      const before = project.read("inbox-gemini", name);
      writeFileSync(project.path("inbox-gemini", name), lost(before));
      const { code, stdout } = project.next("talk", "gemini");
      assert.equal(code, 0);
      assert(stdout.includes(words));
      assert.equal(project.read("archive", name), before);
    });
  }
});

describe("a log that lost its end", () => {
  let project: Project;
  beforeEach(() => {
    project = new Project();
    decide(project, "talk", words, "Files.");
  });
  afterEach(() => removeFolder(project.folder));

  const report = () => project.run("report", ["--session", "talk"]);
  const kept = () => project.read("artifacts", "talk", "report.md");
  const log = () => project.path("sessions", "talk", "events.jsonl");
  const cutTo = (part: number) => truncateSync(log(), Math.floor(statSync(log()).size * part));

  for (const part of [0.5, 0.9]) {
    it(`replaces no report that tells of all of it: ${part} of the log is left`, () => {
      assert.equal(report().code, 0);
      const before = kept();
      assert.match(before, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
      cutTo(part);
      const { code, stdout, stderr } = report();
      assert.equal(code, 1);
      assert.match(stdout, /^# /);
      assert.match(
        stderr,
        /the log of talk holds \d+ events, .*report\.md tells of \d+: it is not/,
      );
      assert.match(stderr, /run validate/);
      assert.equal(kept(), before);
      const { stdout: found } = project.run("validate", ["--session", "talk"]);
      assert.match(found, /the log is shorter than when last seen: .* put a copy of the log back/);
    });
  }

  it("replaces no report of events that others stand in the place of", () => {
    assert.equal(report().code, 0);
    const before = kept();
    const lines = readFileSync(log(), "utf8").split("\n");
    const last = lines.at(-2) ?? "";
    writeFileSync(log(), [...lines.slice(0, -2), last.replace('"id":"', '"id":"0'), ""].join("\n"));
    const { code, stderr } = report();
    assert.equal(code, 1);
    assert.match(stderr, /its event \d+ is another than the one that \S+report\.md tells of/);
    assert.equal(kept(), before);
  });

  it("replaces the report of a shorter log, and its own", () => {
    const whole = readFileSync(log());
    cutTo(0.5);
    assert.equal(report().code, 0);
    assert.equal(report().code, 0);
    writeFileSync(log(), whole);
    assert.equal(report().code, 0);
    assert.match(kept(), /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
  });

  for (const [what, lost] of [
    ["nothing", () => ""],
    ["zeros", (text: string) => "\0".repeat(text.length)],
  ] as const) {
    it(`is told to be empty where it holds ${what}`, () => {
      rmSync(project.path("sessions", "talk", "checkpoint.json"), { force: true });
      writeFileSync(log(), lost(readFileSync(log(), "utf8")));
      // A young one is waited for.
      utimesSync(log(), 1, 1);
      const { code, stderr } = report();
      assert.equal(code, 2);
      assert.match(
        stderr,
        /events\.jsonl is empty: nothing of session talk can be read; restore it/,
      );
      assert.doesNotMatch(stderr, /there are/);
    });
  }
});
