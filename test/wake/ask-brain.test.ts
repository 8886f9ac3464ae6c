import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { checkQuiet, type FakeCli, given, Machine, nothing } from "./fake-cli.ts";

let machine: Machine;
let claude: FakeCli;
/** Takes connections and never says a word. */
let mute: Server;
/** Answers whatever comes with what no WebSocket server says. */
let rude: Server;

before(async () => {
  machine = new Machine({ brain: true });
  claude = await machine.start("claude");
  mkdirSync(brain());
  // Without it nobody would even be asked.
  mkdirSync(join(machine.home, ".consulta"), { mode: 0o700 });
  writeFileSync(join(machine.home, ".consulta", "user.key"), "0".repeat(64), { mode: 0o600 });
  // None is started: this is about those that are there.
  writeFileSync(brain("started-in-vain"), "");
  mute = await listening(() => undefined);
  rude = await listening((socket) => socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n"));
});
after(() => {
  for (const server of [mute, rude]) server.close();
  machine.close();
});

function brain(...names: string[]): string {
  return machine.project.path("brain", ...names);
}

function listening(answer: (socket: import("node:net").Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    answer(socket);
  });
  server.unref();
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function endpoint(port: number, more: object = {}): string {
  const started = "2026-11-22T09:00:00.000Z";
  return JSON.stringify({ protocol: 3, port, token: "t", pid: process.pid, started, ...more });
}

const broken: [name: string, text: () => string][] = [
  ["is not JSON", () => "{"],
  ["is of a later protocol", () => endpoint(portOf(mute), { protocol: 4 })],
  ["names a dead process", () => endpoint(portOf(mute), { pid: 2 ** 22 - 1 })],
  ["names a port that nobody listens on", () => endpoint(1)],
  ["names a server that refuses it", () => endpoint(portOf(rude))],
  ["names a server that never answers", () => endpoint(portOf(mute))],
  ["is too large", () => endpoint(portOf(mute), { token: "t".repeat(100_000) })],
];

describe("a hook whose brain is no help", () => {
  for (const [name, text] of broken) {
    it(`goes on soon and without a word when the endpoint ${name}`, async () => {
      writeFileSync(brain("endpoint.json"), text());
      for (const event of ["SessionStart", "PostToolUse", "Stop", "SessionEnd"]) {
        const hooked = claude.hook(event, { fields: { prompt: "go on" } });
        assert.deepEqual(await given(hooked), nothing, event);
        const { tookMs } = await hooked;
        assert(tookMs < 6_000, `${event}: ${tookMs}`);
      }
      assert.equal(machine.failure(), "");
    });
  }

  it("goes on without a word when its folder is not there, or a file", async () => {
    rmSync(brain(), { recursive: true });
    await checkQuiet(claude, "PostToolUse");
    writeFileSync(brain(), "in the way");
    await checkQuiet(claude, "PostToolUse");
    assert.match(machine.failure(), /a file is where a folder has to be/);
  });
});
