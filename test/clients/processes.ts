import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes that have this folder as their home; none where the system has no /proc. */
export function processesOf(home: string): Process[] {
  return pids().flatMap((pid) => {
    const environment = read(pid, "environ").split("\0");
    // What has ended and waits for its parent has no environment any more.
    if (!environment.includes(`HOME=${home}`)) return [];
    const [, parent = ""] = read(pid, "stat")
      .replace(/^.*\) /s, "")
      .split(" ");
    return [{ pid, parent: Number(parent), command: read(pid, "cmdline").replaceAll("\0", " ") }];
  });
}

/** Ends them at once, by their ids. */
export function killProcesses(processes: readonly Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

/** Waits until this holds, for ten seconds. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const endMs = performance.now() + 10_000;
  while (!holds()) {
    assert(performance.now() < endMs, `not in time: ${what}`);
    await sleep(20);
  }
}

function pids(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
