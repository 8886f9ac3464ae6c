import assert from "node:assert/strict";
import { lstatSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { brainLimits } from "../../../scripts-src/brain/rules/limits.ts";
import { BrainPlace, frame, type Started, sendBytes, upgradeHead } from "../brain-process.ts";
import type { TestClient } from "../served-brain.ts";
import { brainRunner } from "../under-brain-node.ts";

const { after, afterEach, before, describe, it } = await brainRunner(import.meta.url);

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

describe("the door of a brain", () => {
  const heads: [name: string, status: number, changed: Record<string, string | undefined>][] = [
    ["the right head", 101, {}],
    ["localhost as Host", 101, { Host: "localhost:PORT" }],
    ["no token", 401, { Authorization: undefined }],
    ["a wrong token", 401, { Authorization: `Bearer ${"0".repeat(64)}` }],
    ["an empty token", 401, { Authorization: "Bearer " }],
    ["the token without its scheme", 401, { Authorization: "TOKEN" }],
    ["the token as a password", 401, { Authorization: "Basic TOKEN" }],
    ["more than the token", 401, { Authorization: "Bearer TOKENTOKEN" }],
    [
      "the token in the address",
      404,
      { line: "GET /rpc?token=TOKEN HTTP/1.1", Authorization: undefined },
    ],
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
    ["an absolute address", 404, { line: "GET http://127.0.0.1/rpc HTTP/1.1" }],
    ["POST with an upgrade", 405, { line: "POST /rpc HTTP/1.1", "Content-Length": "0" }],
    ["no upgrade", 426, { Connection: "close", Upgrade: undefined }],
    [
      "POST without upgrade",
      426,
      {
        line: "POST /rpc HTTP/1.1",
        Connection: "close",
        Upgrade: undefined,
        "Content-Type": "text/plain",
        "Content-Length": "2",
      },
    ],
    ["an old version of WebSocket", 426, { "Sec-WebSocket-Version": "7" }],
    ["a key that is none", 400, { "Sec-WebSocket-Key": "x" }],
  ];
  for (const [name, status, changed] of heads) {
    it(`answers ${status} to ${name}`, async () => {
      const endpoint = place.endpoint();
      const head = upgradeHead(endpoint, changed)
        .replaceAll("PORT", String(endpoint.port))
        .replaceAll("TOKEN", endpoint.token);
      const isWhole = (came: Buffer) => came.includes("\r\n\r\n");
      // ws tells of an old version with 400 or 426, as it likes.
      const found = statusOf(await sendBytes(endpoint.port, head, 10_000, isWhole));
      assert.equal(name.startsWith("an old version") && found === 400 ? 426 : found, status);
    });
  }

  it("says nothing about itself to who is not let in", async () => {
    const endpoint = place.endpoint();
    const answer = (
      await sendBytes(endpoint.port, upgradeHead(endpoint, { Authorization: undefined }))
    ).toString();
    assert.doesNotMatch(answer, /consulta|brain|node|ws/i);
    assert(!answer.includes(endpoint.token));
  });

  it("closes on who sends no request, garbage, or a head without end", async () => {
    const { port } = place.endpoint();
    assert.equal(statusOf(await sendBytes(port, "\x16\x03\x01garbage\r\n\r\n")), 400);
    assert.equal(
      statusOf(await sendBytes(port, `GET /rpc HTTP/1.1\r\nX: ${"x".repeat(20_000)}`)),
      400,
    );
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

  it("lets so many in, tells the next one that it is full, and lets in again who comes later", async () => {
    const clients: TestClient[] = [];
    try {
      clients.push(await place.client());
      // Who was here before has to be gone.
      while ((await clients[0]?.ask("brain.status"))?.["connections"] !== 1);
      for (let count = 1; count < brainLimits.connections; count += 1)
        clients.push(await place.client());
      const endpoint = place.endpoint();
      assert.equal(statusOf(await sendBytes(endpoint.port, upgradeHead(endpoint))), 503);
    } finally {
      for (const { line } of clients.slice(1)) line?.close();
      while ((await clients[0]?.ask("brain.status"))?.["connections"] !== 1);
      clients[0]?.line?.close();
    }
    await place.assertAlive();
  });

  it("is not blocked by many who connect and say nothing", async () => {
    const { port } = place.endpoint();
    const idle = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
    for (const socket of idle) socket.on("error", () => {});
    await sleep(100);
    await place.assertAlive();
    for (const socket of idle) socket.destroy();
  });
});

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
  for (const [name, outcome, frames] of cases) {
    it(`are ${outcome === "answered" ? outcome : `refused with ${outcome}`}: ${name}`, async () => {
      assert.equal(await outcomeOf(frames), outcome);
    });
  }

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
  const usages: [name: string, usage: string][] = [
    ["total 0", '{"current":99,"total":0}'],
    ["a total below 0", '{"current":99,"total":-1}'],
    ["NaN", '{"current":NaN,"total":100}'],
    ["infinity", '{"current":1e999,"total":100}'],
    ["text", '{"current":"99","total":"100"}'],
    ["null", '{"current":null,"total":100}'],
    ["no current", '{"total":100}'],
    ["a list", "[99,100]"],
  ];
  for (const [name, usage] of usages) {
    it(`alerts nobody: ${name}`, async () => {
      const params = `{"session":"odd","token_usage":${usage}}`;
      const update = `{"jsonrpc":"2.0","method":"state.update","params":${params}}`;
      const endpoint = place.endpoint();
      const parts = [Buffer.from(upgradeHead(endpoint)), frame(text, update)];
      const answer = (await sendBytes(endpoint.port, parts, 200)).toString();
      assert.doesNotMatch(answer, /alert\./);
      // What is no JSON is answered even so: nobody can tell that it was a notification.
      assert.equal(/-32700/.test(answer), name === "NaN" || name === "infinity");
    });
  }

  it("alerts of more than the whole", async () => {
    const client = await place.client();
    await client.tell("state.update", { token_usage: { current: 500, total: 100 } });
    assert.deepEqual(client.news(), ["alert.memory_full 500", "alert.hallucination_risk 500"]);
    client.line?.close();
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
    assert.deepEqual(await client.ask("session.wait", { session: "gone" }), {
      ok: true,
      pushed: 1,
    });
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
