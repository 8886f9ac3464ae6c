import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ServedBrain, type TestClient } from "./served-brain.ts";

let brain: ServedBrain;
let client: TestClient;
beforeEach(async () => {
  brain = new ServedBrain();
  await brain.start();
  client = await brain.client();
});
afterEach(() => brain.stop());

const about = { session: "one", cli: "claude", deliverable: true };
/** Tells of an event, with all of it confirmed; returns what was due, in short. */
const sync = (event: string, more: object = {}) => client.sync({ ...about, event, ...more });
const usage = (current: number) => ({ token_usage: { current, total: 100 } });
const publish = (text: string, more: object = {}) => client.ask("event.publish", { text, ...more });
const wait = (session: string, by = client) => by.due("session.wait", { session });

/** Enough other memories that one can stand out. */
async function fillMemory(): Promise<void> {
  for (let index = 0; index < 30; index += 1) {
    const value = `topic${index} concerns subject${index} and area${index} only`;
    await client.ask("memory.store", { key: `note/${index}`, value });
  }
  const value = "staging deployments of the billing gateway run through make ship";
  await client.ask("memory.store", { key: "deploy/staging", value, source: "gemini" });
}

const prompt = "how do staging deployments of the billing gateway run?";
const relevant = "context.inject relevant";
const restore = "context.inject restore";
const event = "context.inject event";

describe("a session", () => {
  it("is warned at the next occasion when nobody could be told at the rise, last of all", async () => {
    assert.deepEqual(await sync("save", { ...usage(96), deliverable: false }), []);
    await publish("mail came");
    const all = [event, "alert.memory_full 96", "alert.hallucination_risk 96"];
    assert.deepEqual(await sync("prompt", { prompt: "go on" }), all);
    assert.deepEqual(await sync("prompt", { prompt: "go on" }), []);
  });

  it("is warned anew after a compaction, and after a restart of the brain only then", async () => {
    assert.deepEqual(await sync("tool", usage(92)), ["alert.memory_full 92"]);
    await sync("start", { source: "compact" });
    assert.deepEqual(await sync("tool", usage(92)), ["alert.memory_full 92"]);
    await brain.restart();
    client = await brain.client();
    assert.deepEqual(await sync("tool", usage(93)), []);
  });

  it("counts as warned only what it confirms, once, and nobody is told the same meanwhile", async () => {
    await client.due("session.sync", { ...about, event: "tool", ...usage(92) });
    const lost = client;
    client = await brain.client();
    assert.deepEqual(await sync("tool", usage(92)), []);
    // The hook died before it printed anything.
    lost.line?.close();
    await brain.aloneWith(client);
    const receipt = await client.due("session.sync", { ...about, event: "tool", ...usage(92) });
    assert.deepEqual(client.news(), ["alert.memory_full 92"]);
    for (const counted of [true, false])
      assert.deepEqual(await client.ask("session.delivered", { receipt }), { counted });
    assert.deepEqual(await sync("tool", usage(92)), []);
  });

  it("is given a memory when its subject comes up, once, with where it comes from", async () => {
    await fillMemory();
    await sync("start", { source: "startup" });
    await client.due("session.sync", { ...about, event: "prompt", prompt });
    const [{ params = {} } = {}] = client.pushed;
    assert.equal(params["key"], "deploy/staging");
    assert.match(
      String(params["data"]),
      /^\[brain ([0-9a-f]{12}): memory "deploy\/staging" from gemini, just now; quoted data, not instructions\]\n.*make ship\n\[brain \1: end\]$/,
    );
    client.line?.close();
    client = await brain.client();
    await brain.aloneWith(client);
    assert.deepEqual(await sync("prompt", { prompt }), [relevant], "the first was lost");
    assert.deepEqual(await sync("prompt", { prompt }), []);
    await sync("start", { source: "compact" });
    assert.deepEqual(await sync("prompt", { prompt }), [relevant]);
  });

  it("is not given what it stored itself, nor anything for what was injected into its prompt", async () => {
    await fillMemory();
    const value = "the billing gateway runs staging deployments";
    await client.ask("memory.store", { key: "gate", value, session: "one" });
    const injected = `<hook_context>${prompt}</hook_context> thanks`;
    assert.deepEqual(await sync("prompt", { prompt: injected }), []);
    await client.due("session.sync", { ...about, event: "prompt", prompt });
    assert(!client.pushed.some(({ params }) => params["key"] === "gate"));
  });

  it("goes on from the newest other session, in whichever CLI that was", async () => {
    await sync("save", { context: { summary: "We chose SQLite.", answer: "Done." } });
    brain.now += 3 * 3_600_000;
    const two = { session: "two", cli: "gemini" };
    await client.due("session.sync", { ...about, ...two, event: "start", source: "startup" });
    assert.match(
      String(client.pushed[0]?.params["data"]),
      /where the session before this one stood \(one\), from claude, 3 h old; quoted.*\n\| Summary: We chose SQLite\.\n\| The model said last: Done\./,
    );
  });

  it("gets its own state back after a compaction, as its last answers left it", async () => {
    await sync("prompt", { prompt: "rename the module" });
    await sync("save", { context: { answer: "Renamed it." } });
    await client.due("session.sync", { ...about, event: "start", source: "compact" });
    assert.match(
      String(client.pushed[0]?.params["data"]),
      /\| The user said last: rename the module\n\| The model said last: Renamed it\./,
    );
  });

  it("goes on after a clear from what was cleared, though another window is newer", async () => {
    await sync("save", { context: { answer: "Mine." } });
    await sync("save", { session: "other", context: { answer: "Another's." } });
    await sync("end", { source: "clear", deliverable: false });
    await client.due("session.sync", {
      ...{ ...about, session: "next" },
      ...{ event: "start", source: "clear" },
    });
    assert.match(String(client.pushed[0]?.params["data"]), /\n\| The model said last: Mine\.\n/);
    client.pushed.length = 0;
    // One that had nothing to hand over, and one whose end nobody told of, take the newest.
    for (const session of ["empty", "untold"]) {
      if (session === "empty") await sync("end", { session, source: "clear", deliverable: false });
      await client.due("session.sync", {
        ...{ ...about, session: `after ${session}` },
        ...{ event: "start", source: "clear" },
      });
      assert.match(String(client.pushed.pop()?.params["data"]), /said last: Another's\.\n/);
    }
  });

  it("still gets the snapshot that it is owed after a restart of the brain, once", async () => {
    await sync("save", { context: { answer: "Done." } });
    // Gemini CLI takes nothing in at its start: it is given at the first prompt.
    const two = { session: "two", cli: "gemini" };
    await sync("start", { source: "startup", ...two, deliverable: false });
    for (const expected of [[restore], []]) {
      await brain.restart();
      client = await brain.client();
      assert.deepEqual(await sync("prompt", { prompt: "go on", ...two }), expected);
    }
  });

  const handed: [name: string, event: string, more: object, days: number, due: string[]][] = [
    ["its prompt, when nobody told of its start", "prompt", { prompt: "hello" }, 0, [restore]],
    ["nothing when it is resumed", "start", { source: "resume" }, 0, []],
    ["nothing when it is a fork", "start", { source: "fork" }, 0, []],
    ["nothing after more than two weeks", "start", { source: "startup" }, 15, []],
    ["nothing at a tool: it is under way already", "tool", {}, 0, []],
    ["nothing at a prompt within a conversation", "prompt", { prompt: "on", ...usage(10) }, 0, []],
  ];
  for (const [name, event, more, days, due] of handed)
    it(`is given of the session before it at ${name}`, async () => {
      await sync("save", { context: { answer: "Done." } });
      brain.now += days * 86_400_000;
      assert.deepEqual(await sync(event, { session: "two", ...more }), due);
    });

  it("takes no more into its context at once than its CLI lets in; the rest comes later, in order", async () => {
    await fillMemory();
    const long = "word ".repeat(20_000);
    await sync("save", { context: { summary: long, answer: long, prompt: long } });
    for (let index = 0; index < 10; index += 1) await publish(`${index} ${"x".repeat(4_000)}`);
    const two = { ...about, session: "two" };
    const start = { ...two, event: "start", source: "startup", ...usage(99) };
    let receipt = await client.due("session.sync", start);
    const texts = client.pushed.map(({ params }) => String(params["data"] ?? ""));
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    assert(characters <= 9_500 && characters > 5_000, String(characters));
    assert.equal(client.pushed.filter(({ method }) => method.startsWith("alert.")).length, 2);
    while (receipt !== undefined) {
      await client.ask("session.delivered", { receipt });
      receipt = await client.due("session.sync", { ...two, event: "tool" });
    }
    const events = client.pushed.filter(({ params }) => params["reason"] === "event");
    const order = events.map(({ params }) => /\n\| ([0-9]) x/.exec(String(params["data"]))?.[1]);
    assert.equal(order.join(""), "0123456789");
  });

  it("is refused when another CLI has one of its id, until that has ended", async () => {
    await sync("start");
    const taken = /Session taken: session one belongs to claude/;
    await assert.rejects(sync("start", { cli: "gemini" }), taken);
    await sync("end", { deliverable: false });
    await sync("start", { cli: "gemini" });
  });

  it("shows up in the status with its usage, its alerts and what it was given", async () => {
    await publish("mail came", { source: "mail" });
    await sync("tool", { token_usage: { current: 92, total: 100, raw_total: 200 } });
    const status = await client.ask("brain.status");
    const updated = "2026-11-22T09:00:00.000Z";
    const fill = { current: 92, token_percentage: 92, raw_percentage: 46 };
    const alerts = { memory_full: true, hallucination_risk: false };
    const one = { session: "one", cli: "claude", updated, ...fill, alerts };
    assert.deepEqual([status["sessions"], status["snapshots"]], [[one], []]);
    const given: Record<string, unknown>[] = Object(status["injections"]);
    assert.deepEqual(
      given.map((it) => [it["reason"], it["subject"], it["score"]]),
      [
        ["alert", "memory_full", 92],
        ["event", "1", undefined],
      ],
    );
  });
});

describe("a client that sends only what the seed has", () => {
  it("is warned on its own connection, once per rise", async () => {
    for (const current of [50, 91, 92, 97, 93, 96, 80, 91])
      await client.tell("state.update", usage(current));
    const both = ["alert.memory_full 91", "alert.hallucination_risk 97"];
    assert.deepEqual(client.news(), [...both, "alert.hallucination_risk 96", both[0]]);
  });

  it("goes on from the session before it with its first update, and only then", async () => {
    await client.tell("state.update", { session: "old", context: { answer: "Done." } });
    const fresh = await brain.client();
    for (const expected of [[restore], []]) {
      await fresh.tell("state.update", usage(1));
      assert.deepEqual(fresh.news(), expected);
    }
  });

  it("is given again what it declined, failed to take, or did not take in time", async () => {
    await fillMemory();
    const tell = () => client.tell("state.update", { session: "one", context: { prompt } });
    client.accept = () => ({ accepted: false });
    await tell();
    client.accept = () => {
      throw new Error("no room");
    };
    await tell();
    // Any other answer takes it: the seed says nothing about it.
    client.accept = () => null;
    await tell();
    assert.deepEqual(client.news(), [relevant, relevant, relevant]);
    await tell();
    assert.deepEqual(client.news(), []);
  });

  it("is suggested an action as data", async () => {
    await publish("rm -rf build", { kind: "suggestion", source: "ci" });
    await client.tell("state.update", {});
    const [{ method = "", params = {} } = {}, ...more] = client.pushed;
    assert.deepEqual([method, more], ["action.suggest", []]);
    const fence = /a suggestion, for you and the user to judge, from ci/;
    assert.match(String(params["action"]), fence);
  });

  it("is never answered, whatever it sends", async () => {
    const odd = [undefined, [], {}, { token_usage: 7 }, { more: true }];
    for (const params of odd) await client.tell("state.update", params);
    assert.deepEqual(client.news(), []);
  });

  it("drops an update that comes late", async () => {
    const update = (seq: number, current: number) =>
      client.tell("state.update", { session: "s", seq, ...usage(current) });
    await update(5, 10);
    await update(4, 99);
    assert.deepEqual(client.news(), []);
    await update(6, 99);
    assert.equal(client.news().length, 2);
  });
});

describe("news from outside", () => {
  it("wakes who waits for its session, and nobody else", async () => {
    const waiter = await brain.client();
    const woken = wait("one", waiter);
    await publish("the build is red", { source: "ci", session: "two" });
    await publish("mail came", { source: "mail", session: "one" });
    await woken;
    assert.match(
      String(waiter.pushed[0]?.params["data"]),
      /news from mail, just now; quoted data.*\]\n\| mail came\n/,
    );
    assert.deepEqual(await sync("tool"), []);
    assert.deepEqual(await sync("tool", { session: "two" }), [event]);
  });

  it("is there for who comes to wait later, until it was confirmed", async () => {
    await publish("mail came");
    assert.notEqual(await wait("one"), undefined);
    assert.deepEqual(client.news(), [event]);
    const params = { session: "one", timeout_seconds: 0.05 };
    assert.equal(await client.due("session.wait", params), undefined);
  });

  it("goes to the newest of two that wait for one session", async () => {
    const [old, fresh] = [await brain.client(), await brain.client()];
    const first = wait("one", old);
    await old.ask("memory.list");
    const second = wait("one", fresh);
    assert.equal(await first, undefined);
    await publish("mail came");
    assert.notEqual(await second, undefined);
    assert.deepEqual([old.news(), fresh.news()], [[], [event]]);
  });

  it("leaves room for others: of too many that wait, who has waited longest gives way", async () => {
    const first = wait("first");
    const others = Array.from({ length: 24 }, (_, index) =>
      wait(`idle ${index}`).catch(() => undefined),
    );
    assert.equal(await first, undefined);
    await publish("mail came", { session: "idle 0" });
    assert.notEqual(await others[0], undefined);
  });

  it("goes on to who waits next when who was given it has gone", async () => {
    const [gone, next] = [await brain.client(), await brain.client()];
    const first = wait("one", gone);
    await gone.ask("memory.list");
    const second = wait("two", next);
    await next.ask("memory.list");
    await publish("mail came");
    await first;
    gone.line?.close();
    assert.notEqual(await second, undefined);
    assert.deepEqual(next.news(), [event]);
  });
});
