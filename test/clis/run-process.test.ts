import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { runProcess } from "../../scripts-src/clis/run-process.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { isGone, pidsIn } from "../consult/consult-run.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

let folder: string;
beforeEach(() => {
  folder = makeScratchFolder();
});
afterEach(() => removeFolder(folder));

const bounds = { outputBytes: 1_000_000, errorBytes: 100, killAfterMs: 200, drainMs: 200 };
const never = new AbortController().signal;

function run(script: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  const { timeoutMs = 20_000, signal = never } = more;
  const request = {
    command: process.execPath,
    arguments: ["-e", script],
    shell: false,
    folder,
    environment: process.env,
    input: "the task",
    timeoutMs,
    bounds,
  };
  return runProcess(request, signal);
}

describe("a process that is run for its output", () => {
  it("is given its input and gives what it prints, and how it ended", async () => {
    const end = await run(
      "process.stdin.on('data', (it) => { console.log(it + '!'); console.error('warm'); process.exitCode = 3; })",
    );
    assert.deepEqual(end, { stdout: "the task!\n", stderr: "warm\n", exitCode: 3 });
  });

  it("says which signal ended it", async () => {
    const { exitCode, killedBy } = await run("process.kill(process.pid, 'SIGABRT')");
    assert.deepEqual([exitCode, killedBy], [128, "SIGABRT"]);
  });

  it("is asked to end and, when it does not, ended", async () => {
    const polite = "process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });";
    const wait = "console.log('up'); setInterval(() => 0, 1000);";
    const asked = await run(`${polite}${wait}`, { timeoutMs: 1_000 });
    assert.deepEqual([asked.stopped, asked.stdout], ["timeout", "up\nbye\n"]);
    const deaf = await run(`process.on('SIGTERM', () => 0);${wait}`, { timeoutMs: 1_000 });
    assert.deepEqual([deaf.stopped, deaf.killedBy], ["timeout", "SIGKILL"]);
  });

  // What keeps working when this process is killed would work on for ever.
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    it(`ends with all its children when who runs it is ended: ${signal}`, async () => {
      const notes = join(folder, "notes.jsonl");
      const hang = [
        process.execPath,
        bundledFixture("test/brain/delegate.fixture.ts"),
        "hang",
        notes,
      ];
      const runner = bundledFixture("test/clis/run-process.fixture.ts");
      const parent = spawn(process.execPath, [runner, ...hang], { stdio: "ignore" });
      const pids = () => pidsIn(notes);
      while (pids().length < 2) await sleep(20);
      parent.kill(signal);
      for (const pid of pids()) assert(await isGone(pid), String(pid));
    });
  }
});
