import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { runInThread, runsInThread } from "../script-host.ts";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly uid?: number;
  readonly timeout?: number;
  /** Beside the environment that every script gets. */
  readonly env?: Record<string, string>;
}

const dist = resolve(import.meta.dirname, "../../dist");

/** The environment without what tells a script in which CLI it runs. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(CONSULTA_|CLAUDE|GEMINI|NODE_OPTIONS|NODE_TEST)/.test(name),
  ),
);

export function scriptPath(script: string): string {
  return join(dist, `${script}.cjs`);
}

/** Returns a function that makes projects for the tests of the file that calls this; they are removed afterwards. */
export function projectMaker(): () => Project {
  const projects: Project[] = [];
  after(() => {
    for (const { folder } of projects) removeFolder(folder);
  });
  return () => {
    const project = new Project();
    projects.push(project);
    return project;
  };
}

/** A project folder in which the compiled scripts run as real processes. */
export class Project {
  readonly folder: string;

  constructor(folder = makeScratchFolder()) {
    this.folder = folder;
  }

  /** Runs a script to its end; in a thread unless it waits, has to be its own process, or its user's. */
  run(script: string, args: string[], input = "", options: RunOptions = {}): Ran {
    const { env, ...special } = options;
    if (runsInThread(script, args) && Object.keys(special).length === 0)
      return runInThread(
        { script, args, input, environment: { ...environment, ...env } },
        this.folder,
      );
    const words = [scriptPath(script), ...args];
    return this.#spawned(process.execPath, words, input, options);
  }

  /** Runs Node with options of its own before the script's path. */
  runNode(options: string[], args: string[]): Ran {
    return this.#spawned(process.execPath, [...options, ...args], "", {});
  }

  /** Runs a script where no file may grow: what a full disk looks like. */
  runOnFullDisk(script: string, args: string[], input = ""): Ran {
    const words = ["-c", 'ulimit -f 0; exec "$@"', "sh", process.execPath, scriptPath(script)];
    return this.#spawned("sh", [...words, ...args], input, {});
  }

  #spawned(command: string, words: string[], input: string, { env, ...options }: RunOptions): Ran {
    const { status, stdout, stderr } = spawnSync(command, words, {
      cwd: this.folder,
      input,
      encoding: "utf8",
      env: { ...environment, ...env },
      maxBuffer: 1 << 26,
      ...options,
    });
    return { code: status, stdout, stderr };
  }

  /** Opens a session of claude and gemini. */
  open(id: string, ...args: string[]): void {
    const who = ["--participant", "claude", "--participant", "gemini"];
    const ran = this.run("init", ["--topic", `About ${id}`, "--session", id, ...who, ...args]);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
  }

  send(
    session: string,
    by: string,
    message: string | JsonObject,
    options: { uid?: number } = {},
  ): Ran {
    const text =
      typeof message === "string" ? message : JSON.stringify(this.#accepting(session, by, message));
    const args = ["--session", session, "--participant", by, "--message", "-"];
    return this.run("append-event", args, text, options);
  }

  /** An AGREE accepts the peer's last message with a position, unless it says which. */
  #accepting(session: string, by: string, message: JsonObject): JsonObject {
    if (message["type"] !== "AGREE" || message["accepts"] !== undefined) return message;
    if (!existsSync(this.path("sessions", session, "events.jsonl"))) return message;
    const theirs = this.events(session).findLast(
      ({ from, message: it }) => from !== by && isRecord(it) && typeof it["position"] === "string",
    );
    const seq = theirs?.["seq"];
    return typeof seq === "number" ? { ...message, accepts: seq } : message;
  }

  /** Sends what must be accepted. */
  say(session: string, by: string, message: JsonObject): void {
    const ran = this.send(session, by, message);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
  }

  next(session: string, by: string): Ran {
    return this.run("next-action", ["--session", session, "--participant", by]);
  }

  /** What next-action tells a program. */
  guidance(session: string, by: string): Record<string, unknown> {
    const args = ["--session", session, "--participant", by, "--json"];
    const ran = this.run("next-action", args);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
    return recordOf(ran.stdout);
  }

  path(...names: string[]): string {
    return join(this.folder, ".consulta", ...names);
  }

  read(...names: string[]): string {
    return readFileSync(this.path(...names), "utf8");
  }

  files(...names: string[]): string[] {
    return readdirSync(this.path(...names)).sort();
  }

  events(session: string): Record<string, unknown>[] {
    const lines = this.read("sessions", session, "events.jsonl").split("\n");
    return lines.filter((line) => line.trim() !== "").map(recordOf);
  }

  /** What the participants did: the events without the notes of deliveries. */
  acts(session: string): Record<string, unknown>[] {
    return this.events(session).filter(({ event }) => event !== "rung" && event !== "in_turn");
  }

  /** A colleague's file put into an inbox by hand, old enough to be whole. */
  put(inbox: string, name: string, content: string | Uint8Array, secondsOld = 10): void {
    const path = this.path(`inbox-${inbox}`, name);
    writeFileSync(path, content);
    const then = Date.now() / 1_000 - secondsOld;
    utimesSync(path, then, then);
  }

  /** Every file, folder and link below the project: kind, mode and content. */
  listing(): Record<string, string> {
    const found: Record<string, string> = {};
    const visit = (path: string, name: string) => {
      const status = lstatSync(path);
      const mode = (status.mode & 0o7777).toString(8);
      if (status.isSymbolicLink()) found[name] = `link to ${readlinkSync(path)}`;
      else if (status.isFile()) found[name] = `file ${mode} ${hashOf(readFileSync(path))}`;
      else found[name] = `folder ${mode}`;
      if (!status.isDirectory()) return;
      for (const inner of readdirSync(path)) visit(join(path, inner), `${name}/${inner}`);
    };
    visit(this.folder, ".");
    return found;
  }

  /** Starts a script and gives its process, for tests that kill it or race it. */
  start(script: string, args: string[], input: string, env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [scriptPath(script), ...args], {
      cwd: this.folder,
      env: { ...environment, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let stderr = "";
    let stdout = "";
    child.stdout.on("data", (part: Buffer) => {
      stdout += part.toString();
    });
    child.stderr.on("data", (part: Buffer) => {
      stderr += part.toString();
    });
    // A killed process closes the pipe before it has read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const done = new Promise<Ran>((settle) => {
      child.on("close", (code) => settle({ code, stdout, stderr }));
    });
    return { child, done };
  }
}

export function recordOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  assert(isRecord(value), `not an object: ${text.slice(0, 80)}`);
  return value;
}

/** What everybody holds where a test is about something else. */
export const samePosition = "Files it is.";

/** A draft of a type with its content, and whatever else it has. */
export function draft(type: string, content: string, fields: JsonObject = {}): JsonObject {
  const sure = ["RESPONSE", "EVALUATE", "COUNTER_PROPOSE", "AGREE"].includes(type);
  const confidence = sure ? { confidence: type === "AGREE" ? 0.9 : 0.7 } : {};
  const stands = ["REQUEST", "RESPONSE", "EVALUATE", "COUNTER_PROPOSE"].includes(type);
  const position = stands ? { position: samePosition } : {};
  return { type, question_or_proposal: { content }, ...position, ...confidence, ...fields };
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** True when `text` is exactly one line that ends with a line feed. */
export function isOneLine(text: string): boolean {
  return /^[^\n\r\u2028\u2029]+\n$/.test(text);
}

/** A run that is refused says so in one line and leaves every byte as it was. */
export async function checkRefused(
  at: Project,
  code: number,
  reason: RegExp,
  run: () => Ran | Promise<Ran>,
): Promise<void> {
  const before = at.listing();
  const ran = await run();
  assert.deepEqual([ran.code, ran.stdout], [code, ""], ran.stderr);
  assert.match(ran.stderr, reason);
  assert(isOneLine(ran.stderr), `not one line: ${JSON.stringify(ran.stderr)}`);
  assert.match(ran.stderr, /^error: /);
  assert.deepEqual(at.listing(), before);
}
