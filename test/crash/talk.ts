import assert from "node:assert/strict";
import { draft, Project } from "../dialogue/project.ts";

const words = "Keep them in files: the log is one file already, and a crash test needs no server.";
/** What gemini answers in the talk. */
export const answer = draft("RESPONSE", words, { position: "Files." });

/** A project in which gemini has the turn and a REQUEST of claude that it has not taken. */
export function makeTalk(project = new Project()): Project {
  project.open("talk");
  project.say("talk", "claude", draft("REQUEST", "Files or SQLite?"));
  return project;
}

/** The seqs under which the log holds the answer in whole lines: a crash may have torn one. */
export function answersIn(project: Project): number[] {
  const lines = project.read("sessions", "talk", "events.jsonl").split("\n");
  const stored = lines.filter((line) => line.includes(words) && /\} *$/.test(line));
  return stored.map((line) => Number(/"seq":(\d+)/.exec(line)?.[1]));
}

/** The answer is sent once, and read once, by the commands that were stopped, with no other help. */
export function checkAnswered(project: Project, point: string, options: { uid?: number } = {}) {
  const again = project.send("talk", "gemini", answer, options);
  assert.equal(again.code, 0, `${point}, the same command again: ${again.stderr}`);
  assert.match(again.stdout, /^(?:appended|already sent as) seq 3\b/, point);
  assert.deepEqual(answersIn(project), [3], point);
  const who = ["--session", "talk", "--participant", "claude"];
  const next = project.run("next-action", who, "", options);
  assert.equal(next.code, 0, `${point}, next-action: ${next.stderr}`);
  assert(next.stdout.includes(words), `${point}, next-action does not show the answer`);
  const repaired = project.run("validate", ["--session", "talk", "--repair"], "", options);
  assert.equal(repaired.code, 0, `${point}, repair: ${repaired.stdout}${repaired.stderr}`);
}
