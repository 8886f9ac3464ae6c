import { type ChildProcess, spawn } from "node:child_process";
import { defined } from "../base/omit-undefined.ts";
import { signalGroup, spawnGuarded } from "./spawn-guarded.ts";

export interface ProcessRequest {
  readonly command: string;
  readonly arguments: readonly string[];
  /** The command is a line for the shell, or a batch file, which only a shell can start. */
  readonly shell: boolean;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Goes to standard input, whole; then it is closed. */
  readonly input: string;
  /** 0: no limit. */
  readonly timeoutMs: number;
  readonly bounds: ProcessBounds;
}

export interface ProcessBounds {
  /** What it may print before it is stopped. */
  readonly outputBytes: number;
  /** How much of its error output is kept. */
  readonly errorBytes: number;
  /** From the polite signal to the one that cannot be refused; 0: that one at once. */
  readonly killAfterMs: number;
  /** How long the output of a process that ended is waited for: something it left may hold it. */
  readonly drainMs: number;
}

/** Why a process was stopped before it ended by itself. */
type Stop = "timeout" | "output" | "aborted";

export interface ProcessEnd {
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

/**
 * Runs a process in a group of its own and returns what it printed. When the call returns, or when
 * this process dies, nothing of the group runs any more: nobody works on behind the log's back.
 */
export async function runProcess(
  request: ProcessRequest,
  signal: AbortSignal,
): Promise<ProcessEnd> {
  const none = { stdout: "", stderr: "", exitCode: 128 };
  if (signal.aborted) return { ...none, stopped: "aborted" };
  const { child, callOff } = spawnGuarded(spawn, request.command, request.arguments, {
    cwd: request.folder,
    env: { ...request.environment },
    shell: request.shell,
    stdio: ["pipe", "pipe", "pipe"],
  });
  return new Promise((resolve) => {
    const run = new Run(child, request.bounds);
    const abort = () => run.stop("aborted");
    const timer =
      request.timeoutMs > 0 ? setTimeout(() => run.stop("timeout"), request.timeoutMs) : undefined;
    const finish = (end: ProcessEnd) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      run.killGroup("SIGKILL");
      callOff();
      resolve(end);
    };
    signal.addEventListener("abort", abort);
    child.on("error", (error) => finish({ ...none, unstarted: error.message }));
    child.on("exit", (code, killedBy) =>
      run
        .drained()
        .then(() =>
          finish({ ...run.end(code ?? 128), ...(killedBy === null ? {} : { killedBy }) }),
        ),
    );
    // A child that does not read its task and ends is judged by what it did, not by this.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(request.input);
  });
}

/** A running process with what it has printed so far. */
class Run {
  readonly #child: ChildProcess;
  readonly #bounds: ProcessBounds;
  readonly #stdout: Buffer[] = [];
  #stdoutBytes = 0;
  #stderr = Buffer.alloc(0);
  #stopped: Stop | undefined;
  #killer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(child: ChildProcess, bounds: ProcessBounds) {
    this.#child = child;
    this.#bounds = bounds;
    child.stdout?.on("data", (chunk: Buffer) => this.#keep(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-bounds.errorBytes);
    });
    child.on("close", () => {
      this.#closed = true;
    });
  }

  #keep(chunk: Buffer): void {
    this.#stdoutBytes += chunk.length;
    if (this.#stdoutBytes > this.#bounds.outputBytes) this.stop("output");
    else this.#stdout.push(chunk);
  }

  /** Asks the group to end, and makes it end if it does not. */
  stop(why: Stop): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    const { killAfterMs } = this.#bounds;
    if (killAfterMs > 0) this.killGroup("SIGTERM");
    this.#killer = setTimeout(() => this.killGroup("SIGKILL"), killAfterMs);
  }

  killGroup(signal: "SIGTERM" | "SIGKILL"): void {
    signalGroup(this.#child, signal);
  }

  /** Resolves when the output is complete, or nobody should wait for it any longer. */
  drained(): Promise<void> {
    clearTimeout(this.#killer);
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#bounds.drainMs);
      this.#child.on("close", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  end(exitCode: number): ProcessEnd {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    return {
      stdout: Buffer.concat(this.#stdout).toString("utf8"),
      stderr: this.#stderr.toString("utf8"),
      exitCode,
      ...defined({ stopped: this.#stopped }),
    };
  }
}
