import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBrain } from "../../scripts-src/brain/client/connect-brain.ts";
import {
  type Endpoint,
  ensureBrainFolder,
  readEndpoint,
} from "../../scripts-src/brain/endpoint.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { TestClient } from "./served-brain.ts";

/** A folder in which brains run as processes. */
export class BrainPlace {
  readonly project = makeScratchFolder();
  readonly root = join(this.project, ".consulta");
  readonly #started: ChildProcess[] = [];

  constructor() {
    mkdirSync(this.root);
  }

  get folder(): string {
    return ensureBrainFolder(this.root);
  }

  /** Starts one; gives what it says once it listens or has ended. */
  async start(idleMs = 600_000, delegate: readonly string[] = []): Promise<Started> {
    const fixture = bundledFixture("test/brain/serve.fixture.ts");
    const words = [fixture, this.root, String(idleMs), ...delegate];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    this.#started.push(child);
    const started = new Started(child);
    await started.said(1);
    return started;
  }

  endpoint(): Endpoint {
    const endpoint = readEndpoint(this.folder);
    assert(endpoint !== undefined, "no endpoint");
    return endpoint;
  }

  async client(): Promise<TestClient> {
    const client = new TestClient();
    client.line = await connectBrain(this.folder, { handlers: client.handlers, timeoutMs: 5_000 });
    assert(client.line !== undefined, "the brain cannot be reached");
    return client;
  }

  /** Whether the brain answers. */
  async assertAlive(): Promise<void> {
    const client = await this.client();
    assert(Number((await client.ask("brain.status"))["pid"]) > 0);
    client.line?.close();
  }

  remove(): void {
    for (const child of this.#started) child.kill("SIGKILL");
    removeFolder(this.project);
  }
}

export class Started {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  #text = "";

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on("data", (chunk) => {
      this.#text += chunk;
    });
    this.exited = new Promise((done) => child.on("close", done));
  }

  /** Its first lines, when there are so many. */
  async said(lines: number): Promise<string[]> {
    let ended = false;
    this.exited.then(() => {
      ended = true;
    });
    while (this.#text.split("\n").length <= lines && !ended) await sleep(10);
    return this.#text.trim().split("\n");
  }
}

/** Sends bytes to a brain and gives what comes until it hangs up, it is enough, or time is up. */
export async function sendBytes(
  port: number,
  bytes: string | Buffer | readonly Buffer[],
  patienceMs = 1_000,
  isEnough: (came: Buffer) => boolean = () => false,
): Promise<Buffer> {
  const socket: Socket = connect(port, "127.0.0.1");
  const came: Buffer[] = [];
  socket.on("data", (chunk) => came.push(chunk));
  socket.on("error", () => {});
  await new Promise((done) => socket.once("connect", done));
  const list = typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : bytes;
  for (const part of list) {
    socket.write(part);
    await sleep(1);
  }
  const closed = new Promise((done) => socket.once("close", done));
  const enough = new Promise<void>((done) => {
    const look = () => {
      if (isEnough(Buffer.concat(came))) done();
    };
    look();
    socket.on("data", look);
  });
  await Promise.race([closed, enough, sleep(patienceMs)]);
  socket.destroy();
  return Buffer.concat(came);
}

/** The head of an upgrade that the brain lets in, but for what is given otherwise. */
export function upgradeHead(endpoint: Endpoint, changed: Record<string, string | undefined> = {}) {
  const { port, token } = endpoint;
  const { line = "GET /rpc HTTP/1.1", ...more } = changed;
  const headers: Record<string, string | undefined> = {
    Host: `127.0.0.1:${port}`,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    Authorization: `Bearer ${token}`,
    ...more,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return `${[line, ...lines].join("\r\n")}\r\n\r\n`;
}

/** A frame of WebSocket, masked as a client has to. */
export function frame(
  opcode: number,
  payload: Buffer | string,
  { fin = true, masked = true, reserved = 0 } = {},
): Buffer {
  const body = Buffer.from(payload);
  const head = [(fin ? 0x80 : 0) | reserved | opcode];
  const bit = masked ? 0x80 : 0;
  if (body.length < 126) head.push(bit | body.length);
  else head.push(bit | 127, 0, 0, 0, 0, ...lengthBytes(body.length));
  // A mask of zeros is a mask.
  return Buffer.concat([Buffer.from(head), Buffer.alloc(masked ? 4 : 0), body]);
}

function lengthBytes(length: number): number[] {
  return [24, 16, 8, 0].map((shift) => (length >>> shift) & 0xff);
}
