import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { type ConsultaError, unavailable } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { isErrno } from "../../files/disk.ts";
import { isSameText } from "../../files/hash.ts";
import { readUserKey } from "../../files/user-key.ts";
import { commandLine, readerAtPlace } from "../../script/command-line.ts";
import {
  challengeHeader,
  type Endpoint,
  proofHeader,
  proofOf,
  runningEndpoint,
} from "../endpoint.ts";
import { type Handler, openRpcSocket, type RpcPeer } from "../rpc-peer.ts";
import { brainLimits } from "../rules/limits.ts";
import { type NamesTo, type ParamsOf, type ResultOf, readResult } from "../rules/methods.ts";

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
  /**
   * What the brain answers; 0 waits without limit.
   * @throws RpcFailure of the brain, or TIMEOUT; ConsultaError UNAVAILABLE when it has gone, or is of another version.
   */
  ask<N extends NamesTo<"brain">>(
    method: N,
    params: ParamsOf<N> & object,
    timeoutMs?: number,
  ): Promise<ResultOf<N>>;
  close(): void;
}

const connectMs = 1_000;
const answerMs = 30_000;
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
  const endpoint = runningEndpoint(folder);
  const key = endpoint && readUserKey(options.home);
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
  const there = runningEndpoint(folder);
  if (there !== undefined) {
    throw unavailable(
      `${unreachableText(there.pid)}; run this where it runs, or end it: kill ${there.pid}`,
    );
  }
  const reason = `the brain did not start within ${options.startMs / 1_000} s`;
  throw unavailable(`${reason}; doctor may say why, or ${folder}/brain.log`);
}

/** Of a process that serves a project: it hangs, has another home folder or network, or is no brain. */
export function unreachableText(pid: number): string {
  return `process ${pid} serves this project and cannot be reached from here, or does not know ~/.consulta/user.key`;
}

function connect(
  { port, token }: Endpoint,
  key: string,
  { handlers, timeoutMs = connectMs }: ConnectOptions,
): Promise<BrainConnection | undefined> {
  const challenge = randomBytes(16).toString("hex");
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, {
    headers: { authorization: `Bearer ${token}`, [challengeHeader]: challenge },
    maxPayload: brainLimits.bulkFrameBytes,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const proof = proofOf(key, token, challenge);
  const isOurs = ({ headers }: IncomingMessage) =>
    isSameText(String(headers[proofHeader] ?? ""), proof);
  // Before it opens: what the brain sends at once must find its reader.
  const peer = openRpcSocket(socket, { handlers, note: () => undefined });
  return new Promise((resolve, reject) => {
    // The time limit of `ws` begins again with each byte that comes.
    const timer = setTimeout(() => socket.terminate(), timeoutMs);
    for (const event of ["open", "close"]) socket.on(event, () => clearTimeout(timer));
    // Nothing is told to, or taken from, who cannot prove that it is a brain of this user.
    socket.on("upgrade", (answer) => {
      if (!isOurs(answer)) socket.terminate();
    });
    socket.on("unexpected-response", (_request, answer) => {
      if (answer.statusCode === 503 && isOurs(answer)) reject(full());
      socket.terminate();
    });
    socket.on("error", (error) => {
      if (isErrno(error, ...forbidden)) reject(sandboxed(error));
    });
    const ask: BrainConnection["ask"] = async (method, params, limitMs = answerMs) => {
      const answer = await peer.request(method, params, limitMs);
      const result = readResult(method, answer);
      if (result !== undefined) return result;
      throw unavailable(`the brain answers ${quote(answer)}; restart it`);
    };
    socket.on("open", () => resolve({ peer, ask, close: () => socket.close() }));
    socket.on("close", () => resolve(undefined));
  });
}

function full(): ConsultaError {
  const reason = `the brain has ${brainLimits.connections} clients, which is the limit`;
  return unavailable(`${reason}: end one of them, or try again later`);
}

/** A sandbox, such as that of Codex, may forbid all sockets, those to this machine too. */
const forbidden = ["EPERM", "EACCES"];
const lineCharacters = 300;

/** What a socket was refused; where a sandbox refused it, with the line to run outside of it. */
export function socketFailure(error: unknown): unknown {
  return isErrno(error, ...forbidden) ? sandboxed(error) : error;
}

function sandboxed(cause: unknown): ConsultaError {
  const [command = "", ...words] = process.argv.slice(2);
  const whole = commandLine("brain", {}, [command, ...words], readerAtPlace());
  const isLong = whole.length > lineCharacters || whole.includes("\n");
  const line = isLong ? `${commandLine("brain", {}, [command], readerAtPlace())} ...` : whole;
  const text = `this sandbox forbids sockets, which the brain needs; start it outside: ${line}`;
  return unavailable(text, { cause, reason: "no sockets" });
}

/**
 * Listens for a moment, as a brain would have to.
 * @throws ConsultaError UNAVAILABLE where a sandbox forbids it.
 */
export async function requireSockets(): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
  } catch (error) {
    throw socketFailure(error);
  } finally {
    server.close();
  }
}
