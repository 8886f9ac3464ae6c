import type { JsonObject, JsonValue } from "../../base/json.ts";

/** Something that one CLI learned and the other shall know. */
export interface Memory {
  readonly key: string;
  readonly value: JsonValue;
  readonly tags: readonly string[];
  /** Who said it, such as `claude`, `gemini` or `person`. */
  readonly source: string;
  /** The Consulta session that it comes from. */
  readonly session?: string;
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
  | { readonly stored: false; readonly refusal: "conflict"; readonly version: number }
  /** The value is the text of the memory `of`, which the brain itself put into a context. */
  | { readonly stored: false; readonly refusal: "echo"; readonly of: string };

/** The newest state of one CLI session: enough for the next one to go on from. */
export interface Snapshot {
  readonly session: string;
  readonly cli: string;
  /** Usage, last exchange, summary, open work: whatever the CLI's hooks gave. */
  readonly content: JsonObject;
  readonly at: string;
}

/** Why something is in a context; `own` was stored from that very session, which knows it anyway. */
export type InjectionReason = "relevant" | "restore" | "event" | "own" | "alert";

/** One thing that a session has in its context because of the brain. */
export interface Injection {
  readonly reason: InjectionReason;
  /** The key of the memory, the session of the snapshot, the number of the event, the alert. */
  readonly subject: string;
  /** The version of the memory; 0 for anything else. */
  readonly version: number;
  /** How well the memory matched, or how full the context was; null where nothing was measured. */
  readonly score: number | null;
  readonly characters: number;
}

export interface PastInjection extends Injection {
  readonly session: string;
  /** The session's epoch at that time. */
  readonly epoch: number;
  readonly at: string;
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
 * What to forget: all memories whose key fits (`*` any characters, `?` one), or whatever is kept -
 * memories, snapshots, events - that holds the text in any case.
 */
export type Forgetting = { readonly keys: string } | { readonly text: string };

export interface ForgetResult {
  readonly memories: number;
  readonly snapshots: number;
  readonly events: number;
}

export interface LoadResult {
  readonly added: number;
  readonly replaced: number;
  /** Those that the store holds in the same or a newer state. */
  readonly kept: number;
}

/** Something that a source says - a session, a journal - and that becomes a memory once. */
export interface Learning {
  /** Knows it again: what was learned once never is again, though somebody forgot it since. */
  readonly digest: string;
  readonly draft: MemoryDraft;
  /** When it was said. */
  readonly at: string;
}

/** What a source says at a time. */
export interface SourceLook {
  /** Knows the source again. */
  readonly source: string;
  /** Differs when the source may have changed. */
  readonly stamp: string;
  readonly learnings: readonly Learning[];
}

export interface StoreStats {
  readonly memories: number;
  readonly snapshots: number;
  readonly eventsPending: number;
  readonly injections: number;
  /** On disk, all files together. */
  readonly bytes: number;
  /** Databases that were damaged, or not ours, and moved away; a person may look into them. */
  readonly setAside: readonly string[];
  /** How the database was lost last, and what is in its place. */
  readonly loss?: string;
}

/**
 * The memory of one project. Every call that writes is durable when it returns, or throws and has
 * changed nothing. `session` is the id that a CLI gave its session; `at` is an ISO time in UTC.
 *
 * A `limit` above 1,000 stands for 1,000. All methods throw ConsultaError REFUSED for what is above a limit and UNAVAILABLE when the disk
 * is full, refuses, or another process holds the store for too long.
 */
export interface BrainStore {
  /** Stores a value under a key; a value and tags that are there already keep their version. */
  store(draft: MemoryDraft, at: string): StoreOutcome;

  retrieve(key: string): Memory | undefined;

  /** The memories that share words with the query, best first. */
  search(query: string, limit: number): Match[];

  /**
   * At most three memories that fit a prompt so well that the session should see them unasked,
   * best first; none that it has in its context since its epoch began.
   */
  relevant(prompt: string, session: string): Match[];

  /** Memories in the order of their keys' code points, those after `after` only. */
  list(prefix: string, limit: number, after?: string): Memory[];

  /** Removes one memory; false when it is not there. Only `forget` removes its last traces. */
  remove(key: string): boolean;

  /**
   * Removes without a trace, also of what was removed before: no index, log or free page holds it
   * when the call returns. It takes time that grows with the store. Databases that were set aside
   * and exports are not looked into.
   */
  forget(what: Forgetting): ForgetResult;

  /** Takes memories over as they are, in one go; a newer state of the same key stays. */
  load(memories: readonly Memory[]): LoadResult;

  /**
   * Stores what is new in these looks and remembers that it was, all in one go; returns how many
   * memories that makes. What somebody else has stored under a key stays.
   */
  learn(looks: readonly SourceLook[]): number;

  /** The stamp of the last look at each source. */
  learnedStamps(): ReadonlyMap<string, string>;

  /** Notes what a session has in its context now. */
  markInjected(session: string, injections: readonly Injection[], at: string): void;

  /** The newest injections first, of one session or of all. */
  injections(limit: number, session?: string): PastInjection[];

  /** Says that a session's context was emptied (compaction, clear): all may be injected again. */
  beginEpoch(session: string, at: string): void;

  /** Saves fields of a session's state; those saved before under other names stay. */
  saveSnapshot(snapshot: Snapshot): void;

  snapshotOf(session: string): Snapshot | undefined;

  /** The newest snapshots first. */
  snapshots(limit: number): Snapshot[];

  /** The newest snapshot of another session that is not older than `since`. */
  latestSnapshot(exceptSession: string, since: string): Snapshot | undefined;

  /** Replaces what is kept of a session: which alerts it was given, what it is still owed. */
  saveLatches(session: string, latches: JsonObject, at: string): void;

  latches(session: string): JsonObject | undefined;

  /** Keeps at how many tokens a CLI was seen to compact a model's context; `of` names both. */
  saveCompaction(of: string, tokens: number, at: string): void;

  compaction(of: string): number | undefined;

  /** Queues an event and returns its number. */
  saveEvent(event: EventDraft, at: string): number;

  /** What no session was given yet and this one may have, oldest first. */
  pendingEvents(session: string): BrainEvent[];

  /** For which sessions events wait, each once; null stands for whichever comes first. */
  awaited(): (string | null)[];

  markDelivered(session: string, events: readonly number[], at: string): void;

  stats(): StoreStats;

  /** Makes the backup of the day where there is none; what is forgotten is in no backup. */
  backUp(): void;

  close(): void;
}
