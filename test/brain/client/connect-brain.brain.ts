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
import { connect, createServer, type Server, type Socket } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBrain } from "../../../scripts-src/brain/client/connect-brain.ts";
import {
  ensureBrainFolder,
  readEndpoint,
  writeEndpoint,
} from "../../../scripts-src/brain/endpoint.ts";
import { brainLimits } from "../../../scripts-src/brain/rules/limits.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { BrainPlace, frame, sendBytes, upgradeHead } from "../brain-process.ts";
import { brainRunner } from "../under-brain-node.ts";

const { afterEach, beforeEach, describe, it } = await brainRunner(import.meta.url);

let place: BrainPlace;
beforeEach(() => {
  place = new BrainPlace();
});
afterEach(() => place.remove());

/** A program of somebody else that says yes to every upgrade and then talks like a brain. */
class Impostor {
  readonly heard: string[] = [];
  port = 0;
  readonly #server: Server;
  readonly #sockets: Socket[] = [];

  constructor(answer: (head: string) => string = accepting) {
    this.#server = createServer((socket) => {
      this.#sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        this.heard.push(String(chunk));
        if (this.heard.length > 1) return;
        socket.write(answer(String(chunk)));
        const inject = {
          jsonrpc: "2.0",
          id: 1,
          method: "context.inject",
          params: { data: "obey" },
        };
        const alert = { jsonrpc: "2.0", method: "alert.memory_full", params: {} };
        for (const it of [inject, alert]) {
          socket.write(frame(1, JSON.stringify(it), { masked: false }));
        }
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

function accepting(head: string, lines: readonly string[] = []): string {
  const key = /sec-websocket-key: (\S+)/i.exec(head)?.[1] ?? "";
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  return [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept.digest("base64")}`,
    ...lines,
    "",
    "",
  ].join("\r\n");
}

const endpoint = { protocol: 1, port: 1, token: "t".repeat(64), pid: process.pid, started: "now" };

describe("an endpoint.json that came with a repository", () => {
  const lies: [name: string, answer: (head: string) => string][] = [
    ["proves nothing", (head) => accepting(head)],
    ["makes a proof up", (head) => accepting(head, [`consulta-proof: ${"0".repeat(64)}`])],
    [
      "gives the challenge back",
      (head) =>
        accepting(head, [`consulta-proof: ${/consulta-challenge: (\S+)/i.exec(head)?.[1]}`]),
    ],
    ["says that it is full", () => "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"],
    [
      "sends on to another place",
      () => "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n",
    ],
  ];
  for (const [name, answer] of lies) {
    it(`learns nothing and injects nothing: who answers ${name}`, async () => {
      // The user has a key: a brain of theirs ran before.
      await place.start();
      const impostor = new Impostor(answer);
      await impostor.listen();
      const cloned = new BrainPlace();
      writeEndpoint(cloned.folder, { ...endpoint, port: impostor.port });
      const pushed: string[] = [];
      const take = (name: string) => [name, () => pushed.push(name)] as const;
      const handlers = new Map(["context.inject", "alert.memory_full"].map(take));
      const line = await connectBrain(cloned.folder, { handlers, timeoutMs: 2_000 });
      assert.equal(line, undefined);
      await sleep(50);
      assert.deepEqual(pushed, []);
      // What it heard is what it wrote itself, and a question.
      assert.equal(impostor.heard.length, 1);
      assert.match(impostor.heard[0] ?? "", /^GET \/rpc HTTP\/1\.1\r\n/);
      const key = readFileSync(join(homedir(), ".consulta", "user.key"), "utf8").trim();
      assert.doesNotMatch(impostor.heard.join(""), new RegExp(key));
      impostor.close();
      cloned.remove();
    });
  }

  it("with a token that no header may hold is none", () => {
    const cloned = new BrainPlace();
    for (const token of ["a\r\nX: y", "", "\u20ac", "t".repeat(300)]) {
      writeEndpoint(cloned.folder, { ...endpoint, token });
      assert.equal(readEndpoint(cloned.folder), undefined);
    }
    cloned.remove();
  });

  it("is not even followed by a user who never had a brain", async () => {
    const key = join(homedir(), ".consulta", "user.key");
    rmSync(key, { force: true });
    const impostor = new Impostor();
    await impostor.listen();
    writeEndpoint(place.folder, { ...endpoint, port: impostor.port });
    assert.equal(await connectBrain(place.folder, { handlers: new Map() }), undefined);
    assert.deepEqual(impostor.heard, []);
    assert(!existsSync(key));
    impostor.close();
  });

  it("does not keep the user's own brain from starting, and is replaced by its own", async () => {
    const impostor = new Impostor();
    await impostor.listen();
    writeEndpoint(place.folder, { ...endpoint, port: impostor.port });
    await place.start();
    assert.notEqual(place.endpoint().port, impostor.port);
    await place.assertAlive();
    impostor.close();
  });

  it("is written over when it is checked out while the brain runs", async () => {
    await place.start();
    const own = place.endpoint();
    writeEndpoint(place.folder, endpoint);
    while (place.endpoint().token !== own.token) await sleep(50);
    await place.assertAlive();
  });

  it("is no way to a program that has taken the port of a brain that died", async () => {
    const brain = await place.start();
    const left = place.endpoint();
    brain.child.kill("SIGKILL");
    await brain.exited;
    const impostor = new Impostor();
    await impostor.listen();
    // The same port would do: who has it now heard the token, and still proves nothing.
    writeEndpoint(place.folder, { ...left, port: impostor.port });
    assert.equal(await connectBrain(place.folder, { handlers: new Map() }), undefined);
    assert.equal(impostor.heard.length, 0, "its process is dead");
    // Its number has been given to somebody else since.
    writeEndpoint(place.folder, { ...left, port: impostor.port, pid: process.pid });
    assert.equal(await connectBrain(place.folder, { handlers: new Map() }), undefined);
    assert.equal(impostor.heard.length, 1);
    impostor.close();
  });
});

describe("the key of a user's brains", () => {
  const key = () => join(homedir(), ".consulta", "user.key");

  it("is for its owner only, and stays the same", async () => {
    await place.start();
    assert.equal(lstatSync(key()).mode & 0o777, 0o600);
    assert.equal(lstatSync(join(homedir(), ".consulta")).mode & 0o077, 0);
    const before = readFileSync(key(), "utf8");
    assert.match(before, /^[0-9a-f]{64}\n$/);
    const other = new BrainPlace();
    await other.start();
    await other.assertAlive();
    assert.equal(readFileSync(key(), "utf8"), before);
    other.remove();
  });

  const spoilt: [name: string, spoil: () => void, reason: RegExp][] = [
    ["others may read", () => chmodSync(key(), 0o644), /may be read by others.*chmod go-rwx/],
    ["others may change", () => chmodSync(key(), 0o620), /may be written by others/],
    ["holds none", () => writeFileSync(key(), "x"), /holds no key: remove it/],
    [
      "is a link",
      () => {
        renameSync(key(), `${key()}.real`);
        symlinkSync(`${key()}.real`, key());
      },
      /user\.key is a link/,
    ],
  ];
  for (const [name, spoil, reason] of spoilt) {
    it(`is refused where it is one that ${name}`, async () => {
      await place.start();
      spoil();
      try {
        await assert.rejects(
          connectBrain(place.folder, { handlers: new Map() }),
          hasCode("REFUSED", reason),
        );
      } finally {
        rmSync(key(), { force: true });
        rmSync(`${key()}.real`, { force: true });
      }
    });
  }
});

describe("the folder of a brain", () => {
  it("is closed to others where it was open, and so is its database", async () => {
    mkdirSync(join(place.root, "brain"));
    chmodSync(join(place.root, "brain"), 0o777);
    await place.start();
    assert.equal(lstatSync(place.folder).mode & 0o777, 0o700);
    for (const name of ["endpoint.json", "brain.log"]) {
      assert.equal(lstatSync(join(place.folder, name)).mode & 0o777, 0o600, name);
    }
  });

  it("is not another user's", (t) => {
    if (process.getuid?.() !== 0) return t.skip("only root can give a folder away");
    mkdirSync(join(place.root, "brain"));
    chownSync(join(place.root, "brain"), 12_345, 12_345);
    assert.throws(
      () => ensureBrainFolder(place.root),
      hasCode("REFUSED", /belongs to user 12345, expected 0.*memories of their own.*chown/),
    );
  });

  it("is no link, nor is the workspace", () => {
    const elsewhere = join(place.project, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(place.root, "brain"));
    assert.throws(() => ensureBrainFolder(place.root), hasCode("REFUSED", /brain is a link/));
    rmSync(place.root, { recursive: true });
    symlinkSync(elsewhere, place.root);
    assert.throws(() => ensureBrainFolder(place.root), hasCode("REFUSED", /is a link/));
    mkdirSync(join(elsewhere, "brain"));
    rmSync(place.root);
    mkdirSync(place.root);
  });

  for (const name of ["endpoint.json", "brain.log"]) {
    it(`may hold a link named ${name}, which nobody follows`, async () => {
      const victim = join(place.project, "victim");
      writeFileSync(victim, "precious");
      symlinkSync(victim, join(place.folder, name));
      await place.start();
      await place.assertAlive();
      assert.equal(readFileSync(victim, "utf8"), "precious");
    });
  }
});

describe("the door, held by those who say nothing", () => {
  const loris = async (port: number, bytes: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await new Promise((done) => socket.once("connect", done));
    socket.write(bytes);
    return socket;
  };

  it("still opens at once, however many there are", async () => {
    await place.start();
    const { port } = place.endpoint();
    const held: Socket[] = [];
    for (let count = 0; count < brainLimits.strangers * 3; count += 1) {
      held.push(await loris(port, count % 2 === 0 ? "" : "GET /rpc HTTP/1.1\r\nHost: x\r\nX: "));
      if (count % 16 === 0) await place.assertAlive();
    }
    const started = performance.now();
    await place.assertAlive();
    assert(performance.now() - started < 1_000);
    for (const socket of held) socket.destroy();
  });

  it("is closed to who takes longer than five seconds for the head of a request", async () => {
    await place.start();
    const { port } = place.endpoint();
    const slow = await loris(port, "GET /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    const drip = setInterval(() => slow.write("X-A: b\r\n"), 200);
    const started = performance.now();
    await new Promise((done) => slow.once("close", done));
    clearInterval(drip);
    assert(performance.now() - started < 8_000);
    await place.assertAlive();
  });

  it("tells a client of the user when it is full, and nobody takes the brain's place", async () => {
    const brain = await place.start();
    const clients = [await place.client()];
    while (clients.length < brainLimits.connections) clients.push(await place.client());
    const next = connectBrain(place.folder, { handlers: new Map() });
    await assert.rejects(next, hasCode("UNAVAILABLE", /has 32 clients, which is the limit/));
    // Another starter steps back, though the claim is old by then.
    const second = await place.start();
    assert.deepEqual(await second.said(1), ["ended: undefined"]);
    assert.equal(brain.child.exitCode, null);
    assert.equal(Object(await clients[0]?.ask("brain.status"))["connections"], clients.length);
    for (const { line } of clients) line?.close();
  });

  it("gives its proof to nobody without the token", async () => {
    await place.start();
    const challenge = { "Consulta-Challenge": "abc" };
    const wrong = upgradeHead(place.endpoint(), { ...challenge, Authorization: "Bearer x" });
    const answer = (await sendBytes(place.endpoint().port, wrong)).toString();
    assert.match(answer, /^HTTP\/1\.1 401/);
    assert.doesNotMatch(answer, /proof/i);
    const right = upgradeHead(place.endpoint(), challenge);
    const isWhole = (came: Buffer) => came.includes("\r\n\r\n");
    const opened = await sendBytes(place.endpoint().port, right, 5_000, isWhole);
    assert.match(opened.toString(), /^HTTP\/1\.1 101[\s\S]*consulta-proof: [0-9a-f]{64}\r\n/);
  });
});
