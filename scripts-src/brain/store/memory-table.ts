import { ConsultaError } from "../../base/errors.ts";
import type { JsonValue } from "../../base/json.ts";
import { sha256 } from "../../files/hash.ts";
import type { LoadResult, Memory, MemoryDraft, StoreOutcome } from "../rules/brain-store.ts";
import { echoesCompared, echoOf, repeatTest } from "../rules/echo-detection.ts";
import { brainLimits } from "../rules/limits.ts";
import {
  changeMemory,
  fitsPattern,
  holdsText,
  literalStart,
  takeOver,
} from "../rules/memory-change.ts";
import { textOf } from "../rules/searchable-text.ts";
import { boundedCount, checkKey, checkMemory, checkMemoryDraft } from "../rules/validate-memory.ts";
import type { BrainDatabase } from "./brain-database.ts";
import { columnsOf, memoryOf } from "./memory-row.ts";
import { columnNumber, columnText } from "./sql-row.ts";

/** The memories themselves. Who calls opens the transaction. */
export class MemoryTable {
  readonly #database: BrainDatabase;

  constructor(database: BrainDatabase) {
    this.#database = database;
  }

  store(draft: MemoryDraft, at: string): StoreOutcome {
    checkMemoryDraft(draft);
    const of = this.#injectedAs(draft);
    if (of !== undefined) return { stored: false, refusal: "echo", of };
    const held = this.retrieve(draft.key);
    const { outcome, memory } = changeMemory(held, draft, this.#tally("version_floor"), at);
    if (memory !== undefined) this.#put(memory, held);
    return outcome;
  }

  /** The memory under another key whose text the brain put into a context. */
  #injectedAs({ key, value }: MemoryDraft): string | undefined {
    const echo = echoDigest(value);
    if (echo === null) return undefined;
    const sql = "select subject from injection where echo = ? and subject != ? limit 1";
    const row = this.#database.get(sql, echo, key);
    return row === undefined ? this.#repeated(key, textOf(value)) : columnText(row, "subject");
  }

  /** The memory that a text only repeats, among those that were injected lately. */
  #repeated(key: string, text: string): string | undefined {
    const latest = "select reason, subject from injection order by id desc limit ?";
    const sql = `select distinct memory.key as key, memory.text as text from (${latest})
      join memory on memory.key = subject where reason = 'relevant' and memory.key != ?`;
    const isRepeated = repeatTest(text);
    const row = this.#database
      .all(sql, echoesCompared, key)
      .find((injected) => isRepeated(columnText(injected, "text")));
    return row && columnText(row, "key");
  }

  retrieve(key: string): Memory | undefined {
    checkKey(key);
    const row = this.#database.get("select * from memory where key = ?", key);
    return row && memoryOf(row);
  }

  /** The memory in a row that an index named. */
  at(id: number): Memory | undefined {
    const row = this.#database.get("select * from memory where id = ?", id);
    return row && memoryOf(row);
  }

  count(): number {
    return this.#tally("memories");
  }

  #tally(column: "memories" | "version_floor"): number {
    return columnNumber(this.#database.get("select * from tally"), column);
  }

  load(memories: readonly Memory[]): LoadResult {
    for (const memory of memories) checkMemory(memory);
    let [added, replaced] = [0, 0];
    for (const memory of memories) {
      const held = this.retrieve(memory.key);
      const taken = takeOver(held, memory, this.#tally("version_floor"));
      if (taken === undefined) continue;
      this.#put(taken, held);
      if (held === undefined) added += 1;
      else replaced += 1;
    }
    return { added, replaced, kept: memories.length - added - replaced };
  }

  #put(memory: Memory, held: Memory | undefined): void {
    if (held === undefined) this.#checkRoom();
    const columns = columnsOf(memory);
    const names = Object.keys(columns);
    const marks = names.map(() => "?").join(", ");
    const changes = names.map((name) => `${name} = excluded.${name}`).join(", ");
    const insert = `insert into memory (${names.join(", ")}) values (${marks})`;
    // An upsert and no replacement: the row keeps its place, and the triggers see a change.
    this.#database.run(
      `${insert} on conflict (key) do update set ${changes}`,
      ...Object.values(columns),
    );
  }

  #checkRoom(): void {
    if (this.count() < brainLimits.memories) return;
    const reason = `the brain holds ${brainLimits.memories} memories, which is the limit`;
    throw new ConsultaError("REFUSED", `${reason}: forget some`);
  }

  list(prefix: string, limit: number, after = ""): Memory[] {
    const sql = "select * from memory where key >= ? and key > ? order by key limit ?";
    const rows = this.#database.all(sql, prefix, after, boundedCount(limit));
    return rows.map(memoryOf).filter(({ key }) => key.startsWith(prefix));
  }

  remove(key: string): boolean {
    const isThere = this.retrieve(key) !== undefined;
    this.#database.run("delete from memory where key = ?", key);
    return isThere;
  }

  removeFitting(pattern: string): number {
    const start = literalStart(pattern);
    const sql = "select key from memory where key >= ? order by key";
    const keys: string[] = [];
    for (const row of this.#database.each(sql, start)) {
      const key = columnText(row, "key");
      if (!key.startsWith(start)) break;
      if (fitsPattern(key, pattern)) keys.push(key);
    }
    return this.#removeAll(keys);
  }

  removeHolding(text: string): number {
    const keys: string[] = [];
    for (const row of this.#database.each("select * from memory")) {
      const memory = memoryOf(row);
      if (holdsText(memory, text)) keys.push(memory.key);
    }
    return this.#removeAll(keys);
  }

  #removeAll(keys: readonly string[]): number {
    for (const key of keys) this.#database.run("delete from memory where key = ?", key);
    return keys.length;
  }
}

/** How an injected text is known again; null when it is too short to be. */
export function echoDigest(value: JsonValue): string | null {
  const echo = echoOf(textOf(value));
  return echo === undefined ? null : sha256(echo, "base64");
}
