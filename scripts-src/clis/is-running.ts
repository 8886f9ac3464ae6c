import { hostname } from "node:os";
import { isOlderThan } from "../files/atomic-file.ts";
import { type ProcessLook, quickLook } from "./process-table.ts";

/** A process on some host. */
export interface ProcessName {
  readonly pid: number;
  readonly host: string | undefined;
  /** When it began, in the system's own words: pids are used again. Empty where nobody can tell. */
  readonly started?: string;
}

export function thisProcess(): ProcessName {
  return { pid: process.pid, host: hostname() };
}

/** The process that a record of ours names; one that never lived where it names none. */
export function processIn({ pid, host }: Readonly<Record<string, unknown>>): ProcessName {
  return {
    pid: typeof pid === "number" ? pid : Number.NaN,
    host: typeof host === "string" ? host : undefined,
  };
}

/**
 * Whether nobody is at work any more on a file that a process made: that process is dead, or, where this
 * cannot be told or its number is another's by now, the file is older than its work takes.
 */
export function isLeftBehind(path: string, maker: ProcessName, longestMs: number): boolean {
  return isRunning(maker) === false || isOlderThan(path, longestMs);
}

/**
 * Whether a process lives; undefined where that cannot be told: it ran on another host. One that has ended
 * answers until its parent notices, in a container perhaps for ever: only a look at it tells.
 */
export function isRunning(
  { pid, host, started = "" }: ProcessName,
  look: ProcessLook | undefined = quickLook,
): boolean | undefined {
  if (host !== hostname()) return undefined;
  if (!answers(pid)) return false;
  const now = look?.(pid);
  if (now === undefined) return true;
  return started === "" ? now.started !== "" : now.started === started;
}

function answers(pid: number): boolean {
  // Zero and less name groups of processes.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
