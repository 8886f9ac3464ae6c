import { type ChildProcess, spawn } from "node:child_process";
import { signalGroup } from "../../clis/spawn-guarded.ts";
import type { Environment } from "../../files/environment.ts";
import { remoteLimits } from "../limits.ts";

export interface ProgramCall {
  readonly folder: string;
  readonly environment: Environment;
  readonly input: Uint8Array | string;
  readonly timeoutMs: number;
  /** So much it may print. */
  readonly outputBytes?: number;
}

export interface ProgramEnd {
  /** Undefined where it took too long, or printed too much. */
  readonly exitCode: number | undefined;
  /** Whether it was ended because it printed too much. */
  readonly isTooMuch: boolean;
  readonly stdout: Buffer;
  /** The last of it. */
  readonly stderr: string;
}

/** Runs a program that asks nobody: it, and what it starts, finds no terminal. */
export async function runProgram(
  program: string,
  words: readonly string[],
  { folder, environment, input, timeoutMs, outputBytes = remoteLimits.outputBytes }: ProgramCall,
): Promise<ProgramEnd> {
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...environment },
    // A group of its own: git starts others, and ssh finds no terminal to ask at.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let isCut = false;
  const cut = () => {
    isCut = true;
    signalGroup(child, "SIGKILL");
  };
  const timer = setTimeout(cut, timeoutMs);
  try {
    const heard = listen(child, outputBytes, cut);
    // One that ends before it has read everything is judged by how it ended.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    const { code, isTooMuch, stdout, stderr } = await heard;
    return { exitCode: isCut ? undefined : code, isTooMuch, stdout, stderr };
  } finally {
    clearTimeout(timer);
  }
}

interface Heard {
  readonly code: number;
  readonly isTooMuch: boolean;
  readonly stdout: Buffer;
  readonly stderr: string;
}

function listen(child: ChildProcess, bytesMax: number, cut: () => void): Promise<Heard> {
  const stdout: Buffer[] = [];
  let bytes = 0;
  let stderr = "";
  child.stdout?.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes > bytesMax) cut();
    else stdout.push(part);
  });
  child.stderr?.on("data", (part: Buffer) => {
    stderr = (stderr + part.toString("utf8")).slice(-16_384);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({
        code: code ?? 128,
        isTooMuch: bytes > bytesMax,
        stdout: Buffer.concat(stdout),
        stderr,
      }),
    );
  });
}
