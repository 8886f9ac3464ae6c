import assert from "node:assert/strict";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import { writeEndpoint } from "../../scripts-src/brain/brain-folder.ts";
import { type Given, HookLine } from "../../scripts-src/brain/hook-line.ts";
import type { SessionReport } from "../../scripts-src/core/brain/hook-report.ts";
import { ServedBrain } from "./served-brain.ts";

let brain: ServedBrain;
beforeEach(async () => {
  brain = new ServedBrain();
  await brain.start();
});
afterEach(() => brain.stop());

const options = { connectMs: 5_000, storeCommand: "node brain.cjs store KEY VALUE" };
const report = (current: number, more: Partial<SessionReport> = {}): SessionReport => ({
  session: "one",
  cli: "claude",
  event: "tool",
  deliverable: true,
  token_usage: { current, total: 100, raw_total: 125 },
  ...more,
});
const reach = (connectMs = 5_000) => HookLine.reach(brain.folder, { ...options, connectMs });

interface Synced extends Given {
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
    assert.deepEqual(synced?.texts.slice(1), [
      "Your context is 96 % full (76.8 % of the model's window): it will be compacted soon, and details will go; what you recall of its early part may be wrong. Read files again before you rely on them. Keep what must not be lost: node brain.cjs store KEY VALUE",
    ]);
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
    const mute = createServer();
    await new Promise<void>((done) => mute.listen(0, "127.0.0.1", done));
    const address = mute.address();
    assert(address !== null && typeof address === "object");
    brain = new ServedBrain();
    const endpoint = { protocol: 1, port: address.port, token: "t", pid: 1, started: "now" };
    writeEndpoint(brain.folder, endpoint);
    assert.equal(await reach(300), undefined);
    mute.close();
    assert(performance.now() - started < 10_000);
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
    assert(typeof lost === "object");
    assert.match(lost.texts.join(), /\n\| mail came\n/);
    // Its CLI was gone: nobody has read it.
    first?.close();
    await brain.aloneWith(other);
    const second = await reach();
    const again = await second?.news("one", 60);
    assert(typeof again === "object");
    await again.printed();
    assert.equal(await second?.news("one", 0.05), "none");
    await brain.stop();
    assert.equal(await second?.news("one", 60), "gone");
    brain = new ServedBrain();
  });
});
