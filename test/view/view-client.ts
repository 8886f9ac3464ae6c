import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { pageKeyName } from "../../scripts-src/view/page/model.ts";
import { scriptPath } from "../dialogue/project.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** `view` as a process, and requests to it as any program can make them. */
export class ViewClient {
  readonly port: number;
  readonly token: string;
  /** The headers of a browser that entered. */
  pass: { cookie?: string; [name: string]: string } = {};
  stderr = "";
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, printed: string) {
    const [, port = "", token = ""] =
      /^http:\/\/127\.0\.0\.1:(\d+)\/#([\w-]{43})\n$/.exec(printed) ?? [];
    this.#child = child;
    child.stderr?.on("data", (part: Buffer) => {
      this.stderr += part.toString();
    });
    this.port = Number(port);
    this.token = token;
  }

  static async start(
    folder: string,
    args: readonly string[] = [],
    env: Record<string, string> = {},
  ): Promise<ViewClient> {
    const child = spawn(process.execPath, [scriptPath("view"), ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    const [printed] = await Promise.race([once(child.stdout, "data"), once(child, "close")]);
    return new ViewClient(child, String(printed));
  }

  /** The same after its link was used. */
  static async entered(folder: string): Promise<ViewClient> {
    const view = await ViewClient.start(folder);
    await view.enter();
    return view;
  }

  get pid(): number {
    return this.#child.pid ?? assert.fail("it does not run");
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null;
  }

  async enter(): Promise<Answer> {
    const entered = await this.write("/enter", { token: this.token });
    const cookie = entered.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    this.pass = { cookie, [pageKeyName]: String(JSON.parse(entered.text).pageKey) };
    return entered;
  }

  /** `Host` is right unless given. */
  async ask(path: string, { method = "GET", headers = {}, body }: Asking = {}): Promise<Answer> {
    const answer = await this.#open(path, { method, headers, ...(body && { body }) });
    let text = "";
    for await (const part of answer) text += part;
    return { status: answer.statusCode ?? 0, headers: answer.headers, text };
  }

  /** `Origin` is right unless given. */
  write(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    const own = { origin: `http://127.0.0.1:${this.port}`, "content-type": "application/json" };
    return this.ask(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { ...own, ...headers },
    });
  }

  /** What a page gets that may ask. */
  async get(path: string): Promise<JsonObject> {
    const { text } = await this.ask(path, { headers: this.pass });
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? (value as JsonObject) : assert.fail(text);
  }

  /** What an open page is told, as it comes. */
  async follow(query: string): Promise<Stream> {
    return new Stream(await this.#open(`/api/stream${query}`, { headers: this.pass }));
  }

  async end(): Promise<number | null> {
    if (this.isRunning) {
      this.#child.kill("SIGINT");
      await once(this.#child, "close");
    }
    return this.#child.exitCode;
  }

  async #open(path: string, asking: Asking): Promise<IncomingMessage> {
    const { method = "GET", headers = {}, body } = asking;
    const own = { host: `127.0.0.1:${this.port}`, ...headers };
    const { port } = this;
    // A line of its own: one that is kept may be closed by the server at the moment of the request.
    const sent = request({
      ...{ host: "127.0.0.1", port, path, method, headers: own },
      ...{ setHost: false, agent: false },
    });
    sent.end(body);
    const [answer] = await once(sent, "response");
    return answer;
  }
}

export interface StreamEvent {
  readonly event: string;
  readonly data: JsonObject;
}

/** Server-sent events, as they came. */
class Stream {
  readonly events: StreamEvent[] = [];
  readonly #answer: IncomingMessage;
  #text = "";

  constructor(answer: IncomingMessage) {
    this.#answer = answer;
    answer.setEncoding("utf8");
    answer.on("data", (part: string) => this.#read(part));
    answer.on("error", () => undefined);
  }

  /** The first event from `after` on that fits. */
  async until(
    fits: (event: StreamEvent) => boolean,
    after = 0,
    waitMs = 10_000,
  ): Promise<StreamEvent> {
    for (const end = Date.now() + waitMs; Date.now() < end; ) {
      const found = this.events.slice(after).find(fits);
      if (found !== undefined) return found;
      await sleep(25);
    }
    return assert.fail(`did not come: ${fits}; came ${this.events.map(({ event }) => event)}`);
  }

  close(): void {
    this.#answer.destroy();
  }

  #read(part: string): void {
    this.#text += part;
    for (let end = this.#text.indexOf("\n\n"); end >= 0; end = this.#text.indexOf("\n\n")) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/m.exec(this.#text.slice(0, end)) ?? [];
      this.#text = this.#text.slice(end + 2);
      if (event !== undefined) this.events.push({ event, data: JSON.parse(data ?? "") });
    }
  }
}
