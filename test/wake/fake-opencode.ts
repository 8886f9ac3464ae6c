import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { pluginModule } from "../../scripts-src/clis/opencode-plugin.ts";
import { codeCache } from "../code-cache.ts";
import { scriptPath } from "../dialogue/project.ts";
import { type FakeCli, Machine, request, turnIn, until } from "./fake-cli.ts";

/** Stands for OpenCode: loads the plugin, answers it, runs scripts as its children. */
const program = `
const { spawn } = require("node:child_process");
const [module, directory, version] = process.argv.slice(1);
const sessions = { ses_new: { time: { created: Date.now() + 60000 } }, ses_old: { time: { created: 0 } } };
sessions.ses_child = { ...sessions.ses_new, parentID: "ses_new" };
let hooks = {};
let deaf = 0;
const session = {
  get: async ({ path }) => ({ data: sessions[path.id] }),
  messages: async () => ({ data: [] }),
  promptAsync: async ({ path, body }) => {
    process.send({ prompted: { id: path.id, ...body } });
    if (deaf < 0) return { error: { name: "NotFoundError" } };
    if (deaf > 0) deaf -= 1;
    else hooks.event({ event: { type: "session.status", properties: { sessionID: path.id, status: { type: "busy" } } } });
    return {};
  },
};
if (version === "old") delete session.promptAsync;
process.on("message", async ({ id, name, words, input, more }) => {
  if (name === "deaf") { deaf = more; return process.send({ id, given: {} }); }
  if (name !== "run") {
    await hooks[name](...more);
    return process.send({ id, given: more });
  }
  const child = spawn(process.execPath, words, { cwd: directory, env: { ...process.env, OPENCODE: "1" } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => { said += part; });
  child.stdin.end(input);
  child.on("close", (code) => process.send({ id, given: { code, said } }));
});
process.on("disconnect", () => process.exit());
import(module).then(async ({ consulta }) => {
  hooks = await consulta({ client: { session }, directory });
  process.send({ hooks: Object.keys(hooks) });
});
`;

export class FakeOpenCode {
  /** What it was prompted with, and where. */
  readonly prompts: JsonObject[] = [];
  readonly hooks: Promise<unknown>;
  readonly #machine: Machine;
  readonly #child: ChildProcess;
  readonly #starts: string;
  #count = 0;

  constructor(machine: Machine, given: { version?: string; environment?: object } = {}) {
    this.#machine = machine;
    const bin = join(machine.home, "bin");
    this.#starts = join(machine.home, "starts");
    mkdirSync(bin, { recursive: true });
    const lines = ["#!/bin/sh", `echo >>'${this.#starts}'`, `exec '${process.execPath}' "$@"`];
    writeFileSync(join(bin, "node"), `${lines.join("\n")}\n`, { mode: 0o755 });
    const module = join(dirname(scriptPath("hook")), pluginModule);
    const words = ["-e", program, module, machine.project.folder, given.version ?? ""];
    this.#child = spawn(process.execPath, words, {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: {
        PATH: `${bin}:${process.env["PATH"]}`,
        HOME: machine.home,
        XDG_CACHE_HOME: codeCache,
        ...given.environment,
      },
    });
    this.hooks = new Promise((settle) => {
      this.#child.on("message", (told) => {
        if (!isRecord(told)) return;
        if ("hooks" in told) settle(told["hooks"]);
        if (isRecord(told["prompted"]))
          this.prompts.push(JSON.parse(JSON.stringify(told["prompted"])));
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Calls a function of the plugin; gives its arguments as they are then. */
  call(name: string, more: unknown, words: string[] = [], input = ""): Promise<unknown> {
    this.#count += 1;
    const id = this.#count;
    return new Promise((settle) => {
      const listen = (told: unknown) => {
        if (!isRecord(told) || told["id"] !== id) return;
        this.#child.off("message", listen);
        settle(told["given"]);
      };
      this.#child.on("message", listen);
      this.#child.send({ id, name, more, words, input });
    });
  }

  async run(script: string, words: string[], input = ""): Promise<string> {
    const given = await this.call("run", [], [scriptPath(script), ...words], input);
    assert(isRecord(given) && given["code"] === 0, JSON.stringify(given));
    return String(given["said"]);
  }

  /** An event that nobody waits for. */
  fire(type: string, properties: object = {}, session = "ses_new"): void {
    void this.call("event", [
      { event: { type, properties: { sessionID: session, ...properties } } },
    ]);
  }

  /** What is put beside a prompt. */
  async told(text: string, session = "ses_new"): Promise<string> {
    const part = { id: "prt_1", type: "text", text };
    const message = { id: "msg_1", agent: "plan", model: { providerID: "p", modelID: "m" } };
    const given = await this.call("chat.message", [
      { sessionID: session },
      { message, parts: [part] },
    ]);
    const parts = Array.isArray(given) && isRecord(given[1]) ? given[1]["parts"] : undefined;
    assert(Array.isArray(parts));
    return parts
      .slice(1)
      .map(({ text }) => text)
      .join("\n");
  }

  /** What is put behind the result of a tool. */
  async toldByTool(session = "ses_new"): Promise<string> {
    const given = await this.call("tool.execute.after", [
      { sessionID: session },
      { output: "done" },
    ]);
    return Array.isArray(given) ? String(given[1].output).slice("done".length) : "";
  }

  /** How many Nodes it has started for the plugin since the last look. */
  starts(): number {
    const text = existsSync(this.#starts) ? readFileSync(this.#starts, "utf8") : "";
    rmSync(this.#starts, { force: true });
    return text.length;
  }

  /** Becomes idle, and waits. */
  async waits(): Promise<void> {
    this.fire("session.idle");
    const ready = this.#machine.project.path("presence", "opencode.ready");
    await until("the plugin waits", () => existsSync(ready));
  }

  async prompted(count: number): Promise<JsonObject> {
    await until(`prompt ${count}`, () => this.prompts.length >= count);
    assert.equal(this.prompts.length, count);
    return this.prompts.at(-1) ?? {};
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}

const asks = ["--participant", "opencode", "--participant", "claude"];
export const turn = turnIn("talk", "opencode");

type Play = (code: FakeOpenCode, machine: Machine, claude: FakeCli) => Promise<void>;

/** OpenCode has asked claude in the session `talk`. */
export function onOpenCode(name: string, play: Play): void {
  it(name, async () => {
    const machine = new Machine();
    const code = new FakeOpenCode(machine);
    try {
      await code.hooks;
      await code.told("Ask your colleague");
      await code.run("init", ["--topic", "SQLite?", "--session", "talk", ...asks]);
      await code.run(
        "append-event",
        ["--session", "talk", "--message", "-"],
        JSON.stringify(request),
      );
      await play(code, machine, await machine.start("claude"));
    } finally {
      code.end();
      machine.close();
    }
  });
}

export function textIn({ parts }: JsonObject): string {
  return Array.isArray(parts) && isRecord(parts[0]) ? String(parts[0]["text"]) : "";
}
