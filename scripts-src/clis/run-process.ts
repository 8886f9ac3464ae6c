import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
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
  const run = new Run(child, request.bounds);
  const abort = () => run.stop("aborted");
  const timer = timeoutMs > 0 ? setTimeout(() => run.stop("timeout"), timeoutMs) : undefined;
  signal.addEventListener("abort", abort);
  try {
    // A child that does not read its task and ends is judged by what it did, not by this.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(request.input);
    return await run.ended();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    signalGroup(child, "SIGKILL");
    callOff();
  }
}

/** A running process with what it has printed so far. */
class Run {
  readonly #child: ChildProcess;
  readonly #bounds: ProcessBounds;
  readonly #closed: Promise<unknown>;
  readonly #stdout: Buffer[] = [];
  #stdoutBytes = 0;
  #stderr = Buffer.alloc(0);
  #stopped: Stop | undefined;
  #killer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, bounds: ProcessBounds) {
    this.#child = child;
    this.#bounds = bounds;
    this.#closed = new Promise((resolve) => child.once("close", resolve));
    child.stdout?.on("data", (chunk: Buffer) => {
      this.#stdoutBytes += chunk.length;
      if (this.#stdoutBytes > bounds.outputBytes) this.stop("output");
      else this.#stdout.push(chunk);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-bounds.errorBytes);
    });
  }

  /** Asks the group to end, and makes it end if it does not. */
  stop(why: Stop): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
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
        resolve(this.#end(code ?? 128, killedBy ?? undefined));
      });
    });
  }

  #end(exitCode: number, killedBy: string | undefined): ProcessEnd {
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
