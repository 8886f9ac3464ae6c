import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import { HookClient } from "../../../scripts-src/brain/client/tell-brain.ts";
import { writeEndpoint } from "../../../scripts-src/brain/endpoint.ts";
import type { SessionReport } from "../../../scripts-src/brain/rules/methods.ts";
import type { DueTexts } from "../../../scripts-src/wake/hook-call.ts";
import { ServedBrain } from "../served-brain.ts";

let brain: ServedBrain;
beforeEach(async () => {
  brain = new ServedBrain();
  await brain.start();
});
afterEach(() => brain.stop());

const report = (current: number, more: Partial<SessionReport> = {}): SessionReport => ({
  session: "one",
  cli: "claude",
  event: "tool",
  deliverable: true,
  token_usage: { current, total: 100, raw_total: 125 },
  ...more,
});
const reach = (connectMs = 5_000) => HookClient.reach(brain.folder, connectMs);

const endpoint = { protocol: 3, port: 1, token: "t", pid: process.pid, started: "now" };

/** Somebody who is no brain, with a port of its own. */
async function serverOf(talk: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    talk(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  assert(address !== null && typeof address === "object");
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: address.port, close };
}

interface Synced extends DueTexts {
  close(): void;
}

/** Undefined where no brain answers, or not with what was asked for. */
async function sync(current: number, more?: Partial<SessionReport>): Promise<Synced | undefined> {
  const line = await reach();
  const given = await line?.sync(report(current, more), 5_000);
  return given && { ...given, close: () => line?.close() };
}

describe("a hook", () => {
  it("is given texts to print: what was pushed, and alerts as sentences", async () => {
    const other = await brain.client();
    await other.ask("event.publish", { text: "mail came" });
    const synced = await sync(96);
    assert.match(synced?.texts[0] ?? "", /^\[brain [0-9a-f]+: news from client, just now;/);
    assert.match(
      synced?.texts.slice(1).join() ?? "",
      /^Your context is 96 % full \(76\.8 % of the model's window\): it will be compacted soon, and details will go; what you recall of its early part may be wrong\. Read files again before you rely on them\. Keep what must not be lost: node \S+ store KEY VALUE$/,
    );
    for (const text of synced?.texts.slice(1) ?? []) assert(text.length < 400);
    synced?.close();
  });

  it("is given them again until it has printed them, then no more", async () => {
    (await sync(91))?.close();
    await brain.aloneWith(await brain.client());
    const second = await sync(91);
    assert.equal(second?.texts.length, 1);
    await second?.printed();
    second?.close();
    const third = await sync(91);
    assert.deepEqual(third?.texts, []);
    await third?.printed();
    third?.close();
  });

  it("has nothing to print, soon, where no brain answers", async () => {
    const started = performance.now();
    await brain.stop();
    assert.equal(await sync(96), undefined);
    // Somebody has the port, and never says a word.
    const mute = await serverOf(() => undefined);
    brain = new ServedBrain();
    writeEndpoint(brain.folder, { ...endpoint, port: mute.port, pid: 1 });
    assert.equal(await reach(300), undefined);
    mute.close();
    assert(performance.now() - started < 10_000);
  });

  it("does not wait longer for who sends byte by byte", async () => {
    for (const [first, bytes] of [
      ["HTTP/1.1 101 Switching Protocols\r\n", "X"],
      ["HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", "x"],
    ] as const) {
      const drip = await serverOf((socket) => {
        socket.write(first);
        const timer = setInterval(() => socket.write(bytes), 20);
        socket.on("close", () => clearInterval(timer));
      });
      writeEndpoint(brain.folder, { ...endpoint, port: drip.port });
      const started = performance.now();
      // Its end comes also where we would wait for ever.
      const end = setTimeout(() => drip.close(), 6_000);
      assert.equal(await reach(300), undefined);
      assert(performance.now() - started < 3_000);
      clearTimeout(end);
      drip.close();
    }
  });

  it("asks nobody at the port of a brain that died", async () => {
    let heard = 0;
    const heir = await serverOf(() => {
      heard += 1;
    });
    writeEndpoint(brain.folder, { ...endpoint, port: heir.port, pid: 2 ** 22 - 1 });
    assert.equal(await reach(300), undefined);
    assert.equal(heard, 0);
    heir.close();
  });

  it("has nothing to print when its session is another CLI's", async () => {
    (await sync(10))?.close();
    assert.equal(await sync(96, { cli: "gemini" }), undefined);
  });

  it("may wait for news, which count once they are printed, and then come no more", async () => {
    const other = await brain.client();
    const first = await reach();
    const news = first?.news("one", 60);
    await other.ask("event.publish", { text: "mail came", session: "one" });
    const lost = await news;
    assert(lost !== undefined);
    assert.match(lost.texts.join(), /\n\| mail came\n/);
    // Its CLI was gone: nobody has read it.
    first?.close();
    await brain.aloneWith(other);
    const second = await reach();
    const again = await second?.news("one", 60);
    assert(again !== undefined);
    await again.printed();
    assert.equal(await second?.news("one", 0.05), undefined);
    await brain.stop();
    assert.equal(await second?.news("one", 60), undefined);
    brain = new ServedBrain();
  });
});
