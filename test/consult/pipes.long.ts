/** What a person sees where there is no terminal: a line for each thing that matters. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scriptedLine } from "../consult/scripted-line.ts";
import { Project, scriptPath } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

const projects: Project[] = [];
after(() => {
  for (const { folder } of projects) removeFolder(folder);
});

function makeProject(): Project {
  const project = new Project();
  projects.push(project);
  return project;
}

/** A process with what it has printed. */
class Run {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  out = "";
  err = "";

  constructor(project: Project, command: string) {
    this.child = spawn("sh", ["-c", command], { cwd: project.folder });
    this.ended = once(this.child, "close");
    this.child.stdout?.on("data", (part: Buffer) => {
      this.out += part.toString();
    });
    this.child.stderr?.on("data", (part: Buffer) => {
      this.err += part.toString();
    });
  }

  async until(text: RegExp): Promise<void> {
    for (let looks = 0; looks < 1_200; looks += 1) {
      if (text.test(this.out + this.err)) return;
      await sleep(25);
    }
    assert.fail(`${text} did not come:\n${this.out}${this.err}`);
  }
}

const node = process.execPath;

/** A run of scripted participants that take their time for their first turns, into a pipe. */
function consult(project: Project, seconds: number): Run {
  const slowly = `if [ ! -e turn-2 ]; then mkdir turn-1 || mkdir turn-2; sleep ${seconds}; fi`;
  const line = `${slowly}; ${scriptedLine()}`;
  const people = `claude=command:${line},gemini=command:${line}`;
  const words = `--mode turns --participants '${people}' 'Which color?'`;
  return new Run(project, `${node} ${scriptPath("consult")} ${words}`);
}

describe("consult into a pipe", () => {
  it("tells of a pause, who may still end its turn, and goes on after it", async () => {
    const project = makeProject();
    const run = consult(project, 2);
    await run.until(/gemini has the turn/);
    const on = ["--session", "which-color"];
    assert.equal(project.run("step-in", ["pause", "lunch", ...on]).code, 0);
    await run.until(/paused by you since .* \("lunch"\): no further turn is given/);
    assert.doesNotMatch(run.out + run.err, /\u001b/);
    assert.equal(project.run("step-in", ["resume", ...on]).code, 0);
    await run.ended;
    assert.equal(run.child.exitCode, 0, run.err);
    assert.match(run.out, /^# /m);
  });

  it("goes on after its log could not be read for a moment, while nobody needed it", async () => {
    const project = makeProject();
    const run = consult(project, 3);
    while (!existsSync(join(project.folder, "turn-1"))) await sleep(25);
    const log = project.path("sessions", "which-color", "events.jsonl");
    const { size } = statSync(log);
    appendFileSync(log, "{no event}\n{}\n");
    await sleep(500);
    truncateSync(log, size);
    await run.ended;
    assert.equal(run.child.exitCode, 0, run.err);
  });
});

describe("status --watch into a pipe", () => {
  it("ends when nobody reads on", async () => {
    const project = makeProject();
    project.open("talk");
    const run = new Run(project, `${node} ${scriptPath("status")} --watch | head -n 1`);
    await run.until(/talk: dialogue/);
    assert.equal(project.run("step-in", ["pause", "--session", "talk"]).code, 0);
    const isOver = await Promise.race([run.ended.then(() => true), sleep(20_000, false)]);
    if (!isOver) run.child.kill();
    assert(isOver, "it watches for nobody");
  });
});
