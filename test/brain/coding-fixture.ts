import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "../../scripts-src/base/json.ts";
import { type Memory, textOf } from "../../scripts-src/brain/rules/records.ts";
import type { BrainStore } from "../../scripts-src/brain/store/brain-store.ts";
import { time } from "./given.ts";

/** What a coding agent could have kept of a year with one project. */
export interface CodingMemory {
  readonly key: string;
  readonly tags: string[];
  readonly value: JsonValue;
}

/**
 * What a person types into a coding CLI. Figures are reported on prompts that no setting was chosen
 * by: those of the set `report`.
 */
export interface CodingPrompt {
  readonly set: "tuning" | "report";
  readonly prompt: string;
  /** The memories that should come up; none for a prompt that is about something else. */
  readonly expects: string[];
}

export const codingMemories: readonly CodingMemory[] = readLines("coding-memories.jsonl");
export const codingPrompts: readonly CodingPrompt[] = readLines("coding-prompts.jsonl");

export function storeCodingMemories(store: BrainStore): void {
  for (const memory of codingMemories)
    store.memories.store({ ...memory, source: "claude" }, time(0));
}

/** Memories that say nothing in the words of those that do. */
export function shuffledMemories(count: number): Memory[] {
  const words = codingMemories.flatMap(({ value }) => textOf(value).split(/\s+/));
  const dates = { created: time(0), updated: time(0) };
  return Array.from({ length: count }, (_, number) => {
    // A step that has no factor in common with the count of words visits all of them.
    const first = number * 7_919;
    const picked = Array.from(
      { length: 20 },
      (__, at) => words[(first + at * 104_729) % words.length],
    );
    const key = `shuffled/${count}-${number}`;
    return { key, value: picked.join(" "), tags: [], source: "person", version: 1, ...dates };
  });
}

export interface RelevanceFigures {
  /** Prompts about something else for which a memory came up all the same. */
  readonly falseAlarms: CodingPrompt[];
  readonly offTopic: number;
  readonly onTopic: number;
  /** Prompts for which one of the memories came up that should. */
  readonly found: number;
  readonly shown: number;
  readonly shownRightly: number;
}

/** Asks for each prompt in a session of its own what would be injected. */
export function measureRelevance(store: BrainStore, set: CodingPrompt["set"]): RelevanceFigures {
  const results = codingPrompts
    .filter((it) => it.set === set)
    .map((it) => {
      const keys = store.memories
        .relevant(it.prompt, store.sessions.known("fresh"))
        .map(({ key }) => key);
      return { it, keys, right: keys.filter((key) => it.expects.includes(key)) };
    });
  const onTopic = results.filter(({ it }) => it.expects.length > 0);
  const offTopic = results.filter(({ it }) => it.expects.length === 0);
  const sum = (counts: number[]) => counts.reduce((one, other) => one + other, 0);
  return {
    falseAlarms: offTopic.filter(({ keys }) => keys.length > 0).map(({ it }) => it),
    offTopic: offTopic.length,
    onTopic: onTopic.length,
    found: onTopic.filter(({ right }) => right.length > 0).length,
    shown: sum(onTopic.map(({ keys }) => keys.length)),
    shownRightly: sum(onTopic.map(({ right }) => right.length)),
  };
}

function readLines<T>(name: string): T[] {
  const text = readFileSync(join(import.meta.dirname, name), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
