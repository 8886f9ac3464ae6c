import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "../../../scripts-src/base/json.ts";
import { brainLimits } from "../../../scripts-src/brain/rules/limits.ts";
import type {
  EventDraft,
  Injection,
  Memory,
  MemoryDraft,
} from "../../../scripts-src/brain/rules/records.ts";
import { type BrainStore, openStore } from "../../../scripts-src/brain/store/brain-store.ts";
import type { SourceLook } from "../../../scripts-src/brain/store/memories.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { draft, fill, relevantMark, time } from "../given.ts";
import { brainRunner } from "../under-brain-node.ts";

const { afterEach, beforeEach, describe, it } = await brainRunner(import.meta.url);

let folder: string;
let store: BrainStore;
const stores: BrainStore[] = [];
beforeEach(async () => {
  folder = makeScratchFolder();
  store = await openStore(join(folder, "brain"));
  stores.push(store);
});
afterEach(() => {
  for (const each of stores.splice(0)) each.close();
  removeFolder(folder);
});

/** The store as a process sees it that opens it after this one was killed: no two have one open. */
async function again(): Promise<BrainStore> {
  const copy = join(folder, `copy${stores.length}`);
  cpSync(join(folder, "brain"), copy, { recursive: true });
  const other = await openStore(copy);
  stores.push(other);
  return other;
}

describe("storing", () => {
  it("gives a memory back with its source, times and version, also later", async () => {
    const more = { tags: ["ops"], session: "deploy-review" };
    const outcome = store.memories.store(draft("deploy/staging", "make ship", more), time(1));
    assert.deepEqual(outcome, { stored: true, version: 1, created: true });
    const expected: Memory = {
      key: "deploy/staging",
      value: "make ship",
      tags: ["ops"],
      source: "claude",
      session: "deploy-review",
      version: 1,
      created: time(1),
      updated: time(1),
    };
    assert.deepEqual(store.memories.retrieve("deploy/staging"), expected);
    assert.deepEqual((await again()).memories.retrieve("deploy/staging"), expected);
    assert.equal(store.memories.retrieve("deploy"), undefined);
  });

  it("counts a version for each change and lets the last one win", () => {
    store.memories.store(draft("port", 3000, { tags: ["dev"] }), time(1));
    const outcome = store.memories.store(draft("port", 4000, { source: "gemini" }), time(2));
    assert.deepEqual(outcome, { stored: true, version: 2, created: false });
    const memory = store.memories.retrieve("port");
    assert.equal(memory?.value, 4000);
    assert.equal(memory.source, "gemini");
    assert.deepEqual([memory.created, memory.updated], [time(1), time(2)]);
    assert.deepEqual(memory.tags, ["dev"], "tags that nobody named anew are gone");
  });

  it("takes the same value for no change", () => {
    store.memories.store(draft("port", { web: [3000] }), time(1));
    const outcome = store.memories.store(
      draft("port", { web: [3000] }, { source: "gemini" }),
      time(2),
    );
    assert.deepEqual(outcome, { stored: true, version: 1, created: false });
    assert.equal(store.memories.retrieve("port")?.source, "claude");
  });

  it("stores over the version that the writer saw, and over no other", () => {
    const conflict = (version: number) => ({ stored: false, version });
    assert.deepEqual(store.memories.store(draft("a", 1, { ifVersion: 1 }), time(1)), conflict(0));
    assert.equal(store.memories.retrieve("a"), undefined);
    assert.equal(store.memories.store(draft("a", 1, { ifVersion: 0 }), time(1)).stored, true);
    assert.deepEqual(store.memories.store(draft("a", 2, { ifVersion: 0 }), time(2)), conflict(1));
    assert.equal(store.memories.store(draft("a", 2, { ifVersion: 1 }), time(2)).stored, true);
    assert.deepEqual(store.memories.store(draft("a", 3, { ifVersion: 1 }), time(3)), conflict(2));
    assert.equal(store.memories.retrieve("a")?.value, 2);
  });

  it("never gives a version twice, also when the key was removed", () => {
    for (const value of [1, 2, 3]) store.memories.store(draft("a", value), time(value));
    store.remove("a");
    const outcome = store.memories.store(draft("a", "another"), time(4));
    assert.deepEqual(outcome, { stored: true, version: 4, created: true });
    assert.equal(store.memories.store(draft("a", "late", { ifVersion: 3 }), time(5)).stored, false);
  });
});

describe("contents", () => {
  const values: [name: string, value: JsonValue][] = [
    ["an empty string", ""],
    ["zero", 0],
    ["a fraction", -1.5e-7],
    ["false", false],
    ["null", null],
    ["an empty list", []],
    ["an object", { port: 3000, list: [1, null, { deep: "x" }] }],
    ["a field named __proto__", JSON.parse('{"__proto__": {"polluted": true}}')],
    ["line separators", "a\u2028b\u2029c\u0085d\r\ne\nf\tg"],
    ["a NUL", "before\u0000after"],
    ["emoji and composed characters", "\u{1f469}\u200d\u{1f4bb} e\u0301 \u65e5\u672c\u8a9e \ufeff"],
    ["text that looks like SQL", "'; drop table memory; --"],
    ["text that looks like JSON", '{"json": null}'],
    ["a value of the largest depth", JSON.parse("[".repeat(24) + "]".repeat(24))],
    ["the largest string", "x".repeat(brainLimits.memoryValueBytes)],
  ];
  for (const [name, value] of values) {
    it(`keeps ${name} as it is`, async () => {
      store.memories.store(draft("a", "something else"), time(1));
      store.memories.store(draft("a", value), time(2));
      assert.deepEqual((await again()).memories.retrieve("a")?.value, value);
      assert.deepEqual(store.memories.list("", 10)[0]?.value, value);
    });
  }

  const keys = ["__proto__", "constructor", "a/b.c:d e", "%_*?", "'quoted\"", "\u65e5\u672c", "A"];
  it("keeps odd keys apart", async () => {
    for (const [index, key] of keys.entries()) store.memories.store(draft(key, index), time(index));
    for (const [index, key] of keys.entries())
      assert.equal((await again()).memories.retrieve(key)?.value, index);
    assert.equal(store.memories.retrieve("a"), undefined, "keys differ in case");
  });

  it("does not change a memory when the caller's objects change", () => {
    const value = { list: [1] };
    const tags = ["one"];
    store.memories.store(draft("a", value, { tags }), time(1));
    value.list.push(2);
    tags.push("two");
    const memory = store.memories.retrieve("a");
    assert.deepEqual([memory?.value, memory?.tags], [{ list: [1] }, ["one"]]);
  });
});

describe("search", () => {
  it("finds memories by words of their key, value and tags, the best first", () => {
    fill(store);
    store.memories.store(draft("deploy/staging", "make ship pushes the image"), time(1));
    store.memories.store(
      draft("image/base", { name: "debian slim", why: "alpine broke sharp" }),
      time(1),
    );
    store.memories.store(draft("team/ana", "owns billing", { tags: ["oncall"] }), time(1));
    const found = (query: string) => store.memories.search(query, 5).map(({ key }) => key);
    assert.deepEqual(found("how to push to staging with ship"), ["deploy/staging"]);
    assert.deepEqual(found("alpine or debian"), ["image/base"]);
    assert.deepEqual(found("who is on the oncall list"), ["team/ana"]);
    assert.deepEqual(found("image debian")[0], "image/base");
    assert.deepEqual(found("kubernetes"), []);
    assert.equal(store.memories.search("filler", 5).length, 5);
    const [match] = store.memories.search("billing", 1);
    assert(match && match.score > 0);
    const { score: _, ...memory } = match;
    assert.deepEqual(memory, store.memories.retrieve("team/ana"));
  });

  it("finds a name by its parts and its parts by the name", () => {
    fill(store);
    store.memories.store(draft("a", "parseHTTPHeader throws on an empty line"), time(1));
    store.memories.store(draft("b", "retry_budget is three"), time(1));
    for (const query of ["why does parse header fail", "parseHTTPHeader"]) {
      assert.equal(store.memories.search(query, 5)[0]?.key, "a", query);
    }
    assert.equal(store.memories.search("retry budget", 5)[0]?.key, "b");
    assert.equal(store.memories.search("retryBudget", 5)[0]?.key, "b");
  });

  it("forgets the old words of a memory that changed", () => {
    fill(store);
    store.memories.store(draft("db", "postgres fourteen"), time(1));
    store.memories.store(draft("db", "sqlite in a file"), time(2));
    assert.deepEqual(store.memories.search("postgres fourteen", 5), []);
    assert.equal(store.memories.search("sqlite file", 5)[0]?.key, "db");
  });

  const queries = [
    "",
    "   ",
    '"',
    "the and of",
    "NEAR(a b) AND NOT * ^ { } : - +",
    "key : value",
    "'; drop table memory; --",
    "\u0000\ud800",
    "%",
    "x ".repeat(100_000),
    // Letters that are younger than SQLite's tables, between words.
    "canary \u{1e900}\u{1e901} staging \u{10d00} ship",
    Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(" "),
  ];
  it("takes any text for a query", () => {
    fill(store);
    for (const query of queries) {
      assert(Array.isArray(store.memories.search(query, 5)), query);
      assert(Array.isArray(store.memories.relevant(query, store.sessions.known("s1"))), query);
    }
  });
});

describe("relevance", () => {
  const prompt = "rollback? the canary on staging fails after make ship";
  const filled = () => {
    fill(store);
    for (const number of [1, 2, 3, 4, 5]) {
      const value = `staging canary ship rollback step${number}: make ship canary`;
      store.memories.store(draft(`deploy/${number}`, value), time(number));
    }
    return store;
  };
  const keysOf = (memories: Memory[]) => memories.map(({ key }) => key).sort();

  it("shows at most three memories unasked, and none for other subjects", () => {
    const store = filled();
    assert.equal(
      store.memories.relevant(prompt, store.sessions.known("s1")).length,
      brainLimits.relevantMemories,
    );
    assert.deepEqual(
      store.memories.relevant("rename this variable in the parser", store.sessions.known("s1")),
      [],
    );
    assert.deepEqual(
      store.memories.relevant("canary", store.sessions.known("s1")),
      [],
      "one word is too little",
    );
  });

  it("shows nothing that has only a small part of what a prompt says", () => {
    fill(store);
    store.memories.store(draft("a", "canary rollback budget"), time(1));
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) {
      store.memories.store(draft(`b/${number}`, `subject${number} and topic${number}`), time(1));
    }
    const others = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `subject${number} topic${number}`);
    const asked = "canary rollback budget";
    assert.equal(store.memories.relevant(asked, store.sessions.known("s1"))[0]?.key, "a");
    const keys = keysOf(
      store.memories.relevant(`${asked} ${others.join(" ")}`, store.sessions.known("s1")),
    );
    assert(!keys.includes("a"), "three words of nineteen brought it up");
  });

  it("shows a memory to a session once in an epoch, and again after a change", () => {
    const store = filled();
    const first = store.memories.relevant(prompt, store.sessions.known("s1"));
    store.sessions.markInjected(
      "s1",
      first.map((memory) => relevantMark(memory)),
      time(10),
    );
    const second = store.memories.relevant(prompt, store.sessions.known("s1"));
    assert.equal(second.length, 2);
    store.sessions.markInjected(
      "s1",
      second.map((memory) => ({ ...relevantMark(memory), reason: "own" })),
      time(11),
    );
    assert.deepEqual(store.memories.relevant(prompt, store.sessions.known("s1")), []);
    assert.equal(
      store.memories.relevant(prompt, store.sessions.known("s2")).length,
      3,
      "another session knows nothing of it",
    );
    const changed = "staging canary ship: make ship canary, with a budget now";
    store.memories.store(draft("deploy/2", changed), time(12));
    assert.deepEqual(keysOf(store.memories.relevant(prompt, store.sessions.known("s1"))), [
      "deploy/2",
    ]);
    store.sessions.beginEpoch("s1", time(13));
    assert.equal(
      store.memories.relevant(prompt, store.sessions.known("s1")).length,
      3,
      "its context was emptied",
    );
  });

  it("tells what was injected where and why, the newest first", () => {
    const store = filled();
    const [memory] = store.memories.relevant(prompt, store.sessions.known("s1"));
    assert(memory);
    const mark = relevantMark(memory, 9.5);
    const restore: Injection = {
      ...mark,
      reason: "restore",
      subject: "s0",
      version: 0,
    };
    store.sessions.markInjected("s1", [mark, restore], time(10));
    store.sessions.beginEpoch("s1", time(11));
    store.sessions.markInjected("s2", [mark], time(12));
    const of = (session: string, epoch: number, second: number) => ({
      session,
      epoch,
      at: time(second),
    });
    const expected = [
      { ...mark, ...of("s2", 0, 12) },
      { ...restore, ...of("s1", 0, 10) },
      { ...mark, ...of("s1", 0, 10) },
    ];
    assert.deepEqual(store.sessions.injections(10), expected);
    assert.equal(store.stats().injections, 3);
  });
});

describe("listing", () => {
  it("lists by prefix, in pages, in the order of code points", () => {
    const keys = ["a", "a%", "a/1", "a/2", "a/\u{1f600}", "a/\uff5e", "a_", "b"];
    for (const key of keys) store.memories.store(draft(key, 1), time(1));
    const sorted = ["a/1", "a/2", "a/\uff5e", "a/\u{1f600}"];
    const listed: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = store.memories.list("a/", 3, after);
      listed.push(...page.map(({ key }) => key));
      after = page.at(-1)?.key;
      if (page.length < 3) break;
    }
    assert.deepEqual(listed, sorted);
    assert.deepEqual(
      store.memories.list("a%", 10).map(({ key }) => key),
      ["a%"],
    );
    assert.equal(store.memories.list("", 100).length, keys.length);
    assert.equal(store.memories.list("", 3).length, 3);
    assert.deepEqual(store.memories.list("A", 10), []);
    assert.deepEqual(store.memories.list("b", 10, "b"), []);
    assert.deepEqual(store.memories.list("b", 10, "a").length, 1);
  });
});

describe("forgetting", () => {
  it("removes one memory by its exact key", async () => {
    store.memories.store(draft("a*", "star"), time(1));
    store.memories.store(draft("ab", "other"), time(1));
    assert.equal(store.remove("a*"), true);
    assert.equal(store.remove("a*"), false);
    assert.equal((await again()).memories.retrieve("a*"), undefined);
    assert.deepEqual(store.memories.search("star", 5), []);
    assert.equal(store.stats().memories, 1);
  });

  const patterns: [pattern: string, gone: string[]][] = [
    ["deploy/*", ["deploy/1", "deploy/22"]],
    ["deploy/?", ["deploy/1"]],
    ["*2*", ["deploy/22"]],
    ["team", ["team"]],
    ["DEPLOY/*", []],
    ["[a-z]*", []],
    ["*", ["deploy/1", "deploy/22", "team"]],
  ];
  for (const [pattern, gone] of patterns) {
    it(`forgets the keys that fit ${pattern}`, () => {
      const keys = ["deploy/1", "deploy/22", "team"];
      for (const key of keys) store.memories.store(draft(key, key), time(1));
      const forgotten = store.forget({ keys: pattern });
      assert.deepEqual(forgotten, { memories: gone.length, snapshots: 0, events: 0 });
      const left = store.memories.list("", 10).map(({ key }) => key);
      assert.deepEqual(
        left,
        keys.filter((key) => !gone.includes(key)),
      );
    });
  }

  it("forgets whatever holds a text, in any case, and what tells of it", () => {
    store.memories.store(draft("a", "password is Hunter2"), time(1));
    store.memories.store(draft("hunter2/key", { port: 1 }), time(1));
    store.memories.store(draft("b", ["deep", { note: "\u0000 HUNTER2" }]), time(1));
    store.memories.store(draft("c", "hunter 2"), time(1));
    const memory = store.memories.retrieve("a");
    assert(memory);
    store.sessions.markInjected("s1", [relevantMark(memory)], time(2));
    store.sessions.saveSnapshot({
      session: "s1",
      cli: "claude",
      content: { last: ["it is hunter2"] },
      at: time(3),
    });
    store.sessions.saveSnapshot({
      session: "s2",
      cli: "claude",
      content: { last: "fine" },
      at: time(3),
    });
    store.sessions.saveEvent(
      { kind: "event", text: "login with hunter2", source: "mail" },
      time(4),
    );
    assert.deepEqual(store.forget({ text: "hunter2" }), { memories: 3, snapshots: 1, events: 1 });
    assert.deepEqual(
      store.memories.list("", 10).map(({ key }) => key),
      ["c"],
    );
    assert.equal(store.sessions.snapshotOf("s1"), undefined);
    assert(store.sessions.snapshotOf("s2"));
    assert.deepEqual(store.sessions.pendingEvents("s1"), []);
    assert.deepEqual(store.sessions.injections(10), []);
    assert.deepEqual(store.forget({ text: "hunter2" }), { memories: 0, snapshots: 0, events: 0 });
  });
});

describe("loading", () => {
  const memory = (key: string, value: JsonValue, version: number, second: number): Memory => {
    const at = { created: time(0), updated: time(second) };
    return { key, value, tags: ["t"], source: "gemini", session: "s", version, ...at };
  };

  it("takes memories over as they are; the newer state of a key wins", () => {
    const memories = [memory("a", "uno", 7, 5), memory("b", { two: 2 }, 1, 5)];
    assert.deepEqual(store.memories.load(memories), { added: 2, replaced: 0, kept: 0 });
    assert.deepEqual(store.memories.list("", 10), memories);
    assert.deepEqual(store.memories.load(memories), { added: 0, replaced: 0, kept: 2 });
    const newer = [memory("a", "old", 9, 4), memory("b", "new", 1, 6), memory("c", 3, 1, 1)];
    assert.deepEqual(store.memories.load(newer), { added: 1, replaced: 1, kept: 1 });
    assert.equal(store.memories.retrieve("a")?.value, "uno");
    assert.deepEqual(store.memories.retrieve("b"), { ...memory("b", "new", 2, 6) });
    assert.equal(store.memories.search("uno", 5)[0]?.key, "a");
    assert.equal(store.stats().memories, 3);
  });
});

function look(source: string, stamp: string, ...drafts: MemoryDraft[]): SourceLook {
  return { source, stamp, drafts, said: JSON.stringify(drafts), at: time(1) };
}

function learnt(key: string, value: string): MemoryDraft {
  return draft(key, value, { source: "consulta", session: "s" });
}

describe("learning", () => {
  it("learns each thing once, also when it was forgotten since", async () => {
    const first = look(
      "s",
      "1",
      learnt("consulta/s/decision", "files"),
      learnt("consulta/s/x", "y"),
    );
    assert.equal(store.memories.learn(first), 2);
    assert.equal(store.memories.retrieve("consulta/s/decision")?.updated, time(1));
    assert.deepEqual([...(await again()).memories.learnedStamps()], [["s", "1"]]);
    store.forget({ keys: "consulta/*" });
    assert.equal(store.memories.learn({ ...first, stamp: "2" }), 0);
    assert.equal(store.memories.retrieve("consulta/s/decision"), undefined);
    assert.deepEqual([...store.memories.learnedStamps()], [["s", "2"]]);
    assert.equal(
      (await again()).memories.learn(look("s", "3", learnt("consulta/s/decision", "SQLite"))),
      1,
    );
  });

  it("learns what is new, and leaves alone what somebody else said", () => {
    store.memories.learn(look("s", "1", learnt("a", "old"), learnt("b", "old")));
    store.memories.store(draft("b", "corrected", { source: "person" }), time(2));
    assert.equal(store.memories.learn(look("s", "2", learnt("a", "new"), learnt("b", "new"))), 1);
    assert.equal(store.memories.retrieve("a")?.value, "new");
    assert.equal(store.memories.retrieve("b")?.value, "corrected");
    assert.equal(store.memories.learn(look("t", "1", learnt("a", "new"))), 1);
    assert.equal(store.memories.retrieve("a")?.version, 2);
  });
});

describe("sessions", () => {
  it("keeps the newest state of each field of a session", async () => {
    const snapshot = {
      session: "s1",
      cli: "claude",
      content: { last: "a", open: ["x"] },
      at: time(1),
    };
    store.sessions.saveSnapshot(snapshot);
    store.sessions.saveSnapshot({
      ...snapshot,
      content: { last: "b", summary: "sum" },
      at: time(2),
    });
    const content = { last: "b", open: ["x"], summary: "sum" };
    const expected = { ...snapshot, content, at: time(2) };
    assert.deepEqual(store.sessions.snapshotOf("s1"), expected);
    assert.deepEqual((await again()).sessions.snapshotOf("s1"), expected);
    assert.equal(store.sessions.snapshotOf("s2"), undefined);
    assert.equal(store.stats().snapshots, 1);
  });

  it("gives the newest snapshot of another session, also of another CLI", () => {
    const save = (session: string, cli: string, second: number) =>
      store.sessions.saveSnapshot({ session, cli, content: { from: session }, at: time(second) });
    save("s1", "claude", 1);
    save("s2", "gemini", 2);
    save("s3", "claude", 3);
    save("s1", "claude", 4);
    assert.equal(store.sessions.latestSnapshot("new", time(0))?.session, "s1");
    assert.equal(store.sessions.latestSnapshot("s1", time(0))?.session, "s3");
    assert.equal(store.sessions.latestSnapshot("s1", time(3))?.session, "s3");
    assert.equal(store.sessions.latestSnapshot("s1", time(3.5)), undefined);
    const newest = (limit: number) => store.sessions.snapshots(limit).map(({ session }) => session);
    assert.deepEqual([newest(10), newest(1)], [["s1", "s3", "s2"], ["s1"]]);
  });

  it("keeps a session's latches apart from its snapshot", async () => {
    assert.equal(store.sessions.latches("s1"), undefined);
    store.sessions.saveLatches("s1", { memory_full: true }, time(1));
    store.sessions.saveLatches("s1", { hallucination_risk: false }, time(2));
    store.sessions.beginEpoch("s1", time(3));
    assert.deepEqual((await again()).sessions.latches("s1"), { hallucination_risk: false });
    assert.equal(store.sessions.snapshotOf("s1"), undefined);
    assert.equal(store.sessions.latestSnapshot("s2", time(0)), undefined);
    assert.equal(store.stats().snapshots, 0);
  });
});

describe("events", () => {
  const news: EventDraft = { kind: "event", text: "CI failed on main\nsee run 7", source: "ci" };

  it("gives an event to the sessions that may have it until one took it", async () => {
    const first = store.sessions.saveEvent(news, time(1));
    const idea: EventDraft = {
      kind: "suggestion",
      text: "run tests",
      source: "rule",
      session: "s1",
    };
    const second = store.sessions.saveEvent(idea, time(2));
    assert(second > first);
    const [forAll, forOne] = [
      { ...news, id: first, at: time(1) },
      { ...idea, id: second, at: time(2) },
    ];
    assert.deepEqual(store.sessions.awaited().toSorted(), ["s1", null].toSorted());
    assert.deepEqual((await again()).sessions.pendingEvents("s1"), [forAll, forOne]);
    assert.deepEqual(store.sessions.pendingEvents("s2"), [forAll]);
    store.sessions.markDelivered("s2", [first], time(3));
    assert.deepEqual(store.sessions.awaited(), ["s1"]);
    assert.deepEqual(store.sessions.pendingEvents("s1"), [forOne]);
    assert.deepEqual(store.sessions.pendingEvents("s2"), []);
    assert.equal(store.stats().eventsPending, 1);
  });

  it("refuses one event too many", () => {
    const save = (text: string) => () => store.sessions.saveEvent({ ...news, text }, time(1));
    const ids = Array.from({ length: brainLimits.eventsPending }, () => save("news")());
    assert.throws(save("news"), hasCode("UNAVAILABLE", /1000 events wait/));
    store.sessions.markDelivered("s1", ids, time(2));
    assert(save("news")() > Math.max(...ids));
  });
});
