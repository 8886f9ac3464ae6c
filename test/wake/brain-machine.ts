import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { connectBrain } from "../../scripts-src/brain/client/connect-brain.ts";
import { type Endpoint, readEndpoint } from "../../scripts-src/brain/endpoint.ts";
import { makeUserKey } from "../../scripts-src/files/user-key.ts";
import { TestClient } from "../brain/served-brain.ts";
import { scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { type CliName, type FakeCli, type Hooked, Machine, type Running } from "./fake-cli.ts";

/** All machines are of one user here: a client knows a brain by the user's key. */
const user = makeScratchFolder();
process.env["HOME"] = user;
makeUserKey();

/** A machine whose project has a brain, once one is started. */
export class BrainMachine extends Machine {
  constructor(config: JsonObject = {}) {
    super({ brain: true, ...config });
    cpSync(join(user, ".consulta"), join(this.home, ".consulta"), { recursive: true });
  }

  get folder(): string {
    return this.project.path("brain");
  }

  endpoint(): Endpoint | undefined {
    return existsSync(this.folder) ? readEndpoint(this.folder) : undefined;
  }

  /** Starts a brain and waits until it listens. */
  async serve(): Promise<Endpoint> {
    const words = [scriptPath("brain"), "serve", "--workspace", this.project.folder];
    const env = { PATH: process.env["PATH"], HOME: this.home };
    spawn(process.execPath, words, { env, stdio: "ignore" }).unref();
    for (let tries = 0; tries < 400; tries += 1) {
      const endpoint = this.endpoint();
      const isNew = endpoint !== undefined && endpoint.token !== this.#dead;
      if (isNew && (await this.#reaches())) return endpoint;
      await sleep(25);
    }
    return assert.fail("the brain does not start");
  }

  /** Asks the brain, on a connection of its own. */
  async ask(method: string, params?: object): Promise<Record<string, unknown>> {
    const client = new TestClient();
    client.line = await connectBrain(this.folder, {
      handlers: client.handlers,
      timeoutMs: 5_000,
      home: this.home,
    });
    try {
      return await client.ask(method, params);
    } finally {
      client.line?.close();
    }
  }

  /** Enough memories that one can stand out, and that one. */
  async fillMemory(): Promise<void> {
    for (let index = 0; index < 30; index += 1) {
      const value = `topic${index} concerns subject${index} and area${index} only`;
      await this.ask("memory.store", { key: `note/${index}`, value });
    }
    const value = "staging deployments of the billing gateway run through make ship";
    await this.ask("memory.store", { key: "deploy/staging", value, source: "gemini" });
  }

  /** Sends a signal to the brain. */
  signal(signal: NodeJS.Signals): void {
    const { pid, token } = this.endpoint() ?? assert.fail("no brain runs");
    if (signal === "SIGKILL") this.#dead = token;
    process.kill(pid, signal);
  }

  override close(): void {
    try {
      if (this.endpoint() !== undefined) this.signal("SIGKILL");
    } catch {
      // It is dead already.
    }
    super.close();
  }

  #dead: string | undefined;

  async #reaches(): Promise<boolean> {
    const line = await connectBrain(this.folder, { handlers: new Map(), home: this.home });
    line?.close();
    return line !== undefined;
  }
}

/** One session of a CLI, as its hooks see it. */
export class HookedSession {
  readonly cli: FakeCli;
  readonly #machine: Machine;
  readonly #id: string;
  readonly #node: string;
  readonly transcript: string;

  constructor(machine: Machine, cli: FakeCli, id: string, node = process.execPath) {
    this.cli = cli;
    this.#machine = machine;
    this.#id = id;
    this.#node = node;
    this.transcript = join(machine.home, `${id}.jsonl`);
  }

  fire(event: string, fields: JsonObject = {}, env: Record<string, string> = {}): Running {
    const about = { session_id: this.#id, transcript_path: this.transcript };
    return this.cli.fire(event, {
      command: this.#node,
      fields: { ...about, ...fields },
      env,
    });
  }

  hook(event: string, fields?: JsonObject, env?: Record<string, string>): Promise<Hooked> {
    return this.fire(event, fields, env).done;
  }

  /** What an event puts before the model; "" for nothing. */
  async told(event: string, fields?: JsonObject, env?: Record<string, string>): Promise<string> {
    const { code, stdout, stderr } = await this.hook(event, fields, env);
    assert.deepEqual([code, stderr], [0, ""], this.#machine.failure());
    if (stdout === "") return "";
    const { hookSpecificOutput } = JSON.parse(stdout);
    assert.equal(hookSpecificOutput.hookEventName, event);
    return hookSpecificOutput.additionalContext;
  }

  /** The model has answered; so full is its context now. */
  uses(tokens: number, model = "claude-sonnet-4-6"): void {
    writeFileSync(this.transcript, `${answerLine(tokens, model)}\n`);
  }
}

export function answerLine(tokens: number, model = "claude-sonnet-4-6"): string {
  const usage = { input_tokens: 1, cache_read_input_tokens: tokens - 2, output_tokens: 1 };
  return JSON.stringify({ type: "assistant", isSidechain: false, message: { model, usage } });
}

/** Plays with a machine that has a brain, on which a CLI runs. */
export function withBrain(
  play: (
    machine: BrainMachine,
    session: (id: string, cli?: CliName) => HookedSession,
  ) => Promise<void>,
  config: JsonObject = {},
): () => Promise<void> {
  return async () => {
    const machine = new BrainMachine(config);
    try {
      await machine.serve();
      const clis = {
        claude: await machine.start("claude"),
        gemini: await machine.start("gemini"),
        codex: await machine.start("codex"),
      };
      await play(machine, (id, cli = "claude") => new HookedSession(machine, clis[cli], id));
      assert.equal(machine.failure(), "");
    } finally {
      machine.close();
    }
  };
}
