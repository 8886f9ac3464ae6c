import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isRecord } from "../../scripts-src/base/json.ts";

/** What a scripted model does with one request. */
export type Step =
  | { readonly say: string }
  | { readonly run: string }
  | { readonly write: string; readonly text: string }
  | { readonly read: string }
  | { readonly activate: string }
  /** Any other tool of the client. */
  | { readonly call: string; readonly input: Record<string, unknown> }
  /** An error of the service, with its HTTP status. */
  | { readonly fail: number };

/** A step that the service does not refuse. */
export type Answer = Exclude<Step, { fail: number }>;

/** What an answer says of itself beside what it does. */
export interface Bill {
  /** Answers before it. */
  readonly count: number;
  /** The model that the request asked for. */
  readonly model: string;
  /** All that the context holds with this answer, in tokens. */
  readonly tokens: number;
}

/** What the client has told its model so far, read out of one request. */
export interface Seen {
  /** The system prompt and all that the client put before its model, as text. */
  readonly context: string;
  /** What came last: the user's words, or what a tool gave back. */
  readonly latest: string;
  /** All that came since the model's last words: prompts, results of tools, lines of hooks. */
  readonly since: string;
  /** Whether a tool has given something back since then. */
  readonly called: boolean;
  /** Names of the tools that the model may call. */
  readonly tools: readonly string[];
  /** Requests that this model has answered before. */
  readonly count: number;
}

export type Mind = (seen: Seen) => Step | Promise<Step>;

export interface ModelRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Absent for requests beside the conversation, such as the choice of a model. */
  readonly seen?: Seen;
  readonly atMs: number;
}

/** How a vendor's API is spoken. */
export interface Wire {
  /** What the model is told; nothing for a request that is no turn of the conversation. */
  read(path: string, body: Record<string, unknown>): Omit<Seen, "count"> | undefined;
  /** The model that a request asks for. */
  modelOf(path: string, body: Record<string, unknown>): string;
  /** The events of a stream that does the step. */
  stream(step: Answer, bill: Bill): string;
  /** The answer to any other request that the client is known to make. */
  aside(path: string): unknown;
}

/** Does these steps one after the other; a request more is an error that the client reports. */
export function inOrder(...moves: readonly (Step | Mind)[]): Mind {
  return (seen) => {
    const move = moves[seen.count];
    if (move === undefined) throw new Error(`the script has only ${moves.length} steps`);
    return typeof move === "function" ? move(seen) : move;
  };
}

/** A model on loopback that answers as its script says and keeps every request. */
export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  /** What the script could not answer; a test ends with none. */
  readonly faults: string[] = [];
  /** How long `until` waits. */
  patienceMs = 120_000;
  /** How full its answers say that the context is. */
  tokens = 2;
  readonly #news = new EventEmitter();
  readonly #wire: Wire;
  readonly #mind: Mind;
  readonly #onFault: () => void;
  readonly #server: Server;
  #count = 0;

  constructor(wire: Wire, mind: Mind, onFault = () => {}) {
    this.#wire = wire;
    this.#mind = mind;
    this.#onFault = onFault;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((cause: unknown) => this.#refuse(response, cause));
    });
  }

  /** Begins to listen; gives the address. */
  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    const address = this.#server.address();
    if (!isRecord(address)) throw new Error("the scripted model has no port");
    return `http://127.0.0.1:${address["port"]}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /**
   * Waits for a turn of which this holds, among those from `from` on.
   * @throws when none has come in time; the message holds what did come.
   */
  async until(what: string, holds: (seen: Seen) => boolean, from = 0): Promise<Seen> {
    const signal = AbortSignal.timeout(this.patienceMs);
    for (;;) {
      const found = this.turns().slice(from).find(holds);
      if (found !== undefined) return found;
      try {
        await once(this.#news, "request", { signal });
      } catch (cause) {
        const came = this.turns().map(({ since }) => `--- ${since.slice(-1_500)}`);
        throw new Error(`no request ${what}; there came:\n${came.join("\n")}`, { cause });
      }
    }
  }

  /** The requests of the conversation, in order. */
  turns(): Seen[] {
    return this.requests.flatMap(({ seen }) => (seen === undefined ? [] : [seen]));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parseBody(await textOf(request));
    const path = request.url ?? "";
    const told = isRecord(body) ? this.#wire.read(path, body) : undefined;
    const kept = { method: request.method ?? "", path, body, atMs: Date.now() };
    if (told === undefined) {
      this.requests.push(kept);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(this.#wire.aside(path)));
      return;
    }
    const seen = { ...told, count: this.#count };
    this.requests.push({ ...kept, seen });
    this.#news.emit("request");
    this.#count += 1;
    const step = await this.#mind(seen);
    if ("fail" in step) return refuse(response, step.fail, "as the script has it");
    const model = this.#wire.modelOf(path, isRecord(body) ? body : {});
    const events = this.#wire.stream(step, { count: seen.count, model, tokens: this.tokens });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(events);
  }

  #refuse(response: ServerResponse, cause: unknown): void {
    const message = cause instanceof Error ? cause.message : String(cause);
    this.faults.push(message);
    this.#onFault();
    // Of all codes 400 is the one that no client tries again.
    refuse(response, 400, message);
  }
}

const errorNames: Record<number, { type: string; status: string }> = {
  400: { type: "invalid_request_error", status: "INVALID_ARGUMENT" },
  429: { type: "rate_limit_error", status: "RESOURCE_EXHAUSTED" },
  500: { type: "api_error", status: "INTERNAL" },
  529: { type: "overloaded_error", status: "UNAVAILABLE" },
};

function refuse(response: ServerResponse, code: number, message: string): void {
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { ...errorNames[code], code, message } }));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function parseBody(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

/** All texts inside a JSON value, in order, one a line. */
export function textsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textsIn).join("\n");
  return isRecord(value) ? Object.values(value).map(textsIn).join("\n") : "";
}

/** One event of a stream as the HTML standard writes it. */
export function serverSentEvent(data: unknown, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The names of tools, one by one or in groups as Gemini takes them. */
export function namesIn(tools: unknown): string[] {
  if (Array.isArray(tools)) return tools.flatMap(namesIn);
  if (!isRecord(tools)) return [];
  const { name, functionDeclarations } = tools;
  return typeof name === "string" ? [name] : namesIn(functionDeclarations);
}
