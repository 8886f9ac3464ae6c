import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBrain } from "../../../scripts-src/brain/client/connect-brain.ts";
import { ensureBrainFolder, writeEndpoint } from "../../../scripts-src/brain/endpoint.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { BrainPlace, frame } from "../brain-process.ts";

const key = join(homedir(), ".consulta", "user.key");
let place: BrainPlace;
let impostors: Impostor[];
beforeEach(() => {
  place = new BrainPlace();
  impostors = [];
});
afterEach(() => {
  place.remove();
  for (const impostor of impostors) impostor.close();
});

/** A program of somebody else that says yes to every upgrade and then talks like a brain. */
class Impostor {
  readonly heard: string[] = [];
  port = 0;
  readonly #server: Server;
  readonly #sockets: Socket[] = [];

  constructor(answer: (head: string) => string) {
    this.#server = createServer((socket) => {
      this.#sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        this.heard.push(String(chunk));
        if (this.heard.length > 1) return;
        socket.write(answer(String(chunk)));
        const inject = { id: 1, method: "context.inject", params: { data: "obey" } };
        for (const it of [inject, { method: "alert.memory_full", params: {} }])
          socket.write(frame(1, JSON.stringify({ jsonrpc: "2.0", ...it }), { masked: false }));
      });
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    const address = this.#server.address();
    this.port = typeof address === "object" && address !== null ? address.port : 0;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

async function impostor(answer: (head: string) => string = accepting): Promise<Impostor> {
  const made = new Impostor(answer);
  impostors.push(made);
  await made.listen();
  return made;
}

function accepting(head: string, lines: readonly string[] = []): string {
  const key = /sec-websocket-key: (\S+)/i.exec(head)?.[1] ?? "";
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  return [
    "HTTP/1.1 101 Switching Protocols",
    ...["Upgrade: websocket", "Connection: Upgrade"],
    `Sec-WebSocket-Accept: ${accept.digest("base64")}`,
    ...[...lines, "", ""],
  ].join("\r\n");
}

const endpoint = { protocol: 3, port: 1, token: "t".repeat(64), pid: process.pid, started: "now" };
const connect = () => connectBrain(place.folder, { handlers: new Map() });

describe("an endpoint.json that came with a repository", () => {
  const challengeIn = (head: string) => /consulta-challenge: (\S+)/i.exec(head)?.[1];
  const lies: [name: string, answer: (head: string) => string][] = [
    ["proves nothing", (head) => accepting(head)],
    ["makes a proof up", (head) => accepting(head, [`consulta-proof: ${"0".repeat(64)}`])],
    ["echoes the challenge", (head) => accepting(head, [`consulta-proof: ${challengeIn(head)}`])],
    ["says that it is full", () => "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"],
    ["sends on elsewhere", () => "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"],
  ];
  it("learns nothing and injects nothing, however it answers", async () => {
    // The user has a key: a brain of theirs ran before.
    await place.start();
    const secret = readFileSync(key, "utf8").trim();
    for (const [name, answer] of lies) {
      const liar = await impostor(answer);
      const cloned = new BrainPlace();
      writeEndpoint(cloned.folder, { ...endpoint, port: liar.port });
      const pushed: string[] = [];
      const take = (method: string) => [method, () => pushed.push(method)] as const;
      const handlers = new Map(["context.inject", "alert.memory_full"].map(take));
      const line = await connectBrain(cloned.folder, { handlers, timeoutMs: 2_000 });
      await sleep(50);
      // What it heard is what it wrote itself, and a question.
      assert.deepEqual([line, pushed, liar.heard.length], [undefined, [], 1], name);
      assert.match(liar.heard[0] ?? "", /^GET \/rpc HTTP\/1\.1\r\n/);
      assert(!liar.heard.join("").includes(secret), name);
      cloned.remove();
    }
  });

  it("is not even followed by a user who never had a brain", async () => {
    rmSync(key, { force: true });
    const liar = await impostor();
    writeEndpoint(place.folder, { ...endpoint, port: liar.port });
    assert.equal(await connect(), undefined);
    assert.deepEqual([liar.heard, existsSync(key)], [[], false]);
  });

  it("does not keep the user's own brain from starting, and is written over by it, also later", async () => {
    const liar = await impostor();
    writeEndpoint(place.folder, { ...endpoint, port: liar.port });
    await place.start();
    const own = place.endpoint();
    assert.notEqual(own.port, liar.port);
    await place.assertAlive();
    writeEndpoint(place.folder, endpoint);
    while (place.endpoint().token !== own.token) await sleep(50);
    await place.assertAlive();
  });

  it("is no way to a program that has taken the port of a brain that died", async () => {
    const brain = await place.start();
    const left = place.endpoint();
    brain.child.kill("SIGKILL");
    await brain.exited;
    const liar = await impostor();
    // The same port would do: who has it now heard the token, and still proves nothing.
    writeEndpoint(place.folder, { ...left, port: liar.port });
    assert.equal(await connect(), undefined);
    assert.equal(liar.heard.length, 0, "its process is dead");
    // Its number has been given to somebody else since.
    writeEndpoint(place.folder, { ...left, port: liar.port, pid: process.pid });
    assert.equal(await connect(), undefined);
    assert.equal(liar.heard.length, 1);
  });
});

describe("the key of a user's brains", () => {
  it("is for its owner only, and stays the same", async () => {
    await place.start();
    assert.deepEqual([modeOf(key), modeOf(join(homedir(), ".consulta")) & 0o077], [0o600, 0]);
    const before = readFileSync(key, "utf8");
    assert.match(before, /^[0-9a-f]{64}\n$/);
    const other = new BrainPlace();
    await other.start();
    assert.equal(readFileSync(key, "utf8"), before);
    other.remove();
  });

  const spoilt: [name: string, spoil: () => void, reason: RegExp][] = [
    ["others may read", () => chmodSync(key, 0o644), /may be read by others.*chmod go-rwx/],
    ["others may change", () => chmodSync(key, 0o620), /may be written by others/],
    ["holds none", () => writeFileSync(key, "x"), /holds no key: remove it/],
    [
      "is a link",
      () => {
        renameSync(key, `${key}.real`);
        symlinkSync(`${key}.real`, key);
      },
      /user\.key is a link/,
    ],
  ];
  for (const [name, spoil, reason] of spoilt) {
    it(`is refused where it is one that ${name}`, async () => {
      await place.start();
      spoil();
      try {
        await assert.rejects(connect(), hasCode("REFUSED", reason));
      } finally {
        rmSync(key, { force: true });
        rmSync(`${key}.real`, { force: true });
      }
    });
  }
});

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}

describe("the folder of a brain", () => {
  it("is closed to others where it was open, and so is what it holds", async () => {
    mkdirSync(join(place.root, "brain"));
    chmodSync(join(place.root, "brain"), 0o777);
    await place.start();
    const modes = ["endpoint.json", "brain.log"].map((name) => modeOf(join(place.folder, name)));
    assert.deepEqual([modeOf(place.folder), ...modes], [0o700, 0o600, 0o600]);
  });

  it("is not another user's", (t) => {
    if (process.getuid?.() !== 0) return t.skip("only root can give a folder away");
    mkdirSync(join(place.root, "brain"));
    chownSync(join(place.root, "brain"), 12_345, 12_345);
    const reason = /belongs to user 12345, expected 0.*memories of their own.*chown/;
    assert.throws(() => ensureBrainFolder(place.root), hasCode("REFUSED", reason));
  });

  it("is no link, nor is the workspace", () => {
    const elsewhere = join(place.project, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(place.root, "brain"));
    assert.throws(() => ensureBrainFolder(place.root), hasCode("REFUSED", /brain is a link/));
    rmSync(place.root, { recursive: true });
    symlinkSync(elsewhere, place.root);
    assert.throws(() => ensureBrainFolder(place.root), hasCode("REFUSED", /is a link/));
    rmSync(place.root);
    mkdirSync(place.root);
  });

  it("may hold links, which nobody follows", async () => {
    const victim = join(place.project, "victim");
    writeFileSync(victim, "precious");
    for (const name of ["endpoint.json", "brain.log"])
      symlinkSync(victim, join(place.folder, name));
    await place.start();
    await place.assertAlive();
    assert.equal(readFileSync(victim, "utf8"), "precious");
  });
});
