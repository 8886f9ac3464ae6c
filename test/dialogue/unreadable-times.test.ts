import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Board } from "../findings/board.ts";
import { removeFolder } from "../scratch-folder.ts";
import { Project, type Ran } from "./project.ts";

// Others write logs as well: a time that nobody can read stops no script and is never a bug.
const times = ["2026-13-45T00:00:00Z", "9999-12-31T23:59:59Z", "+275760-09-13T00:00:00Z", "", "z"];
const request = { type: "REQUEST", question_or_proposal: { content: "Files?" } };
const answer = { type: "RESPONSE", question_or_proposal: { content: "Files." }, confidence: 0.7 };

function restamp(log: string, time: string): void {
  const text = readFileSync(log, "utf8");
  const stamped = text.replace(/"at":"[^"]*"/g, `"at":"${time}"`);
  assert.notEqual(stamped, text);
  writeFileSync(log, stamped.replace(/"timestamp":"[^"]*"/g, `"timestamp":"${time}"`));
}

function isNoBug({ code, stdout, stderr }: Ran, what: string): void {
  // 64 is what `poll` refuses with.
  assert([0, 1, 2, 4, 64].includes(code ?? -1), `${what} ends with ${code}: ${stderr}`);
  assert.doesNotMatch(stdout + stderr, /NaN|Invalid|^ {4}at /m, what);
}

describe("a log with times that nobody can read", () => {
  for (const time of times) {
    it(`is worked on in a dialogue: ${JSON.stringify(time)}`, (t) => {
      const project = new Project();
      mkdirSync(project.path());
      t.after(() => removeFolder(project.folder));
      project.open("talk");
      project.say("talk", "claude", request);
      project.next("talk", "gemini");
      restamp(project.path("sessions", "talk", "events.jsonl"), time);
      for (const words of [
        ["report", "--session", "talk"],
        ["status", "--all"],
      ]) {
        const [script = "", ...args] = words;
        const ran = project.run(script, args);
        isNoBug(ran, `${script} with ${time}`);
      }
      isNoBug(project.next("talk", "gemini"), "next-action");
      isNoBug(project.send("talk", "gemini", answer), "append-event");
      isNoBug(project.run("validate", []), "validate");
      isNoBug(project.run("report", ["--session", "talk"]), "report");
    });

    it(`is worked on at a board: ${JSON.stringify(time)}`, () => {
      const at = new Board().init(3).register("a");
      at.post("a", "first");
      restamp(join(at.folder, "events.jsonl"), time);
      for (const [script, ...words] of [
        ["register", "b"],
        ["post", "a", "second"],
        ["ready", "a"],
        ["poll", "a"],
        ["read-all", "b"],
      ]) {
        isNoBug(at.run(script ?? "", words), `${script} with ${time}`);
      }
      isNoBug(at.project.run("report", ["--folder", at.name]), "report");
      isNoBug(at.project.run("validate", ["--folder", at.name]), "validate");
    });
  }
});
