import { WebSocket } from "ws";
import { brainLimits } from "../core/brain/limits.ts";
import { type Endpoint, readEndpoint } from "./brain-folder.ts";
import { openLine } from "./line.ts";
import type { Handler, Peer } from "./peer.ts";

export interface ConnectOptions {
  /** What the brain may push. */
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly timeoutMs?: number;
}

/** A client's connection to the brain of a project. */
export interface BrainLine {
  readonly peer: Peer;
  close(): void;
}

const connectMs = 1_000;

/** Connects to the brain that runs; undefined where none can be reached. */
export function connectBrain(
  folder: string,
  options: ConnectOptions,
): Promise<BrainLine | undefined> {
  const endpoint = readEndpoint(folder);
  return endpoint === undefined ? Promise.resolve(undefined) : connect(endpoint, options);
}

function connect(
  { port, token }: Endpoint,
  { handlers, timeoutMs = connectMs }: ConnectOptions,
): Promise<BrainLine | undefined> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: timeoutMs,
    maxPayload: brainLimits.bulkFrameBytes,
    perMessageDeflate: false,
    followRedirects: false,
  });
  // Before it opens: what the brain sends at once must find its reader.
  const peer = openLine(socket, { handlers, note: () => undefined });
  return new Promise((resolve) => {
    socket.on("open", () => resolve({ peer, close: () => socket.close() }));
    socket.on("close", () => resolve(undefined));
  });
}
