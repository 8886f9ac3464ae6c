import type { JsonValue } from "../../scripts-src/base/json.ts";
import type { Injection, Memory, MemoryDraft } from "../../scripts-src/brain/rules/records.ts";
import type { BrainStore } from "../../scripts-src/brain/store/brain-store.ts";

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
  store.memories.load(memories);
}
