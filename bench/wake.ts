import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openSession } from "../scripts-src/session/open.ts";
import { placeIn } from "../scripts-src/session/place.ts";
import { findWorkspace } from "../scripts-src/session/workspace/workspace.ts";
import { openBenchSession, participants, sessionId } from "./build-session.ts";
import { environment, quantile, type Section, script, verdict } from "./measure.ts";

/** After it has announced itself a waiter looks once more; then it sleeps. */
const settleMs = 150;

/** Milliseconds from the end of the durable write. */
interface Sample {
  readonly lineMs: number;
  readonly exitMs: number;
}

/** A `wait-for-turn` for every sample, woken by a writer in another process. */
export async function measureWake(folder: string, samplesCount: number): Promise<Section> {
  const project = join(folder, "wake");
  await openBenchSession(project, "rapida");
  const workspace = findWorkspace(project);
  const writer = start(
    ["--import", "tsx", join(import.meta.dirname, "wake-writer.ts"), project],
    join(import.meta.dirname, ".."),
  );
  const lines = writer.stdout.setEncoding("utf8")[Symbol.asyncIterator]();
  const write = async (name: string) => {
    writer.stdin.write(`${name}\n`);
    return BigInt(String((await lines.next()).value).trim());
  };
  await write("the question");
  const samples: Sample[] = [];
  for (let number = 0; number <= samplesCount; number += 1) {
    const { kind, state } = await openSession(placeIn(workspace, sessionId));
    const idle = participants.find((name) => !kind.standing(state).waitingFor.includes(name)) ?? "";
    const sample = await wakeOnce(project, workspace.root, idle, () => write(String(number)));
    // The first one warms the caches.
    if (number > 0) samples.push(sample);
  }
  writer.stdin.end();
  await once(writer, "exit");
  return report(samples);
}

async function wakeOnce(
  project: string,
  root: string,
  participant: string,
  write: () => Promise<bigint>,
): Promise<Sample> {
  const presence = join(root, "presence", `${participant}.ready`);
  rmSync(presence, { force: true });
  const words = ["--session", sessionId, "--participant", participant, "--timeout", "20"];
  const waiter = start(script("wait-for-turn", ...words), project);
  const line = once(waiter.stdout, "data").then(() => process.hrtime.bigint());
  const exit = once(waiter, "exit").then(([code]) => ({ code, at: process.hrtime.bigint() }));
  while (!existsSync(presence)) await sleep(5);
  await sleep(settleMs);
  const [written, said, ended] = await Promise.all([write(), line, exit]);
  if (ended.code !== 0) throw new Error(`wait-for-turn ended with ${ended.code}`);
  return { lineMs: Number(said - written) / 1e6, exitMs: Number(ended.at - written) / 1e6 };
}

function start(argv: readonly string[], cwd: string): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, argv, { cwd, env: environment });
  child.stderr.pipe(process.stderr);
  return child;
}

function report(samples: readonly Sample[]): Section {
  const row = (what: string, values: number[], share: number, limit: number) => {
    const value = quantile(values, share);
    return [what, verdict(value, value < limit, 1), `under ${limit}`];
  };
  const line = samples.map(({ lineMs }) => lineMs);
  const exit = samples.map(({ exitMs }) => exitMs);
  return {
    title: "Waking: milliseconds from the end of the durable write",
    columns: ["what", "ms", "target"],
    rows: [
      row("to the waiter's line, p50", line, 0.5, 3),
      row("to the waiter's line, p99", line, 0.99, 10),
      ["to its exit, p50", quantile(exit, 0.5).toFixed(1), ""],
      row("to its exit, p99", exit, 0.99, 30),
    ],
    notes: [
      `${samples.length} waiters. The system tells of the write before it is durable: a line may ` +
        "come before the end of the write, and its time is then below 0.",
    ],
  };
}
