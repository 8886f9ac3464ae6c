import { ConsultaError } from "../../base/errors.ts";
import { isPlainLine } from "../../base/escape-untrusted-text.ts";
import { type JsonObject, type JsonValue, quote } from "../../base/json.ts";
import { millisecondsOf } from "../../base/time.ts";
import type {
  EventDraft,
  Forgetting,
  Injection,
  Memory,
  MemoryDraft,
  Snapshot,
} from "./brain-store.ts";
import { brainLimits } from "./limits.ts";
import { utf8Bytes } from "./searchable-text.ts";

/**
 * Refuses a memory that no store takes.
 * @throws ConsultaError REFUSED with what came, what was expected and what to do.
 */
export function checkMemoryDraft({ key, value, tags = [], source, ...draft }: MemoryDraft): void {
  checkKey(key);
  const bytes = typeof value === "string" ? utf8Bytes(value) : jsonBytes(value, "the value");
  if (bytes > brainLimits.memoryValueBytes) {
    const size = `the value has ${bytes} bytes; the limit is ${brainLimits.memoryValueBytes}`;
    refuse(`${size}: store what matters of it, or the path of a file that holds it`);
  }
  if (tags.length > brainLimits.memoryTags) {
    refuse(
      `${tags.length} tags came; the limit is ${brainLimits.memoryTags}: keep those that say most`,
    );
  }
  for (const tag of tags) checkWord(tag, "a tag", brainLimits.memoryTagCharacters);
  checkWord(source, "the source", brainLimits.memorySourceCharacters);
  if (draft.session !== undefined) checkSession(draft.session);
  const { ifVersion = 0 } = draft;
  if (!Number.isSafeInteger(ifVersion) || ifVersion < 0) {
    refuse(`ifVersion is ${ifVersion}; expected a version, or 0 for a key that is not there`);
  }
}

/** Refuses a memory of another store that no store takes. */
export function checkMemory(memory: Memory): void {
  checkMemoryDraft(memory);
  const { version, created, updated } = memory;
  if (!Number.isSafeInteger(version) || version < 1) {
    refuse(`the version of ${quote(memory.key)} is ${version}; expected a whole number from 1`);
  }
  for (const time of [created, updated]) checkTime(time);
}

export function checkTime(time: string): void {
  if (!Number.isNaN(millisecondsOf(time)) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time)) return;
  refuse(`${quote(time)} is no time; expected one such as 2026-04-22T14:35:00.000Z`);
}

export function checkKey(key: string): void {
  const bytes = utf8Bytes(key);
  if (bytes > brainLimits.memoryKeyBytes) {
    refuse(
      `the key has ${bytes} bytes; the limit is ${brainLimits.memoryKeyBytes}: choose a shorter one`,
    );
  }
  checkPlain(key, "a key");
}

export function checkSession(session: string): void {
  checkWord(session, "the id of a session", brainLimits.brainSessionCharacters);
}

export function checkEventDraft({ text, source, session }: EventDraft): void {
  const bytes = utf8Bytes(text);
  if (bytes > brainLimits.eventBytes) {
    refuse(
      `the event has ${bytes} bytes; the limit is ${brainLimits.eventBytes}: say it in fewer words`,
    );
  }
  if (text.trim() === "") refuse("the event has no text; expected some words");
  checkWord(source, "the source", brainLimits.memorySourceCharacters);
  if (session !== undefined) checkSession(session);
}

export function checkSnapshot({ session, cli }: Snapshot): void {
  checkSession(session);
  checkWord(cli, "the name of a CLI", brainLimits.memorySourceCharacters);
}

export function checkInjections(injections: readonly Injection[]): void {
  for (const { subject } of injections) checkKey(subject);
}

export function checkForgetting(what: Forgetting): void {
  // A slip of the hand shall not empty the store: `*` says that all is meant.
  if ("keys" in what ? what.keys === "" : what.text.trim() === "") {
    refuse("nothing says what to forget; give a pattern of keys such as deploy/* or * for all");
  }
}

/** How many things one call gives at most: what was asked for, within the limit. */
export function boundedCount(limit: number): number {
  return Math.min(Math.max(Math.floor(limit) || 0, 0), brainLimits.memoriesListed);
}

/** The JSON of an object that a store keeps whole. */
export function boundedJson(value: JsonObject, bytesMax: number, what: string): string {
  const bytes = jsonBytes(value, what);
  if (bytes > bytesMax) refuse(`${what} has ${bytes} bytes; the limit is ${bytesMax}: save less`);
  return JSON.stringify(value);
}

function jsonBytes(value: JsonValue, what: string): number {
  if (isDeeperThan(value, brainLimits.memoryValueLevels)) {
    refuse(`${what} is nested deeper than ${brainLimits.memoryValueLevels} levels; flatten it`);
  }
  return utf8Bytes(JSON.stringify(value));
}

/** By level and not by recursion: a value may be nested deeper than the stack. */
function isDeeperThan(value: JsonValue, levelsMax: number): boolean {
  let level: (JsonValue | undefined)[] = [value];
  for (let levels = 0; level.length > 0; levels += 1) {
    level = level.filter((item) => typeof item === "object" && item !== null);
    if (level.length > 0 && levels === levelsMax) return true;
    level = level.flatMap((item) => Object.values(item ?? {}));
  }
  return false;
}

function checkWord(word: string, what: string, charactersMax: number): void {
  if (word.length > charactersMax) {
    const size = `${what} has ${word.length} characters; the limit is ${charactersMax}`;
    refuse(`${size}: choose a shorter one`);
  }
  checkPlain(word, what);
}

function checkPlain(word: string, what: string): void {
  const isPlain = isPlainLine(word);
  if (word.trim() !== "" && isPlain) return;
  refuse(`${quote(word)} cannot be ${what}; expected some text without control characters`);
}

function refuse(reason: string): never {
  throw new ConsultaError("REFUSED", reason);
}
