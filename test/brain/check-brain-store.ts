import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { JsonValue } from "../../scripts-src/base/json.ts";
import type {
  BrainStore,
  EventDraft,
  Injection,
  Memory,
  MemoryDraft,
  SourceLook,
} from "../../scripts-src/brain/rules/brain-store.ts";
import { brainLimits } from "../../scripts-src/brain/rules/limits.ts";
import { hasCode } from "../log/check-event-log.ts";

/** A store under test; `again` gives it as a process sees it that opens it later. */
export interface OpenStore {
  readonly store: BrainStore;
  readonly again: () => BrainStore;
  readonly close: () => void;
}

export function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
}

export function draft(key: string, value: JsonValue, more: Partial<MemoryDraft> = {}): MemoryDraft {
  return { key, value, source: "claude", ...more };
}

export function relevantMark(memory: Memory, score = 1): Injection {
  const { key, version } = memory;
  return { reason: "relevant", subject: key, version, score, characters: 10 };
}

/** Enough other memories for a word to tell one apart. */
export function fill(store: BrainStore, count = 60): void {
  const memories = Array.from({ length: count }, (_, index): Memory => {
    const value = `filler number${index} talks about nothing in particular`;
    const at = time(0);
    const key = `filler/${index}`;
    return { key, value, tags: [], source: "person", version: 1, created: at, updated: at };
  });
  store.load(memories);
}

/** The promises of `BrainStore`, which every store keeps. */
export function checkBrainStore(name: string, open: () => OpenStore): void {
  describe(`${name} keeps the promises of a brain's store`, () => {
    let opened: OpenStore;
    beforeEach(() => {
      opened = open();
    });
    afterEach(() => opened.close());
    const current = () => opened;

    checkStoring(current);
    checkContents(current);
    checkLimits(current);
    checkSearch(current);
    checkRelevance(current);
    checkListing(current);
    checkForgetting(current);
    checkLoading(current);
    checkLearning(current);
    checkSessions(current);
    checkEvents(current);
  });
}

function checkStoring(opened: () => OpenStore): void {
  it("gives a memory back with its source, times and version, also later", () => {
    const { store, again } = opened();
    const more = { tags: ["ops"], session: "deploy-review" };
    const outcome = store.store(draft("deploy/staging", "make ship", more), time(1));
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
    assert.deepEqual(store.retrieve("deploy/staging"), expected);
    assert.deepEqual(again().retrieve("deploy/staging"), expected);
    assert.equal(store.retrieve("deploy"), undefined);
  });

  it("counts a version for each change and lets the last one win", () => {
    const { store } = opened();
    store.store(draft("port", 3000, { tags: ["dev"] }), time(1));
    const outcome = store.store(draft("port", 4000, { source: "gemini" }), time(2));
    assert.deepEqual(outcome, { stored: true, version: 2, created: false });
    const memory = store.retrieve("port");
    assert.equal(memory?.value, 4000);
    assert.equal(memory.source, "gemini");
    assert.deepEqual([memory.created, memory.updated], [time(1), time(2)]);
    assert.deepEqual(memory.tags, ["dev"], "tags that nobody named anew are gone");
  });

  it("takes the same value for no change", () => {
    const { store } = opened();
    store.store(draft("port", { web: [3000] }), time(1));
    const outcome = store.store(draft("port", { web: [3000] }, { source: "gemini" }), time(2));
    assert.deepEqual(outcome, { stored: true, version: 1, created: false });
    assert.equal(store.retrieve("port")?.source, "claude");
  });

  it("stores over the version that the writer saw, and over no other", () => {
    const { store } = opened();
    const conflict = (version: number) => ({ stored: false, refusal: "conflict", version });
    assert.deepEqual(store.store(draft("a", 1, { ifVersion: 1 }), time(1)), conflict(0));
    assert.equal(store.retrieve("a"), undefined);
    assert.equal(store.store(draft("a", 1, { ifVersion: 0 }), time(1)).stored, true);
    assert.deepEqual(store.store(draft("a", 2, { ifVersion: 0 }), time(2)), conflict(1));
    assert.equal(store.store(draft("a", 2, { ifVersion: 1 }), time(2)).stored, true);
    assert.deepEqual(store.store(draft("a", 3, { ifVersion: 1 }), time(3)), conflict(2));
    assert.equal(store.retrieve("a")?.value, 2);
  });

  it("never gives a version twice, also when the key was removed", () => {
    const { store } = opened();
    for (const value of [1, 2, 3]) store.store(draft("a", value), time(value));
    store.remove("a");
    const outcome = store.store(draft("a", "another"), time(4));
    assert.deepEqual(outcome, { stored: true, version: 4, created: true });
    assert.equal(store.store(draft("a", "late", { ifVersion: 3 }), time(5)).stored, false);
  });

  it("does not store under a new key what it put into a context itself", () => {
    const { store } = opened();
    const value = "Ship to staging with make ship, then watch the canary.";
    store.store(draft("deploy", value), time(1));
    const memory = store.retrieve("deploy");
    assert(memory);
    const early = "Nobody was given this text before it came again.";
    store.store(draft("x", early), time(1));
    assert.equal(store.store(draft("y", early), time(1)).stored, true);
    store.markInjected("s1", [relevantMark(memory)], time(2));
    const echo = `  ${value.toUpperCase().replaceAll(" ", "\n ")} `;
    const outcome = store.store(draft("lesson", echo, { source: "gemini" }), time(3));
    assert.deepEqual(outcome, { stored: false, refusal: "echo", of: "deploy" });
    assert.equal(store.retrieve("lesson"), undefined);
    const part = { note: "- SHIP to staging\n- with `make ship`, then watch" };
    const again = store.store(draft("lesson", part), time(3));
    assert.deepEqual(again, { stored: false, refusal: "echo", of: "deploy" });
    const other = value.replace("staging", "production");
    assert.equal(store.store(draft("other", other), time(3)).stored, true);
    assert.equal(store.store(draft("deploy", `${value} And tell Ana.`), time(4)).stored, true);
  });
}

function checkContents(opened: () => OpenStore): void {
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
    ["lone surrogates", "\ud800 and \udfff"],
    ["text that looks like SQL", "'; drop table memory; --"],
    ["text that looks like JSON", '{"json": null}'],
    ["a value of the largest depth", JSON.parse("[".repeat(24) + "]".repeat(24))],
    ["the largest string", "x".repeat(brainLimits.memoryValueBytes)],
  ];
  for (const [name, value] of values) {
    it(`keeps ${name} as it is`, () => {
      const { store, again } = opened();
      store.store(draft("a", "something else"), time(1));
      store.store(draft("a", value), time(2));
      assert.deepEqual(again().retrieve("a")?.value, value);
      assert.deepEqual(store.list("", 10)[0]?.value, value);
    });
  }

  const keys = ["__proto__", "constructor", "a/b.c:d e", "%_*?", "'quoted\"", "\u65e5\u672c", "A"];
  it("keeps odd keys apart", () => {
    const { store, again } = opened();
    for (const [index, key] of keys.entries()) store.store(draft(key, index), time(index));
    for (const [index, key] of keys.entries()) assert.equal(again().retrieve(key)?.value, index);
    assert.equal(store.retrieve("a"), undefined, "keys differ in case");
  });

  it("does not change a memory when the caller's objects change", () => {
    const { store } = opened();
    const value = { list: [1] };
    const tags = ["one"];
    store.store(draft("a", value, { tags }), time(1));
    value.list.push(2);
    tags.push("two");
    const memory = store.retrieve("a");
    assert.deepEqual([memory?.value, memory?.tags], [{ list: [1] }, ["one"]]);
  });
}

function checkLimits(opened: () => OpenStore): void {
  const { memoryKeyBytes, memoryValueBytes, memoryTags } = brainLimits;
  const nested: JsonValue = JSON.parse("[".repeat(90_000) + "]".repeat(90_000));
  const refusals: [name: string, draft: MemoryDraft, reason: RegExp][] = [
    ["a key of 513 bytes", draft("k".repeat(memoryKeyBytes + 1), 1), /key has 513 bytes.+512/],
    ["a key of 514 bytes", draft("\u0436".repeat(257), 1), /key has 514 bytes/],
    ["an empty key", draft("", 1), /"" cannot be a key/],
    ["a blank key", draft(" \t ", 1), /cannot be a key/],
    ["a key with a line feed", draft("a\nb", 1), /cannot be a key/],
    ["a key of half a character", draft("\ud800", 1), /cannot be a key/],
    ["a value of 64 KiB and 1", draft("k", "x".repeat(memoryValueBytes + 1)), /65537 bytes.+65536/],
    [
      "a large object",
      draft("k", { text: "x".repeat(memoryValueBytes) }),
      /the value has \d+ bytes/,
    ],
    ["a deep value", draft("k", nested), /nested deeper than 24 levels/],
    ["many tags", draft("k", 1, { tags: Array(memoryTags + 1).fill("t") }), /17 tags.+16/],
    ["a long tag", draft("k", 1, { tags: ["t".repeat(65)] }), /a tag has 65 characters/],
    ["no source", draft("k", 1, { source: "" }), /cannot be the source/],
    ["a wrong version", draft("k", 1, { ifVersion: 1.5 }), /ifVersion is 1.5/],
    ["a version below zero", draft("k", 1, { ifVersion: -1 }), /ifVersion is -1/],
  ];
  for (const [name, refused, reason] of refusals) {
    it(`refuses ${name}`, () => {
      const { store } = opened();
      assert.throws(() => store.store(refused, time(1)), hasCode("REFUSED", reason));
      assert.equal(store.stats().memories, 0);
    });
  }

  it("takes a key and a value of exactly the limit", () => {
    const { store } = opened();
    const key = "\u0436".repeat(memoryKeyBytes / 2);
    store.store(draft(key, "\u0436".repeat(memoryValueBytes / 2)), time(1));
    assert.equal(store.list("", 10)[0]?.key, key);
  });
}

function checkSearch(opened: () => OpenStore): void {
  it("finds memories by words of their key, value and tags, the best first", () => {
    const { store } = opened();
    fill(store);
    store.store(draft("deploy/staging", "make ship pushes the image"), time(1));
    store.store(draft("image/base", { name: "debian slim", why: "alpine broke sharp" }), time(1));
    store.store(draft("team/ana", "owns billing", { tags: ["oncall"] }), time(1));
    const found = (query: string) => store.search(query, 5).map(({ key }) => key);
    assert.deepEqual(found("how to push to staging with ship"), ["deploy/staging"]);
    assert.deepEqual(found("alpine or debian"), ["image/base"]);
    assert.deepEqual(found("who is on the oncall list"), ["team/ana"]);
    assert.deepEqual(found("image debian")[0], "image/base");
    assert.deepEqual(found("kubernetes"), []);
    assert.equal(store.search("filler", 5).length, 5);
    const [match] = store.search("billing", 1);
    assert(match && match.score > 0);
    const { score: _, ...memory } = match;
    assert.deepEqual(memory, store.retrieve("team/ana"));
  });

  it("finds a name by its parts and its parts by the name", () => {
    const { store } = opened();
    fill(store);
    store.store(draft("a", "parseHTTPHeader throws on an empty line"), time(1));
    store.store(draft("b", "retry_budget is three"), time(1));
    for (const query of ["why does parse header fail", "parseHTTPHeader"]) {
      assert.equal(store.search(query, 5)[0]?.key, "a", query);
    }
    assert.equal(store.search("retry budget", 5)[0]?.key, "b");
    assert.equal(store.search("retryBudget", 5)[0]?.key, "b");
  });

  it("forgets the old words of a memory that changed", () => {
    const { store } = opened();
    fill(store);
    store.store(draft("db", "postgres fourteen"), time(1));
    store.store(draft("db", "sqlite in a file"), time(2));
    assert.deepEqual(store.search("postgres fourteen", 5), []);
    assert.equal(store.search("sqlite file", 5)[0]?.key, "db");
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
    const { store } = opened();
    fill(store);
    for (const query of queries) {
      assert(Array.isArray(store.search(query, 5)), query);
      assert(Array.isArray(store.relevant(query, "s1")), query);
    }
  });
}

function checkRelevance(opened: () => OpenStore): void {
  const prompt = "rollback? the canary on staging fails after make ship";
  const filled = () => {
    const { store } = opened();
    fill(store);
    for (const number of [1, 2, 3, 4, 5]) {
      const value = `staging canary ship rollback step${number}: make ship canary`;
      store.store(draft(`deploy/${number}`, value), time(number));
    }
    return store;
  };
  const keysOf = (memories: Memory[]) => memories.map(({ key }) => key).sort();

  it("shows at most three memories unasked, and none for other subjects", () => {
    const store = filled();
    assert.equal(store.relevant(prompt, "s1").length, brainLimits.relevantMemories);
    assert.deepEqual(store.relevant("rename this variable in the parser", "s1"), []);
    assert.deepEqual(store.relevant("canary", "s1"), [], "one word is too little");
  });

  it("shows nothing that has only a small part of what a prompt says", () => {
    const { store } = opened();
    fill(store);
    store.store(draft("a", "canary rollback budget"), time(1));
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) {
      store.store(draft(`b/${number}`, `subject${number} and topic${number}`), time(1));
    }
    const others = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `subject${number} topic${number}`);
    const asked = "canary rollback budget";
    assert.equal(store.relevant(asked, "s1")[0]?.key, "a");
    const keys = keysOf(store.relevant(`${asked} ${others.join(" ")}`, "s1"));
    assert(!keys.includes("a"), "three words of nineteen brought it up");
  });

  it("shows a memory to a session once in an epoch, and again after a change", () => {
    const store = filled();
    const first = store.relevant(prompt, "s1");
    store.markInjected(
      "s1",
      first.map((memory) => relevantMark(memory)),
      time(10),
    );
    const second = store.relevant(prompt, "s1");
    assert.equal(second.length, 2);
    store.markInjected(
      "s1",
      second.map((memory) => ({ ...relevantMark(memory), reason: "own" })),
      time(11),
    );
    assert.deepEqual(store.relevant(prompt, "s1"), []);
    assert.equal(store.relevant(prompt, "s2").length, 3, "another session knows nothing of it");
    const changed = "staging canary ship: make ship canary, with a budget now";
    store.store(draft("deploy/2", changed), time(12));
    assert.deepEqual(keysOf(store.relevant(prompt, "s1")), ["deploy/2"]);
    store.beginEpoch("s1", time(13));
    assert.equal(store.relevant(prompt, "s1").length, 3, "its context was emptied");
  });

  it("tells what was injected where and why, the newest first", () => {
    const store = filled();
    const [memory] = store.relevant(prompt, "s1");
    assert(memory);
    const mark = relevantMark(memory, 9.5);
    const restore: Injection = {
      ...mark,
      reason: "restore",
      subject: "s0",
      version: 0,
      score: null,
    };
    store.markInjected("s1", [mark, restore], time(10));
    store.beginEpoch("s1", time(11));
    store.markInjected("s2", [mark], time(12));
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
    assert.deepEqual(store.injections(10), expected);
    assert.deepEqual(store.injections(1, "s1"), [expected[1]]);
    assert.equal(store.stats().injections, 3);
  });
}

function checkListing(opened: () => OpenStore): void {
  it("lists by prefix, in pages, in the order of code points", () => {
    const { store } = opened();
    const keys = ["a", "a%", "a/1", "a/2", "a/\u{1f600}", "a/\uff5e", "a_", "b"];
    for (const key of keys) store.store(draft(key, 1), time(1));
    const sorted = ["a/1", "a/2", "a/\uff5e", "a/\u{1f600}"];
    const listed: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = store.list("a/", 3, after);
      listed.push(...page.map(({ key }) => key));
      after = page.at(-1)?.key;
      if (page.length < 3) break;
    }
    assert.deepEqual(listed, sorted);
    assert.deepEqual(
      store.list("a%", 10).map(({ key }) => key),
      ["a%"],
    );
    assert.equal(store.list("", 100).length, keys.length);
    assert.equal(store.list("", 3).length, 3);
    for (const limit of [0, -1, Number.NaN]) assert.deepEqual(store.list("", limit), []);
    assert.deepEqual(store.list("A", 10), []);
    assert.deepEqual(store.list("b", 10, "b"), []);
    assert.deepEqual(store.list("b", 10, "a").length, 1);
  });
}

function checkForgetting(opened: () => OpenStore): void {
  it("removes one memory by its exact key", () => {
    const { store, again } = opened();
    store.store(draft("a*", "star"), time(1));
    store.store(draft("ab", "other"), time(1));
    assert.equal(store.remove("a*"), true);
    assert.equal(store.remove("a*"), false);
    assert.equal(again().retrieve("a*"), undefined);
    assert.deepEqual(store.search("star", 5), []);
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
      const { store } = opened();
      const keys = ["deploy/1", "deploy/22", "team"];
      for (const key of keys) store.store(draft(key, key), time(1));
      const forgotten = store.forget({ keys: pattern });
      assert.deepEqual(forgotten, { memories: gone.length, snapshots: 0, events: 0 });
      const left = store.list("", 10).map(({ key }) => key);
      assert.deepEqual(
        left,
        keys.filter((key) => !gone.includes(key)),
      );
    });
  }

  it("forgets whatever holds a text, in any case, and what tells of it", () => {
    const { store } = opened();
    store.store(draft("a", "password is Hunter2"), time(1));
    store.store(draft("hunter2/key", { port: 1 }), time(1));
    store.store(draft("b", ["deep", { note: "\u0000 HUNTER2" }]), time(1));
    store.store(draft("c", "hunter 2"), time(1));
    const memory = store.retrieve("a");
    assert(memory);
    store.markInjected("s1", [relevantMark(memory)], time(2));
    store.saveSnapshot({
      session: "s1",
      cli: "claude",
      content: { last: ["it is hunter2"] },
      at: time(3),
    });
    store.saveSnapshot({ session: "s2", cli: "claude", content: { last: "fine" }, at: time(3) });
    store.saveEvent({ kind: "event", text: "login with hunter2", source: "mail" }, time(4));
    assert.deepEqual(store.forget({ text: "hunter2" }), { memories: 3, snapshots: 1, events: 1 });
    assert.deepEqual(
      store.list("", 10).map(({ key }) => key),
      ["c"],
    );
    assert.equal(store.snapshotOf("s1"), undefined);
    assert(store.snapshotOf("s2"));
    assert.deepEqual(store.pendingEvents("s1"), []);
    assert.deepEqual(store.injections(10), []);
    assert.deepEqual(store.forget({ text: "hunter2" }), { memories: 0, snapshots: 0, events: 0 });
  });

  it("refuses to forget when nothing says what", () => {
    const { store } = opened();
    store.store(draft("a", 1), time(1));
    assert.throws(() => store.forget({ keys: "" }), hasCode("REFUSED", /\* for all/));
    assert.throws(() => store.forget({ text: " " }), hasCode("REFUSED"));
    assert.equal(store.stats().memories, 1);
  });
}

function checkLoading(opened: () => OpenStore): void {
  const memory = (key: string, value: JsonValue, version: number, second: number): Memory => {
    const at = { created: time(0), updated: time(second) };
    return { key, value, tags: ["t"], source: "gemini", session: "s", version, ...at };
  };

  it("takes memories over as they are; the newer state of a key wins", () => {
    const { store } = opened();
    const memories = [memory("a", "uno", 7, 5), memory("b", { two: 2 }, 1, 5)];
    assert.deepEqual(store.load(memories), { added: 2, replaced: 0, kept: 0 });
    assert.deepEqual(store.list("", 10), memories);
    assert.deepEqual(store.load(memories), { added: 0, replaced: 0, kept: 2 });
    const newer = [memory("a", "old", 9, 4), memory("b", "new", 1, 6), memory("c", 3, 1, 1)];
    assert.deepEqual(store.load(newer), { added: 1, replaced: 1, kept: 1 });
    assert.equal(store.retrieve("a")?.value, "uno");
    assert.deepEqual(store.retrieve("b"), { ...memory("b", "new", 2, 6) });
    assert.equal(store.search("uno", 5)[0]?.key, "a");
    assert.equal(store.stats().memories, 3);
  });

  it("takes all or nothing", () => {
    const { store } = opened();
    const bad = { ...memory("b", 1, 1, 1), updated: "yesterday" };
    assert.throws(() => store.load([memory("a", 1, 1, 1), bad]), hasCode("REFUSED", /is no time/));
    const zero = memory("b", 1, 0, 1);
    assert.throws(() => store.load([memory("a", 1, 1, 1), zero]), hasCode("REFUSED", /version/));
    assert.equal(store.stats().memories, 0);
  });
}

function look(source: string, stamp: string, ...drafts: MemoryDraft[]): SourceLook {
  const learnings = drafts.map((it) => ({ digest: JSON.stringify(it), draft: it, at: time(1) }));
  return { source, stamp, learnings };
}

function learnt(key: string, value: string): MemoryDraft {
  return draft(key, value, { source: "consulta", session: "s" });
}

function checkLearning(opened: () => OpenStore): void {
  it("learns each thing once, also when it was forgotten since", () => {
    const { store, again } = opened();
    const first = look(
      "s",
      "1",
      learnt("consulta/s/decision", "files"),
      learnt("consulta/s/x", "y"),
    );
    assert.equal(store.learn([first]), 2);
    assert.equal(store.retrieve("consulta/s/decision")?.updated, time(1));
    assert.deepEqual([...again().learnedStamps()], [["s", "1"]]);
    store.forget({ keys: "consulta/*" });
    assert.equal(store.learn([{ ...first, stamp: "2" }]), 0);
    assert.equal(store.retrieve("consulta/s/decision"), undefined);
    assert.deepEqual([...store.learnedStamps()], [["s", "2"]]);
    assert.equal(again().learn([look("s", "3", learnt("consulta/s/decision", "SQLite"))]), 1);
  });

  it("learns what is new, and leaves alone what somebody else said", () => {
    const { store } = opened();
    store.learn([look("s", "1", learnt("a", "old"), learnt("b", "old"))]);
    store.store(draft("b", "corrected", { source: "person" }), time(2));
    assert.equal(store.learn([look("s", "2", learnt("a", "new"), learnt("b", "new"))]), 1);
    assert.equal(store.retrieve("a")?.value, "new");
    assert.equal(store.retrieve("b")?.value, "corrected");
    assert.equal(store.learn([look("t", "1", learnt("a", "new"))]), 1);
    assert.equal(store.retrieve("a")?.version, 2);
  });

  it("learns all looks or none", () => {
    const { store } = opened();
    const looks = [look("s", "1", learnt("a", "1")), look("t", "1", learnt("", "no key"))];
    assert.throws(() => store.learn(looks), hasCode("REFUSED"));
    assert.equal(store.retrieve("a"), undefined);
    assert.equal(store.learnedStamps().size, 0);
  });
}

function checkSessions(opened: () => OpenStore): void {
  it("keeps the newest state of each field of a session", () => {
    const { store, again } = opened();
    const snapshot = {
      session: "s1",
      cli: "claude",
      content: { last: "a", open: ["x"] },
      at: time(1),
    };
    store.saveSnapshot(snapshot);
    store.saveSnapshot({ ...snapshot, content: { last: "b", summary: "sum" }, at: time(2) });
    const content = { last: "b", open: ["x"], summary: "sum" };
    const expected = { ...snapshot, content, at: time(2) };
    assert.deepEqual(store.snapshotOf("s1"), expected);
    assert.deepEqual(again().snapshotOf("s1"), expected);
    assert.equal(store.snapshotOf("s2"), undefined);
    assert.equal(store.stats().snapshots, 1);
  });

  it("gives the newest snapshot of another session, also of another CLI", () => {
    const { store } = opened();
    const save = (session: string, cli: string, second: number) =>
      store.saveSnapshot({ session, cli, content: { from: session }, at: time(second) });
    save("s1", "claude", 1);
    save("s2", "gemini", 2);
    save("s3", "claude", 3);
    save("s1", "claude", 4);
    assert.equal(store.latestSnapshot("new", time(0))?.session, "s1");
    assert.equal(store.latestSnapshot("s1", time(0))?.session, "s3");
    assert.equal(store.latestSnapshot("s1", time(3))?.session, "s3");
    assert.equal(store.latestSnapshot("s1", time(3.5)), undefined);
    const newest = (limit: number) => store.snapshots(limit).map(({ session }) => session);
    assert.deepEqual([newest(10), newest(1)], [["s1", "s3", "s2"], ["s1"]]);
  });

  it("keeps a session's latches apart from its snapshot", () => {
    const { store, again } = opened();
    assert.equal(store.latches("s1"), undefined);
    store.saveLatches("s1", { memory_full: true }, time(1));
    store.saveLatches("s1", { hallucination_risk: false }, time(2));
    store.beginEpoch("s1", time(3));
    assert.deepEqual(again().latches("s1"), { hallucination_risk: false });
    assert.equal(store.snapshotOf("s1"), undefined);
    assert.equal(store.latestSnapshot("s2", time(0)), undefined);
    assert.equal(store.stats().snapshots, 0);
  });

  it("keeps where a model was seen to be compacted", () => {
    const { store, again } = opened();
    assert.equal(store.compaction("claude opus"), undefined);
    store.saveCompaction("claude opus", 166_999.5, time(1));
    store.saveCompaction("claude opus", 167_000, time(2));
    store.saveCompaction("gemini pro", 500_000, time(2));
    assert.deepEqual(
      ["claude opus", "gemini pro", "gemini opus"].map((of) => again().compaction(of)),
      [167_000, 500_000, undefined],
    );
  });

  it("refuses a snapshot above the limit and keeps the one before", () => {
    const { store } = opened();
    const snapshot = { session: "s1", cli: "claude", content: { last: "a" }, at: time(1) };
    store.saveSnapshot(snapshot);
    const content = { big: "x".repeat(brainLimits.snapshotBytes) };
    const save = () => store.saveSnapshot({ ...snapshot, content, at: time(2) });
    assert.throws(save, hasCode("REFUSED", /the snapshot has \d+ bytes; the limit is 131072/));
    assert.deepEqual(store.snapshotOf("s1"), snapshot);
    const blank = () => store.saveSnapshot({ ...snapshot, session: "" });
    assert.throws(blank, hasCode("REFUSED", /id of a session/));
  });
}

function checkEvents(opened: () => OpenStore): void {
  const news: EventDraft = { kind: "event", text: "CI failed on main\nsee run 7", source: "ci" };

  it("gives an event to the sessions that may have it until one took it", () => {
    const { store, again } = opened();
    const first = store.saveEvent(news, time(1));
    const idea: EventDraft = {
      kind: "suggestion",
      text: "run tests",
      source: "rule",
      session: "s1",
    };
    const second = store.saveEvent(idea, time(2));
    assert(second > first);
    const [forAll, forOne] = [
      { ...news, id: first, at: time(1) },
      { ...idea, id: second, at: time(2) },
    ];
    assert.deepEqual(store.awaited().toSorted(), ["s1", null].toSorted());
    assert.deepEqual(again().pendingEvents("s1"), [forAll, forOne]);
    assert.deepEqual(store.pendingEvents("s2"), [forAll]);
    store.markDelivered("s2", [first], time(3));
    assert.deepEqual(store.awaited(), ["s1"]);
    assert.deepEqual(store.pendingEvents("s1"), [forOne]);
    assert.deepEqual(store.pendingEvents("s2"), []);
    assert.equal(store.stats().eventsPending, 1);
  });

  it("refuses an event that is too long, empty, or one too many", () => {
    const { store } = opened();
    const save = (text: string) => () => store.saveEvent({ ...news, text }, time(1));
    assert.throws(save("x".repeat(brainLimits.eventBytes + 1)), hasCode("REFUSED", /4097 bytes/));
    assert.throws(save(" "), hasCode("REFUSED", /no text/));
    const ids = Array.from({ length: brainLimits.eventsPending }, () => save("news")());
    assert.throws(save("news"), hasCode("UNAVAILABLE", /1000 events wait/));
    store.markDelivered("s1", ids, time(2));
    assert(save("news")() > Math.max(...ids));
  });
}
