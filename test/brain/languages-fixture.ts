import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrainStore } from "../../scripts-src/brain/store/brain-store.ts";
import { time } from "./given.ts";

/**
 * A project's first 30 memories and what people who know four languages ask it. Everything that
 * relevance is judged by was chosen by the set `tuning` alone; the set `held-out` was written before.
 */
export type LanguageSet = "held-out" | "tuning";

interface Line {
  readonly kind: "memory" | "answered" | "off-topic" | "unanswered";
  readonly language: string;
  readonly key: string;
  readonly tags: string[];
  readonly value: string;
  readonly prompt: string;
  readonly expects: string[];
}

/** A prompt that was asked while a brain held some memories, and what it brought up. */
interface Answer {
  readonly line: Line;
  readonly memories: number;
  readonly keys: readonly string[];
}

export interface LanguageFigures {
  /** Of the prompts that a stored memory answers: asked in brains of 1 to 9 and of 10 to 30, */
  readonly asked: readonly [few: number, more: number];
  /** and those that were given it. */
  readonly found: readonly [few: number, more: number];
  /** The same in the largest brains, by language. */
  readonly byLanguage: ReadonlyMap<string, { readonly asked: number; readonly found: number }>;
  /** All prompts of a kind, and those for which any brain of any size gave anything. */
  readonly offTopic: number;
  readonly offTopicFired: readonly string[];
  readonly unanswered: number;
  readonly unansweredFired: readonly string[];
}

/** How many memories a brain has when it is asked: each size that may be the first. */
const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30];
const few = 9;
/** The same memories are stored in these orders, each begun with another one. */
const firsts = [0, 11, 19];

export function readLanguages(set: LanguageSet): Line[] {
  const path = join(import.meta.dirname, `languages-${set}.jsonl`);
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Lets a brain grow and asks each prompt at each size, in a session of its own. */
export async function measureLanguages(
  set: LanguageSet,
  open: () => Promise<BrainStore>,
): Promise<LanguageFigures> {
  const lines = readLanguages(set);
  const answers: Answer[] = [];
  for (const first of firsts) {
    const store = await open();
    answers.push(...askGrowing(store, lines, first));
    store.close();
  }
  return figuresOf(lines, answers);
}

function askGrowing(store: BrainStore, lines: readonly Line[], first: number): Answer[] {
  const all = lines.filter(({ kind }) => kind === "memory");
  const memories = [...all.slice(first), ...all.slice(0, first)];
  const prompts = lines.filter(({ kind }) => kind !== "memory");
  return memories.flatMap(({ key, tags, value }, index) => {
    store.memories.store({ key, tags, value, source: "person" }, time(index));
    const stored = memories.slice(0, index + 1).map((memory) => memory.key);
    if (!sizes.includes(stored.length)) return [];
    return prompts
      .filter(({ expects = [] }) => expects.every((expected) => stored.includes(expected)))
      .map((line) => {
        const keys = store.memories
          .relevant(line.prompt, store.sessions.known("fresh"))
          .map((match) => match.key);
        return { line, memories: stored.length, keys };
      });
  });
}

function figuresOf(lines: readonly Line[], answers: readonly Answer[]): LanguageFigures {
  const answered = answers.filter(({ line }) => line.kind === "answered");
  const halves = [
    answered.filter(({ memories }) => memories <= few),
    answered.filter(({ memories }) => memories > few),
  ] as const;
  const most = answered.filter(({ memories }) => memories === sizes.at(-1));
  const languages = [...new Set(lines.map(({ language }) => language))];
  const byLanguage = languages.map((language) => {
    const of = most.filter(({ line }) => line.language === language);
    return [language, { asked: of.length, found: foundIn(of) }] as const;
  });
  const count = (kind: Line["kind"]) => lines.filter((line) => line.kind === kind).length;
  const fired = (kind: Line["kind"]) => {
    const of = answers.filter(({ line, keys }) => line.kind === kind && keys.length > 0);
    return [...new Set(of.map(({ line }) => line.prompt))];
  };
  return {
    asked: [halves[0].length, halves[1].length],
    found: [foundIn(halves[0]), foundIn(halves[1])],
    byLanguage: new Map(byLanguage),
    offTopic: count("off-topic"),
    offTopicFired: fired("off-topic"),
    unanswered: count("unanswered"),
    unansweredFired: fired("unanswered"),
  };
}

function foundIn(answers: readonly Answer[]): number {
  return answers.filter(({ line, keys }) => keys.some((key) => line.expects.includes(key))).length;
}
