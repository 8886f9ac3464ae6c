import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { plainEnvironment } from "../log/append-loop.ts";
import { type FileCall, parseFileCalls, plainWrite, recordedCalls } from "./file-calls.ts";

/** One command of a story, and what an agent wrote by its own means before it. */
export interface Step {
  readonly script: string;
  readonly words: readonly string[];
  readonly input?: string;
  /** Files of the project by path; nobody syncs them. */
  readonly writes?: (project: string) => Record<string, string>;
  /** What the refusal of the same command names as the way on. */
  readonly orElse?: readonly string[];
  /** The codes with which the same command may end after a cut: it may have been done before. */
  readonly again?: readonly number[];
  /** Whether the protocol stores it twice when it is said twice. */
  readonly isRepeatable?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

export interface Recorded {
  readonly step: Step;
  readonly calls: readonly FileCall[];
  readonly ended: Ended;
}

/** The user's folder, within what may be cut: keys are made there. */
export const home = "home";

/** Where stories are told: scripts of their own, so that a build meanwhile changes nothing. */
export class Stage {
  readonly #folder: string;
  readonly #node: string;

  constructor(folder: string, node = process.execPath) {
    this.#folder = folder;
    this.#node = node;
    const dist = process.env["CONSULTA_POWER_DIST"] ?? join(import.meta.dirname, "../../dist");
    cpSync(resolve(dist), join(folder, "dist"), { recursive: true });
  }

  run(project: string, step: Step, under: readonly string[] = []): Promise<Ended> {
    return endOf(this.start(project, step, under), step);
  }

  start(project: string, step: Step, under: readonly string[] = []): Child {
    mkdirSync(join(project, home), { recursive: true, mode: 0o700 });
    const words = [join(this.#folder, "dist", `${step.script}.cjs`), ...step.words];
    const [program = "", ...rest] = [...under, this.#node, "--no-warnings", ...words];
    return spawn(program, rest, { cwd: project, env: this.#environment(project) });
  }

  /** Whose CLI runs this test is nobody's business; compiled code is kept elsewhere. */
  #environment(project: string): NodeJS.ProcessEnv {
    const kept = Object.entries(plainEnvironment()).filter(
      ([name]) => !/^(?:CONSULTA|CLAUDE|GEMINI|NODE_TEST)/.test(name),
    );
    const places = { HOME: join(project, home), XDG_CACHE_HOME: join(this.#folder, "cache") };
    return { ...Object.fromEntries(kept), ...places };
  }

  /** Tells a story and records its calls; `project` is then as the last step left it. */
  async record(project: string, steps: readonly Step[]): Promise<Recorded[]> {
    const trace = join(this.#folder, "trace");
    const told: Recorded[] = [];
    for (const step of steps) {
      const written = writeFiles(project, step);
      const ended = await this.run(project, step, tracedTo(trace));
      const calls = [...written, ...parseFileCalls(readFileSync(trace, "utf8"), project)];
      told.push({ step, calls, ended });
      if (ended.code !== 0) {
        throw new Error(`${step.script} ${step.words.join(" ")}: ${ended.out}${ended.errors}`);
      }
    }
    return told;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

type Child = ChildProcessWithoutNullStreams;

/** Gives a script its input; what it says until it ends. */
export function endOf(child: Child, { input = "" }: Step): Promise<Ended> {
  let [out, errors] = ["", ""];
  child.stdout.on("data", (data: Buffer) => {
    out += data;
  });
  child.stderr.on("data", (data: Buffer) => {
    errors += data;
  });
  // A script that does not read its input may be gone before it was given.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((done) => child.on("close", (code) => done({ code, out, errors })));
}

/** What a script runs under whose calls are recorded. */
export function tracedTo(trace: string): string[] {
  const options = ["-f", "-y", "-xx", "-s", "4194304", "-e", `trace=${recordedCalls}`];
  return ["strace", ...options, "-o", trace];
}

/** Does what an agent does before its command. */
export function writeFiles(project: string, step: Step): FileCall[] {
  return Object.entries(step.writes?.(project) ?? {}).flatMap(([path, content]) => {
    mkdirSync(dirname(join(project, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(project, path), content, { mode: 0o600 });
    return plainWrite(path, content);
  });
}
