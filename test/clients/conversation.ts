import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { isRecord } from "../../scripts-src/base/json.ts";

const patienceMs = 60_000;

/** Claude Code as one headless process that takes one prompt after the other. */
export class Conversation {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #news = new EventEmitter();
  readonly #ended: Promise<unknown>;
  #results = 0;
  #stderr = "";

  constructor(
    program: string,
    flags: readonly string[],
    folder: string,
    environment: Record<string, string>,
  ) {
    const wire = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    this.#child = spawn(program, ["-p", ...wire, ...flags], { cwd: folder, env: environment });
    this.#ended = once(this.#child, "exit");
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const message: unknown = JSON.parse(line);
      if (!isRecord(message) || message["type"] !== "result") return;
      this.#results += 1;
      this.#news.emit("result");
    });
  }

  /** Says something; the client has done what it calls for. */
  async say(prompt: string): Promise<void> {
    const wanted = this.#results + 1;
    const message = { role: "user", content: prompt };
    this.#child.stdin.write(`${JSON.stringify({ type: "user", message })}\n`);
    const signal = AbortSignal.timeout(patienceMs);
    while (this.#results < wanted) {
      await once(this.#news, "result", { signal }).catch((cause: unknown) => {
        throw new Error(`no result of ${prompt}: ${this.#stderr}`, { cause });
      });
    }
  }

  /** Lets the client end by itself; gives what it wrote on stderr. */
  async end(): Promise<string> {
    this.#child.stdin.end();
    await this.#ended;
    return this.#stderr;
  }
}
