import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledFixture } from "../bundled-fixture.ts";
import { codeCache } from "../code-cache.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { hasThreads, runInThread } from "../script-host.ts";
import { copyScripts } from "./copy-scripts.ts";

/** One call of a fake agent, as it noted it. */
export interface Call {
  /** `auditor` of a call that is an audit, whichever CLI it is. */
  readonly name: string;
  readonly cli: string;
  readonly act: string;
  readonly args: string[];
  readonly environment: Record<string, string>;
  readonly prompt: string;
  readonly pid: number;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Returns a function that makes projects for the tests of the `describe` that calls this, with one copy
 * of the scripts for all; they are removed afterwards.
 */
export function runMaker(
  defaultPrograms?: readonly string[],
): (programs?: readonly string[]) => ConsultRun {
  let scripts = "";
  const runs: ConsultRun[] = [];
  before(() => {
    scripts = copyScripts();
  });
  after(() => {
    for (const { folder } of runs) removeFolder(folder);
    removeFolder(dirname(scripts));
  });
  return (programs = defaultPrograms) => {
    const run = new ConsultRun(scripts, programs);
    runs.push(run);
    return run;
  };
}

/** An empty project with fake CLIs on PATH. */
export class ConsultRun {
  readonly folder = makeScratchFolder();
  readonly scripts: string;
  readonly #bin = join(this.folder, "bin");
  readonly #log = join(this.folder, "calls.jsonl");
  readonly project = join(this.folder, "project");
  readonly home = join(this.folder, "home");

  constructor(scripts: string, programs: readonly string[] = ["claude", "gemini"]) {
    this.scripts = scripts;
    mkdirSync(this.#bin);
    mkdirSync(this.project);
    mkdirSync(this.home);
    writeFileSync(this.#log, "");
    for (const name of programs) {
      const file = join(this.#bin, name);
      writeFileSync(file, `#!/bin/sh\nexec ${this.fakeLine(name)} "$@"\n`);
      chmodSync(file, 0o755);
    }
  }

  /** The shell line that runs a fake agent of this name. */
  fakeLine(name: string): string {
    const fixture = bundledFixture("test/consult/fake-agent.fixture.ts");
    return `"${process.execPath}" "${fixture}" ${name}`;
  }

  /** Another script of ours, as its user runs it. */
  async run(script: string, args: readonly string[], environment: Record<string, string> = {}) {
    const child = this.start(args, environment, script);
    child.stdin?.end();
    return ended(child);
  }

  start(
    args: readonly string[],
    environment: Record<string, string> = {},
    script = "consult",
  ): ChildProcess {
    const plans = Object.entries(environment).filter(([name]) => name.startsWith("FAKE_"));
    // What is ours is passed on to every CLI.
    const fake = JSON.stringify({ FAKE_LOG: this.#log, ...Object.fromEntries(plans) });
    return spawn(process.execPath, [join(this.scripts, `${script}.cjs`), ...args], {
      cwd: this.project,
      env: { ...this.#environment, CONSULTA_FAKE: fake, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
  }

  get #environment(): Record<string, string> {
    return {
      PATH: [this.#bin, "/usr/bin", "/bin"].join(delimiter),
      HOME: this.home,
      XDG_CACHE_HOME: codeCache,
      // Without a sign of a sign-in the CLI is asked for one, which would be one call more.
      ANTHROPIC_API_KEY: "fake",
    };
  }

  /** A run that is refused before it starts anybody. */
  async refused(args: readonly string[], input = ""): Promise<Ended> {
    if (!hasThreads) return this.consult(args, {}, input);
    const asked = { script: "consult", args, input, environment: this.#environment };
    const { code, stdout, stderr } = runInThread({ ...asked, scripts: this.scripts }, this.project);
    return { exitCode: code, stdout, stderr };
  }

  async consult(
    args: readonly string[],
    environment: Record<string, string> = {},
    input = "",
  ): Promise<Ended> {
    const child = this.start(args, environment);
    // A script that refuses its arguments does not read its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    return ended(child);
  }

  calls(name?: string): Call[] {
    const lines = readFileSync(this.#log, "utf8").split("\n").filter(Boolean);
    const calls: Call[] = lines.map((line) => JSON.parse(line));
    return name === undefined ? calls : calls.filter((call) => call.name === name);
  }

  events(session: string): Record<string, unknown>[] {
    const path = join(this.project, ".consulta", "sessions", session, "events.jsonl");
    return readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}

export async function ended(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const exitCode = await new Promise<number | null>((done) => child.on("close", done));
  return { exitCode, stdout, stderr };
}

/** The processes of a fixture, each of which has written a line with its pid. */
export function pidsIn(notes: string): number[] {
  if (!existsSync(notes)) return [];
  const lines = readFileSync(notes, "utf8").split("\n").filter(Boolean);
  return lines.map((line): number => JSON.parse(line).pid);
}

/** Whether a process is gone, or will be in a moment; a dead one that nobody has reaped is gone. */
export async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (!lives(pid)) return true;
    await sleep(50);
  }
  return false;
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/\) Z /.test(stat);
  } catch (error) {
    // No /proc to look into (macOS): the signal has told that it lives.
    return (
      error instanceof Error &&
      "code" in error &&
      error.code === "ENOENT" &&
      !existsSync("/proc/self")
    );
  }
}
