import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { InMemoryStore } from "../in-memory-store.ts";
import { ServedBrain, type TestClient } from "../served-brain.ts";

let store: InMemoryStore;
let brain: ServedBrain;
beforeEach(async () => {
  store = new InMemoryStore();
  brain = new ServedBrain(store);
  await brain.start();
});
afterEach(() => brain.stop());

/** Another brain over the same store, as after half an hour in which nobody came. */
async function restart(): Promise<void> {
  await brain.stop();
  brain = new ServedBrain(store);
  await brain.start();
}

async function sync(report: object): Promise<TestClient> {
  const client = await brain.client();
  const { receipt } = await client.ask("session.sync", { confirm: true, ...report });
  if (receipt !== undefined) await client.ask("session.delivered", { receipt });
  client.line?.close();
  return client;
}

const gemini = { session: "g1", cli: "gemini" };
const claude = { session: "c1", cli: "claude" };

describe("a session whose brain restarts", () => {
  it("still gets the snapshot that it is owed, once", async () => {
    await sync({ ...claude, event: "save", context: { answer: "The tests pass." } });
    // Gemini CLI takes nothing in at its start: it is given at the first prompt.
    await sync({ ...gemini, event: "start", source: "startup" });
    await restart();
    const prompt = { ...gemini, event: "prompt", prompt: "go on", deliverable: true };
    const given = await sync(prompt);
    assert.deepEqual(given.news(), ["context.inject restore"]);
    await restart();
    assert.deepEqual((await sync(prompt)).news(), []);
  });

  it("is not given what was forgotten in between", async () => {
    await sync({ ...claude, event: "save", context: { answer: "The code is 4711." } });
    await sync({ ...gemini, event: "start", source: "startup" });
    const client = await brain.client();
    await client.ask("memory.forget", { text: "4711" });
    client.line?.close();
    const prompt = { ...gemini, event: "prompt", prompt: "go on", deliverable: true };
    assert.deepEqual((await sync(prompt)).pushed, []);
  });

  it("is not alerted twice, and knows where its model was compacted", async () => {
    const model = "claude-opus-4-6";
    const at = (usage: object) => ({
      ...claude,
      event: "tool",
      deliverable: true,
      token_usage: { model, ...usage },
    });
    // 100,000 tokens are 60 % of what the table says, and all of what was seen.
    assert.deepEqual((await sync(at({ current: 96_000 }))).news(), []);
    await sync(at({ current: 20_000, compacted_at: 100_000 }));
    await restart();
    const seen = ["alert.memory_full 96", "alert.hallucination_risk 96"];
    assert.deepEqual((await sync(at({ current: 96_000 }))).news(), seen);
    await restart();
    assert.deepEqual((await sync(at({ current: 97_000 }))).news(), []);
    // What one CLI does says nothing about another.
    const other = { ...at({ current: 96_000 }), session: "x", cli: "other" };
    assert.deepEqual((await sync(other)).news(), []);
  });

  it("takes any name of a model, and numbers that make no sense", async () => {
    for (const model of ["", " ", "\u0007", "\ud83d\ude00".repeat(64), "m".repeat(128)]) {
      for (const usage of [
        { current: 1e308, total: 1e-5 },
        { current: 5, total: 5e-324, raw_total: 1e-300 },
        { current: 90, compacted_at: 1e308 },
        { current: 0, total: 0, raw_total: 0, compacted_at: 0 },
      ]) {
        const token_usage = { model, ...usage };
        const client = await sync({ ...claude, event: "tool", deliverable: true, token_usage });
        for (const { params } of client.pushed)
          assert.equal(typeof params["token_percentage"], "number");
      }
    }
  });
});
