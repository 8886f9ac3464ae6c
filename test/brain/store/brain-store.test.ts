import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { JsonValue } from "../../../scripts-src/base/json.ts";
import { brainLimits } from "../../../scripts-src/brain/rules/limits.ts";
import type { EventDraft, Memory, MemoryDraft } from "../../../scripts-src/brain/rules/records.ts";
import { type BrainStore, openStore } from "../../../scripts-src/brain/store/brain-store.ts";
import type { SourceLook } from "../../../scripts-src/brain/store/memories.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { draft, fill, relevantMark, time } from "../given.ts";

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

const put = (key: string, value: JsonValue, second = 1, more: Partial<MemoryDraft> = {}) =>
  store.memories.store(draft(key, value, more), time(second));
const keysOf = (memories: readonly Memory[]) => memories.map(({ key }) => key);
const listed = () => keysOf(store.memories.list("", 100));

describe("storing", () => {
  it("gives a memory back with its source, times and version, also later", async () => {
    const more = { tags: ["ops"], session: "deploy-review" };
    const stored = { stored: true, version: 1, created: true };
    assert.deepEqual(put("deploy/staging", "make ship", 1, more), stored);
    const expected: Memory = {
      ...{ key: "deploy/staging", value: "make ship", source: "claude", version: 1 },
      ...more,
      ...{ created: time(1), updated: time(1) },
    };
    assert.deepEqual(store.memories.retrieve("deploy/staging"), expected);
    assert.deepEqual((await again()).memories.retrieve("deploy/staging"), expected);
    assert.equal(store.memories.retrieve("deploy"), undefined);
  });

  it("counts a version for each change and lets the last one win; the same again is no change", () => {
    put("port", 3000, 1, { tags: ["dev"] });
    const changed = { stored: true, version: 2, created: false };
    for (const source of ["gemini", "person"])
      assert.deepEqual(put("port", { web: [4000] }, 2, { source }), changed);
    const memory = store.memories.retrieve("port");
    assert.deepEqual([memory?.value, memory?.source], [{ web: [4000] }, "gemini"]);
    assert.deepEqual([memory?.created, memory?.updated], [time(1), time(2)]);
    assert.deepEqual(memory?.tags, ["dev"], "tags that nobody named anew are gone");
  });

  it("stores over the version that the writer saw, and over no other", () => {
    const over = (ifVersion: number, value: number) => put("a", value, value, { ifVersion });
    const outcomes = [over(1, 1), over(0, 1), over(0, 2), over(1, 2), over(1, 3)];
    assert.deepEqual(
      outcomes.map(({ stored, version }) => [stored, version]),
      [
        ...[[false, 0] as const, [true, 1] as const, [false, 1] as const],
        ...[[true, 2] as const, [false, 2] as const],
      ],
    );
    assert.equal(store.memories.retrieve("a")?.value, 2);
  });

  it("never gives a version twice, also when the key was forgotten", () => {
    for (const value of [1, 2, 3]) put("a", value, value);
    store.forget({ keys: "a" });
    assert.deepEqual(put("a", "another", 4), { stored: true, version: 4, created: true });
    assert.equal(put("a", "late", 5, { ifVersion: 3 }).stored, false);
  });
});

describe("contents", () => {
  const values: [name: string, value: JsonValue][] = [
    ["an empty string", ""],
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
  it("are kept as they are, over what was there", async () => {
    for (const [name, value] of values) {
      put(name, "something else");
      put(name, value, 2);
    }
    const { memories } = await again();
    for (const [name, value] of values) {
      assert.deepEqual(memories.retrieve(name)?.value, value, name);
      assert.deepEqual(store.memories.list(name, 1)[0]?.value, value, name);
    }
  });

  it("have odd keys apart", () => {
    const odd = ["__proto__", "constructor", "a/b.c:d e", "%_*?", "'quoted\"", "\u65e5\u672c", "A"];
    for (const [index, key] of odd.entries()) put(key, index);
    assert.deepEqual(
      odd.map((key) => store.memories.retrieve(key)?.value),
      odd.map((_, index) => index),
    );
    assert.equal(store.memories.retrieve("a"), undefined, "keys differ in case");
  });
});

describe("search", () => {
  const found = (query: string) => keysOf(store.memories.search(query, 5));

  it("finds memories by words of their key, value and tags, the best first", () => {
    fill(store);
    put("deploy/staging", "make ship pushes the image");
    put("image/base", { name: "debian slim", why: "alpine broke sharp" });
    put("team/ana", "owns billing", 1, { tags: ["oncall"] });
    assert.deepEqual(found("how to push to staging with ship"), ["deploy/staging"]);
    assert.deepEqual(found("alpine or debian"), ["image/base"]);
    assert.deepEqual(found("who is on the oncall list"), ["team/ana"]);
    assert.deepEqual(found("image debian")[0], "image/base");
    assert.deepEqual([found("kubernetes"), found("filler").length], [[], 5]);
    const [match] = store.memories.search("billing", 1);
    assert(match && match.score > 0);
    const { score: _, ...memory } = match;
    assert.deepEqual(memory, store.memories.retrieve("team/ana"));
  });

  it("finds a name by its parts and its parts by the name, and not by what is there no more", () => {
    fill(store);
    put("a", "parseHTTPHeader throws on an empty line");
    put("b", "retry_budget is three");
    for (const query of ["why does parse header fail", "parseHTTPHeader"])
      assert.equal(found(query)[0], "a", query);
    for (const query of ["retry budget", "retryBudget"]) assert.equal(found(query)[0], "b", query);
    put("b", "sqlite in a file", 2);
    assert.deepEqual([found("retry budget"), found("sqlite file")[0]], [[], "b"]);
  });

  const queries = [
    ...["", "   ", '"', "the and of", "NEAR(a b) AND NOT * ^ { } : - +", "key : value", "%"],
    ...["'; drop table memory; --", "\u0000\ud800", "x ".repeat(100_000)],
    // Letters that are younger than SQLite's tables, between words.
    "canary \u{1e900}\u{1e901} staging \u{10d00} ship",
    Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(" "),
  ];
  it("takes any text for a query", () => {
    fill(store);
    for (const query of queries) {
      assert(Array.isArray(store.memories.search(query, 5)), query);
      assert(Array.isArray(store.memories.relevant(query, new Set())), query);
    }
  });
});

describe("relevance", () => {
  const prompt = "rollback? the canary on staging fails after make ship";
  const shown = (text = prompt, session = "s1") =>
    store.memories.relevant(text, store.sessions.known(session));
  beforeEach(() => {
    fill(store);
    for (const number of [1, 2, 3, 4, 5])
      put(`deploy/${number}`, `staging canary ship rollback step${number}: make ship canary`);
  });

  it("shows at most three memories unasked, and none for other subjects or one word", () => {
    assert.equal(shown().length, brainLimits.relevantMemories);
    for (const text of ["rename this variable in the parser", "canary"])
      assert.deepEqual(shown(text), []);
  });

  it("shows nothing that has only a small part of what a prompt says", () => {
    put("a", "zebra giraffe budget");
    const others = [1, 2, 3, 4, 5, 6, 7, 8].map((it) => `subject${it} topic${it}`);
    for (const [index, words] of others.entries()) put(`b/${index}`, words);
    assert.equal(shown("zebra giraffe budget")[0]?.key, "a");
    const keys = keysOf(shown(`zebra giraffe budget ${others.join(" ")}`));
    assert(!keys.includes("a"), "three words of nineteen brought it up");
  });

  it("shows a memory to a session once in an epoch, and again after a change", () => {
    const known = (reason: "relevant" | "own", second: number) => {
      const marks = shown().map((memory) => ({ ...relevantMark(memory), reason }));
      store.sessions.markInjected("s1", marks, time(second));
      return marks.length;
    };
    assert.deepEqual([known("relevant", 10), known("own", 11), shown()], [3, 2, []]);
    assert.equal(shown(prompt, "s2").length, 3, "another session knows nothing of it");
    put("deploy/2", "staging canary ship: make ship canary, with a budget now", 12);
    assert.deepEqual(keysOf(shown()), ["deploy/2"]);
    store.sessions.beginEpoch("s1", time(13));
    assert.equal(shown().length, 3, "its context was emptied");
  });

  it("tells what was injected where and why, the newest first", () => {
    const [memory] = shown();
    assert(memory);
    const mark = relevantMark(memory, 9.5);
    const restore = { ...mark, reason: "restore", subject: "s0", version: 0 } as const;
    store.sessions.markInjected("s1", [mark, restore], time(10));
    store.sessions.beginEpoch("s1", time(11));
    store.sessions.markInjected("s2", [mark], time(12));
    const one = { session: "s1", epoch: 0, at: time(10) };
    assert.deepEqual(store.sessions.injections(10), [
      { ...mark, session: "s2", epoch: 0, at: time(12) },
      { ...restore, ...one },
      { ...mark, ...one },
    ]);
    assert.equal(store.stats().injections, 3);
  });
});

describe("listing", () => {
  it("lists by prefix, in pages, in the order of code points", () => {
    const keys = ["a", "a%", "a/1", "a/2", "a/\u{1f600}", "a/\uff5e", "a_", "b"];
    for (const key of keys) put(key, 1);
    const list = (prefix: string, limit: number, after?: string) =>
      keysOf(store.memories.list(prefix, limit, after));
    assert.deepEqual(list("a/", 3), ["a/1", "a/2", "a/\uff5e"]);
    assert.deepEqual(list("a/", 3, "a/\uff5e"), ["a/\u{1f600}"]);
    assert.deepEqual([list("a%", 10), list("A", 10), list("b", 10, "b")], [["a%"], [], []]);
    assert.deepEqual([list("", 100).length, list("", 3).length], [keys.length, 3]);
  });
});

describe("forgetting", () => {
  const patterns: [pattern: string, gone: string[]][] = [
    ["deploy/*", ["deploy/1", "deploy/22"]],
    ["deploy/?", ["deploy/1"]],
    ["*2*", ["deploy/22"]],
    ["team", ["team"]],
    ["DEPLOY/*", []],
    ["[a-z]*", []],
    ["*", ["deploy/1", "deploy/22", "team"]],
  ];
  it("forgets the keys that fit a pattern", () => {
    for (const [pattern, gone] of patterns) {
      const keys = ["deploy/1", "deploy/22", "team"];
      for (const key of keys) put(key, key);
      const forgotten = { memories: gone.length, snapshots: 0, events: 0 };
      assert.deepEqual(store.forget({ keys: pattern }), forgotten, pattern);
      const left = keys.filter((key) => !gone.includes(key));
      assert.deepEqual(listed(), left, pattern);
    }
  });

  it("forgets whatever holds a text, in any case, and what tells of it", () => {
    put("a", "password is Hunter2");
    put("hunter2/key", { port: 1 });
    put("b", ["deep", { note: "\u0000 HUNTER2" }]);
    put("c", "hunter 2");
    const memory = store.memories.retrieve("a");
    assert(memory);
    store.sessions.markInjected("s1", [relevantMark(memory)], time(2));
    const snapshot = { cli: "claude", at: time(3) };
    const contents = [{ last: ["it is hunter2"] }, { last: "fine" }];
    for (const [index, content] of contents.entries())
      store.sessions.saveSnapshot({ ...snapshot, session: `s${index + 1}`, content });
    const event = { kind: "event", text: "login with hunter2", source: "mail" } as const;
    store.sessions.saveEvent(event, time(4));
    const text = "hunter2";
    assert.deepEqual(store.forget({ text }), { memories: 3, snapshots: 1, events: 1 });
    assert.deepEqual(listed(), ["c"]);
    const left = ["s1", "s2"].map((it) => store.sessions.snapshotOf(it)?.session);
    assert.deepEqual(left, [undefined, "s2"]);
    assert.deepEqual([store.sessions.pendingEvents("s1"), store.sessions.injections(10)], [[], []]);
    assert.deepEqual(store.forget({ text }), { memories: 0, snapshots: 0, events: 0 });
  });
});

describe("loading", () => {
  it("takes memories over as they are; the newer state of a key wins", () => {
    const memory = (key: string, value: JsonValue, version: number, second: number): Memory => {
      const at = { created: time(0), updated: time(second) };
      return { key, value, tags: ["t"], source: "gemini", session: "s", version, ...at };
    };
    const memories = [memory("a", "uno", 7, 5), memory("b", { two: 2 }, 1, 5)];
    assert.deepEqual(store.memories.load(memories), { added: 2, replaced: 0, kept: 0 });
    assert.deepEqual(store.memories.list("", 10), memories);
    const newer = [memory("a", "old", 9, 4), memory("b", "new", 1, 6), memory("c", 3, 1, 1)];
    assert.deepEqual(store.memories.load(newer), { added: 1, replaced: 1, kept: 1 });
    const expected = [memories[0], memory("b", "new", 2, 6), newer[2]];
    assert.deepEqual(store.memories.list("", 10), expected);
    assert.equal(store.memories.search("uno", 5)[0]?.key, "a");
  });
});

describe("learning", () => {
  const look = (source: string, stamp: string, ...said: [string, string][]): SourceLook => {
    const drafts = said.map(([key, value]) => draft(key, value, { source: "consulta" }));
    return { source, stamp, drafts, said: JSON.stringify(drafts), at: time(1) };
  };

  it("learns each thing once, also when it was forgotten since", async () => {
    const first = look("s", "1", ["consulta/s/decision", "files"], ["consulta/s/x", "y"]);
    assert.equal(store.memories.learn(first), 2);
    assert.equal(store.memories.retrieve("consulta/s/decision")?.updated, time(1));
    assert.deepEqual([...(await again()).memories.learnedStamps()], [["s", "1"]]);
    store.forget({ keys: "consulta/*" });
    assert.equal(store.memories.learn({ ...first, stamp: "2" }), 0);
    assert.deepEqual([...store.memories.learnedStamps()], [["s", "2"]]);
    assert.deepEqual(listed(), []);
    const changed = look("s", "3", ["consulta/s/decision", "SQLite"]);
    assert.equal((await again()).memories.learn(changed), 1);
  });

  it("learns what is new, and leaves alone what somebody else said", () => {
    store.memories.learn(look("s", "1", ["a", "old"], ["b", "old"]));
    put("b", "corrected", 2, { source: "person" });
    assert.equal(store.memories.learn(look("s", "2", ["a", "new"], ["b", "new"])), 1);
    const values = ["a", "b"].map((key) => store.memories.retrieve(key)?.value);
    assert.deepEqual(values, ["new", "corrected"]);
    assert.equal(store.memories.learn(look("t", "1", ["a", "new"])), 1);
    assert.equal(store.memories.retrieve("a")?.version, 2);
  });
});

describe("sessions", () => {
  it("keeps the newest state of each field of a session", async () => {
    const snapshot = { session: "s1", cli: "claude", content: { last: "a", open: ["x"] } };
    store.sessions.saveSnapshot({ ...snapshot, at: time(1) });
    const later = { last: "b", summary: "sum" };
    store.sessions.saveSnapshot({ ...snapshot, content: later, at: time(2) });
    const expected = { ...snapshot, content: { ...snapshot.content, ...later }, at: time(2) };
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
    const latest = (except: string, since: number) =>
      store.sessions.latestSnapshot(except, time(since))?.session;
    assert.deepEqual([latest("new", 0), latest("s1", 0)], ["s1", "s3"]);
    assert.deepEqual([latest("s1", 3), latest("s1", 3.5)], ["s3", undefined]);
    const newest = (limit: number) => store.sessions.snapshots(limit).map(({ session }) => session);
    assert.deepEqual([newest(10), newest(1)], [["s1", "s3", "s2"], ["s1"]]);
  });

  it("keeps a session's latches apart from its snapshot", async () => {
    assert.equal(store.sessions.latches("s1"), undefined);
    store.sessions.saveLatches("s1", { memory_full: true }, time(1));
    store.sessions.saveLatches("s1", { hallucination_risk: false }, time(2));
    store.sessions.beginEpoch("s1", time(3));
    assert.deepEqual((await again()).sessions.latches("s1"), { hallucination_risk: false });
    assert.equal(store.sessions.latestSnapshot("s2", time(0)), undefined);
    assert.equal(store.stats().snapshots, 0);
  });
});

describe("events", () => {
  const news: EventDraft = { kind: "event", text: "CI failed on main\nsee run 7", source: "ci" };

  it("gives an event to the sessions that may have it until one took it", async () => {
    const idea = { kind: "suggestion", text: "run tests", source: "rule", session: "s1" } as const;
    const [first, second] = [
      store.sessions.saveEvent(news, time(1)),
      store.sessions.saveEvent(idea, time(2)),
    ];
    const forAll = { ...news, id: first, at: time(1) };
    const forOne = { ...idea, id: second, at: time(2) };
    const pending = (session: string) => store.sessions.pendingEvents(session);
    assert(store.sessions.hasEvents());
    assert.deepEqual((await again()).sessions.pendingEvents("s1"), [forAll, forOne]);
    assert.deepEqual(pending("s2"), [forAll]);
    store.sessions.markDelivered("s2", [first], time(3));
    assert.deepEqual([pending("s1"), pending("s2")], [[forOne], []]);
    assert.equal(store.stats().eventsPending, 1);
    store.sessions.markDelivered("s1", [second], time(3));
    assert(!store.sessions.hasEvents());
  });

  it("refuses one event too many", () => {
    const save = () => store.sessions.saveEvent(news, time(1));
    const ids = Array.from({ length: brainLimits.eventsPending }, save);
    assert.throws(save, hasCode("UNAVAILABLE", /1000 events wait/));
    store.sessions.markDelivered("s1", ids, time(2));
    assert(save() > Math.max(...ids));
  });
});

describe("what a brain keeps of the past", () => {
  it("is bounded: injections, sessions", () => {
    const mark = { reason: "event", subject: "1", version: 0 } as const;
    const count = brainLimits.injections + 5;
    const marks = Array.from({ length: count }, (_, characters) => ({ ...mark, characters }));
    store.sessions.markInjected("s1", marks, time(1));
    assert.equal(store.stats().injections, brainLimits.injections);
    assert.equal(store.sessions.injections(1)[0]?.characters, count - 1);
    const sessions = brainLimits.snapshots + 3;
    for (let number = 0; number < sessions; number += 1) {
      const snapshot = { session: `n${number}`, cli: "claude", content: { number } };
      store.sessions.saveSnapshot({ ...snapshot, at: time(number) });
    }
    assert.equal(store.stats().snapshots, brainLimits.snapshots);
    assert.equal(store.sessions.snapshotOf("n0"), undefined);
    assert.equal(store.sessions.latestSnapshot("x", time(0))?.session, `n${sessions - 1}`);
  });
});
