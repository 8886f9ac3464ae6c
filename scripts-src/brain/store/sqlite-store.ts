import type { JsonObject } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import type {
  BrainEvent,
  BrainStore,
  EventDraft,
  ForgetResult,
  Forgetting,
  Injection,
  LoadResult,
  Match,
  Memory,
  MemoryDraft,
  PastInjection,
  Snapshot,
  SourceLook,
  StoreOutcome,
  StoreStats,
} from "../rules/brain-store.ts";
import { isByText } from "../rules/memory-change.ts";
import { relevance } from "../rules/relevance.ts";
import { checkForgetting, checkKey } from "../rules/validate-memory.ts";
import { BrainDatabase } from "./brain-database.ts";
import { CompactionTable } from "./compaction-table.ts";
import type { Owner } from "./database-owner.ts";
import { EventTable } from "./event-table.ts";
import { LearnedTable } from "./learned-table.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { MemorySearch } from "./memory-search.ts";
import { MemoryTable } from "./memory-table.ts";
import { SessionTable } from "./session-table.ts";

export interface SqliteStoreOptions {
  /** How well a memory has to fit to be shown unasked; see `relevance.factor`. */
  readonly relevanceFactor?: number;
  /** Whose brain it has to be; anybody's unless said. */
  readonly owner?: Owner;
}

/**
 * Opens the memory of a project; `folder` is made where it is missing.
 * @throws ConsultaError UNAVAILABLE on a Node without SQLite, or when the disk refuses; REFUSED
 * when the folder or a file in it is a link, or a Consulta with another schema wrote it.
 */
export async function openSqliteStore(
  folder: string,
  options: SqliteStoreOptions = {},
): Promise<SqliteStore> {
  return new SqliteStore(new BrainDatabase(await loadSqlite(), folder, options.owner), options);
}

/** The memory of a project in one SQLite database. */
export class SqliteStore implements BrainStore {
  readonly #database: BrainDatabase;
  readonly #memories: MemoryTable;
  readonly #search: MemorySearch;
  readonly #sessions: SessionTable;
  readonly #events: EventTable;
  readonly #compactions: CompactionTable;
  readonly #learned: LearnedTable;
  readonly #factor: number;

  constructor(database: BrainDatabase, { relevanceFactor = relevance.factor }: SqliteStoreOptions) {
    this.#database = database;
    this.#memories = new MemoryTable(database);
    this.#search = new MemorySearch(database, this.#memories);
    this.#sessions = new SessionTable(database, this.#memories);
    this.#events = new EventTable(database);
    this.#compactions = new CompactionTable(database);
    this.#learned = new LearnedTable(database, this.#memories);
    this.#factor = relevanceFactor;
  }

  store(draft: MemoryDraft, at: string): StoreOutcome {
    return this.#database.write(() => this.#memories.store(draft, at));
  }

  retrieve(key: string): Memory | undefined {
    return this.#database.read(() => this.#memories.retrieve(key));
  }

  search(query: string, limit: number): Match[] {
    return this.#database.read(() => this.#search.search(query, limit));
  }

  relevant(prompt: string, session: string): Match[] {
    return this.#database.read(() =>
      this.#search.relevant(prompt, this.#sessions.known(session), this.#factor),
    );
  }

  list(prefix: string, limit: number, after?: string): Memory[] {
    return this.#database.read(() => this.#memories.list(prefix, limit, after));
  }

  remove(key: string): boolean {
    checkKey(key);
    // None of them may bring it back.
    this.#database.backups.discardAll();
    return this.#database.write(() => this.#memories.remove(key));
  }

  forget(what: Forgetting): ForgetResult {
    checkForgetting(what);
    // First: what is cut off leaves a trace in no backup at least.
    this.#database.backups.discardAll();
    const forgotten = this.#database.write(() => this.#forget(what));
    // Also when nothing is left to forget: a call before this one may have been stopped half way.
    this.#database.scrub();
    this.#database.backUp();
    return forgotten;
  }

  #forget(what: Forgetting): ForgetResult {
    if (!isByText(what)) {
      return { memories: this.#memories.removeFitting(what.keys), snapshots: 0, events: 0 };
    }
    this.#sessions.forgetInjections(what.text);
    return {
      memories: this.#memories.removeHolding(what.text),
      snapshots: this.#sessions.forgetSnapshots(what.text),
      events: this.#events.forgetEvents(what.text),
    };
  }

  load(memories: readonly Memory[]): LoadResult {
    return this.#database.write(() => this.#memories.load(memories));
  }

  learn(looks: readonly SourceLook[]): number {
    return this.#database.write(() => this.#learned.learn(looks));
  }

  learnedStamps(): ReadonlyMap<string, string> {
    return this.#database.read(() => this.#learned.stamps());
  }

  markInjected(session: string, injections: readonly Injection[], at: string): void {
    this.#database.write(() => this.#sessions.markInjected(session, injections, at));
  }

  injections(limit: number, session?: string): PastInjection[] {
    return this.#database.read(() => this.#sessions.injections(limit, session));
  }

  beginEpoch(session: string, at: string): void {
    this.#database.write(() => this.#sessions.beginEpoch(session, at));
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#database.write(() => this.#sessions.saveSnapshot(snapshot));
  }

  snapshotOf(session: string): Snapshot | undefined {
    return this.#database.read(() => this.#sessions.snapshotOf(session));
  }

  snapshots(limit: number): Snapshot[] {
    return this.#database.read(() => this.#sessions.snapshots(limit));
  }

  latestSnapshot(exceptSession: string, since: string): Snapshot | undefined {
    return this.#database.read(() => this.#sessions.latestSnapshot(exceptSession, since));
  }

  saveLatches(session: string, latches: JsonObject, at: string): void {
    this.#database.write(() => this.#sessions.saveLatches(session, latches, at));
  }

  latches(session: string): JsonObject | undefined {
    return this.#database.read(() => this.#sessions.latches(session));
  }

  saveCompaction(of: string, tokens: number, at: string): void {
    this.#database.write(() => this.#compactions.save(of, tokens, at));
  }

  compaction(of: string): number | undefined {
    return this.#database.read(() => this.#compactions.tokens(of));
  }

  saveEvent(event: EventDraft, at: string): number {
    return this.#database.write(() => this.#events.saveEvent(event, at));
  }

  pendingEvents(session: string): BrainEvent[] {
    return this.#database.read(() => this.#events.pendingEvents(session));
  }

  awaited(): (string | null)[] {
    return this.#database.read(() => this.#events.awaited());
  }

  markDelivered(session: string, events: readonly number[], at: string): void {
    this.#database.write(() => this.#events.markDelivered(session, events, at));
  }

  stats(): StoreStats {
    return this.#database.read(() => ({
      memories: this.#memories.count(),
      snapshots: this.#sessions.countSnapshots(),
      eventsPending: this.#events.countPending(),
      injections: this.#sessions.countInjections(),
      bytes: this.#database.files.bytes(),
      setAside: this.#database.files.setAside(),
      ...defined({ loss: this.#database.files.loss() }),
    }));
  }

  backUp(): void {
    this.#database.backUp();
  }

  close(): void {
    this.#database.close();
  }
}
