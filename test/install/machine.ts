import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { codeCache } from "../code-cache.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { runInThread, runsInThread } from "../script-host.ts";

export const repository = resolve(import.meta.dirname, "../..");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project, a home that nobody has used, and a PATH with nothing but what a test puts there. */
export class Machine {
  readonly folder = makeScratchFolder();
  readonly project = join(this.folder, "project");
  readonly home = join(this.folder, "home");
  readonly bin = join(this.folder, "bin");
  readonly environment: Record<string, string>;

  constructor(environment: Record<string, string> = {}) {
    for (const folder of [this.project, this.home, this.bin]) mkdirSync(folder);
    const path = [this.bin, "/usr/bin", "/bin"].join(delimiter);
    this.environment = { HOME: this.home, PATH: path, XDG_CACHE_HOME: codeCache, ...environment };
  }

  /** Runs a script of `dist/`, or one at a path below the project. */
  run(script: string, args: readonly string[] = [], options: { uid?: number } = {}): Ran {
    const { environment } = this;
    if (options.uid === undefined && runsInThread(script, args))
      return runInThread({ script, args, input: "", environment }, this.project);
    const { status, stdout, stderr } = spawnSync(process.execPath, [fileOf(script), ...args], {
      cwd: this.project,
      env: this.environment,
      encoding: "utf8",
      ...options,
    });
    return { code: status, stdout, stderr };
  }

  start(script: string, args: readonly string[]): ChildProcess {
    const options = { cwd: this.project, env: this.environment, stdio: "ignore" } as const;
    return spawn(process.execPath, [fileOf(script), ...args], options);
  }

  write(path: string, text: string | Uint8Array, folder = this.project): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.project, path), "utf8");
  }

  /** A program on PATH that tells a version. */
  addProgram(name: string, version: string): void {
    const path = join(this.bin, name);
    writeFileSync(path, `#!/bin/sh\necho '${version}'\n`);
    chmodSync(path, 0o755);
  }

  /** All files of the project with their bytes. */
  snapshot(): Record<string, string> {
    const entries = readdirSync(this.project, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path, readFileSync(path, "latin1")]),
    );
  }
}

function fileOf(script: string): string {
  return script.includes("/") ? script : join(repository, "dist", `${script}.cjs`);
}
