import type { RawData, WebSocket } from "ws";
import { type Handler, RpcPeer } from "./rpc-peer.ts";
import { type Frame, readFrame } from "./rules/json-rpc.ts";
import { brainLimits } from "./rules/limits.ts";

export interface RpcSocketOptions {
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly note: (text: string) => void;
}

/** Close codes of WebSocket (RFC 6455). */
const closeCodes = { unsupported: 1003, tooLarge: 1009, goingAway: 1001 } as const;

/** A WebSocket as a JSON-RPC peer: one JSON text a text frame, either end alike. */
export function openRpcSocket(socket: WebSocket, { handlers, note }: RpcSocketOptions): RpcPeer {
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
function mayBeLarge(frame: Frame): boolean {
  if (frame.kind !== "single") return false;
  const { message } = frame;
  if (message.kind === "request") return bulkMethods.includes(message.method);
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
