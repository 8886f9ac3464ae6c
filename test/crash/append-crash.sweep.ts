import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { hasStrace, type Point, type Run, runPoint, runTraced } from "../log/system-calls.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { pointsToTry } from "./spread.ts";
import {
  answerCommand,
  answersIn,
  copyTalk,
  makeTalk,
  nextCommand,
  run,
  session,
  showsAnswer,
  validateCommand,
} from "./talk.ts";

const atOnce = 3;
/** A run in which Node itself makes a call more or less is no proof: it is tried again. */
const triesMax = 4;
const skip = !hasStrace && "NO CRASH WAS TESTED: strace is not installed";

const writing =
  "mkdir mkdirat write pwrite64 fsync fdatasync ftruncate link linkat symlink unlink unlinkat " +
  "rename renameat renameat2";
const reading =
  "open openat access faccessat faccessat2 stat lstat statx newfstatat readlink read pread64 " +
  "getdents64 lseek close fcntl utimensat";

describe("append-event, stopped at any system call", { skip, timeout: 900_000 }, () => {
  let scratch: string;
  let model: string;
  let points: Point[];
  let writes: Point[];
  before(async () => {
    scratch = makeScratchFolder();
    model = join(scratch, "model");
    await makeTalk(model);
    ({ points, writes } = await findSteadyCalls(model, scratch));
    assert(points.length >= 60, `only ${points.length} calls in the workspace`);
    assert(writes.length >= 14, `only ${writes.length} writes in the workspace`);
  });
  after(() => removeFolder(scratch));

  /** Runs the command once for each point, with a fault there; then everything must go on. */
  async function sweep(
    t: TestContext,
    todo: readonly Point[],
    fault: string,
    check: (run: Run, at: string) => void,
  ): Promise<void> {
    const queue = pointsToTry([...todo.entries()]);
    const { length } = queue;
    const worker = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [index, point] = next;
        const project = join(scratch, `${fault.replace(/\W/g, "-")}-${index}`);
        const at = `${fault} at ${point.name} ${point.when}`;
        const stopped = await stopAt(project, point, fault, at);
        check(stopped, at);
        await checkGoesOn(project, stopped, at);
        removeFolder(project);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    t.diagnostic(`${length} of ${todo.length} points`);
  }

  async function stopAt(project: string, point: Point, fault: string, at: string): Promise<Run> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      removeFolder(project);
      copyTalk(model, project);
      const stopped = await runPoint(`${project}.trace`, point, fault, answerCommand(project));
      if (stopped.trace[point.when - 1]?.includes(join(project, ".consulta"))) return stopped;
    }
    return assert.fail(`${at} hit no call in the workspace`);
  }

  it("loses and doubles nothing when it is killed", async (t) => {
    await sweep(t, points, "signal=KILL", (stopped, at) => {
      assert.equal(stopped.signal, "SIGKILL", `${at} did not fire`);
    });
  });

  for (const error of ["ENOSPC", "EIO"]) {
    it(`says so in one line, or goes on, when a write gives ${error}`, async (t) => {
      await sweep(t, writes, `error=${error}`, ({ trace, code, errors }, at) => {
        const fired = trace.some((line) => line.includes("(INJECTED)"));
        assert(fired, `${at} did not fire`);
        if (code === 0) return;
        assert.equal(code, 4, `${at}: ${errors}`);
        assert.match(errors, new RegExp(`^error: .*${error}.*\\n$`), at);
      });
    });
  }
});

/**
 * Calls are told by their number, which what a process does elsewhere can shift, such as keeping
 * compiled code for the first time: two runs in a row have to agree.
 */
async function findSteadyCalls(model: string, scratch: string) {
  let found = await findCalls(model, join(scratch, "plain-0"));
  for (let tries = 1; tries < 6; tries += 1) {
    const next = await findCalls(model, join(scratch, `plain-${tries}`));
    if (JSON.stringify(next.points) === JSON.stringify(found.points)) return next;
    found = next;
  }
  return assert.fail("no two runs make the same calls");
}

/** Every call of a run without faults that concerns the workspace, and those that write. */
async function findCalls(model: string, project: string) {
  copyTalk(model, project);
  const names = `${writing} ${reading}`.split(" ").map((name) => `?${name}`);
  const command = answerCommand(project);
  const { code, errors, trace } = await runTraced(`${project}.trace`, names.join(), [], command);
  assert.equal(code, 0, errors);
  const counts = new Map<string, number>();
  const points: Point[] = [];
  const writes: Point[] = [];
  for (const line of trace) {
    const name = line.slice(0, line.indexOf("("));
    const when = (counts.get(name) ?? 0) + 1;
    counts.set(name, when);
    if (!line.includes(join(project, ".consulta"))) continue;
    points.push({ name, when });
    if (writing.split(" ").includes(name) || line.includes("O_CREAT")) writes.push({ name, when });
  }
  return { points, writes };
}

/**
 * What was acknowledged is in the log; the same command once more makes it so if it was not; the
 * colleague reads it once; nothing is left that needs a person.
 */
async function checkGoesOn(project: string, stopped: Run, at: string): Promise<void> {
  const acknowledged = /^appended seq (\d+)/.exec(stopped.output.join("\n"))?.[1];
  const stored = answersIn(project);
  if (acknowledged === undefined) assert(stored.length <= 1, at);
  else assert.deepEqual(stored, [Number(acknowledged)], at);

  const again = await run(answerCommand(project));
  assert.equal(again.code, 0, `${at}, the same command again: ${again.errors}`);
  assert.match(again.out, /^(?:appended|already sent as) seq 3\b/, at);
  assert.deepEqual(answersIn(project), [3], at);

  const next = await run(nextCommand(project, "claude"));
  assert.equal(next.code, 0, `${at}, next-action: ${next.errors}`);
  assert(showsAnswer(next), `${at}, next-action does not show the answer: ${next.out}`);

  const found = await run(validateCommand(project));
  assert([0, 1].includes(found.code ?? -1), `${at}, validate: ${found.out}${found.errors}`);
  const repaired = await run(validateCommand(project, "--repair"));
  assert.equal(repaired.code, 0, `${at}, repair: ${repaired.out}${repaired.errors}`);
  const commits = readdirSync(join(project, ".consulta/sessions", session, ".commits"));
  const waiting = commits.filter((name) => !name.startsWith("tmp-"));
  // A commit of the last event is finished by the next writer, which also clears it away.
  assert(
    waiting.every((name) => name === "3"),
    `${at} left ${waiting.join()}`,
  );
}
