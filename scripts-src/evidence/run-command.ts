import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { signalGroup, spawnGuarded } from "../clis/spawn-guarded.ts";
import { checkLimits } from "./check-limits.ts";
import type { CommandWords } from "./without-network.ts";

/** How a command ended by itself. */
interface CommandEnd {
  readonly kind: "ended";
  /** 128 where a signal that nobody here sent ended it. */
  readonly exit: number;
  /** What it printed, standard output and errors in the order in which they came. */
  readonly output: Buffer;
  readonly ms: number;
}

/** It did not come to its end: nothing can be said of it. */
interface CommandCut {
  readonly kind: "cut";
  readonly reason: string;
}

/** Names what belongs to one run, for the processes that leave its group. */
const runVariable = "CONSULTA_CHECK_RUN";

type RunBounds = Pick<typeof checkLimits, "runMs" | "outputBytes" | "killAfterMs" | "drainMs">;

/** What a run is given beside its words and its place. */
interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** A batch file, which only Windows' own shell can start. */
  readonly shell?: boolean;
  readonly bounds?: { readonly [K in keyof RunBounds]: number };
}

/**
 * Runs a command: its words as they are, no shell, no standard input, in a process group that ends with
 * it, or with us, or when it takes too long or prints too much.
 */
export async function runCommand(
  { program, words }: CommandWords,
  folder: string,
  environment: Readonly<Record<string, string>>,
  { signal, shell = false, bounds = checkLimits }: RunOptions = {},
): Promise<CommandEnd | CommandCut> {
  const mark = randomUUID();
  const started = performance.now();
  const { child, callOff } = spawnGuarded(spawn, program, words, {
    cwd: folder,
    env: { ...environment, [runVariable]: mark },
    shell,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const run = new Running(child, bounds);
  const abort = () => run.cut("it was interrupted");
  signal?.addEventListener("abort", abort);
  const { runMs } = bounds;
  const timer = setTimeout(() => run.cut(`it ran longer than ${runMs / 1_000} s`), runMs);
  try {
    const exit = await run.ended();
    return run.reason === undefined && exit !== undefined
      ? { kind: "ended", exit, output: run.output(), ms: Math.round(performance.now() - started) }
      : { kind: "cut", reason: run.reason ?? "it was killed from outside" };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    run.kill("SIGKILL");
    callOff();
    killLeftOvers(mark);
  }
}

class Running {
  readonly #child: ChildProcess;
  readonly #bounds: NonNullable<RunOptions["bounds"]>;
  readonly #parts: Buffer[] = [];
  #bytes = 0;
  #killer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  reason: string | undefined;

  constructor(child: ChildProcess, bounds: NonNullable<RunOptions["bounds"]>) {
    this.#child = child;
    this.#bounds = bounds;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (part: Buffer) => this.#keep(part));
    }
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    const { outputBytes } = this.#bounds;
    if (this.#bytes > outputBytes) this.cut(`it printed more than ${outputBytes} bytes`);
    else this.#parts.push(part);
  }

  cut(reason: string): void {
    // What it left running prints and runs for nobody.
    if (this.reason !== undefined || this.#hasEnded) return;
    this.reason = reason;
    this.kill("SIGTERM");
    this.#killer = setTimeout(() => this.kill("SIGKILL"), this.#bounds.killAfterMs);
  }

  kill(signal: "SIGTERM" | "SIGKILL"): void {
    signalGroup(this.#child, signal);
  }

  /** The exit code when all is printed; undefined where it never started or somebody killed it. */
  ended(): Promise<number | undefined> {
    return new Promise((settle) => {
      const finish = (exit: number | undefined) => {
        clearTimeout(this.#killer);
        settle(exit);
      };
      this.#child.on("error", ({ message }) => {
        this.reason ??= `it cannot be started: ${message}`;
        finish(undefined);
      });
      this.#child.on("exit", (code, killedBy) => {
        this.#hasEnded = true;
        const isOutside = killedBy !== null && /^SIG(?:KILL|TERM|INT|HUP)$/.test(killedBy);
        const exit = isOutside ? undefined : (code ?? 128);
        // What it left running may hold the output open: it is not waited for long.
        const timer = setTimeout(() => finish(exit), this.#bounds.drainMs);
        this.#child.on("close", () => {
          clearTimeout(timer);
          finish(exit);
        });
      });
    });
  }

  output(): Buffer {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    return Buffer.concat(this.#parts);
  }
}

/** Ends what left the group of a run: its environment still names the run. Linux alone tells. */
function killLeftOvers(mark: string): void {
  if (process.platform !== "linux") return;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || !holds(`/proc/${name}/environ`, mark)) continue;
    try {
      process.kill(Number(name), "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

function holds(environment: string, mark: string): boolean {
  try {
    return readFileSync(environment, "latin1").includes(`${runVariable}=${mark}`);
  } catch {
    return false;
  }
}
