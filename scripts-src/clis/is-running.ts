import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { once } from "../base/once.ts";
import { isOlderThan } from "../files/atomic-file.ts";
import { orNothing } from "../files/disk.ts";

/** A process on some host. */
export interface ProcessName {
  readonly pid: number;
  readonly host: string | undefined;
  /** When it began, in the system's own words: pids are used again. Empty where nobody can tell. */
  readonly started?: string;
}

/** What the system says of a process. */
export interface ProcessStatus {
  readonly name: string;
  readonly parent: number;
  /** When it began, in the system's own words; empty when it has ended and its parent has not noticed. */
  readonly started: string;
  /** The program and its arguments. */
  words(): readonly string[];
}

/** Undefined for a process that is gone, and where the system does not tell. */
export type ProcessLook = (pid: number) => ProcessStatus | undefined;

export function thisProcess(): ProcessName {
  return { pid: process.pid, host: hostHere() };
}

/** The namespace of processes that a Linux begins with. */
const firstNamespace = "pid:[4026531836]";

/**
 * This machine, as far as a pid names the same process in all of it: a sandbox, such as that of Codex's commands, may
 * count processes of its own.
 */
export const hostHere = once(() => {
  const namespace = orNothing(() => readlinkSync("/proc/self/ns/pid")) ?? firstNamespace;
  return namespace === firstNamespace ? hostname() : `${hostname()} ${namespace}`;
});

/** The process that a record of ours names; one that never lived where it names none. */
export function processIn({ pid, host, started }: Readonly<Record<string, unknown>>): ProcessName {
  return {
    pid: typeof pid === "number" ? pid : Number.NaN,
    host: typeof host === "string" ? host : undefined,
    ...(typeof started === "string" ? { started } : {}),
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
 * answers until its parent notices, in a container perhaps for ever: only a look at it tells. Elsewhere than on
 * Linux a look starts a process, so that without one a pid that answers has to do.
 */
export function isRunning(
  { pid, host, started = "" }: ProcessName,
  look: ProcessLook = process.platform === "linux" ? lookInProc : () => undefined,
): boolean | undefined {
  if (host !== hostHere()) return undefined;
  if (!answers(pid)) return false;
  const now = look(pid);
  if (now === undefined) return true;
  return started === "" ? now.started !== "" : now.started === started;
}

function answers(pid: number): boolean {
  // Zero and less name groups of processes.
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}

/** Looks at the processes of this machine: each as it is on Linux, as one `ps` saw all elsewhere. */
export function lookAtProcesses(): ProcessLook {
  if (process.platform === "linux") return lookInProc;
  if (process.platform === "win32") return () => undefined;
  let table: ReadonlyMap<number, ProcessStatus> | undefined;
  return (pid) => {
    table ??= askPs();
    return table.get(pid);
  };
}

const levelsMax = 64;

/** The processes above this one, the nearest first, as far as the system tells. */
export function* processesAbove(
  look = lookAtProcesses(),
): Generator<ProcessStatus & { readonly pid: number }> {
  let pid = process.ppid;
  for (let level = 0; level < levelsMax && pid > 1; level += 1) {
    const above = look(pid);
    if (above === undefined) return;
    yield { ...above, pid };
    pid = above.parent;
  }
}

function lookInProc(pid: number): ProcessStatus | undefined {
  const stat = orNothing(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === undefined) return undefined;
  // The name stands in parentheses and may hold some itself.
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const name = stat.slice(stat.indexOf("(") + 1, end);
  const started = fields[0] === "Z" ? "" : (fields[19] ?? "");
  return { name, parent: Number(fields[1]), started, words: () => partsOf(pid, "cmdline") };
}

/** The names of the variables that a process began with; none where the system does not tell. */
export function variablesOf(pid: number): string[] {
  return partsOf(pid, "environ").map((pair) => pair.slice(0, pair.indexOf("=")));
}

/** A variable that a process began with; undefined where the system does not tell. */
export function variableOf(pid: number, name: string): string | undefined {
  const pair = partsOf(pid, "environ").find((it) => it.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

/** Another user's process, such as the one that logged the person in, tells nothing. */
function partsOf(pid: number, file: "cmdline" | "environ"): string[] {
  return orNothing(() => readFileSync(`/proc/${pid}/${file}`, "utf8"))?.split("\0") ?? [];
}

/** All processes by pid; none where `ps` fails. */
export function askPs(ps = "/bin/ps"): ReadonlyMap<number, ProcessStatus> {
  const { status, stdout } = spawnSync(ps, ["-Awwo", "pid=,ppid=,lstart=,args="], {
    encoding: "utf8",
    timeout: 2_000,
    maxBuffer: 16 * 1_048_576,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
  });
  return new Map(status === 0 ? stdout.split("\n").flatMap(readPsLine) : []);
}

/** `501 1 Sun Nov 22 08:00:00 2026 /bin/zsh -l`: the time is five words. */
function readPsLine(line: string): [number, ProcessStatus][] {
  const [, pid, parent, started = "", args = ""] =
    /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line) ?? [];
  const words = args.trim().split(" ");
  const name = words[0]?.slice(words[0].lastIndexOf("/") + 1) ?? "";
  if (pid === undefined) return [];
  return [[Number(pid), { name, parent: Number(parent), started, words: () => words }]];
}
