import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import script from "page:script";
import style from "page:style";
import type { Clock } from "../base/clock.ts";
import { ConsultaError, refused, unavailable } from "../base/errors.ts";
import { isRecord, parseStrictJson, quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { diskFailure, errnoOf } from "../files/disk.ts";
import { type StepIn, stepIn, verbs } from "../session/person-steps.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { LiveStream } from "./live-stream.ts";
import type { BrainModel } from "./page/model.ts";
import { PageEntrance, Rejection, securityHeaders } from "./page-authentication.ts";
import { pageHtml } from "./page-html.ts";
import { failureText, noteSeenEnd, type SessionQueue } from "./session-queue.ts";

/** A client that is slower with a request is cut off. */
const requestMs = 10_000;

const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/": ["text/html", pageHtml],
  "/view.js": ["text/javascript", script],
  "/view.css": ["text/css", style],
};

/** What the page shows of a project beside its sessions. */
export interface ProjectModels {
  readonly brain?: (workspace: Workspace, query: string) => Promise<BrainModel>;
}

/** Serves the page on this machine only; see `PageEntrance` for who may use it. */
export class ViewServer {
  readonly #queue: SessionQueue;
  readonly #clock: Clock;
  readonly #models: ProjectModels;
  readonly #entrance = new PageEntrance();
  readonly #stream: LiveStream;
  readonly #http: Server;
  #enter: () => void = () => undefined;
  /** That somebody has used the link. */
  readonly entered = new Promise<void>((resolve) => {
    this.#enter = resolve;
  });

  constructor(queue: SessionQueue, clock: Clock, models: ProjectModels = {}) {
    this.#queue = queue;
    this.#clock = clock;
    this.#models = models;
    this.#stream = new LiveStream(queue, clock);
    this.#http = createServer(
      { requireHostHeader: false, headersTimeout: requestMs, requestTimeout: requestMs },
      (request, response) => void this.#answer(request, response),
    );
  }

  /**
   * Opens on a port, 0 for any that is free; returns the address with the token.
   * @throws ConsultaError UNAVAILABLE where the port is taken.
   */
  async open(port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once("error", (error) => reject(portFailure(error, port)));
      this.#http.listen(port, "127.0.0.1", resolve);
    });
    const address = this.#http.address();
    const got = typeof address === "object" && address !== null ? address.port : port;
    const token = this.#entrance.open(got);
    return `${this.#entrance.origin}/#${token}`;
  }

  async close(): Promise<void> {
    const closed = this.#stream.close();
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    try {
      this.#entrance.requireHost(request);
      const { url = "/", method } = request;
      if (!URL.canParse(url, this.#entrance.origin)) throw nothingHere();
      const { pathname, searchParams } = new URL(url, this.#entrance.origin);
      if (method === "GET") await this.#read(pathname, searchParams, request, response);
      else if (method === "POST") await this.#write(pathname, request, response);
      else throw new Rejection(405, "expected GET or POST");
    } catch (cause) {
      const [status, error] = failureOf(cause);
      if (response.headersSent) response.end();
      else reply(response, "application/json", JSON.stringify({ error }), status);
    }
  }

  async #read(
    path: string,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const file = files[path];
    if (file !== undefined) return reply(response, ...file);
    this.#entrance.requirePass(request, query);
    if (path === "/api/stream") this.#stream.add(response, query.get("key") ?? undefined);
    else json(response, await this.#found(path, query));
  }

  async #found(path: string, query: URLSearchParams): Promise<object> {
    switch (path) {
      case "/api/enter":
        return {};
      case "/api/queue":
        return this.#queue.read();
      case "/api/session":
        return this.#stream.model(query.get("key") ?? "", seqIn(query));
      case "/api/brain": {
        const workspace = this.#queue.workspaces[Number(query.get("project"))];
        const model = this.#models.brain;
        if (model === undefined) throw nothingHere();
        if (workspace !== undefined) return model(workspace, query.get("query") ?? "");
        throw refused("there is no such project here");
      }
      default:
        throw nothingHere();
    }
  }

  async #write(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#entrance.requireOwnPage(request);
    if (path === "/enter") {
      const { token } = await bodyOf(request);
      const { cookie, pageKey } = this.#entrance.enter(token);
      response.setHeader("set-cookie", cookie);
      this.#enter();
      return json(response, { pageKey });
    }
    this.#entrance.requirePass(request);
    if (path !== "/api/act") throw nothingHere();
    json(response, await this.#act(await bodyOf(request)));
  }

  /** What the person does in the page, by the same function as the scripts; the same id again is the same act. */
  async #act(wish: Record<string, unknown>): Promise<object> {
    const { key, verb, text = "", to = "", id = "" } = wish;
    const [isKey, isVerb, ...isText] = [key, verb, text, to, id].map(
      (it) => typeof it === "string",
    );
    if (!isKey || !isVerb || isText.includes(false))
      throw refused("expected {key, verb, text, to, id}, all texts");
    const entry = this.#queue.entry(String(key));
    if (verb === "seen") {
      await noteSeenEnd(entry);
      this.#stream.look();
      return {};
    }
    const step = stepOf(String(verb), String(text), String(to), String(id));
    const { seq, repeated } = await stepIn(entry.place(), step, this.#clock);
    this.#stream.look();
    return { seq, repeated };
  }
}

function stepOf(word: string, text: string, to: string, id: string): StepIn {
  const verb = verbs.find((it) => it === word);
  if (verb !== undefined)
    return { verb, text: text || undefined, to: to || undefined, key: id || undefined };
  const known = [...verbs, "seen"].join(", ");
  throw refused(`${quote(word)} is no act; there are ${known}`);
}

/** As of which event; undefined for the newest. */
function seqIn(query: URLSearchParams): number | undefined {
  const text = query.get("at");
  if (text === null) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw refused(`at is ${quote(text.slice(0, 40))}, expected a number from 0`);
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    // Read to its end all the same: who is cut off hears no reason.
    if (bytes <= limits.messageBytes) parts.push(part);
  }
  if (bytes > limits.messageBytes)
    throw refused(`a request has at most ${limits.messageBytes} bytes`);
  const body = parseStrictJson(Buffer.concat(parts).toString("utf8"), "the request");
  return isRecord(body) ? body : {};
}

function reply(response: ServerResponse, type: string, text: string, status = 200): void {
  response.writeHead(status, { "content-type": `${type}; charset=utf-8` });
  response.end(text);
}

function json(response: ServerResponse, value: object): void {
  reply(response, "application/json", JSON.stringify(value));
}

function nothingHere(): Rejection {
  return new Rejection(404, "there is nothing here");
}

/** What a caller can act on is told; anything else is a bug, which the page says. */
function failureOf(cause: unknown): [status: number, error: string] {
  if (cause instanceof Rejection) return [cause.status, cause.message];
  const failure = diskFailure(cause, "do that");
  if (!(failure instanceof ConsultaError)) return [500, failureText(cause, "do that")];
  const { code, message } = failure;
  return [code === "UNAVAILABLE" ? 503 : code === "EXISTS" ? 409 : 400, message];
}

function portFailure(error: Error, port: number): Error {
  const code = errnoOf(error);
  if (code !== "EADDRINUSE" && code !== "EACCES") return error;
  const reason = code === "EACCES" ? "is not for you to use" : "is in use";
  const way = "give another --port, or none for any that is free";
  return unavailable(`port ${port} ${reason}; ${way}`, { cause: error });
}
