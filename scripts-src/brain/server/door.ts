import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { isSameText } from "../../files/hash.ts";
import { socketFailure } from "../client/connect-brain.ts";
import { challengeHeader, proofHeader, proofOf } from "../endpoint.ts";
import { brainLimits } from "../rules/limits.ts";

const path = "/rpc";
/** A client that is slower with the head of a request is cut off, looked for so often. */
const headerMs = 5_000;
const lookMs = 1_000;

const socketOptions = {
  noServer: true,
  maxPayload: brainLimits.bulkFrameBytes,
  maxFragments: brainLimits.frameFragments,
  perMessageDeflate: false,
  clientTracking: true,
  // Who sends very much at once takes turns with the others.
  allowSynchronousEvents: false,
  // Who does not say goodbye back holds one of few places. (Its types do not know this one yet.)
  closeTimeout: 2_000,
};

/**
 * The way in: HTTP on loopback that lets nothing through but the upgrade of somebody who holds the
 * token. Web pages can reach it too: they send an Origin, or a Host that is not ours.
 */
export class Door {
  /** New at each start. */
  readonly token = randomBytes(32).toString("hex");
  /** What becomes of who is let in; nobody knows the token before there is somebody behind the door. */
  enter: (socket: WebSocket) => void = (socket) => socket.terminate();
  readonly #key: string;
  readonly #note: (text: string) => void;
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  /** Connections that have not shown a token yet, the oldest first. */
  readonly #strangers = new Set<Socket>();
  #port = 0;

  constructor(key: string, note: (text: string) => void) {
    this.#key = key;
    this.#note = note;
    this.#sockets = new WebSocketServer(socketOptions);
    // A Host header is demanded by us: Node would answer before our rules are asked.
    this.#http = createServer({
      requireHostHeader: false,
      maxHeaderSize: 8_192,
      headersTimeout: headerMs,
      requestTimeout: headerMs,
      connectionsCheckingInterval: lookMs,
      keepAliveTimeout: 1,
    });
    this.#http.on("connection", (socket) => this.#meet(socket));
    this.#http.on("request", (request, response) => {
      const status = this.#refusal(request) ?? 426;
      const upgrade = status === 426 ? { upgrade: "websocket" } : {};
      response.writeHead(status, { connection: "close", ...upgrade }).end();
      request.resume();
    });
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#http.on("clientError", (_error, socket) => refuse(socket, 400));
    this.#sockets.on("headers", (lines, request) => lines.push(...this.#proof(request)));
  }

  /**
   * Opens it and returns the port.
   * @throws ConsultaError UNAVAILABLE where a sandbox forbids it.
   */
  async open(): Promise<number> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#http.once("error", reject);
        this.#http.listen(0, "127.0.0.1", resolve);
      });
    } catch (error) {
      throw socketFailure(error);
    }
    this.#port = portOf(this.#http.address());
    return this.#port;
  }

  get connections(): number {
    return this.#sockets.clients.size;
  }

  /** Asks all clients to leave and lets nobody in any more. */
  close(): void {
    this.#http.close();
    for (const socket of this.#sockets.clients) socket.close(1001, "the brain stops");
    this.#http.closeIdleConnections();
  }

  /** Ends what has not ended by itself: a door that stays open keeps the process from its end. */
  shut(): void {
    this.#http.close();
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#http.closeAllConnections();
  }

  /** Who says nothing must not keep others out: the one that has waited longest gives way. */
  #meet(socket: Socket): void {
    const [oldest] = this.#strangers;
    if (this.#strangers.size >= brainLimits.strangers) oldest?.destroy();
    this.#strangers.add(socket);
    socket.on("close", () => this.#strangers.delete(socket));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const fault = this.#refusal(request) ?? this.#tokenRefusal(request);
    const status = fault ?? this.#crowded();
    if (status !== undefined) {
      this.#note(`rejected a connection: ${status} ${STATUS_CODES[status]}`);
      refuse(socket, status, fault === undefined ? this.#proof(request) : []);
      return;
    }
    this.#strangers.delete(request.socket);
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.enter(opened));
  }

  /** The line that tells a client, which has shown the token, whose brain this is. */
  #proof({ headers }: IncomingMessage): string[] {
    const challenge = headers[challengeHeader];
    if (typeof challenge !== "string") return [];
    return [`${proofHeader}: ${proofOf(this.#key, this.token, challenge)}`];
  }

  #refusal({ headers, headersDistinct, url = "" }: IncomingMessage): number | undefined {
    const hosts = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
    const isOurs = headersDistinct["host"]?.length === 1 && hosts.includes(headers.host ?? "");
    if (!isOurs || headers.origin !== undefined) return 403;
    return url === path ? undefined : 404;
  }

  #tokenRefusal({ headers: { authorization = "" } }: IncomingMessage): number | undefined {
    return isSameText(authorization, `Bearer ${this.token}`) ? undefined : 401;
  }

  #crowded(): number | undefined {
    return this.connections >= brainLimits.connections ? 503 : undefined;
  }
}

function refuse(socket: Duplex, status: number, lines: readonly string[] = []): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const more = status === 401 ? ["WWW-Authenticate: Bearer", ...lines] : lines;
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  const head = [first, "Connection: close", "Content-Length: 0", ...more, "", ""].join("\r\n");
  socket.end(head, () => socket.destroy());
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("the server has no port");
}
