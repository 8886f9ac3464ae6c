import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { hookEntries, hookedClis } from "../../scripts-src/clis/hook-entries.ts";
import { type CliName, type FakeCli, given, Machine } from "./fake-cli.ts";

const nothing = { code: 0, stdout: "", stderr: "" };
const started = "2026-11-22T09:00:00.000Z";

let machine: Machine;
let clis: Record<CliName, FakeCli>;
/** Takes connections and never says a word. */
let mute: Server;
/** Answers whatever comes with what no WebSocket server says. */
let rude: Server;

before(async () => {
  machine = new Machine();
  clis = { claude: await machine.start("claude"), gemini: await machine.start("gemini") };
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

/** Fires every event of both CLIs as one that presses; each has to end soon, without a word. */
async function checkSilent(fields: Record<string, string | number> = {}, mostMs = 3_000) {
  writeFileSync(brain("attention.json"), "[null]\n");
  for (const cli of hookedClis) {
    for (const { event } of hookEntries[cli]) {
      const source = event === "SessionStart" ? { source: "startup" } : {};
      const call = clis[cli].hook(event, {
        fields: { prompt: "go on", trigger: "manual", ...source, ...fields },
      });
      assert.deepEqual(await given(call), nothing, `${cli} ${event}`);
      const { tookMs } = await call;
      assert(tookMs < mostMs, `${cli} ${event}: ${tookMs}`);
    }
  }
}

const endpoint = (port: number, more: object = {}) =>
  JSON.stringify({ protocol: 1, port, token: "t", pid: process.pid, started, ...more });

describe("a hook whose brain is no help", () => {
  const broken: [name: string, text: () => string][] = [
    ["is not JSON", () => "{"],
    ["is empty", () => ""],
    ["is of a later protocol", () => endpoint(portOf(mute), { protocol: 2 })],
    ["names a dead process", () => endpoint(portOf(mute), { pid: 2 ** 22 - 1 })],
    ["names a port that nobody listens on", () => endpoint(1)],
    ["names a server that refuses it", () => endpoint(portOf(rude))],
    ["names a server that never answers", () => endpoint(portOf(mute))],
    ["is too large", () => endpoint(portOf(mute), { token: "t".repeat(100_000) })],
  ];
  for (const [name, text] of broken) {
    it(`goes on without a word when the endpoint ${name}`, async () => {
      writeFileSync(brain("endpoint.json"), text());
      await checkSilent();
      assert.equal(machine.failure(), "");
    });
  }

  it("goes on without a word when its folder is a file, or is not there", async () => {
    const kept = join(machine.home, "kept");
    mkdirSync(kept);
    rmSync(brain(), { recursive: true });
    const config = machine.project.path("config.json");
    const on = readFileSync(config, "utf8");
    // Where a brain could be started, it would make the folder anew.
    writeFileSync(config, JSON.stringify({ ...JSON.parse(on), brain: false }));
    try {
      for (const { event } of hookEntries.claude)
        assert.deepEqual(await given(clis.claude.hook(event)), nothing, event);
      writeFileSync(brain(), "in the way");
      for (const { event } of hookEntries.claude)
        assert.deepEqual(await given(clis.claude.hook(event)), nothing, event);
    } finally {
      rmSync(brain());
      mkdirSync(brain());
      writeFileSync(brain("started-in-vain"), "");
      writeFileSync(config, on);
    }
    assert.match(machine.failure(), /a file is where a folder has to be/);
  });
});
