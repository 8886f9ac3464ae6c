import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { anthropicWire, openCodeWire } from "./anthropic-wire.ts";
import { copilotWire, qwenWire } from "./chat-wire.ts";
import {
  type AnyClient,
  type ClientName,
  clientEnvironment,
  type Ran,
  runProgram,
  spareFetching,
} from "./client.ts";
import { Conversation } from "./conversation.ts";
import { geminiWire } from "./gemini-wire.ts";
import { findClients, type OtherClient } from "./install-clients.ts";
import { killProcesses, type Process, processesOf } from "./processes.ts";
import { responsesWire } from "./responses-wire.ts";
import { inOrder, type Mind, ScriptedModel, type Step } from "./scripted-model.ts";
import { Terminal } from "./terminal.ts";

const repository = resolve(import.meta.dirname, "../..");
const ownDist = join(repository, "dist");
const wires = {
  claude: anthropicWire,
  gemini: geminiWire,
  codex: responsesWire,
  opencode: openCodeWire,
  qwen: qwenWire,
  copilot: copilotWire,
};
/** Where each client looks for a project's skills. */
export const skillFolders = { claude: ".claude/skills", gemini: ".agents/skills" };

/** By default Claude Code lets a second model judge each call of a tool. */
const windowFlags = {
  claude: ["--permission-mode", "default"],
  gemini: ["-m", "gemini-2.5-flash"],
  codex: [],
  opencode: [],
};
/** Those that are seen in terminals. */
export type WindowClient = keyof typeof windowFlags;
/** What the screen shows when a client takes a prompt. */
const prompts = {
  claude: /^\u276f/m,
  gemini: /Type your message/,
  codex: /^\u203a /m,
  opencode: /Ask anything/,
};
/**
 * How each asks whether to trust the project, how long a person reads that, the keys that say yes, and
 * what it shows then. Gemini CLI 0.61.0 forgets to restart after an answer that comes while it still
 * starts behind its question, of which this line is the last sign: it would go on without the project's
 * settings.
 */
const trustQuestions = {
  claude: {
    question: /\u276f No, exit\s+Yes, I trust this folder/,
    readingMs: 0,
    keys: ["Down", "Enter"],
    reply: prompts.claude,
  },
  gemini: {
    question: /Skipping project agents[\s\S]*\u25cf 1\. Trust folder/,
    readingMs: 3_000,
    keys: ["Enter"],
    reply: /restarting to apply the trust changes/,
  },
} as const;

/** A project with a home beside it, in which real clients talk to scripted models. */
export class Stage {
  readonly project: string;
  /** Whether both clients have been told, before they start, to trust the project. */
  isTrusted = true;
  /** The Node that the clients, their hooks and their commands find. */
  node = process.execPath;
  readonly #folder = makeScratchFolder();
  readonly #bin: string;
  readonly #models = new Map<AnyClient, ScriptedModel>();
  readonly #stop = new AbortController();
  readonly #windows: Terminal[] = [];
  readonly #addresses: Partial<Record<AnyClient, string>> = {};

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

  /** Puts the whole pack into the project as a user does, with hooks; gives its scripts. It may be that of another build. */
  async install(dist = ownDist): Promise<string> {
    const words = [join(dist, "install.cjs"), "--hooks"];
    const { exitCode, stdout, stderr } = await this.#run(this.node, words);
    assert.equal(exitCode, 0, `${stdout}\n${stderr}`);
    return projectScripts;
  }

  addCommands(): void {
    for (const folder of [".claude/commands", ".gemini/commands"]) {
      cpSync(join(repository, folder), join(this.project, folder), { recursive: true });
    }
  }

  /** Gives a client's model its script. */
  async model(client: AnyClient, mind: Mind): Promise<ScriptedModel> {
    // Who waits for a colleague that has lost its script would wait until the time is up.
    const model = new ScriptedModel(wires[client], mind, () => this.#stop.abort());
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

  /** Headless, with the hooks of the project, which only a person at a terminal can trust. */
  codex(prompt: string, ...flags: string[]): Promise<Ran> {
    const fixed = ["exec", "--json", "--sandbox", "workspace-write", "--skip-git-repo-check"];
    return this.#run("codex", [...fixed, ...flags, prompt]);
  }

  opencode(prompt: string, ...flags: string[]): Promise<Ran> {
    this.spareFetching();
    return this.#run("opencode", ["run", "--format", "json", ...flags, prompt]);
  }

  /** OpenCode fetches nothing when it starts. */
  spareFetching(): void {
    spareFetching(join(this.#home(), ".config/opencode"), join(this.project, ".opencode"));
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
    const words = [join(ownDist, `${name}.cjs`), ...args];
    return this.#run(this.node, words, timeoutMs);
  }

  /** Opens a window with an interactive client in it, which trusts the project; it has come to its prompt. A first one may be among the flags. */
  async window(client: WindowClient, ...flags: string[]): Promise<Terminal> {
    const socket = join(this.#folder, `window-${this.#windows.length}`);
    if (client === "opencode") this.spareFetching();
    const words = [client, ...windowFlags[client], ...flags];
    const window = new Terminal(socket, words, this.project, this.environment());
    this.#windows.push(window);
    // Codex asks when it is given its first prompt, OpenCode never.
    if (!this.isTrusted && client !== "codex" && client !== "opencode") await trust(window, client);
    await window.shows(prompts[client]);
    return window;
  }

  /** Starts Claude Code headless, to be told one prompt after the other. */
  conversation(...flags: string[]): Conversation {
    return new Conversation("claude", flags, this.project, this.environment());
  }

  /** Kills the client in a window, with all that it has started; its window goes with it. */
  async kill(window: Terminal): Promise<void> {
    const doomed = new Set([window.pid()]);
    const processes = this.processes();
    for (const pid of doomed)
      for (const { pid: child } of processes.filter(({ parent }) => parent === pid))
        doomed.add(child);
    const isDoomed = ({ pid }: Process) => doomed.has(pid);
    killProcesses(processes.filter(isDoomed));
    while (this.processes().some(isDoomed)) await sleep(50);
  }

  /** What runs of all that this stage has started. */
  processes(): Process[] {
    return processesOf(this.#home());
  }

  /** What a client gets, for processes that stand beside it. */
  environment(): Record<string, string> {
    const { project, node } = this;
    const places = { bin: this.#bin, home: this.#home(), project, node };
    const { isTrusted } = this;
    return clientEnvironment({ ...places, addresses: this.#addresses, isTrusted });
  }

  close(): void {
    for (const window of this.#windows) window.close();
    killProcesses(this.processes());
    for (const model of this.#models.values()) model.close();
    removeFolder(this.#folder);
  }

  /** What the scripts of the models had no answer for. */
  faults(): string[] {
    return [...this.#models.values()].flatMap((model) => model.faults);
  }

  /** Asserts that a run has ended well and that no script lacked an answer. */
  checkEndedWell({ exitCode, stdout, stderr, timedOut }: Ran): void {
    assert.deepEqual({ exitCode, timedOut, faults: this.faults() }, good, `${stdout}\n${stderr}`);
  }

  #run(program: string, words: readonly string[], timeoutMs?: number): Promise<Ran> {
    const given = { timeoutMs, signal: this.#stop.signal };
    return runProgram(program, words, this.project, this.environment(), given);
  }

  #home(): string {
    return join(this.#folder, "home");
  }
}

/** Says yes to the one question that a client asks in a folder that is new to it. */
async function trust(window: Terminal, client: ClientName): Promise<void> {
  const { question, readingMs, keys, reply } = trustQuestions[client];
  await window.shows(question);
  await sleep(readingMs);
  for (const key of keys) await window.press(key);
  await window.shows(reply);
}

/** Answers what Codex asks with its first prompt, also where the folder is trusted already. */
export async function trustHooks(window: Terminal): Promise<void> {
  await window.shows(/Hooks need review/);
  await window.press("Down");
  await window.press("Enter");
  await window.loses(/Hooks need review/);
}

const good = { exitCode: 0, timedOut: false, faults: [] };

/** A test on a stage of its own. */
export type Play = (name: string, test: (stage: Stage) => Promise<void>) => void;

/**
 * A suite that needs both clients, and whatever `faultOf` looks for; where that cannot be had it is
 * skipped, and says so loudly.
 */
export async function describeClients(
  name: string,
  suite: (play: Play) => void,
  faultOf: () => string | undefined = () => undefined,
  others: readonly OtherClient[] = [],
): Promise<void> {
  const clients = await findClients(...others);
  const missing = "missing" in clients ? clients.missing : faultOf();
  if ("missing" in clients || missing !== undefined) {
    console.error(`\n*** SKIPPED: ${name}: ${missing} ***\n`);
    describe(name, { skip: missing });
    return;
  }
  describe(name, { timeout: 1_200_000 }, () => {
    suite((what, test) =>
      it(what, async () => {
        const stage = new Stage(clients.bin);
        try {
          await test(stage);
        } finally {
          stage.close();
        }
      }),
    );
  });
}
