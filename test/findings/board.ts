import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../scripts-src/base/json.ts";
import { Project, type Ran, recordOf } from "../dialogue/project.ts";

/** A board in a folder of its own, worked on by the compiled scripts as real processes. */
export class Board {
  readonly project: Project;
  /** The board's folder as every command line calls it. */
  readonly name: string;

  constructor(name = "board", project = new Project()) {
    this.name = name;
    this.project = project;
  }

  get folder(): string {
    return join(this.project.folder, this.name);
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  read(...names: string[]): string {
    return readFileSync(this.path(...names), "utf8");
  }

  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  /** Writes a file of the project, outside of the board. */
  put(name: string, content: string | Uint8Array): string {
    const path = join(this.project.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** The same board in another place. */
  copy(): Board {
    const other = new Board(this.name);
    cpSync(this.project.folder, other.project.folder, { recursive: true });
    return other;
  }

  /** Lets the folder look as one that nobody is making right now. */
  age(): this {
    const then = Date.now() / 1_000 - 3_600;
    utimesSync(this.folder, then, then);
    return this;
  }

  events(): Record<string, unknown>[] {
    const lines = this.read("events.jsonl").split("\n");
    return lines.filter((line) => line !== "").map(recordOf);
  }

  eventsOf(name: string): Record<string, unknown>[] {
    return this.events().filter(({ event }) => event === name);
  }

  run(script: string, args: string[] = [], input = ""): Ran {
    return this.project.run(script, [this.name, ...args], input);
  }

  start(script: string, args: string[] = [], input = "") {
    return this.project.start(script, [this.name, ...args], input);
  }

  /** What a script that must succeed prints. */
  done(script: string, args: string[] = [], input = ""): string {
    const ran = this.run(script, args, input);
    assert.equal(ran.code, 0, `${script} ${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout;
  }

  init(agents: number, ...args: string[]): this {
    this.done("init", [String(agents), ...args]);
    return this;
  }

  register(...names: string[]): this {
    for (const name of names) this.done("register", [name]);
    return this;
  }

  /** Publishes a report that must be accepted; gives its path below the board. */
  post(agent: string, topic: string, report = reportText()): string {
    const path = this.done("post", [agent, topic, "--file", "-"], report).trimEnd();
    assert(path.startsWith(`${this.name}/`), path);
    return path.slice(this.name.length + 1);
  }

  ready(...names: string[]): this {
    for (const name of names) this.done("ready", [name]);
    return this;
  }

  poll(agent: string, ...args: string[]): Ran {
    return this.run("poll", [agent, ...args]);
  }

  readAll(agent: string, ...args: string[]): string {
    return this.done("read-all", [agent, ...args]);
  }

  /** What `read-all --json` prints. */
  pool(agent: string, ...args: string[]): ReadPool {
    return poolIn(recordOf(this.readAll(agent, "--json", ...args)));
  }
}

/** In seconds: a copy may be made long after its model. */
const longTimeout = "3600";
const models = new Map<string, Board>();

/** A board for so many agents, with these on it, in a folder of its own. */
export function boardOf(agents: number, ...names: string[]): Board {
  const key = JSON.stringify([agents, names]);
  const model = models.get(key) ?? new Board().init(agents, longTimeout).register(...names);
  models.set(key, model);
  return model.copy();
}

export interface ReadPool {
  readonly conflicts: string[];
  readonly agents: Record<string, unknown>[];
  readonly findings: Record<string, unknown>[];
  readonly newestSeq: number;
}

function poolIn(value: Record<string, unknown>): ReadPool {
  const { conflicts, agents, findings, newestSeq } = value;
  assert(Array.isArray(conflicts) && Array.isArray(agents) && Array.isArray(findings));
  assert(typeof newestSeq === "number");
  return {
    conflicts: conflicts.map(String),
    agents: agents.filter(isRecord),
    findings: findings.filter(isRecord),
    newestSeq,
  };
}

export interface ReportParts {
  readonly title?: string;
  readonly directories?: readonly string[];
  readonly modified?: readonly string[];
  readonly investigated?: readonly string[];
  readonly summary?: string;
  readonly rest?: string;
}

/** A report whose header is right. */
export function reportText(parts: ReportParts = {}): string {
  const { title = "A cause", summary = "The cache is stale.", rest = "" } = parts;
  const list = (paths: readonly string[] = []) =>
    paths.length === 0 ? "- none" : paths.map((path) => `- \`${path}\` -- seen`).join("\n");
  return [
    `# ${title}`,
    `## Working Directories\n${list(parts.directories ?? ["."])}`,
    `## Files Modified\n${list(parts.modified)}`,
    `## Files Investigated (not modified)\n${list(parts.investigated)}`,
    `## Summary\n${summary}`,
    `${rest}\n`,
  ].join("\n\n");
}

/** Several processes at once; their ends in the order in which they were started. */
export function together(count: number, begin: (index: number) => Promise<Ran>): Promise<Ran[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => begin(index)));
}

/** No test is about so long; a machine that does much else besides may need a part of it. */
const patienceSeconds = 60;

/** `all` in time, or a failure: a test that waits for ever tells nothing. */
export async function inTime<T>(all: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const reason = `not within ${patienceSeconds} s`;
    timer = setTimeout(() => reject(new Error(reason)), patienceSeconds * 1_000);
  });
  try {
    return await Promise.race([all, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks until something is so. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + patienceSeconds * 1_000;
  while (!holds()) {
    assert(Date.now() < end, `${what} did not come within ${patienceSeconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
