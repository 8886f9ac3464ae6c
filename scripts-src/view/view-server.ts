import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import script from "page:script";
import style from "page:style";
import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, parseStrictJson } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { diskFailure, errnoOf } from "../files/errno.ts";
import { commandLine, readerAnywhere } from "../script/command-line.ts";
import { brainModel } from "./brain-page.ts";
import { failureText } from "./failure.ts";
import { LiveStream } from "./live-stream.ts";
import type { SessionFault } from "./page/model.ts";
import { PageEntrance, Rejection, securityHeaders } from "./page-authentication.ts";
import { pageHtml } from "./page-html.ts";
import { act, wishOf } from "./person-acts.ts";
import { readMarkdown } from "./read-markdown.ts";
import type { SessionQueue } from "./session-queue.ts";
import { SessionWatch } from "./session-watch.ts";

/** A client that is slower with a request is cut off. */
const requestMs = 10_000;

type Query = URLSearchParams;

/** Serves the page on this machine only; see `entrance.ts` for who may use it. */
export class ViewServer {
  readonly #queue: SessionQueue;
  readonly #clock: Clock;
  readonly #entrance = new PageEntrance();
  readonly #stream: LiveStream;
  readonly #watches = new Map<string, SessionWatch>();
  readonly #http: Server;
  #enter: () => void = () => undefined;
  /** That somebody has used the link. */
  readonly entered = new Promise<void>((resolve) => {
    this.#enter = resolve;
  });

  constructor(queue: SessionQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
    this.#stream = new LiveStream(queue);
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
    const address: AddressInfo | string | null = this.#http.address();
    const got = typeof address === "object" && address !== null ? address.port : port;
    const token = this.#entrance.open(got);
    return `${this.#entrance.origin}/#${token}`;
  }

  /** Reads what is looked at first, as far as anybody can tell, while the browser starts. */
  async prepare(key?: string): Promise<void> {
    try {
      const first = key ?? (await this.#queue.prepare());
      if (first !== undefined) await this.#watch(first).model();
    } catch {
      // What is wrong with it is told to who opens it.
    }
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
      const url = this.#addressOf(request);
      if (request.method === "GET") await this.#read(url, request, response);
      else if (request.method === "POST") await this.#write(url.pathname, request, response);
      else throw new Rejection(405, "expected GET or POST");
    } catch (cause) {
      tellFailure(response, cause);
    }
  }

  #addressOf({ url = "/" }: IncomingMessage): URL {
    if (URL.canParse(url, this.#entrance.origin)) return new URL(url, this.#entrance.origin);
    throw new Rejection(404, "there is nothing here");
  }

  async #read(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = files[url.pathname];
    if (file !== undefined) {
      reply(response, ...file);
      return;
    }
    this.#entrance.requirePass(request, url.searchParams);
    if (url.pathname === "/api/stream") this.#follow(url.searchParams, request, response);
    else json(response, await this.#found(url.pathname, url.searchParams));
  }

  async #found(path: string, query: Query): Promise<object> {
    switch (path) {
      case "/api/enter":
        return {};
      case "/api/queue":
        return this.#queue.read();
      case "/api/session":
        return this.#session(query);
      case "/api/body": {
        const text = await this.#watch(query.get("key") ?? "").body(numberIn(query, "seq") ?? 0);
        return { words: readMarkdown(text ?? "") };
      }
      case "/api/brain":
        return this.#brain(query);
      default:
        throw new Rejection(404, "there is nothing here");
    }
  }

  async #session(query: Query): Promise<object> {
    const watch = this.#watch(query.get("key") ?? "");
    const [at, before] = [numberIn(query, "at"), itemPlaceIn(query, "before")];
    try {
      return await watch.model(at, before);
    } catch (cause) {
      return watch.faultOf(cause);
    }
  }

  async #brain(query: Query): Promise<object> {
    const workspace = this.#queue.workspaces[Number(query.get("project") ?? "0")];
    if (workspace === undefined)
      throw new ConsultaError("REFUSED", "there is no such project here");
    return brainModel(workspace, query.get("query") ?? "");
  }

  #follow(query: Query, { headers }: IncomingMessage, response: ServerResponse): void {
    const key = query.get("key");
    const lastId = String(headers["last-event-id"] ?? "");
    this.#stream.add(response, key === null ? undefined : this.#shown(key), lastId);
  }

  /** A session that is not there any more says so in the page, which goes on with the others. */
  #shown(key: string): SessionWatch | SessionFault {
    try {
      return this.#watch(key);
    } catch (cause) {
      const command = commandLine("status", {}, [], readerAnywhere());
      return { key, fault: failureText(cause, "look at the session"), command: `${command} --all` };
    }
  }

  #watch(key: string): SessionWatch {
    const entry = this.#queue.entry(key);
    const known = this.#watches.get(key);
    if (known !== undefined) return known;
    const { name } = this.#queue.projectOf(entry.workspace);
    const watch = new SessionWatch(entry, name, this.#clock);
    // At the limit the one that was opened first is dropped; it is opened again when it is asked for.
    const [oldest] = this.#watches.keys();
    if (this.#watches.size >= watchesMax && oldest !== undefined) this.#watches.delete(oldest);
    this.#watches.set(key, watch);
    return watch;
  }

  async #write(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#entrance.requireOwnPage(request);
    if (path === "/enter") {
      const body = await bodyOf(request);
      const { cookie, pageKey } = this.#entrance.enter(isRecord(body) ? body["token"] : "");
      response.setHeader("set-cookie", cookie);
      this.#enter();
      json(response, { pageKey });
      return;
    }
    this.#entrance.requirePass(request);
    if (path !== "/api/act") throw new Rejection(404, "there is nothing here");
    const wish = wishOf(await bodyOf(request));
    const done = await act(this.#queue.entry(wish.key), wish, this.#clock);
    this.#stream.nudge();
    json(response, done);
  }
}

/** At most this many sessions are kept open between requests. */
const watchesMax = 16;

const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/": ["text/html; charset=utf-8", pageHtml],
  "/view.js": ["text/javascript; charset=utf-8", script],
  "/view.css": ["text/css; charset=utf-8", style],
};

function numberIn(query: Query, name: string): number | undefined {
  const value = itemPlaceIn(query, name);
  if (value === undefined || Number.isSafeInteger(value)) return value;
  throw new ConsultaError("REFUSED", `${name} is ${value}, expected a whole number`);
}

/**
 * A place among the page's items: the seq of an event, or a fraction between two seqs for an item of the
 * person's own log.
 */
function itemPlaceIn(query: Query, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  const given = JSON.stringify(text.slice(0, 40));
  throw new ConsultaError("REFUSED", `${name} is ${given}, expected a number from 0`);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    // Read to its end all the same: who is cut off hears no reason.
    if (bytes <= limits.messageBytes) parts.push(part);
  }
  if (bytes > limits.messageBytes)
    throw new ConsultaError("REFUSED", `a request has at most ${limits.messageBytes} bytes`);
  return parseStrictJson(Buffer.concat(parts).toString("utf8"), "the request");
}

function reply(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { "content-type": type });
  response.end(text);
}

function json(response: ServerResponse, value: object): void {
  reply(response, "application/json; charset=utf-8", JSON.stringify(value));
}

/** What a caller can act on is told; anything else is a bug, which the page says. */
function tellFailure(response: ServerResponse, cause: unknown): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  const [status, error] = failureOf(cause);
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify({ error }));
}

function failureOf(cause: unknown): [status: number, error: string] {
  if (cause instanceof Rejection) return [cause.status, cause.message];
  const failure = diskFailure(cause, "do that");
  if (!(failure instanceof ConsultaError)) return [500, failureText(cause, "do that")];
  const { code, message } = failure;
  return [code === "UNAVAILABLE" ? 503 : code === "EXISTS" ? 409 : 400, message];
}

function portFailure(error: Error, port: number): Error {
  const code = errnoOf(error);
  const reason =
    code === "EADDRINUSE" ? "is in use" : code === "EACCES" ? "is not for you to use" : undefined;
  if (reason === undefined) return error;
  const way = "give another --port, or none for any that is free";
  return new ConsultaError("UNAVAILABLE", `port ${port} ${reason}; ${way}`, { cause: error });
}
