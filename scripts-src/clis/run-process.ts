import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { inline } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import { lastLine } from "./output-line.ts";
import { runLimits } from "./run-limits.ts";
import { signalGroup, spawnGuarded } from "./spawn-guarded.ts";

export interface ProcessRequest {
  readonly command: string;
  readonly arguments: readonly string[];
  /** The command is a line for the shell, or a batch file, which only a shell can start. */
  readonly shell: boolean;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Goes to standard input, whole; then it is closed. Or speaks with it; when that is over, the process is stopped. */
  readonly input: string | Talk;
  /** 0: no limit. */
  readonly timeoutMs: number;
  readonly bounds: ProcessBounds;
}

/** Speaks with a process; settles soon after the signal fires. */
export type Talk = (to: Writable, from: Readable, signal: AbortSignal) => Promise<void>;

export interface ProcessBounds {
  /** What it may print before it is stopped; who speaks with it counts itself. */
  readonly outputBytes: number;
  /** How much of its error output is kept. */
  readonly errorBytes: number;
  /** For last words to it, before it is asked to end. */
  readonly farewellMs?: number;
  /** From the polite signal to the one that cannot be refused; 0: that one at once. */
  readonly killAfterMs: number;
  /** How long the output of a process that ended is waited for: something it left may hold it. */
  readonly drainMs: number;
}

/** Why a process was stopped before it ended by itself. */
type Stop = "timeout" | "output" | "aborted";

export interface ProcessEnd {
  /** Of a process that is spoken with the first part. */
  readonly stdout: string;
  /** The last part of the error output. */
  readonly stderr: string;
  /** 128 when a signal ended it. */
  readonly exitCode: number;
  /** The signal that ended it. */
  readonly killedBy?: string;
  readonly stopped?: Stop;
  /** The process never started, and why. */
  readonly unstarted?: string;
}

const unstarted: ProcessEnd = { stdout: "", stderr: "", exitCode: 128 };

/**
 * Runs a process in a group of its own and returns what it printed. When the call returns, or when
 * this process dies, nothing of the group runs any more: nobody works on behind the log's back.
 */
export async function runProcess(
  request: ProcessRequest,
  signal: AbortSignal,
): Promise<ProcessEnd> {
  if (signal.aborted) return { ...unstarted, stopped: "aborted" };
  const { timeoutMs } = request;
  const { child, callOff } = spawnGuarded(spawn, request.command, request.arguments, {
    cwd: request.folder,
    env: { ...request.environment },
    shell: request.shell,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A child that does not read its task and ends is judged by what it did, not by this.
  child.stdin?.on("error", () => undefined);
  const run = new Run(child, request);
  const abort = () => run.stop("aborted");
  const timer = timeoutMs > 0 ? setTimeout(() => run.stop("timeout"), timeoutMs) : undefined;
  signal.addEventListener("abort", abort);
  try {
    return await run.ended();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    signalGroup(child, "SIGKILL");
    callOff();
  }
}

/** Runs Node with these words as a process of its own, which outlives this one; a failure shows by its absence. */
export function startAlone(words: readonly string[], folder: string): void {
  const alone = { cwd: folder, detached: true, stdio: "ignore", windowsHide: true } as const;
  const child = spawn(process.execPath, words, alone);
  child.on("error", () => undefined);
  child.unref();
}

/** How a process failed, whoever ran it; undefined where it ended as it should. */
export function failureOf(end: ProcessEnd, { outputBytes }: ProcessBounds): string | undefined {
  if (end.unstarted !== undefined) return `could not be started: ${end.unstarted}`;
  if (end.stopped === "output") return `printed more than ${outputBytes} bytes and was stopped`;
  if (end.stopped !== undefined) return "was stopped";
  if (end.killedBy !== undefined) return `was killed by ${end.killedBy}`;
  if (end.exitCode === 0) return undefined;
  const line = lastLine(end.stderr) || lastLine(end.stdout);
  const said = line === "" ? "" : `: ${inline(line, runLimits.quotedReasonCharacters)}`;
  return `ended with exit code ${end.exitCode}${said}`;
}

/** A running process with what it has printed so far. */
class Run {
  readonly #child: ChildProcess;
  readonly #bounds: ProcessBounds;
  readonly #closed: Promise<unknown>;
  readonly #stdout: Buffer[] = [];
  #stdoutBytes = 0;
  #stderr = Buffer.alloc(0);
  readonly #leaving = new AbortController();
  #farewellMs = 0;
  #stopped: Stop | undefined;
  #isEnding = false;
  #killer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, { bounds, input }: ProcessRequest) {
    this.#child = child;
    this.#bounds = bounds;
    this.#closed = new Promise((resolve) => child.once("close", resolve));
    const isSpokenWith = typeof input === "function";
    child.stdout?.on("data", (chunk: Buffer) => {
      this.#stdoutBytes += chunk.length;
      const isMore = this.#stdoutBytes > (isSpokenWith ? bounds.errorBytes : bounds.outputBytes);
      if (!isMore) this.#stdout.push(chunk);
      else if (!isSpokenWith) this.stop("output");
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-bounds.errorBytes);
    });
    if (isSpokenWith) this.#speak(input);
    else child.stdin?.end(input);
  }

  /** Why it failed is for the talk itself to keep. */
  #speak(talk: Talk): void {
    const { stdin, stdout } = this.#child;
    if (stdin === null || stdout === null) return;
    this.#farewellMs = this.#bounds.farewellMs ?? 0;
    const end = () => this.#end();
    talk(stdin, stdout, this.#leaving.signal).then(end, end);
  }

  /** Asks the group to end, and makes it end if it does not. */
  stop(why: Stop): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#leaving.abort();
    if (this.#farewellMs === 0) this.#end();
    else this.#killer = setTimeout(() => this.#end(), this.#farewellMs);
  }

  #end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimeout(this.#killer);
    const { killAfterMs } = this.#bounds;
    if (killAfterMs > 0) signalGroup(this.#child, "SIGTERM");
    this.#killer = setTimeout(() => signalGroup(this.#child, "SIGKILL"), killAfterMs);
  }

  /** Resolves when it has ended and its output is complete, or nobody should wait for that any longer. */
  ended(): Promise<ProcessEnd> {
    return new Promise((resolve) => {
      this.#child.on("error", ({ message }) => resolve({ ...unstarted, unstarted: message }));
      this.#child.on("exit", async (code, killedBy) => {
        clearTimeout(this.#killer);
        const patience = new AbortController();
        const { drainMs } = this.#bounds;
        const drained = sleep(drainMs, undefined, patience).catch(() => undefined);
        await Promise.race([this.#closed, drained]);
        patience.abort();
        resolve(this.#result(code ?? 128, killedBy ?? undefined));
      });
    });
  }

  #result(exitCode: number, killedBy: string | undefined): ProcessEnd {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    return {
      stdout: Buffer.concat(this.#stdout).toString("utf8"),
      stderr: this.#stderr.toString("utf8"),
      exitCode,
      ...defined({ stopped: this.#stopped, killedBy }),
    };
  }
}
