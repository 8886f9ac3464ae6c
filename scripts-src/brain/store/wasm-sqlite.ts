import { dirname } from "node:path";
import type { DatabaseSync, SqlRow, SqlValue, Statement } from "node:sqlite";
import wasm from "node-sqlite3-wasm";
import { isDiskFull } from "../../files/disk.ts";

const results = { ioError: 10, full: 13, cannotOpen: 14 };

/**
 * SQLite as WebAssembly, by the names and with the result codes of `node:sqlite`. It keeps a log of changes only in the
 * exclusive mode; without one it would not know a transaction that was cut off from one that goes on.
 */
export class WasmDatabase implements DatabaseSync {
  readonly #database: CodedDatabase;
  readonly #statements = new Set<WasmStatement>();

  constructor(path: string, options: { readonly readOnly?: boolean } = {}) {
    try {
      this.#database = new CodedDatabase(path, options);
    } catch (error) {
      throw coded(error, results.cannotOpen);
    }
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  prepare(sql: string): Statement {
    const statement = new WasmStatement(this.#database, sql);
    this.#statements.add(statement);
    return statement;
  }

  /** A database with a statement that is not finalized stays open, and its lock with it. */
  close(): void {
    for (const statement of this.#statements) statement.finalize();
    this.#database.close();
  }
}

type Prepared = ReturnType<CodedDatabase["prepare"]>;

class WasmStatement implements Statement {
  readonly #database: CodedDatabase;
  readonly #sql: string;
  #prepared: Prepared | undefined;

  constructor(database: CodedDatabase, sql: string) {
    this.#database = database;
    this.#sql = sql;
    this.#prepared = database.prepare(sql);
  }

  run(...values: SqlValue[]): void {
    this.all(...values);
  }

  /** All rows are read, for one that is left unread keeps the log of changes from being cleared. */
  get(...values: SqlValue[]): SqlRow | undefined {
    return this.all(...values)[0];
  }

  all(...values: SqlValue[]): SqlRow[] {
    this.#prepared ??= this.#database.prepare(this.#sql);
    try {
      return this.#prepared.all(values);
    } catch (error) {
      // One that failed would fail once more at its next use.
      this.finalize();
      throw error;
    }
  }

  *iterate(...values: SqlValue[]): IterableIterator<SqlRow> {
    const once = this.#database.prepare(this.#sql);
    try {
      yield* once.iterate(values);
    } finally {
      finalize(once);
    }
  }

  finalize(): void {
    if (this.#prepared !== undefined) finalize(this.#prepared);
    this.#prepared = undefined;
  }
}

/** It throws what the statement has failed with before, and finalizes it all the same. */
function finalize(statement: Prepared): void {
  try {
    statement.finalize();
  } catch {
    return;
  }
}

/** Its errors have no code: this one gives them that of `node:sqlite`. */
class CodedDatabase extends wasm.Database {
  readonly #folder: string;

  constructor(path: string, options: { readonly readOnly?: boolean }) {
    super(path, options);
    this.#folder = dirname(path);
  }

  /** The package calls it with the result of each call of SQLite, also for its statements. */
  _handleError(result: number): void {
    try {
      Reflect.get(wasm.Database.prototype, "_handleError").call(this, result);
    } catch (error) {
      throw coded(error, this.#codeOf(result));
    }
  }

  /** To the package every failure to write is the same. */
  #codeOf(result: number): number {
    return result === results.ioError && isDiskFull(this.#folder) ? results.full : result;
  }
}

function coded(error: unknown, errcode: number): unknown {
  return error instanceof Error ? Object.assign(error, { errcode }) : error;
}
