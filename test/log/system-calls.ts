import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isInstalled } from "../is-installed.ts";
import { plainEnvironment } from "./append-loop.ts";

/** The `when`-th call of `name` by the main thread, which concerns our folder. */
export interface Point {
  readonly name: string;
  readonly when: number;
}

export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string[];
  readonly errors: string;
  readonly trace: string[];
}

const changing =
  "openat mkdir mkdirat write pwrite64 fsync fdatasync ftruncate link linkat unlink unlinkat rename renameat renameat2";

export const hasStrace = isInstalled("strace", spawnSync("strace", ["-V"]).status === 0);

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** What standard input holds. */
  readonly input?: string;
}

const timeoutMs = 60_000;

/** Runs a program under strace. Never with --seccomp-bpf: there nothing fires and all passes. */
export function runTraced(
  trace: string,
  names: string,
  inject: string[],
  command: string[],
  { env, cwd, input }: Surroundings = { env: plainEnvironment() },
) {
  // The opening of a folder tells what a name below `/proc/self/fd` means.
  const options = ["-f", "-y", "-o", trace, "-e", `trace=execve,openat,${names}`, ...inject];
  const wanted = new Set(names.split(",").map((name) => name.replace("?", "")));
  const child = spawn("strace", [...options, process.execPath, ...command], {
    // With several heaps, glibc reads a file of the system's whenever it makes one smaller: between
    // our calls, and in each run elsewhere.
    env: { ...env, MALLOC_ARENA_MAX: "1" },
    cwd,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    // A group of its own: what outlives strace would hold the pipes open for ever.
    detached: true,
  });
  const late = setTimeout(() => child.pid && process.kill(-child.pid, "SIGKILL"), timeoutMs);
  child.stdin?.on("error", () => undefined).end(input);
  let output = "";
  let errors = "";
  child.stdout?.on("data", (data: Buffer) => {
    output += data;
  });
  child.stderr?.on("data", (data: Buffer) => {
    errors += data;
  });
  return new Promise<Run>((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(late);
      const lines = withRealPaths(mainThreadOf(readFileSync(trace, "utf8"))).filter((line) =>
        wanted.has(line.slice(0, line.indexOf("("))),
      );
      resolve({ code, signal, output: output.split("\n").slice(0, -1), errors, trace: lines });
    });
  });
}

export function runPoint(trace: string, point: Point, fault: string, command: string[]) {
  const inject = ["-e", `inject=${point.name}:${fault}:when=${point.when}`];
  return runTraced(trace, point.name, inject, command);
}

/** Every call of the main thread that may change something in `folder`, in a run without faults. */
export async function findPoints(trace: string, folder: string, command: string[]) {
  const names = changing
    .split(" ")
    .map((name) => `?${name}`)
    .join(",");
  const run = await runTraced(trace, names, [], command);
  const points = [...countedCalls(run.trace)]
    .filter(({ name, line }) => name !== "openat" || line.includes("O_CREAT"))
    .filter(({ line }) => line.includes(folder))
    .map(({ name, when }) => ({ name, when }));
  return { run, points };
}

/** Each call of a trace, with which of its name it is. */
export function* countedCalls(trace: readonly string[]): Generator<Point & { line: string }> {
  const counts = new Map<string, number>();
  for (const line of trace) {
    const name = line.slice(0, line.indexOf("("));
    const when = (counts.get(name) ?? 0) + 1;
    counts.set(name, when);
    yield { name, when, line };
  }
}

/** Our scripts name files below a folder that they hold open; here each stands with its real path. */
function withRealPaths(lines: readonly string[]): string[] {
  const folders = new Map<string, string>();
  return lines.map((line) => {
    const [, file, path] = /^openat\(.* = (\d+)<([^>]*)>/.exec(line) ?? [];
    if (file !== undefined && path !== undefined) folders.set(file, path);
    return line.replace(
      /"\/proc\/self\/fd\/(\d+)/g,
      (whole, number: string) => `"${folders.get(number) ?? whole.slice(1)}`,
    );
  });
}

/**
 * The calls of the first thread as they begin, without the process id. The first line is the
 * beginning of the program: whatever it starts, threads and processes, may come before its own calls.
 */
function mainThreadOf(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.split(/ +/, 1).concat(line.replace(/^\d+ +/, "")));
  const [main] = lines.find(([, call]) => call?.startsWith("execve(")) ?? [];
  return lines
    .filter(([id, call]) => id === main && /^(?!execve\()\w+\(/.test(call ?? ""))
    .map(([, call]) => call ?? "");
}
