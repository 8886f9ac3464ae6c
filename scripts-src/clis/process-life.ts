import { hostname } from "node:os";
import type { ProcessLook } from "./processes.ts";

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

/** Whether a process lives; undefined where that cannot be told: it ran on another host. */
export function lives(
  { pid, host, started = "" }: ProcessName,
  look?: ProcessLook,
): boolean | undefined {
  if (host !== hostname()) return undefined;
  if (!answers(pid)) return false;
  const now = started === "" ? undefined : look?.(pid);
  return now === undefined || now.started === started;
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
