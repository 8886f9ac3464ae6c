import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { cliFacts, type SettingsCli } from "../../scripts-src/clis/hook-entries.ts";
import { codeCache } from "../code-cache.ts";
import { draft, Project, type Ran, recordOf, scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { runInThread, runsInThread } from "../script-host.ts";

/** Stands for a CLI: a process that runs scripts and hooks as its children until it is told to end. */
const program = `
const { spawn } = require("node:child_process");
process.on("message", ({ id, command, words, env, cwd, input }) => {
  const child = spawn(command, words, { cwd, env: { ...env, ...named(env) } });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    child[name].on("data", (part) => { said[name] += part; });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  process.send({ id, pid: child.pid });
  child.on("close", (code, signal) => process.send({ id, ran: { code, signal, ...said } }));
});
process.on("disconnect", () => process.exit());
const named = (env) => (env.CLAUDECODE ? { CLAUDE_PID: String(process.pid) } : {});
process.send({ id: 0 });
`;

export type CliName = SettingsCli;

/** What a hook did: how it ended, and after how long. */
export interface Hooked extends Ran {
  readonly tookMs: number;
}

export interface Running {
  readonly done: Promise<Hooked>;
  kill(signal: NodeJS.Signals): void;
  /** Whether it still runs. */
  isRunning(): boolean;
}

/** A user's machine: a home of its own, and a project in which CLIs run. */
export class Machine {
  readonly project = new Project(join(makeScratchFolder(), "project"));
  readonly home: string;
  readonly #clis: FakeCli[] = [];

  constructor(config: JsonObject = {}) {
    this.home = join(this.project.folder, "../home");
    for (const folder of [this.home, join(this.project.folder, ".consulta")])
      mkdirSync(folder, { recursive: true });
    writeFileSync(this.project.path("config.json"), JSON.stringify({ ...quick, ...config }));
    const { max_concurrent_sessions: sessions } = config;
    if (sessions !== undefined) this.#allow(`max_concurrent_sessions: ${sessions}`);
  }

  /** Only the user can let projects have more than the defaults. */
  #allow(limit: string): void {
    mkdirSync(join(this.home, ".consulta"), { mode: 0o700 });
    writeFileSync(join(this.home, ".consulta", "config.yaml"), `limits: {${limit}}\n`);
  }

  async start(name: CliName, environment: Record<string, string> = {}): Promise<FakeCli> {
    const cli = new FakeCli(this, name, environment);
    this.#clis.push(cli);
    await cli.ready;
    return cli;
  }

  seatFile(cli: FakeCli): string {
    return join(this.home, ".consulta", "seats", `${cli.pid}.json`);
  }

  /** Why a hook failed last. */
  failure(): string {
    try {
      return readFileSync(this.project.path("errors", "hook.txt"), "utf8");
    } catch {
      return "";
    }
  }

  /** The same, which then no longer counts. */
  takeFailure(): string {
    const reason = this.failure();
    rmSync(this.project.path("errors"), { recursive: true, force: true });
    return reason;
  }

  close(): void {
    for (const cli of this.#clis) cli.end();
    removeFolder(join(this.project.folder, ".."));
  }
}

/** Without a brain, which the first prompt would start: tests that are about it have one. */
const quick = {
  ...{ heartbeat_seconds: 1, presence_timeout_seconds: 3, hook_wait_seconds: 20 },
  brain: false,
};

export class FakeCli {
  readonly ready: Promise<void>;
  readonly #machine: Machine;
  readonly #name: CliName;
  readonly #environment: Record<string, string>;
  readonly #child: ChildProcess;
  #count = 0;

  constructor(machine: Machine, name: CliName, environment: Record<string, string>) {
    this.#machine = machine;
    this.#name = name;
    this.#environment = environment;
    this.#child = spawn(process.execPath, ["-e", program], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.ready = new Promise((settle) => this.#child.once("message", () => settle()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** How the CLI names its conversation, where it runs scripts in a sandbox. */
  get conversation(): string {
    return this.#name === "codex" ? `thread-${this.pid}` : "s1";
  }

  /** Runs a script as the CLI's shell tool does, and expects it to succeed. */
  async run(script: string, args: string[], input = "", more: Partial<Call> = {}): Promise<string> {
    const mark = { [cliFacts[this.#name].mark]: this.conversation };
    const call: Call = { words: [scriptPath(script), ...args], mark, input, ...more };
    const isPlain = call.command === undefined && runsInThread(script, args);
    const { code, stdout, stderr } = isPlain
      ? this.#runBelow(script, args, call)
      : await this.start(call).done;
    assert.equal(code, 0, stderr);
    return stdout;
  }

  /** Runs a script that takes this CLI for its parent, and finds the CLI as its child would. */
  #runBelow(script: string, args: readonly string[], call: Call): Ran {
    const named: Record<string, string> =
      call.mark["CLAUDECODE"] === undefined ? {} : { CLAUDE_PID: String(this.pid) };
    const environment = { ...this.#environmentOf(call), ...named };
    const folder = call.cwd ?? this.#machine.project.folder;
    const { input } = call;
    return runInThread({ script, args, input, environment, parent: this.pid }, folder);
  }

  #environmentOf({ mark, env = {} }: Call): Record<string, string | undefined> {
    return {
      PATH: process.env["PATH"],
      HOME: this.#machine.home,
      XDG_CACHE_HOME: codeCache,
      ...mark,
      ...this.#environment,
      ...env,
    };
  }

  /** Opens a session of claude and gemini, who owns the proposal being the CLI itself. */
  open(session: string, topic = `About ${session}`): Promise<string> {
    const names = [this.#name, this.#name === "claude" ? "gemini" : "claude"];
    const who = names.flatMap((name) => ["--participant", name]);
    return this.run("init", ["--topic", topic, "--session", session, ...who]);
  }

  /** Runs `next-action`, which takes the seat. */
  next(session: string, participant: string = this.#name): Promise<string> {
    return this.run("next-action", ["--session", session, "--participant", participant]);
  }

  /** Sends what must be accepted. */
  say(session: string, message: JsonObject, participant: string = this.#name): Promise<string> {
    const args = ["--session", session, "--participant", participant, "--message", "-"];
    return this.run("append-event", args, JSON.stringify(message));
  }

  /** Fires an event of the CLI. */
  fire(event: string, more: Partial<Call> & { fields?: JsonObject } = {}): Running {
    const mark: Record<string, string> = this.#name === "claude" ? { CLAUDECODE: "1" } : {};
    const fields = {
      session_id: this.conversation,
      hook_event_name: event,
      cwd: this.#machine.project.folder,
    };
    const input = JSON.stringify({ ...fields, ...more.fields });
    return this.start({ words: [scriptPath("hook"), this.#name], mark, input, ...more });
  }

  hook(event: string, more: Partial<Call> & { fields?: JsonObject } = {}): Promise<Hooked> {
    return this.fire(event, more).done;
  }

  /** What an event puts before the model. */
  async told(event: string, more: Partial<Call> & { fields?: JsonObject } = {}): Promise<string> {
    return contextIn(await this.hook(event, more), event);
  }

  start(call: Call): Running {
    const { command = process.execPath, words, input, cwd } = call;
    this.#count += 1;
    const id = this.#count;
    const started = performance.now();
    const environment = this.#environmentOf(call);
    let pid: number | undefined;
    let isRunning = true;
    const done = new Promise<Hooked>((settle) => {
      const listen = (told: unknown) => {
        if (!isRecord(told) || told["id"] !== id) return;
        if (typeof told["pid"] === "number") pid = told["pid"];
        const { ran } = told;
        if (!isRecord(ran)) return;
        isRunning = false;
        this.#child.off("message", listen);
        const code = typeof ran["code"] === "number" ? ran["code"] : null;
        const [stdout, stderr] = [String(ran["stdout"]), String(ran["stderr"])];
        settle({ code, stdout, stderr, tookMs: performance.now() - started });
      };
      this.#child.on("message", listen);
    });
    const folder = cwd ?? this.#machine.project.folder;
    this.#child.send({ id, command, words, env: environment, cwd: folder, input });
    return {
      done,
      isRunning: () => isRunning,
      kill: (signal) => {
        assert(pid !== undefined, "it has not started yet");
        process.kill(pid, signal);
      },
    };
  }

  /** Ends the CLI; its children go on. */
  end(): void {
    this.#child.kill("SIGKILL");
  }

  async ended(): Promise<void> {
    const gone = new Promise((settle) => this.#child.once("close", settle));
    this.end();
    await gone;
  }
}

interface Call {
  readonly command?: string;
  readonly words: string[];
  readonly mark: Record<string, string>;
  readonly input: string;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

export async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 800; tries += 1) {
    if (isSo()) return;
    await setTimeout(25);
  }
  assert.fail(`never: ${what}`);
}

export const nothing = { code: 0, stdout: "", stderr: "" };

/** What a hook gave back, without how long it took. */
export async function given(hooked: Promise<Hooked>): Promise<Ran> {
  const { code, stdout, stderr } = await hooked;
  return { code, stdout, stderr };
}

/** Asserts that an event has no effect. */
export async function checkQuiet(
  cli: FakeCli,
  event: string,
  more?: Parameters<FakeCli["hook"]>[1],
) {
  assert.deepEqual(await given(cli.hook(event, more)), nothing, event);
}

/** Starts a hook that waits and comes back when it does. */
export async function waiting(machine: Machine, cli: FakeCli, event = "Stop", name = "claude") {
  const hook = cli.fire(event);
  await until("the hook waits", () =>
    existsSync(machine.project.path("presence", `${name}.ready`)),
  );
  return hook;
}

type Play = (machine: Machine, cli: FakeCli) => Promise<void>;

/** A test on a machine on which a CLI runs that has opened the session `talk`. */
function onMachine(cliName: CliName) {
  return (name: string, play: Play, config: JsonObject = {}): void => {
    it(name, async () => {
      const machine = new Machine(config);
      try {
        const cli = await machine.start(cliName);
        await cli.open("talk");
        await play(machine, cli);
      } finally {
        machine.close();
      }
    });
  };
}

export const onClaude = onMachine("claude");
export const onGemini = onMachine("gemini");
export const onCodex = onMachine("codex");

export const request = draft("REQUEST", "SQLite or files?");
export const response = draft("RESPONSE", "Files.");

/** The CLI of gemini, which has read the question of claude and has the turn. */
export async function thinkingGemini(machine: Machine, claude: FakeCli): Promise<FakeCli> {
  const gemini = await machine.start("gemini");
  await claude.say("talk", request);
  await gemini.next("talk");
  return gemini;
}

export const turnIn = (session: string, participant = "claude") =>
  new RegExp(
    `^Consulta: you have the turn in session ${session}\\. Run: node \\S+/next-action\\.cjs --session ${session} --participant ${participant}$`,
    "m",
  );

/** Names of sessions so long that not all fit into what a hook may say. */
export function longNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${"storage-".repeat(7)}${index}`);
}

/** What a hook puts before the model beside the user's words. */
export function contextIn({ code, stdout, stderr }: Ran, event: string): string {
  assert.deepEqual([code, stderr], [0, ""]);
  const output = recordOf(stdout)["hookSpecificOutput"];
  assert(isRecord(output), stdout);
  assert.equal(output["hookEventName"], event);
  return String(output["additionalContext"]);
}
