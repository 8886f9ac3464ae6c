import type { SqlRow, SqlValue } from "node:sqlite";
import { refused } from "../../base/errors.ts";
import { defined } from "../../base/omit-undefined.ts";
import { brainLimits } from "../rules/limits.ts";
import {
  changedMemory,
  holdsText,
  type Match,
  type Memory,
  type MemoryDraft,
  type StoreOutcome,
  takeOver,
} from "../rules/records.ts";
import { indexedForms } from "../rules/search-words.ts";
import { searchedText } from "../rules/session-memories.ts";
import type { BrainDatabase } from "./database.ts";
import { MemorySearch } from "./search.ts";
import { columnNumber, columnText, textIfAny } from "./sqlite.ts";

export interface LoadResult {
  readonly added: number;
  readonly replaced: number;
  /** Those that the store holds in the same or a newer state. */
  readonly kept: number;
}

/** What a source, such as an ended session, says that becomes memories. */
export interface SourceLook {
  /** Knows the source again. */
  readonly source: string;
  /** Differs when the source may have changed. */
  readonly stamp: string;
  /** A digest of all that it says: what was learned once never is again, though somebody forgot it since. */
  readonly said: string;
  readonly drafts: readonly MemoryDraft[];
  /** When it was said. */
  readonly at: string;
}

/** The memories of a project. Every call that writes is durable when it returns, or throws and has changed nothing. */
export class MemoryTable {
  readonly #database: BrainDatabase;
  readonly #search: MemorySearch;

  constructor(database: BrainDatabase) {
    this.#database = database;
    this.#search = new MemorySearch(database, this);
  }

  /** Stores a value under a key; a value and tags that are there already keep their version. */
  store(draft: MemoryDraft, at: string): StoreOutcome {
    return this.#database.write(() => this.#store(draft, at));
  }

  #store(draft: MemoryDraft, at: string): StoreOutcome {
    const held = this.#held(draft.key);
    const { ifVersion } = draft;
    const version = held?.version ?? 0;
    if (ifVersion !== undefined && ifVersion !== version) return { stored: false, version };
    const memory = changedMemory(held, draft, this.#tally("version_floor"), at);
    if (memory === undefined) return { stored: true, version, created: false };
    this.#put(memory, held);
    return { stored: true, version: memory.version, created: held === undefined };
  }

  retrieve(key: string): Memory | undefined {
    return this.#database.read(() => this.#held(key));
  }

  #held(key: string): Memory | undefined {
    const row = this.#database.get("select * from memory where key = ?", key);
    return row && memoryOf(row);
  }

  /** The memory in a row that the index named. */
  at(id: number): Memory | undefined {
    const row = this.#database.get("select * from memory where id = ?", id);
    return row && memoryOf(row);
  }

  /** The memories that share words with the query, best first. */
  search(query: string, limit: number): Match[] {
    return this.#database.read(() => this.#search.search(query, limit));
  }

  /**
   * At most three memories that fit a prompt so well that a session should see them unasked, best first; none
   * that it knows, by the names that `knownAs` gives.
   */
  relevant(prompt: string, known: ReadonlySet<string>): Match[] {
    return this.#database.read(() => this.#search.relevant(prompt, known));
  }

  count(): number {
    return this.#tally("memories");
  }

  #tally(column: "memories" | "version_floor"): number {
    return columnNumber(this.#database.get("select * from tally"), column);
  }

  /** Takes memories over as they are, in one go; a newer state of the same key stays. */
  load(memories: readonly Memory[]): LoadResult {
    return this.#database.write(() => {
      let [added, replaced] = [0, 0];
      for (const memory of memories) {
        const held = this.#held(memory.key);
        const taken = takeOver(held, memory, this.#tally("version_floor"));
        if (taken === undefined) continue;
        this.#put(taken, held);
        if (held === undefined) added += 1;
        else replaced += 1;
      }
      return { added, replaced, kept: memories.length - added - replaced };
    });
  }

  #put(memory: Memory, held: Memory | undefined): void {
    if (held === undefined && this.count() >= brainLimits.memories) {
      const reason = `the brain holds ${brainLimits.memories} memories, which is the limit`;
      throw refused(`${reason}: forget some`);
    }
    const columns = columnsOf(memory);
    const names = Object.keys(columns);
    const marks = names.map(() => "?").join(", ");
    const changes = names.map((name) => `${name} = excluded.${name}`).join(", ");
    // An upsert and no replacement: the row keeps its place, and the triggers see a change.
    const sql = `insert into memory (${names.join(", ")}) values (${marks})
      on conflict (key) do update set ${changes}`;
    this.#database.run(sql, ...Object.values(columns));
  }

  /** Memories in the order of their keys' code points, those after `after` only. */
  list(prefix: string, limit: number, after = ""): Memory[] {
    const sql = "select * from memory where key >= ? and key > ? order by key limit ?";
    const rows = this.#database.read(() => this.#database.all(sql, prefix, after, limit));
    return rows.map(memoryOf).filter(({ key }) => key.startsWith(prefix));
  }

  /** For `forget`, which opens the transaction: `*` stands for any characters, `?` for one. */
  removeFitting(pattern: string): number {
    const glob = pattern.replaceAll("[", "[[]");
    const rows = this.#database.all("select key from memory where key glob ?", glob);
    return this.#removeAll(rows.map((row) => columnText(row, "key")));
  }

  /** For `forget`, as above. */
  removeHolding(text: string): number {
    const keys: string[] = [];
    for (const row of this.#database.each("select * from memory")) {
      const memory = memoryOf(row);
      if (holdsText(memory, text)) keys.push(memory.key);
    }
    return this.#removeAll(keys);
  }

  #removeAll(keys: readonly string[]): number {
    const before = this.count();
    for (const key of keys) this.#database.run("delete from memory where key = ?", key);
    return before - this.count();
  }

  /** Stores what a source says, unless it was learned before; what somebody else has stored stays. */
  learn({ source, stamp, said, drafts, at }: SourceLook): number {
    return this.#database.write(() => {
      const row = this.#database.get("select said from learned where source = ?", source);
      const isKnown = row !== undefined && columnText(row, "said") === said;
      const fresh = isKnown ? [] : drafts.filter((draft) => this.#isFree(draft));
      for (const draft of fresh) this.#store(draft, at);
      this.#database.run(
        `insert into learned (source, stamp, said) values (?, ?, ?)
          on conflict (source) do update set stamp = excluded.stamp, said = excluded.said`,
        ...[source, stamp, said],
      );
      return fresh.length;
    });
  }

  #isFree({ key, source }: MemoryDraft): boolean {
    const held = this.#held(key);
    return held === undefined || held.source === source;
  }

  /** The stamp of the last look at each source. */
  learnedStamps(): ReadonlyMap<string, string> {
    const sql = "select source, stamp from learned";
    const rows = this.#database.read(() => this.#database.all(sql));
    return new Map(rows.map((row) => [columnText(row, "source"), columnText(row, "stamp")]));
  }
}

function columnsOf(memory: Memory): Record<string, SqlValue> {
  const text = searchedText(memory);
  const isPlain = memory.value === text && text.isWellFormed() && !text.includes("\0");
  const tags = JSON.stringify(memory.tags);
  return {
    key: memory.key,
    text: isPlain ? text : text.toWellFormed().replaceAll("\0", " "),
    json: isPlain ? null : JSON.stringify(memory.value),
    tags,
    names: indexedForms(`${memory.key} ${tags} ${text}`).join(" "),
    source: memory.source,
    session: memory.session ?? null,
    version: memory.version,
    created: memory.created,
    updated: memory.updated,
  };
}

/** @throws TypeError for a row that is not as the schema has it. */
function memoryOf(row: SqlRow): Memory {
  const json = textIfAny(row, "json");
  return {
    key: columnText(row, "key"),
    value: json === undefined ? columnText(row, "text") : JSON.parse(json),
    tags: JSON.parse(columnText(row, "tags")),
    source: columnText(row, "source"),
    ...defined({ session: textIfAny(row, "session") }),
    version: columnNumber(row, "version"),
    created: columnText(row, "created"),
    updated: columnText(row, "updated"),
  };
}
