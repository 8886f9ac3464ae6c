/** Whoever changes a log, a solution or a report by other means is told on, with the line. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { draft, type Project, projectMaker } from "../dialogue/project.ts";

const makeProject = projectMaker();

/** A session in which a question was asked and answered, and its report kept. */
function makeTalk(): { project: Project; log: string; report: string } {
  const project = makeProject();
  project.open("talk");
  project.say("talk", "claude", draft("REQUEST", "Which store do we take?"));
  project.say(
    "talk",
    "gemini",
    draft("RESPONSE", "We take the plain file.", { position: "The plain file" }),
  );
  assert.equal(project.run("report", ["--session", "talk"]).code, 0);
  const log = project.path("sessions", "talk", "events.jsonl");
  return { project, log, report: project.path("artifacts", "talk", "report.md") };
}

function rewrite(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(path, "utf8");
  assert.notEqual(text.replace(from, to), text, `${path} has ${from}`);
  writeFileSync(path, text.replace(from, to));
}

const validate = (project: Project, ...args: string[]) =>
  project.run("validate", ["--session", "talk", ...args]);

describe("tampering", () => {
  it("is not seen where there is none", () => {
    const { project } = makeTalk();
    const { code, stdout } = validate(project);
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /mark:|changed/);
  });

  it("with a line of the log is told by validate and report, and not repaired", () => {
    const { project, log } = makeTalk();
    rewrite(log, "Which store do we take?", "Which store do we drop?");
    const line =
      readFileSync(log, "utf8")
        .split("\n")
        .findIndex((it) => /drop/.test(it)) + 1;
    const said = new RegExp(
      `events\\.jsonl line ${line} was changed: seq ${line} is not as it was`,
    );
    for (const args of [[], ["--repair"]]) {
      const { code, stdout } = validate(project, ...args);
      assert.equal(code, 2);
      assert.match(stdout, said);
    }
    assert.match(project.run("report", ["--session", "talk"]).stdout, said);
    const copies = project.files("archive").map((name) => project.path("archive", name));
    assert(copies.every((copy) => !readFileSync(copy, "utf8").includes("drop")));
  });

  it("with a whole log that is chained anew is told against the kept report", () => {
    const { project, log } = makeTalk();
    const other = makeTalk();
    writeFileSync(log, readFileSync(other.log));
    const { code, stdout } = validate(project);
    assert.equal(code, 1, stdout);
    assert.match(stdout, /lost events: its event \d+ is another/);
  });

  it("with the report is told until the next one replaces it", () => {
    const { project, report } = makeTalk();
    rewrite(report, "Which store", "Whose store");
    const { code, stdout } = validate(project);
    assert.equal(code, 1, stdout);
    assert.match(stdout, /report\.md was changed after it was written/);
    const { stderr } = project.run("report", ["--session", "talk"]);
    assert.match(stderr, /report\.md was changed .*: it is replaced/);
    assert.equal(validate(project).code, 0);
  });

  it("with the report's hash, or without it, is told too", () => {
    for (const to of [`line: ${"0".repeat(64)}`, ""]) {
      const { project, report } = makeTalk();
      rewrite(report, to === "" ? /^.*SHA-256 of this report.*\n/m : /line: [0-9a-f]{64}/, to);
      assert.match(validate(project).stdout, /report\.md was changed after it was written/);
    }
  });

  it("is nothing that a log of an earlier release has to answer for", () => {
    const { project, log, report } = makeTalk();
    rmSync(report);
    rmSync(project.path("sessions", "talk", ".checkpoint.json"));
    rewrite(log, /,"prev":"[0-9a-f]{64}"/g, "");
    const { code, stdout } = validate(project);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /mark: talk: unchained: no event has the hash/);
    const { stdout: told } = project.run("report", ["--session", "talk"]);
    assert.match(told, /## Marks\n\n- unchained: no event/);
  });

  it("is looked for behind what an earlier release wrote", () => {
    const { project, log } = makeTalk();
    rewrite(log, /,"prev":"[0-9a-f]{64}"/g, "");
    project.say("talk", "claude", draft("CLARIFY", "Why a file?"));
    assert.match(validate(project).stdout, /unchained: \d+ events without the hash/);
    project.say(
      "talk",
      "gemini",
      draft("RESPONSE", "It is the least.", { position: "The plain file" }),
    );
    rewrite(log, "Why a file?", "Why a tape?");
    const { code, stdout } = validate(project);
    assert.equal(code, 2, stdout);
    assert.match(stdout, /events\.jsonl line \d+ was changed/);
  });
});
