import assert from "node:assert/strict";
import { lstatSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBrain } from "../../../scripts-src/brain/client/connect-brain.ts";
import { brainLimits } from "../../../scripts-src/brain/rules/limits.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { BrainPlace, frame, type Started, sendBytes, upgradeHead } from "../brain-process.ts";

let place: BrainPlace;
let brain: Started;
before(async () => {
  place = new BrainPlace();
  brain = await place.start();
});
after(() => place.remove());
// Whatever was tried: the same process goes on and answers.
afterEach(async () => {
  assert.equal(brain.child.exitCode, null);
  await place.assertAlive();
});

const statusOf = (answer: Buffer) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer.toString())?.[1]);

type Changed = Record<string, string | undefined>;

/** Each an upgrade that is let in, but for what is given otherwise. */
const upgrades: [name: string, status: number, changed: Changed][] = [
  ["the right head", 101, {}],
  ["localhost as Host", 101, { Host: "localhost:PORT" }],
  ["no token", 401, { Authorization: undefined }],
  ["a wrong token", 401, { Authorization: `Bearer ${"0".repeat(64)}` }],
  ["an empty token", 401, { Authorization: "Bearer " }],
  ["the token without its scheme", 401, { Authorization: "TOKEN" }],
  ["the token as a password", 401, { Authorization: "Basic TOKEN" }],
  ["more than the token", 401, { Authorization: "Bearer TOKENTOKEN" }],
  ["the token in the address", 404, { line: "GET /rpc?token=TOKEN HTTP/1.1" }],
  ["any Origin", 403, { Origin: "https://evil.example" }],
  ["Origin null", 403, { Origin: "null" }],
  ["an Origin of its own", 403, { Origin: "http://127.0.0.1:PORT" }],
  ["an empty Origin", 403, { Origin: "" }],
  ["a foreign Host", 403, { Host: "evil.example" }],
  ["a Host that begins like ours", 403, { Host: "127.0.0.1.evil.example:PORT" }],
  ["our Host with another port", 403, { Host: "127.0.0.1:1" }],
  ["our Host without port", 403, { Host: "127.0.0.1" }],
  ["no Host", 403, { Host: undefined }],
  ["two Hosts", 403, { Host: "127.0.0.1:PORT", host: "evil.example" }],
  ["another path", 404, { line: "GET / HTTP/1.1" }],
  ["a path below", 404, { line: "GET /rpc/ HTTP/1.1" }],
  ["a path that climbs", 404, { line: "GET /x/../rpc HTTP/1.1" }],
  ["a path in other letters", 404, { line: "GET /RPC HTTP/1.1" }],
  ["a path that is escaped", 404, { line: "GET /%72pc HTTP/1.1" }],
  ["a path with two slashes", 404, { line: "GET //rpc HTTP/1.1" }],
  ["an absolute address", 404, { line: "GET http://127.0.0.1/rpc HTTP/1.1" }],
  ["POST with an upgrade", 405, { line: "POST /rpc HTTP/1.1", "Content-Length": "0" }],
  ["no upgrade", 426, { Connection: "close", Upgrade: undefined }],
  ["a key that is none", 400, { "Sec-WebSocket-Key": "x" }],
  ["an upgrade to HTTP/2", 400, { Upgrade: "h2c" }],
  ["HTTP/1.0", 403, { line: "GET /rpc HTTP/1.0", Host: undefined, Connection: undefined }],
];

const others: [name: string, request: string, status: RegExp][] = [
  ["TRACE", "TRACE /rpc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /^HTTP\/1.1 426/],
  ["OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /^HTTP\/1.1 404/],
  ["CONNECT", "CONNECT 127.0.0.1:PORT HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", /^$/],
  ["HTTP/2 itself", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /^HTTP\/1.1 400/],
  ["garbage", "\x16\x03\x01garbage\r\n\r\n", /^HTTP\/1.1 400/],
  ["a head without end", `GET /rpc HTTP/1.1\r\nX: ${"x".repeat(20_000)}`, /^HTTP\/1.1 4(?:00|31)/],
  [
    "a body that hides a second request",
    "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET",
    /^HTTP\/1.1 4\d\d/,
  ],
];

describe("the door of a brain", () => {
  it("lets in only an upgrade with its token, of no web page", async () => {
    const { port, token } = place.endpoint();
    for (const [name, status, changed] of upgrades) {
      const head = upgradeHead(place.endpoint(), changed)
        .replaceAll("PORT", String(port))
        .replaceAll("TOKEN", token);
      const isWhole = (came: Buffer) => came.includes("\r\n\r\n");
      assert.equal(statusOf(await sendBytes(port, head, 10_000, isWhole)), status, name);
    }
  });

  it("gives a status and nothing else to what is no upgrade", async () => {
    const { port, token } = place.endpoint();
    for (const [name, request, status] of others) {
      const bytes = request.replaceAll("PORT", String(port));
      const answer = (await sendBytes(port, bytes, 500)).toString();
      assert.match(answer, status, name);
      assert(!answer.includes(token), name);
    }
  });

  it("says nothing about itself to who is not let in", async () => {
    const endpoint = place.endpoint();
    const answer = (
      await sendBytes(endpoint.port, upgradeHead(endpoint, { Authorization: undefined }))
    ).toString();
    assert.doesNotMatch(answer, /consulta|brain|node|ws/i);
    assert(!answer.includes(endpoint.token));
  });

  it("listens on loopback only, and keeps its token to the owner", () => {
    const endpoint = join(place.folder, "endpoint.json");
    assert.equal(lstatSync(endpoint).mode & 0o777, 0o600);
    assert.equal(lstatSync(place.folder).mode & 0o777, 0o700);
    assert.match(place.endpoint().token, /^[0-9a-f]{64}$/);
    const listening = readFileSync(`/proc/${brain.child.pid}/net/tcp`, "utf8");
    const port = place.endpoint().port.toString(16).toUpperCase().padStart(4, "0");
    assert.match(listening, new RegExp(`0100007F:${port} 00000000:0000 0A`));
    assert.doesNotMatch(listening, new RegExp(`00000000:${port} 00000000:0000 0A`));
  });

  it("lets so many in, tells the next one that it is full, and nobody takes the brain's place", async () => {
    const first = await place.client();
    const clients = [first];
    // Who was here before has to be gone.
    while ((await first.ask("brain.status"))["connections"] !== 1);
    while (clients.length < brainLimits.connections) clients.push(await place.client());
    const next = connectBrain(place.folder, { handlers: new Map() });
    await assert.rejects(next, hasCode("UNAVAILABLE", /has 32 clients, which is the limit/));
    assert.deepEqual(await (await place.start()).said(1), ["ended: undefined"]);
    for (const { line } of clients.slice(1)) line?.close();
    while ((await first.ask("brain.status"))["connections"] !== 1);
    first.line?.close();
  });

  it("still opens at once when many hold it who say nothing", async () => {
    const { port } = place.endpoint();
    const held: Socket[] = [];
    for (let count = 0; count < brainLimits.strangers * 3; count += 1)
      held.push(await loris(port, count % 2 === 0 ? "" : "GET /rpc HTTP/1.1\r\nHost: x\r\nX: "));
    const started = performance.now();
    await place.assertAlive();
    assert(performance.now() - started < 1_000);
    for (const socket of held) socket.destroy();
  });

  it("is closed to who takes longer than five seconds for the head of a request", async () => {
    const slow = await loris(place.endpoint().port, "GET /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    const drip = setInterval(() => slow.write("X-A: b\r\n"), 200);
    const started = performance.now();
    await new Promise((done) => slow.once("close", done));
    clearInterval(drip);
    assert(performance.now() - started < 8_000);
  });

  it("gives its proof to nobody without the token", async () => {
    const endpoint = place.endpoint();
    const challenge = { "Consulta-Challenge": "abc" };
    const wrong = upgradeHead(endpoint, { ...challenge, Authorization: "Bearer x" });
    assert.doesNotMatch((await sendBytes(endpoint.port, wrong)).toString(), /proof/i);
    const isWhole = (came: Buffer) => came.includes("\r\n\r\n");
    const right = upgradeHead(endpoint, challenge);
    const opened = await sendBytes(endpoint.port, right, 5_000, isWhole);
    assert.match(opened.toString(), /^HTTP\/1\.1 101[\s\S]*consulta-proof: [0-9a-f]{64}\r\n/);
  });
});

async function loris(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await new Promise((done) => socket.once("connect", done));
  socket.write(bytes);
  return socket;
}

/** The close code that a brain sends, or that it answers; undefined when neither comes. */
async function outcomeOf(frames: readonly Buffer[]): Promise<number | "answered" | undefined> {
  const endpoint = place.endpoint();
  const parts = [Buffer.from(upgradeHead(endpoint)), ...frames];
  const outcome = (came: Buffer) =>
    closeCodeIn(came) ?? (came.includes('"result"') ? "answered" : undefined);
  return outcome(await sendBytes(endpoint.port, parts, 10_000, (it) => outcome(it) !== undefined));
}

/** Reads the frames behind the head; a brain sends them whole and without masks. */
function closeCodeIn(came: Buffer): number | undefined {
  const head = came.indexOf("\r\n\r\n");
  let rest = head < 0 ? Buffer.alloc(0) : came.subarray(head + 4);
  while (rest.length > 3) {
    const length = rest[1] ?? 0;
    const start = length < 126 ? 2 : 4;
    const size = length < 126 ? length : rest.readUInt16BE(2);
    if (rest[0] === 0x88) return rest.readUInt16BE(start);
    rest = rest.subarray(start + size);
  }
  return undefined;
}

const text = 1;
const binary = 2;
const more = 0;
const call = JSON.stringify({ jsonrpc: "2.0", method: "memory.list", id: 1 });

describe("frames", () => {
  const cases: [name: string, outcome: number | "answered", frames: Buffer[]][] = [
    ["a right one", "answered", [frame(text, call)]],
    [
      "one in pieces",
      "answered",
      [frame(text, call.slice(0, 9), { fin: false }), frame(more, call.slice(9))],
    ],
    ["a binary one", 1003, [frame(binary, call)]],
    ["one without mask", 1002, [frame(text, call, { masked: false })]],
    ["one that is not UTF-8", 1007, [frame(text, Buffer.from([0xc3, 0x28]))]],
    ["one with half a character", 1007, [frame(text, Buffer.from([0xf0, 0x9f, 0x98]))]],
    ["reserved bits", 1002, [frame(text, call, { reserved: 0x40 })]],
    ["an opcode that there is not", 1002, [frame(3, call)]],
    ["a piece of nothing", 1002, [frame(more, call)]],
    ["a ping in pieces", 1002, [frame(9, "x", { fin: false })]],
    ["a ping that is too long", 1002, [frame(9, "x".repeat(126))]],
    [
      "more than 1 MiB",
      1009,
      [
        frame(
          text,
          JSON.stringify({
            jsonrpc: "2.0",
            method: "memory.store",
            id: 1,
            params: { key: "k", value: "v".repeat(1_048_576) },
          }),
        ),
      ],
    ],
    [
      "a length of more than anything",
      1009,
      [Buffer.from([0x81, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
    ],
    [
      "pieces without end",
      1008,
      [
        Buffer.concat([
          frame(text, "", { fin: false }),
          ...Array(5_000).fill(frame(more, "", { fin: false })),
        ]),
      ],
    ],
  ];
  it("are answered, or refused with a code", async () => {
    for (const [name, outcome, frames] of cases)
      assert.equal(await outcomeOf(frames), outcome, name);
  });

  it("leave the others alone when one of them never ends", async () => {
    const endpoint = place.endpoint();
    const socket = connect(endpoint.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(upgradeHead(endpoint));
    // Announces a megabyte and sends a little of it now and then.
    socket.write(frame(text, "x".repeat(1_000_000)).subarray(0, 100));
    await sleep(100);
    socket.write("x");
    await place.assertAlive();
    socket.destroy();
  });

  it("may be large where they bring material to digest", async () => {
    const client = await place.client();
    const asked = client.ask("data.process", { data: "x".repeat(3_000_000) });
    await assert.rejects(asked, /No delegate configured/);
    const tooMuch = client.ask("data.process", { data: "x".repeat(8_388_609) });
    await assert.rejects(tooMuch, /Too large: data has 8388609 bytes, the limit is 8388608/);
    client.line?.close();
  });
});

describe("usage that makes no sense", () => {
  const usages = [
    ...['{"current":99,"total":0}', '{"current":99,"total":-1}', '{"current":NaN,"total":100}'],
    ...['{"current":1e999,"total":100}', '{"current":"99","total":"100"}', '{"total":100}'],
    ...['{"current":null,"total":100}', "[99,100]"],
  ];
  it("alerts nobody, and is answered only where it is no JSON", async () => {
    const endpoint = place.endpoint();
    for (const usage of usages) {
      const params = `{"session":"odd","token_usage":${usage}}`;
      const update = `{"jsonrpc":"2.0","method":"state.update","params":${params}}`;
      const parts = [Buffer.from(upgradeHead(endpoint)), frame(text, update)];
      const answer = (await sendBytes(endpoint.port, parts, 200)).toString();
      assert.doesNotMatch(answer, /alert\./, usage);
      assert.equal(/-32700/.test(answer), /NaN|1e999/.test(usage), usage);
    }
  });
});

describe("trouble in the middle", () => {
  it("of a store that refuses is told to who asked, and nobody else is hurt", async () => {
    const client = await place.client();
    await assert.rejects(
      client.ask("memory.store", { key: "full", value: 1 }),
      /Store unavailable: the disk is full/,
    );
    assert.equal((await client.ask("memory.store", { key: "other", value: 1 }))["stored"], true);
    client.line?.close();
  });

  it("of clients that vanish in mid-request leaves nothing behind", async () => {
    const endpoint = place.endpoint();
    for (let count = 0; count < 20; count += 1) {
      const socket = connect(endpoint.port, "127.0.0.1");
      socket.on("error", () => {});
      const wait = JSON.stringify({
        jsonrpc: "2.0",
        method: "session.wait",
        id: 1,
        params: { session: "gone" },
      });
      socket.write(Buffer.concat([Buffer.from(upgradeHead(endpoint)), frame(text, wait)]));
      await sleep(5);
      socket.resetAndDestroy();
    }
    await sleep(50);
    const client = await place.client();
    await client.ask("event.publish", { text: "mail came", session: "gone" });
    assert.notEqual(await client.due("session.wait", { session: "gone" }), undefined);
    client.line?.close();
  });

  it("of a client that asks and never reads ends with that client", async () => {
    const asker = await place.client();
    await asker.ask("memory.store", { key: "large", value: "v".repeat(60_000) });
    const endpoint = place.endpoint();
    const socket = connect(endpoint.port, "127.0.0.1");
    let closed = false;
    socket
      .on("error", () => {})
      .on("close", () => {
        closed = true;
      });
    socket.pause();
    socket.write(upgradeHead(endpoint));
    const ask = frame(
      text,
      JSON.stringify({
        jsonrpc: "2.0",
        method: "memory.retrieve",
        id: 1,
        params: { key: "large" },
      }),
    );
    for (let count = 0; count < 1_200 && !closed; count += 1) {
      socket.write(ask);
      if (count % 50 === 0) await sleep(5);
    }
    await sleep(300);
    assert.equal((await asker.ask("memory.retrieve", { key: "large" }))["found"], true);
    socket.destroy();
    asker.line?.close();
  });
});
