import type { DatabaseSync, SqlRow, Statement } from "node:sqlite";
import { ConsultaError } from "../../base/errors.ts";
import { checkMemory } from "../rules/check-draft.ts";
import { type Backups, dayOf } from "./backups.ts";
import { applicationId } from "./brain-schema.ts";
import { isSignedBy, type Owner } from "./database-owner.ts";
import type { Sqlite } from "./load-sqlite.ts";
import { memoryOf } from "./memory-row.ts";
import { columnNumber } from "./sql-row.ts";
import { isDamage, resultOf } from "./sqlite-failure.ts";

/** What is kept of a table: where its rows may come from, and which of its columns hold JSON. */
interface KeptTable {
  readonly name: string;
  /** What a backup has may have been taken or done since: then it is read from the damaged one only. */
  readonly isInBackups: boolean;
  readonly json: readonly string[];
}

const tables: readonly KeptTable[] = [
  { name: "memory", isInBackups: true, json: ["json", "tags"] },
  { name: "session", isInBackups: true, json: ["latches", "content"] },
  { name: "learned", isInBackups: true, json: ["digests"] },
  { name: "compaction", isInBackups: true, json: [] },
  { name: "event", isInBackups: false, json: ["text"] },
  { name: "injection", isInBackups: false, json: [] },
];

export interface RescueOptions {
  readonly sqlite: Sqlite;
  readonly owner: Owner | undefined;
  readonly backups: Backups;
}

/**
 * Takes over into a new database what can be read of a damaged one, row by row, and what is missing
 * then from the newest backup; says what came of it. Only of this user's own is anything taken over.
 */
export function rescue(into: DatabaseSync, damaged: string, options: RescueOptions): string {
  const held = { memories: undefined as number | undefined };
  const read = taken(
    into,
    damaged,
    options,
    () => true,
    (from) => {
      held.memories = memoriesHeld(from);
    },
  );
  let [restored, day] = [0, ""];
  for (const path of options.backups.paths().reverse()) {
    const found = taken(into, path, options, ({ isInBackups }) => isInBackups);
    if (found === undefined) continue;
    [restored, day] = [found, dayOf(path)];
    break;
  }
  return lossText({ held: held.memories, read: read ?? 0, restored, day });
}

interface Rescued {
  /** How many memories there were, where that can still be read. */
  readonly held: number | undefined;
  readonly read: number;
  readonly restored: number;
  readonly day: string;
}

function lossText({ held, read, restored, day }: Rescued): string {
  const lost = held === undefined ? undefined : Math.max(0, held - read - restored);
  return [
    `${read}${held === undefined ? "" : ` of ${held}`} memories were read from it`,
    day === "" ? "there is no backup of it" : `${restored} came from the backup of ${day}`,
    lost === undefined ? "how many are lost is not known" : `${lost} lost`,
  ].join(", ");
}

/** How many memories were taken over from a database; undefined where it is not one of this user's. */
function taken(
  into: DatabaseSync,
  path: string,
  { sqlite, owner }: RescueOptions,
  isWanted: (table: KeptTable) => boolean,
  look: (from: DatabaseSync) => void = () => undefined,
): number | undefined {
  const from = new sqlite.DatabaseSync(path);
  try {
    from.exec("pragma trusted_schema = off");
    const isOurs = columnNumber(from.prepare("pragma application_id").get(), "application_id");
    if (isOurs !== applicationId || !(owner === undefined || isSignedBy(from, owner))) {
      return undefined;
    }
    look(from);
    const counts = tables.filter(isWanted).map((table) => copyTable(from, into, table));
    copyFloor(from, into);
    return counts[0] ?? 0;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  } finally {
    closeQuietly(from);
  }
}

function memoriesHeld(from: DatabaseSync): number | undefined {
  return orDamaged(() =>
    columnNumber(from.prepare("select memories from tally").get(), "memories"),
  );
}

/** Versions never go back, also of what was forgotten. */
function copyFloor(from: DatabaseSync, into: DatabaseSync): void {
  const floor = orDamaged(() => from.prepare("select version_floor from tally").get());
  if (floor === undefined) return;
  const sql = "update tally set version_floor = max(version_floor, ?)";
  into.prepare(sql).run(columnNumber(floor, "version_floor"));
}

function copyTable(from: DatabaseSync, into: DatabaseSync, { name, json }: KeptTable): number {
  const columns = into
    .prepare(`select name from pragma_table_info('${name}')`)
    .all()
    .map((row) => String(row["name"]))
    .filter((column) => column !== "id" || name === "session");
  const list = columns.join(", ");
  const marks = columns.map(() => "?").join(", ");
  const insert = into.prepare(`insert or ignore into ${name} (${list}) values (${marks})`);
  let count = 0;
  into.exec("begin immediate");
  for (const row of readableRows(from, name)) {
    if (!isWhole(name, row, json)) continue;
    const values = columns.map((column) => row[column] ?? null);
    count += Number(orRefused(() => insert.run(...values).changes) ?? 0) > 0 ? 1 : 0;
  }
  into.exec("commit");
  return count;
}

/** So many rows are read in one go; where that fails, half as many, down to each by itself. */
const rowsAtOnce = 512;
/** Beyond the last row that can be read there may be more, after damage. */
const rowsBeyond = 1_024;
/** After so many places in a row at which nothing can be read, no more is looked for. */
const missesMax = 16_384;

function* readableRows(from: DatabaseSync, table: string): Generator<SqlRow> {
  const last = lastRow(from, table);
  const reader = new RowReader(from, table);
  for (let first = 1; first <= last && reader.misses < missesMax; first += rowsAtOnce) {
    yield* reader.between(first, Math.min(last, first + rowsAtOnce - 1));
  }
}

class RowReader {
  readonly #statement: Statement | undefined;
  /** How many places could not be read since one could. */
  misses = 0;

  constructor(from: DatabaseSync, table: string) {
    const sql = `select * from ${table} where rowid between ? and ?`;
    this.#statement = orDamaged(() => from.prepare(sql));
  }

  between(first: number, last: number): SqlRow[] {
    const rows = orDamaged(() => this.#statement?.all(first, last));
    if (rows !== undefined) {
      this.misses = 0;
      return rows;
    }
    if (first >= last || this.misses >= missesMax) {
      this.misses += last - first + 1;
      return [];
    }
    const middle = Math.floor((first + last) / 2);
    return [...this.between(first, middle), ...this.between(middle + 1, last)];
  }
}

function lastRow(from: DatabaseSync, table: string): number {
  const sql = `select coalesce(max(rowid), 0) as last from ${table}`;
  const known = orDamaged(() => columnNumber(from.prepare(sql).get(), "last"));
  if (known !== undefined) return known;
  let last = 0;
  orDamaged(() => {
    for (const row of from.prepare(`select rowid as id from ${table} order by rowid`).iterate()) {
      last = columnNumber(row, "id");
    }
  });
  return last + rowsBeyond;
}

/** What a page that was written over left of a row may be readable and make no sense. */
function isWhole(table: string, row: SqlRow, json: readonly string[]): boolean {
  const texts = Object.values(row).filter((value) => typeof value === "string");
  if (texts.some((text) => text.includes("\ufffd"))) return false;
  try {
    for (const column of json) JSON.parse(String(row[column] ?? "null"));
    if (table === "memory") checkMemory(memoryOf(row));
    return true;
  } catch (error) {
    const isNonsense = error instanceof SyntaxError || error instanceof TypeError;
    if (isNonsense || error instanceof ConsultaError) return false;
    throw error;
  }
}

function orDamaged<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

const constraint = 19;

/** A row that the schema does not take is none of the brain's. */
function orRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (((resultOf(error) ?? 0) & 0xff) === constraint) return undefined;
    throw error;
  }
}

function closeQuietly(database: DatabaseSync): void {
  try {
    database.close();
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}
