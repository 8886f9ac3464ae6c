import type { DatabaseSync, SqlRow } from "node:sqlite";
import { unavailable } from "../../base/errors.ts";

/** The one place that knows which SQLite it is: its module, its result codes, the values of its rows. */
export interface Sqlite {
  readonly DatabaseSync: typeof DatabaseSync;
  /** Whether the system lets go of a lock when its process dies; else it stays, as a folder `NAME.lock`. */
  readonly locksEnd: boolean;
}

/**
 * Node's own SQLite where it has the full-text search that the brain needs (22.16 and later), else the one that
 * comes with the skill `brain`.
 * @throws ConsultaError UNAVAILABLE, in one line, where neither is there.
 */
export async function loadSqlite(): Promise<Sqlite> {
  const own = await ownSqlite();
  if (own !== undefined) return own;
  try {
    const { WasmDatabase } = await import("./wasm-sqlite.ts");
    return { DatabaseSync: WasmDatabase, locksEnd: false };
  } catch (cause) {
    const reason = `Node ${process.versions.node} has no SQLite for the brain`;
    const way = "install the skill brain beside this one, or use Node 22.16 or later";
    throw unavailable(`${reason}: ${way}`, { cause });
  }
}

async function ownSqlite(): Promise<Sqlite | undefined> {
  const { emitWarning } = process;
  // Node 22 says on standard error that it is experimental.
  process.emitWarning = () => undefined;
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const probe = new DatabaseSync(":memory:");
    probe.exec("create virtual table probe using fts5(text)");
    probe.close();
    return { DatabaseSync, locksEnd: true };
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Why a database cannot be used: it is not whole, no brain of this user made it, or it is not there. */
export type Fault = "damaged" | "foreign" | "missing";

/** A database that has to be replaced before anything can be done with it. */
export class UnusableDatabase extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, reason: string) {
    super(reason);
    this.fault = fault;
  }
}

const corrupt = 11;
const noDatabase = 26;
const held =
  "another process holds it, such as a brain that cannot be reached from here; end that one or try again later";
/** The results of SQLite that a person can do something about. */
const advice: ReadonlyMap<number, string> = new Map([
  [3, "permission is denied; check who owns the file and its folder"],
  [5, held],
  [6, held],
  [7, "the machine is out of memory; close some programs and run this again"],
  [8, "it is read-only; make the file and its folder writable"],
  [10, "the disk fails; check it and its free space, then run this again"],
  [13, "the disk is full; free some space and run this again"],
  [14, "it cannot be opened; check the folder, its owner and the free space"],
  [15, held],
]);

/** What is wrong with a database, by an error of SQLite or of ours; undefined where it is not at fault. */
export function faultIn(error: unknown): Fault | undefined {
  if (error instanceof UnusableDatabase) return error.fault;
  return [corrupt, noDatabase].includes(resultOf(error) ?? 0) ? "damaged" : undefined;
}

/**
 * A fault that SQLite found in a page, as an error: damage, or a disk that did not give the page, which SQLite
 * tells by a code within its text.
 */
export function pageFault(text: string, path: string): Error {
  const code = Number(/error code[ =]+(\d+)/.exec(text)?.[1] ?? corrupt) & 0xff;
  const reason = [corrupt, noDatabase].includes(code) ? undefined : advice.get(code);
  if (reason === undefined) return new UnusableDatabase("damaged", text);
  return unavailable(`cannot use ${path}: ${reason}`);
}

/** Turns what SQLite refuses into UNAVAILABLE, one line with a way out; else returns it as it is. */
export function sqliteFailure(cause: unknown, path: string): unknown {
  const way = advice.get(resultOf(cause) ?? 0);
  const reason = faultIn(cause) === undefined ? way : "it is damaged; move it away";
  if (reason === undefined) return cause;
  const details = reason === held ? ({ cause, reason: "held" } as const) : { cause };
  return unavailable(`cannot use ${path}: ${reason}`, details);
}

/** The result code of a failed call of SQLite; undefined for every other error. */
function resultOf(error: unknown): number | undefined {
  if (!(error instanceof Error && "errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

/** Readers for the columns of a row; a column of another kind than the schema's is a bug. */
export function columnText(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new TypeError(`${column} is ${typeof value}, expected text`);
}

export function textIfAny(row: SqlRow, column: string): string | undefined {
  return row[column] === null ? undefined : columnText(row, column);
}

export function columnNumber(row: SqlRow | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value === "number") return value;
  throw new TypeError(`${column} is ${typeof value}, expected a number`);
}
