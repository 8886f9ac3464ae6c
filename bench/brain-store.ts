/**
 * Builds a brain of so many memories and measures it: `node bench/brain-store.ts FOLDER COUNT`, by a
 * Node that has SQLite. Prints one JSON object; bench/brain.ts runs it for several counts.
 */

import type { Memory } from "../scripts-src/brain/rules/records.ts";
import { openStore } from "../scripts-src/brain/store/brain-store.ts";

const vocabularyWords = 50_000;
const memoryWords = 60;
const promptWords = 10;
const batch = 1_000;
const at = "2026-01-01T00:00:00.000Z";

/** Milliseconds of CPU and of wall time that a call takes. */
interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

const [, , folder = "", countText = ""] = process.argv;
const count = Number(countText);
const random = makeRandom(1);
const words = makeVocabulary();
const store = await openStore(folder);

const built = costOf(() => {
  for (let first = 0; first < count; first += batch) {
    store.memories.load(
      Array.from({ length: Math.min(batch, count - first) }, (_, at) => memory(first + at)),
    );
  }
});
const { bytes } = store.stats();
const stores = costs(300, (number) => {
  store.memories.store({ key: `new/${number}`, value: text(memoryWords), source: "bench" }, at);
});
const retrievals = costs(2_000, () => {
  const key = keyOf(Math.floor(random() * count));
  if (store.memories.retrieve(key) === undefined) throw new Error(`${key} is not there`);
});
const relevances = costs(500, () =>
  store.memories.relevant(prompt(), store.sessions.known("session")),
);
const searches = costs(500, () => store.memories.search(prompt(), 10));
const [forgotten] = costs(1, () => store.forget({ keys: keyOf(0) }));
store.close();
const rssBytes = process.memoryUsage.rss();
console.log(
  JSON.stringify({
    count,
    bytes,
    rssBytes,
    built,
    stores,
    retrievals,
    relevances,
    searches,
    forgotten,
  }),
);

function costs(rounds: number, call: (number: number) => void): Cost[] {
  return Array.from({ length: rounds }, (_, number) => costOf(() => call(number)));
}

function costOf(call: () => void): Cost {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  call();
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000, wallMs: performance.now() - wall };
}

function memory(number: number): Memory {
  const value = text(memoryWords);
  const key = keyOf(number);
  return { key, value, tags: [], source: "bench", version: 1, created: at, updated: at };
}

function keyOf(number: number): string {
  return `area${number % 100}/memory-${number}`;
}

/** What a person types: common words and rare ones. */
function prompt(): string {
  return text(promptWords);
}

/** Words as often as in a natural language: the rank of a word says how rare it is. */
function text(length: number): string {
  return Array.from({ length }, () => {
    const rank = Math.floor(vocabularyWords ** random());
    return words[Math.min(rank, vocabularyWords) - 1] ?? "";
  }).join(" ");
}

function makeVocabulary(): string[] {
  const syllables = "ba de fi go lu ma ne pi ro su ta ve xi zo kra ste plu".split(" ");
  const made = new Set<string>();
  while (made.size < vocabularyWords) {
    const length = 2 + Math.floor(random() * 4);
    const parts = Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]);
    made.add(parts.join(""));
  }
  return [...made];
}

/** The same numbers in every run. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
