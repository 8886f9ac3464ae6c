import type { JsonObject, JsonValue } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import type { PastInjection } from "./methods.ts";

/** Something that one CLI learned and the other shall know. */
export interface Memory {
  readonly key: string;
  readonly value: JsonValue;
  readonly tags: readonly string[];
  /** Who said it, such as `claude`, `gemini` or `person`. */
  readonly source: string;
  /** The Consulta session that it comes from. */
  readonly session?: string | undefined;
  /** Grows with each change of the key, also when the memory was removed in between. */
  readonly version: number;
  readonly created: string;
  readonly updated: string;
}

/** A memory that answers a query; the higher the score, the better. */
export interface Match extends Memory {
  readonly score: number;
}

export interface MemoryDraft {
  readonly key: string;
  readonly value: JsonValue;
  readonly tags?: readonly string[] | undefined;
  readonly source: string;
  readonly session?: string | undefined;
  /** Store only over this version; 0 stands for a key that is not there. */
  readonly ifVersion?: number | undefined;
}

export type StoreOutcome =
  | { readonly stored: true; readonly version: number; readonly created: boolean }
  /** The key is at another version than `ifVersion`; 0 when it is not there. */
  | { readonly stored: false; readonly version: number };

/** The newest state of one CLI session: enough for the next one to go on from. */
export interface Snapshot {
  readonly session: string;
  readonly cli: string;
  /** Last exchange and summary: whatever the CLI's hooks gave. */
  readonly content: JsonObject;
  readonly at: string;
}

/** One thing that a session has in its context because of the brain. */
export interface Injection {
  readonly reason: PastInjection["reason"];
  /** The key of the memory, the session of the snapshot, the number of the event, the alert. */
  readonly subject: string;
  /** The version of the memory; 0 for anything else. */
  readonly version: number;
  /** How well the memory matched, or how full the context was. */
  readonly score?: number | undefined;
  readonly characters: number;
}

/** News from outside (`event`) or a proposal of something to do (`suggestion`): data, never a command. */
export interface EventDraft {
  readonly kind: "event" | "suggestion";
  readonly text: string;
  readonly source: string;
  /** The CLI session that it is for; without it, whichever session comes first. */
  readonly session?: string | undefined;
}

export interface BrainEvent extends EventDraft {
  readonly id: number;
  readonly at: string;
}

/**
 * What storing `draft` over `held` makes of it; undefined where nothing changes, as to say the same again is no
 * news. A key that is not there begins above `versionFloor`, the highest version of all removed memories: else a
 * writer could take a new memory for the removed one.
 */
export function changedMemory(
  held: Memory | undefined,
  draft: MemoryDraft,
  versionFloor: number,
  at: string,
): Memory | undefined {
  const tags = draft.tags ?? held?.tags ?? [];
  const said = JSON.stringify([draft.value, tags]);
  if (held !== undefined && JSON.stringify([held.value, held.tags]) === said) return undefined;
  return {
    key: draft.key,
    value: draft.value,
    tags: [...tags],
    source: draft.source,
    ...defined({ session: draft.session }),
    version: (held?.version ?? versionFloor) + 1,
    created: held?.created ?? at,
    updated: at,
  };
}

/** What taking `memory` over from another store makes of `held`; undefined when `held` stays. */
export function takeOver(
  held: Memory | undefined,
  memory: Memory,
  versionFloor: number,
): Memory | undefined {
  if (held === undefined) return { ...memory, version: Math.max(memory.version, versionFloor + 1) };
  if (memory.updated <= held.updated) return undefined;
  return { ...memory, version: Math.max(memory.version, held.version + 1) };
}

/** Whether a memory holds a text that is to be forgotten. */
export function holdsText(memory: Memory, text: string): boolean {
  const { key, value, tags, source, session = "" } = memory;
  return hasText([key, textOf(value), ...tags, source, session].join("\n"), text);
}

/** Whether a text holds another, in any case. */
export function hasText(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/** What can be searched of a value: its strings, numbers and the names of its fields. */
export function textOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  if (value === null || value === undefined) return "";
  return Object.entries(value)
    .map(([name, field]) => `${name}\n${textOf(field)}`)
    .join("\n");
}
