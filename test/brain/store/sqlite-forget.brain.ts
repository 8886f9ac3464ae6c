import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Memory } from "../../../scripts-src/brain/rules/records.ts";
import type { BrainStore } from "../../../scripts-src/brain/store/brain-store.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { draft, relevantMark, time } from "../given.ts";

const rounds = 12;
const perRound = 200;

import { openStore } from "../../../scripts-src/brain/store/brain-store.ts";
import { openRaw } from "../raw-database.ts";

describe("what a brain forgets", () => {
  let folder: string;
  let store: BrainStore;
  beforeEach(async () => {
    folder = makeScratchFolder();
    store = await openStore(folder);
  });
  afterEach(() => {
    store.close();
    removeFolder(folder);
  });

  /** Where a text still is: files, and words of the index, which are stored without their start. */
  function tracesOf(text: string): string[] {
    const files = readdirSync(folder).filter((name) => {
      // A lock is a folder.
      if (name.endsWith(".db.lock")) return false;
      return readFileSync(join(folder, name), "latin1").toLowerCase().includes(text);
    });
    // No other process can open the brain's own.
    const copy = makeScratchFolder();
    cpSync(folder, copy, { recursive: true });
    const database = openRaw(join(copy, "brain.db"));
    database.exec("create virtual table temp.word using fts5vocab(main, 'memory_index', 'row')");
    const sql = "select term from temp.word where instr(?, term) > 3 or instr(term, ?) > 0";
    const words = database.prepare(sql).all(text, text);
    database.close();
    removeFolder(copy);
    return [...files, ...words.map(({ term }) => String(term))];
  }

  it("leaves no trace in any file, however much it moved about before", () => {
    const random = makeRandom(11);
    for (let round = 0; round < rounds; round += 1) {
      const numbers = Array.from({ length: perRound }, (_, index) => round * perRound + index);
      store.memories.load(numbers.map((number) => makeMemory(number, random)));
      // Rows that go make the others move from page to page.
      store.forget({ text: `word${round} ` });
    }
    const secret = store.memories.search("filler word1 word2 word3", 5)[0];
    assert(secret);
    store.sessions.markInjected(
      "s1",
      [{ ...relevantMark(secret), subject: "key-zqxhunter/1" }],
      time(1),
    );
    const content = { last: "it was ZQXhunter", list: ["zqxhunter"] };
    store.sessions.saveSnapshot({ session: "s1", cli: "claude", content, at: time(1) });
    store.sessions.saveEvent({ kind: "event", text: "zqxhunter logged in", source: "ci" }, time(1));
    assert.notDeepEqual(tracesOf("zqxhunter"), []);
    const { memories, snapshots, events } = store.forget({ text: "zqxhunter" });
    assert(memories > 100 && snapshots === 1 && events === 1, `${memories} were forgotten`);
    assert.deepEqual(tracesOf("zqxhunter"), []);
    assert(store.stats().memories > 500);
    assert(store.memories.search("filler", 5).length > 0);
  });

  it("leaves no trace of what was removed or changed before, either", () => {
    store.memories.store(draft("key-zqxhunter", "before"), time(1));
    store.memories.store(draft("b", "the password is zqxhunter"), time(1));
    store.memories.store(draft("b", "the password is in the vault"), time(2));
    store.forget({ text: "zqxhunter" });
    assert.deepEqual(tracesOf("zqxhunter"), []);
  });

  it("gives the room back", () => {
    const random = makeRandom(5);
    store.memories.load(Array.from({ length: 2_000 }, (_, number) => makeMemory(number, random)));
    const before = store.stats().bytes;
    assert.equal(store.forget({ keys: "*" }).memories, 2_000);
    assert(store.stats().bytes * 4 < before);
  });
});

function makeMemory(number: number, random: () => number): Memory {
  const isSecret = random() < 0.2;
  const filler = "filler ".repeat(random() * 200);
  const value = `${filler}word${Math.floor(random() * 40)} ${isSecret ? "is zqxHunter indeed" : ""}`;
  const key = `${isSecret ? "key-zqxhunter" : "plain"}/${number}`;
  const tags = isSecret ? ["zqxhunter"] : [];
  const dates = { created: time(0), updated: time(0) };
  const isList = random() < 0.3;
  return { key, value: isList ? [value] : value, tags, source: "person", version: 1, ...dates };
}

/** The same numbers in every run. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}
