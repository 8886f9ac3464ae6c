import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { ConsultaError } from "../../../scripts-src/base/errors.ts";
import type { BrainStore, EventDraft } from "../../../scripts-src/brain/rules/brain-store.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { draft, relevantMark, time } from "../check-brain-store.ts";
import { InMemoryStore } from "../in-memory-store.ts";
import { underBrainNode } from "../under-brain-node.ts";

/** A call of a store at some second; what it gives must not depend on the store. */
type Act = (store: BrainStore, second: number) => unknown;

const key = fc.constantFrom("a", "a/1", "a/2", "B", "__proto__", "k*y");
const longText = "a text that is long enough to be known again";
const value = fc.constantFrom(1, null, "x", longText, longText.toUpperCase(), [1], { a: "x" });
const session = fc.constantFrom("s1", "s2", "s3");
const tags = fc.constantFrom(undefined, [], ["x"], ["y", "x"]);
const ifVersion = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
const pattern = fc.constantFrom("a/*", "?", "*", "k*y", "zz");

const acts: fc.Arbitrary<[name: string, act: Act]> = fc.oneof(
  fc.tuple(key, value, tags, ifVersion).map(([k, v, t, version]): [string, Act] => {
    const more = { tags: t, ifVersion: version };
    return [`store ${k}`, (store, second) => store.store(draft(k, v, more), time(second))];
  }),
  key.map((k): [string, Act] => [`retrieve ${k}`, (store) => store.retrieve(k)]),
  key.map((k): [string, Act] => [`remove ${k}`, (store) => store.remove(k)]),
  fc.tuple(key, key).map(([prefix, k]): [string, Act] => {
    return [`list ${prefix} after ${k}`, (store) => store.list(prefix, 3, k)];
  }),
  pattern.map((keys): [string, Act] => [`forget ${keys}`, (store) => store.forget({ keys })]),
  fc.constantFrom("x", "text").map((text): [string, Act] => {
    return [`forget text ${text}`, (store) => store.forget({ text })];
  }),
  fc.tuple(key, value, fc.nat(30)).map(([k, v, second]): [string, Act] => {
    const dates = { created: time(0), updated: time(second) };
    const memory = { key: k, value: v, tags: [], source: "import", version: 2, ...dates };
    return [`load ${k}`, (store) => store.load([memory])];
  }),
  fc
    .tuple(key, value, fc.constantFrom("claude", "consulta"))
    .map(([k, v, source]): [string, Act] => {
      const learning = { digest: JSON.stringify([k, v]), draft: draft(k, v, { source }) };
      const act: Act = (store, second) =>
        store.learn([
          { source: k, stamp: String(v), learnings: [{ ...learning, at: time(second) }] },
        ]);
      return [`learn ${k}`, act];
    }),
  fc.tuple(session, key, fc.constantFrom("relevant", "own", "restore")).map((it): [string, Act] => {
    const [id, k, reason] = it;
    const act: Act = (store, second) => {
      const memory = store.retrieve(k);
      if (memory === undefined) return undefined;
      return store.markInjected(id, [{ ...relevantMark(memory), reason }], time(second));
    };
    return [`mark ${k} in ${id}`, act];
  }),
  session.map((id): [string, Act] => [
    `epoch of ${id}`,
    (store, second) => store.beginEpoch(id, time(second)),
  ]),
  fc.tuple(session, value).map(([id, v]): [string, Act] => {
    const snapshot = { session: id, cli: "claude", content: { [String(v).slice(0, 1)]: v } };
    return [`save ${id}`, (store, second) => store.saveSnapshot({ ...snapshot, at: time(second) })];
  }),
  session.map((id): [string, Act] => [
    `latest but ${id}`,
    (store, second) => [store.latestSnapshot(id, time(second - 20)), store.snapshotOf(id)],
  ]),
  fc.tuple(session, fc.boolean()).map(([id, isFull]): [string, Act] => {
    const act: Act = (store, second) => store.saveLatches(id, { isFull }, time(second));
    return [`latches of ${id}`, act];
  }),
  fc.option(session, { nil: undefined }).map((id): [string, Act] => {
    const event: EventDraft = { kind: "event", text: "CI failed", source: "ci", session: id };
    return [`event for ${id}`, (store, second) => store.saveEvent(event, time(second))];
  }),
  session.map((id): [string, Act] => {
    const act: Act = (store, second) => {
      const events = store.pendingEvents(id);
      const first = events.slice(0, 1).map((event) => event.id);
      store.markDelivered(id, first, time(second));
      return events;
    };
    return [`deliver to ${id}`, act];
  }),
);

await underBrainNode(import.meta.url, async () => {
  const { openSqliteStore } = await import("../../../scripts-src/brain/store/sqlite-store.ts");

  describe("the store over SQLite beside the one in memory", { timeout: 300_000 }, () => {
    let scratch: string;
    before(() => {
      scratch = makeScratchFolder();
    });
    after(() => removeFolder(scratch));

    it("gives the same answer to whatever is asked of it", async () => {
      let runs = 0;
      const walk = async (steps: [string, Act][]) => {
        runs += 1;
        const model = new InMemoryStore();
        const store = await openSqliteStore(join(scratch, String(runs)));
        try {
          for (const [second, [name, act]] of steps.entries()) {
            const [expected, given] = [model, store].map((it) => answer(() => act(it, second)));
            assert.deepEqual(given, expected, name);
          }
          assert.deepEqual(stateOf(store), stateOf(model));
        } finally {
          store.close();
        }
      };
      const steps = fc.array(acts, { minLength: 10, maxLength: 50 });
      await fc.assert(fc.asyncProperty(steps, walk), { numRuns: 60 });
    });
  });
});

function answer(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (error instanceof ConsultaError) return [error.code, error.message];
    throw error;
  }
}

/** All that can be seen of a store, but for its size on disk. */
function stateOf(store: BrainStore): unknown {
  const sessions = ["s1", "s2", "s3"].map((id) => [
    store.snapshotOf(id),
    store.latches(id),
    store.pendingEvents(id),
    store.injections(100, id),
  ]);
  return [
    store.list("", 100),
    store.injections(100),
    sessions,
    store.snapshots(2),
    { ...store.stats(), bytes: 0 },
    [...store.learnedStamps()],
  ];
}
