import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { appendLoop, checkHistory } from "./append-loop.ts";
import { makeEvent } from "./check-event-log.ts";
import { findPoints, hasStrace, type Point, type Run, runPoint } from "./system-calls.ts";

const atOnce = 3;
const triesMax = 6;
const skip = !hasStrace && "NO CRASH WAS TESTED: strace is not installed";

/** Stops a program that appends so many events at each of its system calls, once with each fault. */
export function sweepLog(appends: number, errors: readonly string[]): void {
  const name = `a crash or a failing disk at any system call of ${appends} appends`;
  describe(name, { skip, timeout: 120_000 }, () => sweepEach(appends, errors));
}

function sweepEach(appends: number, errors: readonly string[]): void {
  let scratch: string;
  let points: Point[] = [];
  before(async () => {
    scratch = makeScratchFolder();
    // The first run of a user makes a key, by calls that no later one makes.
    const first = join(scratch, "first");
    await findPoints(join(scratch, "first.trace"), first, commandFor(first));
    // Under load a run has now and then a call of Node's own more than others: two in a row have to agree.
    let last: Point[] | undefined;
    for (let run = 0; last === undefined || !isDeepStrictEqual(points, last); run += 1) {
      assert(run < triesMax, "no two runs in a row make the same calls");
      last = points;
      points = await plainPoints(join(scratch, `plain-${run}`));
    }
    // The folders, the log's first opening, and about eight calls for each append.
    assert(points.length >= 3 + 8 * appends, `only ${points.length} points`);
  });
  after(() => removeFolder(scratch));

  async function plainPoints(folder: string): Promise<Point[]> {
    const { run, points } = await findPoints(`${folder}.trace`, folder, commandFor(folder));
    assert.equal(run.code, 0, run.errors);
    assert.equal(run.output.length, appends);
    return points;
  }

  const commandFor = (folder: string) => [appendLoop(), folder, "w", String(appends)];

  /** Node's own calls before ours vary a little under load: a fault that missed us is tried again. */
  async function hit(name: string, point: Point, fault: string) {
    const calls: string[] = [];
    for (let tries = 0; tries < triesMax; tries += 1) {
      const folder = join(scratch, `${name}-${tries}`);
      const run = await runPoint(`${folder}.trace`, point, fault, commandFor(folder));
      const call = run.trace[point.when - 1] ?? "";
      if (call.includes(folder)) return { run, folder };
      calls.push(call);
    }
    assert.fail(`the fault at ${point.name} ${point.when} hit something else: ${calls.join("; ")}`);
  }

  /** Runs the appender once for each point, with a fault there, and checks what is left. */
  async function sweep(t: TestContext, fault: string, check: (run: Run, at: string) => void) {
    const todo = [...points.entries()];
    const worker = async () => {
      for (let next = todo.shift(); next; next = todo.shift()) {
        const [index, point] = next;
        const at = `${point.name} ${point.when}`;
        const { run, folder } = await hit(`${fault.replace(/\W/g, "-")}-${index}`, point, fault);
        check(run, at);
        const stored = await checkHistory(folder, run.output);
        assert(stored.length <= appends, at);
        await goOn(folder, run.output);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    t.diagnostic(`${points.length} points`);
  }

  it("loses nothing when the process is killed", async (t) => {
    await sweep(t, "signal=KILL", (run, at) => {
      assert.equal(run.signal, "SIGKILL", `the kill at ${at} did not fire`);
    });
  });

  for (const error of errors) {
    it(`reports ${error} as unavailable or goes on, and loses nothing`, async (t) => {
      await sweep(t, `error=${error}`, (run, at) => {
        const fired = run.trace.some((line) => line.includes("(INJECTED)"));
        assert(fired, `the error at ${at} did not fire`);
        if (run.code === 0) return assert.equal(run.output.length, appends, at);
        assert.equal(run.code, 4, `${at}: ${run.errors}`);
        assert.match(run.errors, new RegExp(`^cannot .+/.+: .+ \\(${error}\\)\\n$`), at);
      });
    });
  }
}

/** The next writer needs no help: at most one commit is in its way, and that one it finishes. */
async function goOn(folder: string, acknowledged: string[]): Promise<void> {
  const log = new FileEventLog(folder);
  let lost = 0;
  for (let stored = 0, cursor = log.start; stored < 2; ) {
    ({ cursor } = await log.read(cursor));
    const next = await log.append(cursor, makeEvent(cursor.seq + 1));
    if (next === undefined) lost += 1;
    else stored += 1;
    assert(lost <= 1, "a writer that died stands in the way");
  }
  await checkHistory(folder, acknowledged);
  const left = readdirSync(join(folder, ".commits")).filter((name) => !name.startsWith("tmp-"));
  assert.deepEqual(left, []);
}
