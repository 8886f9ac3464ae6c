import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBrain } from "../../../scripts-src/brain/client/connect-brain.ts";
import { readEndpoint } from "../../../scripts-src/brain/endpoint.ts";
import { bundledFixture } from "../../bundled-fixture.ts";
import { ended, isGone, pidsIn } from "../../consult/consult-run.ts";
import { copyScripts } from "../../consult/copy-scripts.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { findBrainNode } from "../brain-node.ts";
import { frame, sendBytes, upgradeHead } from "../brain-process.ts";
import { TestClient } from "../served-brain.ts";

let scripts: string;
let node: string;
let folder: string;
let started: ChildProcess[];
before(async () => {
  const [found, built] = await Promise.all([findBrainNode(), copyScripts()]);
  assert("path" in found, JSON.stringify(found));
  [node, scripts] = [found.path, built];
});
after(() => removeFolder(dirname(scripts)));
beforeEach(() => {
  started = [];
  // A name that a shell, a URL or a pattern would stumble over.
  folder = join(makeScratchFolder(), "a project's $(x) #1 %20 \u00fc");
  mkdirSync(join(folder, ".consulta"), { recursive: true });
});
afterEach(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(home(".consulta", "config.yaml"), { force: true });
  removeFolder(dirname(folder));
});

const home = (...names: string[]) => join(process.env["HOME"] ?? "", ...names);
const brainFolder = () => join(folder, ".consulta", "brain");

function run(...args: string[]): ChildProcess {
  const child = spawn(node, ["--no-warnings", join(scripts, "brain.cjs"), ...args], {
    cwd: folder,
    env: { PATH: dirname(process.execPath), HOME: home() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  return child;
}

/** Starts a server and waits until it listens, or has ended. */
async function serve(): Promise<ChildProcess> {
  const child = run("serve");
  await new Promise((done) => {
    child.stdout?.once("data", done);
    child.once("close", done);
  });
  return child;
}

async function client(): Promise<TestClient> {
  const it = new TestClient();
  it.line = await connectBrain(brainFolder(), { handlers: it.handlers, timeoutMs: 5_000 });
  assert(it.line !== undefined, "the brain cannot be reached");
  return it;
}

function settings(text: string): void {
  mkdirSync(home(".consulta"), { recursive: true, mode: 0o700 });
  writeFileSync(home(".consulta", "config.yaml"), text);
}

/** The frames that a server sends, as texts. */
async function talk(...texts: string[]): Promise<string[]> {
  const endpoint = readEndpoint(brainFolder());
  assert(endpoint !== undefined);
  const probe = '{"jsonrpc": "2.0", "method": "memory.list", "id": "probe"}';
  const frames = [...texts, probe].map((it) => frame(1, it));
  const parts = [Buffer.from(upgradeHead(endpoint)), ...frames];
  const isEnough = (came: Buffer) => came.includes('"id":"probe"');
  const came = await sendBytes(endpoint.port, parts, 10_000, isEnough);
  return textsIn(came).slice(0, -1);
}

function textsIn(came: Buffer): string[] {
  const texts: string[] = [];
  let rest = came.subarray(came.indexOf("\r\n\r\n") + 4);
  while (rest.length > 1) {
    const short = (rest[1] ?? 0) & 0x7f;
    const start = short < 126 ? 2 : short === 126 ? 4 : 10;
    const size = short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : rest.readUInt32BE(6);
    texts.push(rest.subarray(start, start + size).toString());
    rest = rest.subarray(start + size);
  }
  return texts;
}

describe("the seed's messages, word for word, to a real brain", () => {
  it("are valid, and are answered as their kind is", async () => {
    settings("brain: {delegate: []}\n");
    await serve();
    const messages = [
      '{ "jsonrpc": "2.0", "method": "memory.store", "params": { "key": "...", "value": "..." }, "id": 1 }',
      '{ "jsonrpc": "2.0", "method": "memory.retrieve", "params": { "key": "..." }, "id": "2" }',
      '{ "jsonrpc": "2.0", "method": "research.search", "params": { "query": "..." }, "id": 3 }',
      '{ "jsonrpc": "2.0", "method": "data.process", "params": { "data": "..." }, "id": 4 }',
      '{ "jsonrpc": "2.0", "method": "state.update", "params": { "token_usage": { "current": 96, "total": 100 } } }',
    ];
    const answers = (await talk(...messages)).map((it) => JSON.parse(it));
    const byId = (id: unknown) => answers.find((it) => it.id === id && it.method === undefined);
    assert.deepEqual(byId(1).result, { stored: true, key: "...", version: 1, created: true });
    assert.equal(byId("2").result.value, "...");
    assert.deepEqual([byId(3).error.code, byId(4).error.code], [-32010, -32010]);
    const alerts = answers.filter(({ method }) => method?.startsWith("alert."));
    assert.deepEqual(
      alerts.map(({ method, params, id }) => [method, params.token_percentage, id]),
      [
        ["alert.memory_full", 96, undefined],
        ["alert.hallucination_risk", 96, undefined],
      ],
    );
    // What goes to a client is nobody's to ask of the brain.
    for (const [method, params] of [
      ["context.inject", '{ "data": "..." }'],
      ["action.suggest", '{ "action": "..." }'],
      ["alert.hallucination_risk", '{ "token_percentage": 96 }'],
      ["alert.memory_full", '{ "token_percentage": 91 }'],
    ]) {
      const call = `"jsonrpc": "2.0", "method": "${method}", "params": ${params}`;
      const [refusal = ""] = await talk(`{ ${call}, "id": 5 }`);
      assert.equal(JSON.parse(refusal).error.code, -32601);
      assert.deepEqual(await talk(`{ ${call} }`), []);
    }
  });

  it("may come in a batch with all that a batch may hold", async () => {
    await serve();
    const batch = `[
      {"jsonrpc": "2.0", "method": "memory.store", "params": {"key": "a", "value": 1}, "id": "1"},
      {"jsonrpc": "2.0", "method": "state.update", "params": {"token_usage": {"current": 1, "total": 2}}},
      {"jsonrpc": "2.0", "method": "memory.retrieve", "params": {"key": "a"}, "id": "2"},
      {"foo": "boo"}, 1,
      {"jsonrpc": "2.0", "result": 7, "id": 9},
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
      {"jsonrpc": "2.0", "method": "__proto__", "id": "6"}
    ]`;
    const [text = "[]"] = await talk(batch);
    const short = JSON.parse(text).map((it: Record<string, unknown>) => [
      it["id"],
      Object(it["error"]).code ?? "result",
    ]);
    assert.deepEqual(short, [
      ["1", "result"],
      ["2", "result"],
      [null, -32600],
      [null, -32600],
      ["5", -32601],
      ["6", -32601],
    ]);
    assert.deepEqual(await talk('[{"jsonrpc": "2.0", "method": "state.update"}]'), []);
    const codes = async (text: string) => JSON.parse((await talk(text))[0] ?? "{}").error.code;
    assert.equal(await codes("[]"), -32600);
    assert.equal(await codes('[{"jsonrpc": "2.0", "method"]'), -32700);
    const many = Array.from({ length: 65 }, (_, id) => ({ jsonrpc: "2.0", method: "x", id }));
    assert.equal(await codes(JSON.stringify(many)), -32600);
    assert.equal(await codes("[".repeat(200_000) + "]".repeat(200_000)), -32700);
  });
});

describe("requests that are none of WebSocket's", () => {
  const heads: [name: string, lines: string, status: RegExp][] = [
    ["CONNECT", "CONNECT 127.0.0.1:PORT HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /^$/],
    ["TRACE", "TRACE /rpc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /^HTTP\/1.1 426/],
    ["OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /^HTTP\/1.1 404/],
    [
      "PUT of another origin",
      "PUT /rpc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nOrigin: x\r\n\r\n",
      /403/,
    ],
    [
      "an upgrade to HTTP/2",
      "GET /rpc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nAuthorization: Bearer TOKEN\r\n\r\n",
      /^HTTP\/1.1 400/,
    ],
    ["HTTP/2 itself", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /^HTTP\/1.1 400/],
    ["HTTP/1.0", "GET /rpc HTTP/1.0\r\n\r\n", /^HTTP\/1.1 403/],
    ["HTTP/0.9", "GET /rpc\r\n\r\n", /^HTTP\/1.1 40[03]/],
    ["a path in other letters", "GET /RPC HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /404/],
    ["a path that is escaped", "GET /%72pc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /404/],
    ["a path with two slashes", "GET //rpc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /404/],
    ["a path with a question", "GET /rpc? HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /404/],
    [
      "a body that hides a second request",
      "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET",
      /^HTTP\/1.1 4\d\d/,
    ],
    [
      "a head with 3,000 fields",
      `GET /rpc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n${"a:b\r\n".repeat(3_000)}\r\n`,
      /^HTTP\/1.1 4(?:00|31)/,
    ],
  ];
  it("get nothing but a status, and the server stays up", async () => {
    const child = await serve();
    const endpoint = readEndpoint(brainFolder());
    assert(endpoint !== undefined);
    for (const [name, lines, status] of heads) {
      const { port, token } = endpoint;
      const head = lines.replaceAll("PORT", String(port)).replaceAll("TOKEN", token);
      const answer = (await sendBytes(port, head, 500)).toString();
      assert.match(answer, status, name);
      assert.doesNotMatch(answer, /101 Switching/, name);
      assert(!answer.includes(token), name);
    }
    assert.equal(child.exitCode, null);
    assert.equal((await (await client()).ask("brain.status"))["pid"], child.pid);
  });
});

describe("a brain that is ended in the middle", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const) {
    it(`leaves no process of its delegate behind: ${signal}`, async () => {
      const notes = join(folder, "notes.jsonl");
      const command = [process.execPath, bundledFixture("test/brain/delegate.fixture.ts")];
      settings(JSON.stringify({ brain: { delegate: [...command, "hang", notes] } }));
      const child = await serve();
      const asking = run("search", "what is new");
      const answer = ended(asking);
      const pids = () => pidsIn(notes);
      while (pids().length < 2) await sleep(20);
      child.kill(signal);
      for (const pid of pids()) assert(await isGone(pid), String(pid));
      const { exitCode, stdout, stderr } = await answer;
      assert.deepEqual([exitCode, stdout], [4, ""]);
      assert.match(stderr, /^error: [^\n]+\n$/);
      if (signal !== "SIGKILL") assert(!existsSync(join(brainFolder(), "endpoint.json")));
    });
  }

  it("loses nothing that it acknowledged, and the next one goes on", async () => {
    const acknowledged: string[] = [];
    for (let round = 1; round <= 6; round += 1) {
      const child = await serve();
      const it = await client();
      const writing = (async () => {
        for (let number = 0; ; number += 1) {
          const key = `${round}/${number}`;
          await it.ask("memory.store", { key, value: `value ${key} ${"x".repeat(2_000)}` });
          acknowledged.push(key);
        }
      })();
      // How many a machine stores in a time is its own business; each round ends amid some.
      while (acknowledged.length < 4 * round) await Promise.race([sleep(5), writing]);
      await sleep(Math.random() * 80);
      child.kill("SIGKILL");
      await assert.rejects(writing, /^ConsultaError: [^\n]*run the same command again[^\n]*$/);
      while (child.exitCode === null && child.signalCode === null) await sleep(5);
    }
    await serve();
    const it = await client();
    for (const key of acknowledged) {
      assert.equal((await it.ask("memory.retrieve", { key }))["found"], true, key);
    }
  });
});

describe("a brain with its files in trouble", () => {
  it("tells the name of a damaged database, in the status and in its log, and keeps it", async () => {
    await serve();
    await (await client()).ask("memory.store", { key: "old", value: "precious" });
    for (const child of started) child.kill("SIGTERM");
    await Promise.all(started.map((child) => new Promise((done) => child.once("close", done))));
    const damaged = "this was a database\n".repeat(1_000);
    writeFileSync(join(brainFolder(), "brain.db"), damaged);
    await serve();
    const it = await client();
    await it.ask("memory.store", { key: "new", value: 1 });
    const [aside] = Object(await it.ask("brain.status")).store.setAside;
    assert.match(aside, /brain\.damaged-[^/]*\.db$/);
    assert.equal(readFileSync(aside, "utf8"), damaged);
    const log = readFileSync(join(brainFolder(), "brain.log"), "utf8");
    assert(log.includes(aside), log);
    const { stdout } = await ended(run("status"));
    assert(stdout.includes(aside), stdout);
  });

  const losses: [what: string, lose: (path: string) => void][] = [
    ["was removed", (path) => rmSync(path)],
    ["was removed with all that SQLite keeps beside it", removeAllOf],
    ["has no byte any more", (path) => truncateSync(path, 0)],
    ["is damaged", (path) => writeFileSync(path, "this was a database\n".repeat(1_000))],
  ];
  for (const [what, lose] of losses) {
    it(`goes on from its backup where brain.db ${what}, and says so`, async () => {
      const server = await serve();
      await ended(run("store", "deploy", "make ship"));
      const day = new Date().toISOString().slice(0, 10);
      while (!existsSync(join(brainFolder(), `brain.backup-${day}.db`))) await sleep(100);
      await ended(run("store", "later", "after the backup"));
      server.kill("SIGTERM");
      await ended(server);
      lose(join(brainFolder(), "brain.db"));
      const told = await ended(run("retrieve", "deploy"));
      assert.match(told.stdout, /make ship/);
      const status = await ended(run("status"));
      const loss = `the backup of ${day} is in its place, 1 memory; what was stored since is missing`;
      assert(status.stdout.includes(loss), status.stdout);
      assert(readFileSync(join(brainFolder(), "brain.log"), "utf8").includes(loss));
    });
  }

  function removeAllOf(path: string): void {
    for (const ending of ["", "-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true });
  }

  it("says that the disk is full to who stores, and serves on", async (t) => {
    const place = join(folder, ".consulta");
    const mount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m,mode=700", "tmpfs", place]);
    if (mount.status !== 0)
      return t.skip("NO FULL DISK WAS TESTED: mounting is not permitted here");
    try {
      const child = await serve();
      const it = await client();
      const stored: string[] = [];
      const fill = async () => {
        for (let number = 0; ; number += 1) {
          const value = `${number} `.repeat(4_000).slice(0, 16_000);
          await it.ask("memory.store", { key: `k${number}`, value });
          stored.push(`k${number}`);
        }
      };
      await assert.rejects(fill(), /Store unavailable: cannot use [^\n]*$/);
      assert(stored.length > 3);
      for (const key of stored) {
        assert.equal((await it.ask("memory.retrieve", { key }))["found"], true, key);
      }
      const said = await ended(run("store", "one more", "v".repeat(60_000)));
      assert.equal(said.exitCode, 4);
      assert.match(said.stderr, /^error: Store unavailable: [^\n]+\n$/);
      assert.equal(child.exitCode, null);
      await it.ask("memory.delete", { key: stored[0] }).catch(() => undefined);
      spawnSync("mount", ["-o", "remount,size=16m", place]);
      assert.equal((await it.ask("memory.store", { key: "after", value: 1 }))["stored"], true);
    } finally {
      for (const child of started) child.kill("SIGKILL");
      spawnSync("umount", ["-l", place]);
    }
  });
});

describe("a client that sends without end", () => {
  const floods: [name: string, count: number, call: (number: number) => [string, object]][] = [
    [
      "sessions that nobody knows",
      8_000,
      (number) => [
        "state.update",
        { session: `s${number}`, token_usage: { current: 99, total: 100 } },
      ],
    ],
    [
      "one session that says something else each time",
      8_000,
      (number) => ["state.update", { session: "s", context: { prompt: `deploy ${number}` } }],
    ],
    ["methods that there are not", 20_000, () => ["no.such", {}]],
    ["blanks", 8, () => [" ".repeat(1_000_000), {}]],
    [
      "half fences",
      12,
      () => ["state.update", { context: { prompt: "[brain a: ]".repeat(20_000) } }],
    ],
  ];
  for (const [name, count, call] of floods) {
    it(`keeps nobody else waiting: ${name}`, async () => {
      const child = await serve();
      const [flooding, other] = [await client(), await client()];
      for (let number = 0; number < count; number += 1) {
        flooding.line?.peer.notify(...call(number)).catch(() => undefined);
      }
      let worstMs = 0;
      const until = performance.now() + 1_500;
      while (performance.now() < until) {
        const asked = performance.now();
        await other.ask("memory.list", { limit: 1 });
        worstMs = Math.max(worstMs, performance.now() - asked);
        await sleep(5);
      }
      assert(worstMs < 1_000, `${worstMs} ms`);
      assert.equal(child.exitCode, null);
    });
  }
});

describe("the delegate's command", () => {
  it("comes from nobody but the user: no request, no file of the project names it", async () => {
    settings("brain: {delegate: []}\n");
    const trap = join(folder, "trap");
    const evil = ["/bin/sh", "-c", `touch '${trap.replaceAll("'", "'\\''")}'; echo caught`];
    const yaml = JSON.stringify({ brain: { delegate: evil } });
    for (const place of [".consulta", "."]) {
      writeFileSync(join(folder, place, "config.yaml"), yaml);
    }
    writeFileSync(join(folder, ".consulta", "brain.yaml"), yaml);
    await serve();
    const it = await client();
    for (const more of [
      { command: evil },
      { delegate: evil },
      { argv: evil },
      { provider: "sh" },
    ]) {
      const asked = it.ask("research.search", { query: "q", ...more });
      await assert.rejects(asked, /Invalid params: .*is not a field/);
    }
    await assert.rejects(it.ask("research.search", { query: "q" }), /No delegate configured/);
    await assert.rejects(it.ask("brain.configure", { delegate: evil }), /Method not found/);
    assert(!existsSync(trap));
  });
});
