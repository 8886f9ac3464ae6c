/** A writer makes the file of its log and then writes the first line: what others see in between is empty. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { projectMaker } from "../dialogue/project.ts";

const newProject = projectMaker();
const letter = JSON.stringify({
  session_id: "soon",
  from: "gemini",
  to: "claude",
  type: "REQUEST",
  question_or_proposal: { content: "Which?" },
});

/** A project with a session, and with the empty log of another; `write` gives that the lines that it gets. */
function projectWithEmptyLog() {
  const written = newProject();
  written.open("seed");
  written.put("claude", "question.json", letter);
  written.next("seed", "claude");
  const lines = written.read("sessions", "soon", "events.jsonl");
  const project = newProject();
  project.open("seed");
  const log = project.path("sessions", "soon", "events.jsonl");
  mkdirSync(project.path("sessions", "soon"));
  writeFileSync(log, "");
  return { project, log, write: () => writeFileSync(log, lines) };
}

describe("a log that is being made", () => {
  for (const script of ["next-action", "status", "wait-for-turn"]) {
    it(`is read by ${script} when its first line is there`, async () => {
      const { project, write } = projectWithEmptyLog();
      const who = script === "status" ? [] : ["--participant", "claude"];
      const { done } = project.start(script, ["--session", "soon", ...who], "");
      await sleep(400);
      write();
      const { code, stdout, stderr } = await done;
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /claude/);
    });
  }

  it("keeps no letter out that is for its session", async () => {
    const { project, write } = projectWithEmptyLog();
    project.put("claude", "question.json", letter);
    const { done } = project.start(
      "next-action",
      ["--session", "seed", "--participant", "claude"],
      "",
    );
    await sleep(400);
    write();
    const { code, stderr } = await done;
    assert.deepEqual([code, stderr], [0, ""]);
    assert(!existsSync(project.path("errors")));
    assert.deepEqual(
      project.acts("soon").map(({ event }) => event),
      ["opened", "message_sent"],
    );
    assert.match(project.next("soon", "claude").stdout, /content: Which\?/);
  });

  it("is empty where nobody goes on with it, at once where it is old", () => {
    const { project, log } = projectWithEmptyLog();
    const look = () => {
      const begun = Date.now();
      const { code, stderr } = project.next("soon", "claude");
      assert.equal(code, 2);
      assert.match(stderr, /events\.jsonl is empty: nothing of session soon can be read/);
      return Date.now() - begun;
    };
    assert(look() >= 2_000);
    utimesSync(log, 1, 1);
    assert(look() < 2_000);
  });
});
