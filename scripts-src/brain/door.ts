import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { brainLimits } from "../core/brain/limits.ts";

export interface DoorOptions {
  readonly token: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly enter: (socket: WebSocket) => void;
  readonly note: (text: string) => void;
}

const path = "/rpc";
const headerMs = 5_000;

const socketOptions = {
  noServer: true,
  maxPayload: brainLimits.bulkFrameBytes,
  maxFragments: brainLimits.frameFragments,
  perMessageDeflate: false,
  clientTracking: true,
  // Who does not say goodbye back holds one of few places. (Its types do not know this one yet.)
  closeTimeout: 2_000,
};

/**
 * The way in: HTTP on loopback that lets nothing through but the upgrade of somebody who holds the
 * token. Web pages can reach it too: they send an Origin, or a Host that is not ours.
 */
export class Door {
  readonly #options: DoorOptions;
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  #port = 0;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.#sockets = new WebSocketServer(socketOptions);
    // A Host header is demanded by us: Node would answer before our rules are asked.
    this.#http = createServer({ requireHostHeader: false, maxHeaderSize: 8_192 });
    this.#http.maxConnections = brainLimits.sockets;
    this.#http.headersTimeout = headerMs;
    this.#http.requestTimeout = headerMs;
    this.#http.keepAliveTimeout = 1;
    this.#http.on("request", (request, response) => {
      const status = this.#refusal(request) ?? 426;
      const upgrade = status === 426 ? { upgrade: "websocket" } : {};
      response.writeHead(status, { connection: "close", ...upgrade }).end();
      request.resume();
    });
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#http.on("clientError", (_error, socket) => refuse(socket, 400));
  }

  /** Opens it and gives the port. */
  async open(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once("error", reject);
      this.#http.listen(this.#options.port, "127.0.0.1", resolve);
    });
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

  /** Ends what has not ended by itself. */
  shut(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#http.closeAllConnections();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const status = this.#refusal(request) ?? this.#tokenRefusal(request) ?? this.#crowded();
    if (status !== undefined) {
      this.#options.note(`refused a connection: ${status} ${STATUS_CODES[status]}`);
      refuse(socket, status);
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#options.enter(opened));
  }

  #refusal({ headers, headersDistinct, url = "" }: IncomingMessage): number | undefined {
    const hosts = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
    const isOurs = headersDistinct["host"]?.length === 1 && hosts.includes(headers.host ?? "");
    if (!isOurs || headers.origin !== undefined) return 403;
    return url === path ? undefined : 404;
  }

  #tokenRefusal({ headers: { authorization = "" } }: IncomingMessage): number | undefined {
    const expected = digest(`Bearer ${this.#options.token}`);
    return timingSafeEqual(digest(authorization), expected) ? undefined : 401;
  }

  #crowded(): number | undefined {
    return this.connections >= brainLimits.connections ? 503 : undefined;
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refuse(socket: Duplex, status: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const more = status === 401 ? "WWW-Authenticate: Bearer\r\n" : "";
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${more}`;
  socket.end(`${head}Content-Length: 0\r\n\r\n`, () => socket.destroy());
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("the server has no port");
}
