import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** The time as the seed's files have it. */
export function secondNow(afterSeconds = 0): string {
  return `${new Date(Date.now() + afterSeconds * 1_000).toISOString().slice(0, 19)}Z`;
}

/**
 * Stands in for an agent that knows nothing but the seed's file rules and keeps them by hand: it
 * counts and then acts, without any lock, and never looks at our log.
 */
export class OriginalAgent {
  readonly #folder: string;
  readonly name: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.name = name;
  }

  /** Makes the folder first and its files after a while; false when somebody else has made it. */
  static async open(
    folder: string,
    agents: number,
    { timeoutSeconds = 120, pauseMs = 0 } = {},
  ): Promise<boolean> {
    if (existsSync(folder)) return false;
    mkdirSync(folder);
    if (pauseMs > 0) await setTimeout(pauseMs);
    mkdirSync(join(folder, "findings"));
    const settings = {
      expected_agents: agents,
      timeout_seconds: timeoutSeconds,
      poll_interval_seconds: 5,
      created: secondNow(),
    };
    const lines = Object.entries(settings).map(([key, value]) => `- **${key}:** ${value}\n`);
    writeFileSync(join(folder, "meta.md"), lines.join(""));
    if (pauseMs > 0) await setTimeout(pauseMs);
    writeFileSync(join(folder, "agents.md"), "# Registered Agents\n");
    return true;
  }

  get #own(): string {
    return join(this.#folder, "findings", this.name);
  }

  /** Adds its line and its folder; whoever counts one line sets the deadline. */
  register(): void {
    this.registerAsSecond();
    if (this.#countAgents() === 1) this.#setDeadline();
  }

  /** Like one of two that registered at once and both counted two: nobody sets the deadline. */
  registerAsSecond(): void {
    const line = `- ${this.name} (registered: ${secondNow()})\n`;
    appendFileSync(join(this.#folder, "agents.md"), line);
    mkdirSync(this.#own, { recursive: true });
  }

  /** Numbers by counting; gives the name of the file. */
  post(topic: string, text: string): string {
    const slug = topic.toLowerCase().replaceAll(" ", "-");
    const count = readdirSync(this.#own).filter((name) => name.endsWith(".md")).length;
    const file = `${String(count + 1).padStart(2, "0")}-${slug}.md`;
    writeFileSync(join(this.#own, file), text);
    return file;
  }

  ready(): void {
    writeFileSync(join(this.#own, ".ready"), `${secondNow()}\n`);
  }

  poll(): "all-ready" | "timeout" | "waiting" {
    const marks = this.#folders().filter((name) =>
      existsSync(join(this.#folder, "findings", name, ".ready")),
    );
    if (marks.length >= Number(this.#setting("expected_agents"))) return "all-ready";
    const deadline = this.#setting("deadline");
    return deadline !== undefined && deadline <= secondNow() ? "timeout" : "waiting";
  }

  /** The reports of all others, by `agent/file`. */
  readAll(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of this.#folders().filter((it) => it !== this.name)) {
      const folder = join(this.#folder, "findings", name);
      for (const file of readdirSync(folder).filter((it) => it.endsWith(".md"))) {
        found[`${name}/${file}`] = readFileSync(join(folder, file), "utf8");
      }
    }
    return found;
  }

  /** What it would see of all others, byte for byte, in the order of their paths. */
  printAll(): Buffer {
    const others = this.#folders().filter((name) => name !== this.name);
    return Buffer.concat(others.map((name) => this.printOf(name)));
  }

  /** The part of one agent: nothing where it has posted nothing. */
  printOf(name: string): Buffer {
    const folder = join(this.#folder, "findings", name);
    const files = readdirSync(folder).filter((it) => it.endsWith(".md"));
    if (files.length === 0) return Buffer.alloc(0);
    const line = "=".repeat(42);
    const parts = files.sort().flatMap((file) => {
      return [`--- ${file} ---\n`, readFileSync(join(folder, file)), "\n"];
    });
    const banner = `${line}\nFINDINGS FROM: ${name}\n${line}\n\n`;
    return Buffer.concat([banner, ...parts].map((part) => Buffer.from(part)));
  }

  /** The slash that ends a folder's path takes part in the order. */
  #folders(): string[] {
    const names = readdirSync(join(this.#folder, "findings"));
    return names
      .map((name) => `${name}/`)
      .sort()
      .map((name) => name.slice(0, -1));
  }

  #countAgents(): number {
    const text = readFileSync(join(this.#folder, "agents.md"), "utf8");
    return text.split("\n").filter((line) => line.startsWith("- ")).length;
  }

  #setDeadline(): void {
    const deadline = secondNow(Number(this.#setting("timeout_seconds")));
    appendFileSync(join(this.#folder, "meta.md"), `- **deadline:** ${deadline}\n`);
  }

  /** What the first line with that word says. */
  #setting(key: string): string | undefined {
    const text = readFileSync(join(this.#folder, "meta.md"), "utf8");
    const line = text.split("\n").find((it) => it.includes(`${key}:`));
    return line?.replace(/^.*:\*\* /, "").trim();
  }
}
