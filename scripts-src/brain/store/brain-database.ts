import type { DatabaseSync, SqlRow, SqlValue, Statement } from "node:sqlite";
import { ConsultaError } from "../../base/errors.ts";
import { BrainFiles, type Fault, nothingRestored } from "../brain-files.ts";
import { brainLimits } from "../rules/limits.ts";
import { Backups } from "./backups.ts";
import type { Owner } from "./database-owner.ts";
import type { Sqlite } from "./load-sqlite.ts";
import { openDatabase, rebuildIndex } from "./open-database.ts";
import { dropEvents, memoriesIn, newestSound } from "./select-backup.ts";
import { columnNumber } from "./sql-row.ts";
import { ForeignDatabase, isDamage, MissingDatabase, sqliteFailure } from "./sqlite-failure.ts";

/** So often a database has to look damaged, each time freshly opened, before it is moved aside. */
const looksMax = 2;

/**
 * The database of one brain: opened, kept sound, and replaced when it is damaged.
 *
 *   open --index damaged--> open, its index built again
 *   open --damaged, twice, and the disk gives all of it--> open, the newest backup, else a new one; the old one is beside it
 *   open --of another user's brain--> open, likewise
 *   open --its file was removed or emptied--> open, likewise, with no old one
 *   open --its file was replaced--> open, what is there now
 *   open --its folder was moved or removed--> closed, until it is back
 */
export class BrainDatabase {
  readonly files: BrainFiles;
  readonly backups: Backups;
  readonly #sqlite: Sqlite;
  readonly #owner: Owner | undefined;
  readonly #statements = new Map<string, Statement>();
  #database: DatabaseSync;
  #inode: number | undefined;

  constructor(sqlite: Sqlite, folder: string, owner?: Owner) {
    this.#sqlite = sqlite;
    this.#owner = owner;
    this.files = new BrainFiles(folder);
    this.backups = new Backups(folder);
    this.#database = this.#openOrReplace();
  }

  run(sql: string, ...values: SqlValue[]): void {
    this.#prepared(sql).run(...values);
  }

  get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
    return this.#prepared(sql).get(...values);
  }

  all(sql: string, ...values: SqlValue[]): SqlRow[] {
    return this.#prepared(sql).all(...values);
  }

  /** Rows one by one: write nothing in between. */
  each(sql: string, ...values: SqlValue[]): Iterable<SqlRow> {
    return this.#prepared(sql).iterate(...values);
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /**
   * Does `work` and all that it writes, durably, or nothing of it. Where it meets damage, the
   * database is mended or replaced, and the work is done once more.
   * @throws ConsultaError UNAVAILABLE when the disk or another process is in the way.
   */
  write<T>(work: () => T): T {
    return this.read(() => this.#transact(work));
  }

  /** Like `write`, for work that only reads. */
  read<T>(work: () => T): T {
    // What is written to a file that has lost its name is lost with it.
    const isSame = this.#database.isOpen && this.files.status()?.ino === this.#inode;
    if (!isSame) this.#reopen();
    const remedies = [() => this.#rebuildIndex(), () => this.#reopen(), () => this.#replace()];
    for (const remedy of [...remedies, undefined]) {
      try {
        return work();
      } catch (error) {
        if (!isDamage(error) || remedy === undefined) throw sqliteFailure(error, this.files.path);
        remedy();
      }
    }
    throw new Error("unreachable: the last try returns or throws");
  }

  #transact<T>(work: () => T): T {
    this.#database.exec("begin immediate");
    try {
      const result = work();
      this.#database.exec("commit");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec("rollback");
    } catch {
      // After some failures SQLite has rolled back already.
    }
  }

  /** SQLite does not always tell a damaged index from other damage: this helps, or does no harm. */
  #rebuildIndex(): void {
    try {
      rebuildIndex(this.#database);
    } catch (error) {
      if (!isDamage(error)) throw sqliteFailure(error, this.files.path);
    }
  }

  #replace(): void {
    this.close();
    this.#restore("damaged");
    this.#database = this.#openOrReplace();
  }

  /** Moves what is there aside and puts the newest backup in its place; first it keeps what is missing then. */
  #restore(fault: Fault): void {
    this.files.requireReadable();
    const backup = newestSound(this.backups, this.#reader);
    // Without a backup only what was damaged was this user's for certain.
    if (backup !== undefined || fault === "damaged")
      this.files.noteLoss(fault, backup?.text ?? nothingRestored);
    this.files.moveAside(fault);
    if (backup !== undefined)
      this.files.restoreFrom(backup.path, (draft) => dropEvents(draft, this.#reader));
  }

  get #reader() {
    return { sqlite: this.#sqlite, owner: this.#owner };
  }

  /**
   * Leaves no trace of what was removed. Rows are overwritten where they are removed, but a page
   * may hold an older copy of a row that once was moved, so all pages are written again.
   * @throws ConsultaError UNAVAILABLE when the disk is too full for that or another process reads;
   * the next call makes up for it.
   */
  scrub(): void {
    this.read(() => {
      // Once before as well: both logs together might not find room on the disk.
      this.#emptyLog();
      this.#database.exec("vacuum");
      this.#emptyLog();
    });
  }

  #emptyLog(): void {
    const row = this.#database.prepare("pragma wal_checkpoint(truncate)").get();
    if (columnNumber(row, "busy") === 0) return;
    const reason = `it is forgotten, but another process still reads ${this.files.path}`;
    throw new ConsultaError("UNAVAILABLE", `${reason}: end it and run this again`);
  }

  close(): void {
    this.#statements.clear();
    if (!this.#database.isOpen) return;
    try {
      this.#database.close();
    } catch (error) {
      // What cannot be closed in order is left to the next that opens it.
      if (!isDamage(error)) throw sqliteFailure(error, this.files.path);
    }
  }

  #reopen(): void {
    this.close();
    this.#database = this.#openOrReplace();
  }

  /** What looks damaged is opened once more: a disk that failed once has damaged nothing. */
  #openOrReplace(): DatabaseSync {
    let isExpected = () => this.backups.paths().length > 0;
    for (let looks = 1; ; looks += 1) {
      try {
        return this.#open(isExpected);
      } catch (error) {
        if (!isDamage(error) || looks > looksMax) throw sqliteFailure(error, this.files.path);
        if (looks < looksMax) continue;
        this.#restore(faultOf(error));
        isExpected = () => false;
      }
    }
  }

  /**
   * Makes the backup of the day, unless there is one or the database is too large for it.
   * @throws ConsultaError UNAVAILABLE when the disk refuses.
   */
  backUp(): void {
    if (this.files.bytes() > brainLimits.brainBackupBytes || !this.backups.areDue()) return;
    const copyTo = (path: string) => this.run("vacuum into ?", path);
    const holds = (path: string) => memoriesIn(path, this.#reader) ?? 0;
    this.read(() => this.backups.make(copyTo, holds));
  }

  #open(isExpected: () => boolean): DatabaseSync {
    const database = openDatabase(this.#sqlite, this.files, { owner: this.#owner, isExpected });
    this.#inode = this.files.status()?.ino;
    return database;
  }
}

function faultOf(error: unknown): Fault {
  if (error instanceof MissingDatabase) return "missing";
  return error instanceof ForeignDatabase ? "foreign" : "damaged";
}
