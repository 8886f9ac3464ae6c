import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe } from "node:test";
import { makeScratchFolder, removeFolder } from "../store/scratch-folder.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { type ClientName, clientEnvironment, type Ran, runProgram } from "./client.ts";
import { geminiWire } from "./gemini-wire.ts";
import { findClients } from "./install-clients.ts";
import { inOrder, type Mind, ScriptedModel, type Step } from "./scripted-model.ts";

const repository = resolve(import.meta.dirname, "../..");
const wires = { claude: anthropicWire, gemini: geminiWire };
/** Where each client looks for a project's skills. */
const skillFolders = { claude: ".claude/skills", gemini: ".agents/skills" };

/** A project with a home beside it, in which real clients talk to scripted models. */
export class Stage {
  readonly project: string;
  readonly #folder = makeScratchFolder();
  readonly #bin: string;
  readonly #models = new Map<ClientName, ScriptedModel>();
  readonly #addresses: Partial<Record<ClientName, string>> = {};

  constructor(bin: string) {
    this.#bin = bin;
    this.project = join(this.#folder, "project");
    mkdirSync(this.project);
  }

  /** Copies a skill to where a client looks for it; gives its scripts. */
  addSkill(client: ClientName, skill: string): string {
    const place = join(skillFolders[client], skill);
    cpSync(join(repository, "skills", skill), join(this.project, place), { recursive: true });
    return join(place, "scripts");
  }

  addCommands(): void {
    for (const folder of [".claude/commands", ".gemini/commands"]) {
      cpSync(join(repository, folder), join(this.project, folder), { recursive: true });
    }
  }

  /** Gives a client's model its script. */
  async model(client: ClientName, mind: Mind): Promise<ScriptedModel> {
    const model = new ScriptedModel(wires[client], mind);
    this.#models.get(client)?.close();
    this.#models.set(client, model);
    this.#addresses[client] = await model.listen();
    return model;
  }

  claude(prompt: string, ...flags: string[]): Promise<Ran> {
    return this.#run("claude", ["-p", prompt, "--output-format", "json", ...flags]);
  }

  gemini(prompt: string, ...flags: string[]): Promise<Ran> {
    const fixed = ["-p", prompt, "-o", "json", "-m", "gemini-2.5-flash"];
    return this.#run("gemini", [...fixed, ...flags]);
  }

  /** Lets a client's model do these steps; gives what the client gave back for each. */
  async take(
    client: ClientName,
    flags: readonly string[],
    moves: readonly (Step | Mind)[],
    prompt = "Begin a consultation",
  ): Promise<string[]> {
    const model = await this.model(client, inOrder(...moves, { say: "Done." }));
    this.checkEndedWell(await this[client](prompt, ...flags));
    const [, ...turns] = model.turns();
    return turns.map(({ latest }) => latest);
  }

  /** Runs a compiled script as a user does that has both clients on PATH. */
  script(name: string, args: readonly string[], timeoutMs?: number): Promise<Ran> {
    const words = [join(repository, "dist", `${name}.cjs`), ...args];
    return this.#run(process.execPath, words, timeoutMs);
  }

  close(): void {
    for (const model of this.#models.values()) model.close();
    removeFolder(this.#folder);
  }

  /** Asserts that a run has ended well and that no script lacked an answer. */
  checkEndedWell({ exitCode, stdout, stderr, timedOut }: Ran): void {
    const faults = [...this.#models.values()].flatMap((model) => model.faults);
    assert.deepEqual({ exitCode, timedOut, faults }, good, `${stdout}\n${stderr}`);
  }

  #run(program: string, words: readonly string[], timeoutMs?: number): Promise<Ran> {
    const home = join(this.#folder, "home");
    const at = { bin: this.#bin, home, addresses: this.#addresses };
    return runProgram(program, words, this.project, clientEnvironment(at), timeoutMs);
  }
}

const good = { exitCode: 0, timedOut: false, faults: [] };

/** A suite that needs both clients; where they cannot be had it is skipped, and says so loudly. */
export async function describeClients(
  name: string,
  suite: (onStage: (play: (stage: Stage) => Promise<void>) => () => Promise<void>) => void,
): Promise<void> {
  const clients = await findClients();
  if ("missing" in clients) {
    console.error(`\n*** SKIPPED: ${name}: ${clients.missing} ***\n`);
    describe(name, { skip: clients.missing });
    return;
  }
  describe(name, { timeout: 600_000 }, () => {
    suite((play) => async () => {
      const stage = new Stage(clients.bin);
      try {
        await play(stage);
      } finally {
        stage.close();
      }
    });
  });
}
