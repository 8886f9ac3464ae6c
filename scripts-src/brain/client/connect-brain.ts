import type { IncomingMessage } from "node:http";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { ConsultaError } from "../../base/errors.ts";
import { isRunning } from "../../clis/is-running.ts";
import { type Endpoint, readEndpoint } from "../brain-endpoint.ts";
import {
  type BrainKey,
  challengeHeader,
  isProof,
  newChallenge,
  proofHeader,
  proofOf,
  readBrainKey,
} from "../brain-key.ts";
import type { Handler, RpcPeer } from "../rpc-peer.ts";
import { openRpcSocket } from "../rpc-websocket.ts";
import { brainLimits } from "../rules/limits.ts";
import { isForbidden, ownNetwork, socketFailure } from "../socket-availability.ts";

export interface ConnectOptions {
  /** What the brain may push. */
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly timeoutMs?: number;
  /** Where the user's key is; usually their home. */
  readonly home?: string;
}

/** A client's connection to the brain of a project. */
export interface BrainConnection {
  readonly peer: RpcPeer;
  close(): void;
}

const connectMs = 1_000;
/** Between two looks for a brain that was just started. */
const pauseMs = 30;

/**
 * Connects to the brain that runs; undefined where none can be reached that is this user's.
 * @throws ConsultaError UNAVAILABLE when one runs and has no room for another client, or a sandbox
 * keeps this process from it.
 */
export async function connectBrain(
  folder: string,
  options: ConnectOptions,
): Promise<BrainConnection | undefined> {
  const met = await meetBrain(folder, options);
  return met === "stranger" ? undefined : met;
}

/**
 * As `connectBrain`, and tells a stranger: somebody who answers and does not know this user's key.
 * @throws ConsultaError as `connectBrain`.
 */
export async function meetBrain(
  folder: string,
  options: ConnectOptions,
): Promise<BrainConnection | "stranger" | undefined> {
  const endpoint = readEndpoint(folder);
  // Somebody else may have the port of a brain that died.
  const isThere =
    endpoint !== undefined && isRunning({ ...endpoint, host: hostname(), started: "" });
  if (isThere) checkNetwork(endpoint);
  const key = isThere ? readBrainKey(options.home) : undefined;
  return endpoint === undefined || key === undefined ? undefined : connect(endpoint, key, options);
}

/**
 * Connects to a project's brain, and has one started where none runs.
 * @throws ConsultaError UNAVAILABLE when none can be reached in time.
 */
export async function ensureRunning(
  folder: string,
  options: ConnectOptions & { readonly start: () => void; readonly startMs: number },
): Promise<BrainConnection> {
  const running = await connectBrain(folder, options);
  if (running !== undefined) return running;
  options.start();
  const deadline = performance.now() + options.startMs;
  while (performance.now() < deadline) {
    await sleep(pauseMs);
    const connection = await connectBrain(folder, options);
    if (connection !== undefined) return connection;
  }
  if ((await meetBrain(folder, options)) === "stranger") {
    throw new ConsultaError("UNAVAILABLE", `${strangerText}; doctor says which process that is`);
  }
  const reason = `the brain did not start within ${options.startMs / 1_000} s`;
  throw new ConsultaError("UNAVAILABLE", `${reason}; doctor may say why, or ${folder}/brain.log`);
}

/** Of a process that serves a project without knowing this user's key. */
export const strangerText =
  "what serves as this project's brain does not know ~/.consulta/brain.key: it was started with " +
  "another home folder, or is no brain";

/** In another network its port is nobody's, or another's, though the brain lives. */
function checkNetwork({ network, pid }: Endpoint): void {
  const own = ownNetwork();
  if (network === undefined || own === undefined || network === own) return;
  const reason = `this project's brain, process ${pid}, runs in another network than this`;
  const way = "run this outside of the sandbox, or end a brain that was started in one";
  throw new ConsultaError("UNAVAILABLE", `${reason}: ${way}`);
}

function connect(
  { port, token }: Endpoint,
  key: BrainKey,
  { handlers, timeoutMs = connectMs }: ConnectOptions,
): Promise<BrainConnection | "stranger" | undefined> {
  const challenge = newChallenge();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, {
    headers: { authorization: `Bearer ${token}`, [challengeHeader]: challenge },
    maxPayload: brainLimits.bulkFrameBytes,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const proof = proofOf(key, token, challenge);
  const isOurs = ({ headers }: IncomingMessage) => isProof(headers[proofHeader], proof);
  // Before it opens: what the brain sends at once must find its reader.
  const peer = openRpcSocket(socket, { handlers, note: () => undefined });
  return new Promise((resolve, reject) => {
    // The time limit of `ws` begins again with each byte that comes.
    const timer = setTimeout(() => socket.terminate(), timeoutMs);
    for (const event of ["open", "close"]) socket.on(event, () => clearTimeout(timer));
    // Nothing is told to, or taken from, who cannot prove that it is a brain of this user.
    socket.on("upgrade", (answer) => {
      if (isOurs(answer)) return;
      resolve("stranger");
      socket.terminate();
    });
    socket.on("unexpected-response", (_request, answer) => {
      if (answer.statusCode === 503 && isOurs(answer)) reject(full());
      socket.terminate();
    });
    socket.on("error", (error) => {
      const failure = socketFailure(error);
      if (isForbidden(failure)) reject(failure);
    });
    socket.on("open", () => resolve({ peer, close: () => socket.close() }));
    socket.on("close", () => resolve(undefined));
  });
}

function full(): ConsultaError {
  const reason = `the brain has ${brainLimits.connections} clients, which is the limit`;
  return new ConsultaError("UNAVAILABLE", `${reason}: end one of them, or try again later`);
}
