import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { connectBrain } from "../../scripts-src/brain/client/connect-brain.ts";
import { type Endpoint, readEndpoint } from "../../scripts-src/brain/endpoint.ts";
import { codeCache } from "../code-cache.ts";
import { ended, isGone } from "../consult/consult-run.ts";
import { scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { TestClient } from "./served-brain.ts";

interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Another folder of the place. */
  readonly folder?: string;
  /** The command that starts the script, such as one for a sandbox. */
  readonly before?: readonly string[];
}

/** The built script `brain` in projects of its own, with brains that end with it. */
export class BrainScript {
  readonly base = makeScratchFolder();
  readonly home: string;
  readonly project: string;
  readonly #started: ChildProcess[] = [];
  readonly #folders: string[] = [];

  /** `name` may be one that a shell, a URL or a pattern would stumble over. */
  constructor({ home, name = "project" }: { home?: string; name?: string } = {}) {
    this.home = home ?? this.base;
    this.project = join(this.base, name);
    this.#folders.push(this.project);
    mkdirSync(join(this.project, ".consulta"), { recursive: true });
  }

  brainFolder(folder = this.project): string {
    return join(folder, ".consulta", "brain");
  }

  endpoint(folder = this.project): Endpoint | undefined {
    return existsSync(this.brainFolder(folder))
      ? readEndpoint(this.brainFolder(folder))
      : undefined;
  }

  pid(folder = this.project): number {
    return this.endpoint(folder)?.pid ?? assert.fail("no brain runs");
  }

  /** Another project beside it, whose brain ends with it too. */
  beside(name: string): string {
    const folder = join(this.base, name);
    this.#folders.push(folder);
    return folder;
  }

  start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    const { environment, folder = this.project, before = [] } = options;
    const [program = "", ...words] = [...before, process.execPath, scriptPath("brain"), ...args];
    const child = spawn(program, words, {
      cwd: folder,
      env: {
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: this.home,
        XDG_CACHE_HOME: codeCache,
        ...environment,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#started.push(child);
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input ?? "");
    return child;
  }

  async run(args: readonly string[], options: RunOptions = {}) {
    const { exitCode, stdout, stderr } = await ended(this.start(args, options));
    return { exitCode, stdout, stderr, json: () => Object(JSON.parse(stdout)) };
  }

  /** Starts a server and waits until it listens, or has ended. */
  async serve(): Promise<ChildProcess> {
    const child = this.start(["serve"]);
    await new Promise((done) => {
      child.stdout?.once("data", done);
      child.once("close", done);
    });
    return child;
  }

  async client(): Promise<TestClient> {
    const client = new TestClient();
    const { handlers } = client;
    client.line = await connectBrain(this.brainFolder(), { handlers, timeoutMs: 5_000 });
    assert(client.line !== undefined, "the brain cannot be reached");
    return client;
  }

  /** The user's own settings. */
  configure(text: string): void {
    mkdirSync(join(this.home, ".consulta"), { recursive: true, mode: 0o700 });
    writeFileSync(join(this.home, ".consulta", "config.yaml"), text, { mode: 0o600 });
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const pid = this.pid();
    process.kill(pid, signal);
    assert(await isGone(pid));
  }

  close(): void {
    for (const child of this.#started) child.kill("SIGKILL");
    for (const folder of this.#folders) {
      const pid = this.endpoint(folder)?.pid;
      // It may be dead already.
      if (pid !== undefined && pid !== process.pid) spawn("kill", ["-9", String(pid)]);
    }
    removeFolder(this.base);
  }
}
