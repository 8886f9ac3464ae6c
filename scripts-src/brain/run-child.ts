import { type ChildProcess, spawn } from "node:child_process";
import type { DelegateOutput } from "../core/brain/delegate-answer.ts";
import { brainLimits } from "../core/brain/limits.ts";

export interface ChildRequest {
  /** A program and its arguments: no shell ever reads them. */
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Goes to standard input, so that no list of processes shows it. */
  readonly input: string;
  readonly timeoutMs: number;
}

export type ChildEnd = Omit<DelegateOutput, "stopped"> & {
  readonly stopped?: "timeout" | "it printed too much" | "nobody waits for it any more" | string;
};

const errorBytes = 8_192;
const drainMs = 500;

/**
 * Stands between us and the child, in the child's process group: when our end of its fourth pipe
 * closes, whatever became of us, it ends the whole group. Without it a killed brain would leave a
 * CLI running for ever.
 */
const keeper = `
const { spawn } = require("node:child_process");
const { Socket } = require("node:net");
const end = () => process.kill(-process.pid, "SIGKILL");
new Socket({ fd: 3 }).on("end", end).on("error", end).resume();
const [command, ...args] = process.argv.slice(1);
const child = spawn(command, args, { stdio: "inherit" });
child.on("exit", (code) => process.exit(code ?? 128));
child.on("error", (error) => {
  process.stderr.write("cannot be started: " + error.message + "\\n");
  process.exit(127);
});
`;

/**
 * Runs a program in a process group of its own and gives what it printed. When the call returns,
 * or when this process dies, nothing of the group runs any more.
 */
export function runChild(request: ChildRequest, signal: AbortSignal): Promise<ChildEnd> {
  if (signal.aborted) {
    return Promise.resolve({ exitCode: 128, stdout: "", stderr: "", stopped: gone });
  }
  const hasGroups = process.platform !== "win32";
  const [program = "", ...args] = hasGroups
    ? [process.execPath, "-e", keeper, "--", ...request.command]
    : request.command;
  const child = spawn(program, args, {
    cwd: request.folder,
    env: { ...request.env },
    detached: hasGroups,
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  return new Promise((resolve) => {
    const run = new Run(child, resolve);
    run.begin(request, signal);
  });
}

const gone = "nobody waits for it any more";

class Run {
  readonly #child: ChildProcess;
  readonly #resolve: (end: ChildEnd) => void;
  readonly #output: Buffer[] = [];
  #outputBytes = 0;
  #errors = Buffer.alloc(0);
  #stopped: ChildEnd["stopped"];
  #release = () => {};

  constructor(child: ChildProcess, resolve: (end: ChildEnd) => void) {
    this.#child = child;
    this.#resolve = resolve;
  }

  begin({ input, timeoutMs }: ChildRequest, signal: AbortSignal): void {
    const abort = () => this.#stop(gone);
    const timer = setTimeout(() => this.#stop("timeout"), timeoutMs);
    this.#release = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    signal.addEventListener("abort", abort);
    const child = this.#child;
    child.stdout?.on("data", (chunk: Buffer) => this.#keep(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#errors = Buffer.concat([this.#errors, chunk]).subarray(-errorBytes);
    });
    // A child that does not read its task and ends is judged by what it did.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    child.on("error", (error) => this.#finish(128, `cannot be started: ${error.message}`));
    child.on("close", (code) => this.#finish(code ?? 128));
    // Somebody it left behind may hold its output open for ever.
    child.on("exit", (code) => setTimeout(() => this.#finish(code ?? 128), drainMs).unref());
  }

  #keep(chunk: Buffer): void {
    this.#outputBytes += chunk.length;
    if (this.#outputBytes > brainLimits.delegateOutputBytes) this.#stop("it printed too much");
    else this.#output.push(chunk);
  }

  /** What a CLI would still say is not worth waiting for: it may hang, and its children with it. */
  #stop(why: string): void {
    this.#stopped ??= why;
    this.#killGroup();
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") this.#child.kill("SIGKILL");
      else process.kill(-pid, "SIGKILL");
    } catch {
      // The group has ended.
    }
  }

  #finish(exitCode: number, unstarted?: string): void {
    this.#release();
    this.#killGroup();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    const stopped = this.#stopped ?? unstarted;
    this.#resolve({
      exitCode,
      stdout: Buffer.concat(this.#output).toString("utf8"),
      stderr: this.#errors.toString("utf8"),
      ...(stopped === undefined ? {} : { stopped }),
    });
  }
}
