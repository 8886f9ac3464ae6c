import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledFixture } from "../../bundled-fixture.ts";
import { ended, isGone, pidsIn } from "../../consult/consult-run.ts";
import { frame, sendBytes, upgradeHead } from "../brain-process.ts";
import { BrainScript } from "../brain-script.ts";

let place: BrainScript;
beforeEach(() => {
  const name = "a project's $(x) #1 %20 \u00fc";
  place = new BrainScript({ home: homedir(), name });
  place.configure("brain: {delegate: []}\n");
});
afterEach(() => place.close());

/** The frames that a server sends, as texts. */
async function talk(...texts: string[]): Promise<string[]> {
  const endpoint = place.endpoint();
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
    await place.serve();
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
});

describe("a brain that is ended in the middle", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const) {
    it(`leaves no process of its delegate behind: ${signal}`, async () => {
      const notes = join(place.project, "notes.jsonl");
      const command = [process.execPath, bundledFixture("test/brain/delegate.fixture.ts")];
      place.configure(JSON.stringify({ brain: { delegate: [...command, "hang", notes] } }));
      const child = await place.serve();
      const answer = place.run(["search", "what is new"]);
      while (pidsIn(notes).length < 2) await sleep(20);
      child.kill(signal);
      for (const pid of pidsIn(notes)) assert(await isGone(pid), String(pid));
      const { exitCode, stdout, stderr } = await answer;
      assert.deepEqual([exitCode, stdout], [4, ""]);
      assert.match(stderr, /^error: [^\n]+\n$/);
      if (signal !== "SIGKILL") assert(!existsSync(join(place.brainFolder(), "endpoint.json")));
    });
  }
});

describe("a brain whose database is damaged", () => {
  it("goes on from its backup, says so, and names what it moved aside", async () => {
    const server = await place.serve();
    await place.run(["store", "deploy", "make ship"]);
    const day = new Date().toISOString().slice(0, 10);
    while (!existsSync(join(place.brainFolder(), `brain.backup-${day}.db`))) await sleep(100);
    server.kill("SIGTERM");
    await ended(server);
    const noDatabase = "this was a database\n".repeat(1_000);
    writeFileSync(join(place.brainFolder(), "brain.db"), noDatabase);
    assert.match((await place.run(["retrieve", "deploy"])).stdout, /make ship/);
    const { stdout } = await place.run(["status"]);
    const log = readFileSync(join(place.brainFolder(), "brain.log"), "utf8");
    const loss = `the backup of ${day} is in its place, 1 memory; what was stored since is missing`;
    for (const told of [loss, "brain.damaged-"])
      for (const text of [stdout, log]) assert(text.includes(told), text);
  });
});

describe("a client that sends without end", () => {
  const usage = { token_usage: { current: 99, total: 100 } };
  const floods: [name: string, count: number, call: (number: number) => [string, object]][] = [
    ["sessions", 8_000, (number) => ["state.update", { session: `s${number}`, ...usage }]],
    ["prompts", 8_000, (number) => ["state.update", { context: { prompt: `deploy ${number}` } }]],
    ["methods that there are not", 20_000, () => ["no.such", {}]],
    ["blanks", 8, () => [" ".repeat(1_000_000), {}]],
    ["fences", 12, () => ["state.update", { context: { prompt: "[brain a: ]".repeat(20_000) } }]],
  ];
  for (const [name, count, call] of floods) {
    it(`keeps nobody else waiting: ${name}`, async () => {
      const child = await place.serve();
      const [flooding, other] = [await place.client(), await place.client()];
      for (let number = 0; number < count; number += 1)
        flooding.line?.peer.notify(...call(number)).catch(() => undefined);
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
    const trap = join(place.project, "trap");
    const evil = ["/bin/sh", "-c", `touch '${trap.replaceAll("'", "'\\''")}'; echo caught`];
    const yaml = JSON.stringify({ brain: { delegate: evil } });
    for (const path of [".consulta/config.yaml", "config.yaml", ".consulta/brain.yaml"])
      writeFileSync(join(place.project, path), yaml);
    await place.serve();
    const it = await place.client();
    const more = [{ command: evil }, { delegate: evil }, { argv: evil }, { provider: "sh" }];
    for (const each of more) {
      const asked = it.ask("research.search", { query: "q", ...each });
      await assert.rejects(asked, /Invalid params: .*is not a field/);
    }
    await assert.rejects(it.ask("research.search", { query: "q" }), /No delegate configured/);
    await assert.rejects(it.ask("brain.configure", { delegate: evil }), /Method not found/);
    assert(!existsSync(trap));
  });
});
