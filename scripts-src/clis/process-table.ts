import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What the system says of a process. */
export interface ProcessStatus {
  readonly name: string;
  readonly parent: number;
  /** When it began, in the system's own words; empty when it has ended and its parent has not noticed. */
  readonly started: string;
}

/** Undefined for a process that is gone, and where the system does not tell. */
export type ProcessLook = (pid: number) => ProcessStatus | undefined;

/** Looks at the processes of this machine: each as it is on Linux, as one `ps` saw all elsewhere. */
export async function lookAtProcesses(): Promise<ProcessLook> {
  if (process.platform === "linux") return lookInProc;
  if (process.platform === "win32") return () => undefined;
  const table = await askPs();
  return (pid) => table.get(pid);
}

/** Looks at one process where that costs nothing; elsewhere whether its pid answers has to do. */
export const quickLook: ProcessLook | undefined =
  process.platform === "linux" ? lookInProc : undefined;

function lookInProc(pid: number): ProcessStatus | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in parentheses and may hold some itself.
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    const name = stat.slice(stat.indexOf("(") + 1, end);
    const started = fields[0] === "Z" ? "" : (fields[19] ?? "");
    return { name, parent: Number(fields[1]), started };
  } catch {
    return undefined;
  }
}

const psTimeoutMs = 2_000;

/** All processes by pid; none where `ps` fails. */
export async function askPs(): Promise<Map<number, ProcessStatus>> {
  try {
    const text = execFileSync("ps", ["-Ao", "pid=,ppid=,lstart=,comm="], {
      encoding: "utf8",
      timeout: psTimeoutMs,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    });
    return new Map(text.split("\n").flatMap(readPsLine));
  } catch {
    return new Map();
  }
}

/** `501 1 Sun Nov 22 08:00:00 2026 /bin/zsh`: the time is five words. */
function readPsLine(line: string): [number, ProcessStatus][] {
  const [, pid, parent, started = "", path = ""] =
    /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line) ?? [];
  const name = path.trim().slice(path.trim().lastIndexOf("/") + 1);
  return pid === undefined ? [] : [[Number(pid), { name, parent: Number(parent), started }]];
}
