import type { RawData, WebSocket } from "ws";
import { type ConsultaError, tryAgain, unavailable } from "../base/errors.ts";
import { type JsonValue, quote } from "../base/json.ts";
import {
  callObject,
  type Frame,
  failureObject,
  type RpcCall,
  type RpcId,
  type RpcMessage,
  type RpcParams,
  readFrame,
  resultObject,
} from "./rules/json-rpc.ts";
import { brainLimits } from "./rules/limits.ts";
import { RpcFailure, rpcError, rpcFailure } from "./rules/rpc-errors.ts";

/** Answers the calls of one method, at once or later; what it throws as RpcFailure goes to the caller as it is. */
export type Handler = (params: RpcParams | undefined, peer: RpcPeer) => unknown;

export interface RpcPeerOptions {
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Hands one frame to the transport; resolves when it is on its way, rejects when it is lost. */
  readonly send: (text: string) => Promise<void>;
  /** What goes wrong without anybody to tell: strays, bugs in handlers. */
  readonly note: (text: string) => void;
}

interface Waiting {
  readonly resolve: (result: JsonValue) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * One end of a JSON-RPC 2.0 conversation; both ends are alike, each asks and answers. The ids of
 * the two directions are independent of each other.
 */
export class RpcPeer {
  readonly #options: RpcPeerOptions;
  readonly #waiting = new Map<RpcId, Waiting>();
  readonly #open = new Set<RpcId>();
  readonly #end = new AbortController();
  #lastId = 0;
  #closed: ConsultaError | undefined;

  constructor(options: RpcPeerOptions) {
    this.#options = options;
  }

  /** Fires when the conversation is over: what was asked for in it is no longer wanted. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /**
   * Asks the other end.
   * @throws RpcFailure of the other end, or TIMEOUT; ConsultaError UNAVAILABLE when it has gone.
   */
  request(method: string, params?: object, timeoutMs = 0): Promise<JsonValue> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const late = () => this.#give(id)?.reject(rpcFailure("TIMEOUT", `${method} got no answer`));
      const timer = timeoutMs > 0 ? setTimeout(late, timeoutMs) : undefined;
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send(callObject(method, params, id)).catch((cause) => {
        const reason = `${method} could not be sent (${messageOf(cause)}); run this again`;
        this.#give(id)?.reject(unavailable(reason, { cause }));
      });
    });
  }

  /** Tells the other end; resolves when it is on its way. */
  async notify(method: string, params?: object): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed;
    await this.#send(callObject(method, params));
  }

  /** Takes one frame from the transport and answers what is to be answered. */
  async receive({ isBatch, messages }: Frame): Promise<void> {
    const taken = await Promise.all(messages.map((message) => this.#take(message)));
    const answers = taken.filter((answer) => answer !== undefined);
    const [first] = answers;
    // Nobody is answered where nobody asked: not even with an empty batch.
    if (first === undefined) return;
    await this.#send(isBatch ? answers : first).catch((error) => {
      // Who has left does not wait for it.
      if (this.#closed === undefined) this.#options.note(`an answer was lost: ${messageOf(error)}`);
    });
  }

  /** Ends all that waits; the transport is gone. */
  close(reason: string): void {
    this.#closed ??= unavailable(`busy: ${reason}; ${tryAgain}`);
    for (const id of [...this.#waiting.keys()]) this.#give(id)?.reject(this.#closed);
    this.#end.abort();
  }

  async #send(message: object): Promise<void> {
    await this.#options.send(JSON.stringify(message));
  }

  async #take(message: RpcMessage): Promise<object | undefined> {
    switch (message.kind) {
      case "call":
        return this.#serve(message);
      case "invalid":
        return failureObject(message.id, message.error);
      case "result":
        this.#settle(message.id)?.resolve(message.result);
        return undefined;
      case "failure":
        this.#settle(message.id)?.reject(new RpcFailure(message.error));
        return undefined;
      case "stray":
        this.#options.note(`passed over: ${message.reason}`);
        return undefined;
    }
  }

  /** What a call is answered with; a notification is not, whatever comes of it. */
  async #serve({ id, method, params }: RpcCall): Promise<object | undefined> {
    // The first one keeps its id: an answer with it would be taken for the first one's.
    if (id !== undefined && this.#open.has(id))
      return failureObject(null, rpcError("INVALID_REQUEST", "the id is in use", { id }));
    if (id !== undefined && this.#open.size >= brainLimits.openRequests) {
      const limit = `${brainLimits.openRequests} requests are open already`;
      return failureObject(id, rpcError("BUSY", limit));
    }
    if (id !== undefined) this.#open.add(id);
    try {
      const handler = this.#options.handlers.get(method);
      if (handler === undefined) throw rpcFailure("UNKNOWN_METHOD", quote(method));
      const result = await handler(params, this);
      return id === undefined ? undefined : resultObject(id, result);
    } catch (error) {
      const isRefusal = error instanceof RpcFailure;
      if (id === undefined || !isRefusal) this.#noteFailure(method, error);
      return id === undefined
        ? undefined
        : failureObject(id, isRefusal ? error.error : rpcError("INTERNAL"));
    } finally {
      if (id !== undefined) this.#open.delete(id);
    }
  }

  #noteFailure(method: string, error: unknown): void {
    const isBug = error instanceof Error && !(error instanceof RpcFailure);
    this.#options.note(`${method} failed: ${isBug ? error.stack : messageOf(error)}`);
  }

  /** The one who waits for this answer; an answer to nothing is passed over. */
  #settle(id: RpcId): Waiting | undefined {
    const waiting = this.#give(id);
    if (waiting === undefined) this.#options.note("passed over: an answer that nobody waits for");
    return waiting;
  }

  #give(id: RpcId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Close codes of WebSocket (RFC 6455). */
const closeCodes = { unsupported: 1003, tooLarge: 1009, goingAway: 1001 } as const;

/** A WebSocket as a JSON-RPC peer: one JSON text a text frame, either end alike. */
export function openRpcSocket(
  socket: WebSocket,
  { handlers, note }: Omit<RpcPeerOptions, "send">,
): RpcPeer {
  const peer = new RpcPeer({ handlers, note, send: (text) => send(socket, text) });
  socket.on("message", (data, isBinary) => {
    if (isBinary) {
      socket.close(closeCodes.unsupported, "send text frames");
      return;
    }
    const bytes = bytesOf(data);
    const frame = readFrame(bytes.toString("utf8"));
    if (bytes.length > brainLimits.frameBytes && !mayBeLarge(frame)) {
      socket.close(closeCodes.tooLarge, `the limit is ${brainLimits.frameBytes} bytes`);
      return;
    }
    peer.receive(frame).catch((error) => note(`a frame failed: ${String(error)}`));
  });
  // What is wrong with the frames of the other end: it has been closed with the right code.
  socket.on("error", (error) => note(`a connection failed: ${error.message}`));
  socket.on("close", () => peer.close("the connection is closed"));
  return peer;
}

/** What brings a text from outside may be longer than other messages, and answers may be. */
function mayBeLarge({ isBatch, messages: [message] }: Frame): boolean {
  if (isBatch || message === undefined) return false;
  if (message.kind === "call") return bulkMethods.includes(message.method);
  return message.kind === "result";
}

const bulkMethods: readonly string[] = ["data.process", "memory.import"];

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

function send(socket: WebSocket, text: string): Promise<void> {
  // Anyone who asks and never reads would fill our memory.
  if (socket.bufferedAmount > brainLimits.unsentBytes) socket.terminate();
  return new Promise((resolve, reject) => {
    socket.send(text, (error) => (error instanceof Error ? reject(error) : resolve()));
  });
}
