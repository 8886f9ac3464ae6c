import { hostname } from "node:os";

/** A process on some host. */
export interface ProcessName {
  readonly pid: number;
  readonly host: string | undefined;
}

export function thisProcess(): ProcessName {
  return { pid: process.pid, host: hostname() };
}

/** Whether a process lives; undefined where that cannot be told: it ran on another host. */
export function lives({ pid, host }: ProcessName): boolean | undefined {
  if (host !== hostname()) return undefined;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
