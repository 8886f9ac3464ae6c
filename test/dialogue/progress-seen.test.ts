import assert from "node:assert/strict";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { draft, type Project, projectMaker } from "./project.ts";

const makeProject = projectMaker();

function write(project: Project, path: string, text: string): void {
  const file = join(project.folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Opens a session and asks, in a project that holds some files already. */
function asked(...args: string[]): Project {
  const project = makeProject();
  write(project, "old.md", "old\n");
  project.open("talk", ...args);
  // Without a position of its own, so that no answer accepts one.
  const question_or_proposal = { content: "SQLite or files?" };
  project.say("talk", "claude", { type: "REQUEST", question_or_proposal });
  return project;
}

/** How many rounds more without progress end the session. */
function left(project: Project): number {
  const { stdout } = project.run("status", ["--session", "talk"]);
  const [, rounds] = /stall limit (\d) of 5/.exec(stdout) ?? [];
  return Number(rounds);
}

const artifact = (path: string) => ({ progress: [{ kind: "artifact", path }] });

let said = 0;
/** Says what is no progress by itself. */
function speak(project: Project, by: string, fields: JsonObject = {}, type = "CLARIFY"): void {
  said += 1;
  project.say("talk", by, draft(type, `Word ${said} of ${by}.`, fields));
}

describe("an artifact", () => {
  const files: [name: string, path: string, fields: JsonObject, after: number][] = [
    ["that is declared", "plan.md", artifact("plan.md"), 5],
    ["that nobody declares", "plan.md", {}, 5],
    ["in a folder, that nobody declares", "docs/more/plan.md", {}, 5],
    [
      "that is declared where nobody looks by himself",
      ".github/ci.yml",
      artifact(".github/ci.yml"),
      5,
    ],
    ["among hidden files, that nobody declares", ".github/ci.yml", {}, 4],
    ["among the modules of others", "node_modules/a/index.js", {}, 4],
    ["of the session itself", ".consulta/drafts/note.md", {}, 4],
  ];
  for (const [name, path, fields, after] of files) {
    it(`${name} ${after === 5 ? "is" : "is no"} progress of its round`, () => {
      const project = asked();
      write(project, path, "x\n");
      speak(project, "gemini", fields, "RESPONSE");
      assert.equal(left(project), after);
    });
  }

  it("counts once, again when its content changes, and not for being touched", () => {
    const project = asked();
    write(project, "plan.md", "x\n");
    speak(project, "gemini", {}, "RESPONSE");
    speak(project, "claude", artifact("plan.md"));
    speak(project, "gemini", artifact("./plan.md"));
    assert.equal(left(project), 4);
    write(project, "plan.md", "y\n");
    speak(project, "claude");
    speak(project, "gemini");
    assert.equal(left(project), 5);
    utimesSync(join(project.folder, "plan.md"), 1, 1);
    speak(project, "claude");
    speak(project, "gemini");
    assert.equal(left(project), 4);
  });

  it("that was there before the session is no progress, and may be named", () => {
    const project = asked();
    speak(project, "gemini", artifact("old.md"), "RESPONSE");
    assert.equal(left(project), 4);
  });

  it("that is not there is rejected, also when it was taken away", () => {
    const project = asked();
    write(project, "plan.md", "x\n");
    rmSync(join(project.folder, "plan.md"));
    const said = draft("RESPONSE", "See the plan.", artifact("plan.md"));
    assert.match(
      project.send("talk", "gemini", said).stderr,
      /progress\[0\] names plan\.md, which is not a file of this project; drop the entry/,
    );
  });

  it("that nobody declares makes no objection more than one", () => {
    const project = asked();
    const objection = {
      acknowledged: ["It is short."],
      objections: [{ point: "it", because: "it is" }],
    };
    for (let time = 1; time <= 3; time += 1) {
      write(project, "plan.md", `${time}\n`);
      speak(project, "gemini", objection, "RESPONSE");
      speak(project, "claude");
    }
    const more = draft("RESPONSE", "No.", objection);
    assert.match(project.send("talk", "gemini", more).stderr, /add self_check/);
  });

  it("counts where nobody has a turn, and in a position that is sealed", () => {
    const free = asked("--mode", "async");
    write(free, "plan.md", "x\n");
    speak(free, "claude", {}, "TASK_ASSIGN");
    speak(free, "gemini", {}, "RESPONSE");
    assert.equal(left(free), 5);
    const blind = asked("--mode", "blind");
    write(blind, "plan.md", "x\n");
    speak(blind, "gemini", {}, "RESPONSE");
    speak(blind, "claude", {}, "RESPONSE");
    assert.equal(left(blind), 5);
  });
});

describe("a fact that a message brings", () => {
  // Of a file that was there before: that is no artifact.
  const fact = { claims: [{ text: "It holds old words.", check: "old.md:1", expect: "old" }] };
  const records = (project: Project) =>
    project.acts("talk").filter((it) => it["event"] === "evidence");

  it("is recorded also where the message ends the session", () => {
    const project = asked();
    speak(project, "gemini", { ...fact, needs_user: "May we?" }, "RESPONSE");
    assert.equal(records(project).length, 1);
    const late = project.run("check", [
      "--claim",
      "C3.1",
      "--session",
      "talk",
      "--participant",
      "gemini",
    ]);
    assert.match(late.stderr, /session talk has ended/);
    assert.deepEqual(project.run("validate", ["--session", "talk"]).code, 0);
  });
});
