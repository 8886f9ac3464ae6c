import { randomBytes } from "node:crypto";
import { constants, fchmodSync, ftruncateSync } from "node:fs";
import { basename, join } from "node:path";
import type { DatabaseSync, SqlRow, SqlValue, Statement } from "node:sqlite";
import { refused, unavailable } from "../../base/errors.ts";
import { plural } from "../../base/plural.ts";
import { fileStamp, isoSecond } from "../../base/time.ts";
import { diskFailure, statSync } from "../../files/disk.ts";
import { folderIdentity } from "../../files/folder-identity.ts";
import { isSameText } from "../../files/hash.ts";
import { checkOwner } from "../../files/ownership.ts";
import { refuseOtherNames, syncFile, syncFolder, withRegularFile } from "../../files/safe-open.ts";
import { ensureFolder, safeJoin } from "../../files/safe-path.ts";
import { databaseProof } from "../endpoint.ts";
import { brainLimits } from "../rules/limits.ts";
import { Backups } from "./backups.ts";
import { Holder } from "./holder.ts";
import { applicationId, schema, schemaVersion, settings } from "./schema.ts";
import {
  columnNumber,
  columnText,
  type Fault,
  faultIn,
  pageFault,
  type Sqlite,
  sqliteFailure,
  textIfAny,
  UnusableDatabase,
} from "./sqlite.ts";

/** Whose brain opens a database; `adopts` takes over one that was made under another key. */
export interface Owner {
  readonly key: string;
  readonly adopts: boolean;
}

/** What SQLite keeps beside a database: its log of changes and that log's index. */
const companions = ["-wal", "-shm"];
/** Up to this size a database is looked through when it is opened; a larger one takes too long. */
const checkedBytesMax = 16_777_216;
/** So often a database has to look damaged, each time freshly opened, before it is moved aside. */
const looksMax = 2;

/**
 * The database of one brain: opened, kept sound, and replaced by the newest backup when it is damaged, of another
 * user's brain, or gone; the old one is moved aside. What is missing then, `loss` says.
 */
export class BrainDatabase {
  readonly backups: Backups;
  readonly #sqlite: Sqlite;
  readonly #folder: string;
  readonly #path: string;
  readonly #owner: Owner | undefined;
  readonly #statements = new Map<string, Statement>();
  /** Which folder it was when it was used first. */
  readonly #inodeOfFolder: string | undefined;
  readonly #holder: Holder;
  #database: DatabaseSync;
  #inode: number | undefined;

  /** @throws ConsultaError UNAVAILABLE, with the reason "held" where another process has it. */
  constructor(sqlite: Sqlite, folder: string, owner?: Owner) {
    ensureFolder(folder);
    this.#sqlite = sqlite;
    this.#folder = folder;
    this.#path = join(folder, "brain.db");
    this.#owner = owner;
    this.#inodeOfFolder = folderIdentity(folder)?.inode;
    this.backups = new Backups(folder);
    this.#holder = new Holder(folder, sqlite.locksEnd ? this.#takeLock() : undefined);
    try {
      this.#database = this.#openOrReplace();
    } catch (error) {
      this.#holder.letGo();
      throw error;
    }
  }

  /** Nobody else opens, or replaces, the database: the lock's own file stays where it is. */
  #takeLock(): DatabaseSync {
    const path = join(this.#folder, "brain.lock");
    this.#makeFile(path, ["-journal", ...companions], (file) => ftruncateSync(file));
    let lock: DatabaseSync | undefined;
    try {
      lock = new this.#sqlite.DatabaseSync(path);
      lock.exec("pragma busy_timeout = 3000; pragma journal_mode = memory; begin exclusive");
      return lock;
    } catch (error) {
      lock?.close();
      throw sqliteFailure(error, path);
    }
  }

  run(sql: string, ...values: SqlValue[]): void {
    this.#prepared(sql).run(...values.map(bound));
  }

  get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
    return this.#prepared(sql).get(...values.map(bound));
  }

  all(sql: string, ...values: SqlValue[]): SqlRow[] {
    return this.#prepared(sql).all(...values.map(bound));
  }

  count(sql: string, ...values: SqlValue[]): number {
    return columnNumber(this.get(`select count(*) as count from ${sql}`, ...values), "count");
  }

  /** Rows one by one: write nothing in between. */
  each(sql: string, ...values: SqlValue[]): Iterable<SqlRow> {
    return this.#prepared(sql).iterate(...values.map(bound));
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  /**
   * Does `work` and all that it writes, durably, or nothing of it. Where it meets damage, the database is
   * replaced, and the work is done once more.
   * @throws ConsultaError UNAVAILABLE when the disk is in the way.
   */
  write<T>(work: () => T): T {
    return this.read(() => {
      this.#database.exec("begin immediate");
      try {
        const result = work();
        this.#database.exec("commit");
        return result;
      } catch (error) {
        this.#rollBack();
        throw error;
      }
    });
  }

  #rollBack(): void {
    try {
      this.#database.exec("rollback");
    } catch {
      // After some failures SQLite has rolled back already.
    }
  }

  /** Like `write`, for work that only reads. */
  read<T>(work: () => T): T {
    // What is written to a file that has lost its name is lost with it.
    if (!this.#database.isOpen || !this.#isInPlace()) this.#reopen();
    const remedies = [() => this.#reopen(), () => this.#replace("damaged"), undefined];
    for (const remedy of remedies) {
      try {
        return work();
      } catch (error) {
        if (faultIn(error) === undefined || remedy === undefined) {
          throw sqliteFailure(error, this.#path);
        }
        remedy();
      }
    }
    throw new Error("unreachable: the last try returns or throws");
  }

  /**
   * Leaves no trace of what was removed: a page may hold an older copy of a row that once was moved, so all pages
   * are written again.
   * @throws ConsultaError UNAVAILABLE when the disk is too full for that; the next call makes up for it.
   */
  scrub(): void {
    this.read(() => {
      // Once before as well: both logs together might not find room on the disk.
      this.#database.exec("pragma wal_checkpoint(truncate)");
      this.#database.exec("vacuum");
      this.#database.exec("pragma wal_checkpoint(truncate)");
    });
  }

  /** Makes the backup of the day, unless there is one or the database is too large for it. */
  backUp(): void {
    if (this.bytes() > brainLimits.brainBackupBytes || !this.backups.areDue()) return;
    this.read(() => this.backups.make((path) => this.run("vacuum into ?", path)));
  }

  /** The bytes of all files together. */
  bytes(): number {
    return ["", ...companions]
      .map((ending) => statSync(`${this.#path}${ending}`)?.size ?? 0)
      .reduce((sum, size) => sum + size, 0);
  }

  /** How the database was lost last, and what is in its place. */
  loss(): string | undefined {
    const row = this.get("select loss from origin");
    return row && textIfAny(row, "loss");
  }

  close(): void {
    this.#closeDatabase();
    this.#holder.letGo();
  }

  #isInPlace(): boolean {
    return statSync(this.#path)?.ino === this.#inode;
  }

  #closeDatabase(): void {
    this.#statements.clear();
    // One that has lost its name is left alone: it would clear away the log of what has its name now.
    if (!this.#database.isOpen || !this.#isInPlace()) return;
    try {
      this.#database.close();
    } catch (error) {
      // What cannot be closed in order is left to the next that opens it.
      if (faultIn(error) === undefined) throw sqliteFailure(error, this.#path);
    }
  }

  #reopen(): void {
    this.#closeDatabase();
    this.#database = this.#openOrReplace();
  }

  #replace(fault: Fault): void {
    this.#closeDatabase();
    this.#database = this.#openInPlaceOf(fault);
  }

  /** What looks damaged is opened once more: a disk that failed once has damaged nothing. */
  #openOrReplace(): DatabaseSync {
    for (let looks = 1; ; looks += 1) {
      try {
        return this.#open();
      } catch (error) {
        const fault = faultIn(error);
        if (fault === undefined) throw sqliteFailure(error, this.#path);
        if (looks === looksMax) return this.#openInPlaceOf(fault);
      }
    }
  }

  /** Moves what is there aside and opens the newest backup in its place, or else a new database. */
  #openInPlaceOf(fault: Fault): DatabaseSync {
    const time = isoSecond(Date.now());
    const endings = fault === "missing" ? companions : ["", ...companions];
    this.backups.requireReadable(endings.map((ending) => `${this.#path}${ending}`));
    const backup = this.backups.newest((path) => this.#memoriesIn(path));
    const loss = `${time} ${faultTexts[fault]}: ${
      backup === undefined
        ? "there is no backup of it, all that it held is missing"
        : `the backup of ${backup.day} is in its place, ${plural(backup.holds, "memory", "memories")}; what was stored since is missing`
    }`;
    this.backups.moveAside(this.#path, endings, `brain.${fault}-${fileStamp(time)}`);
    if (backup !== undefined) {
      this.backups.restore(backup.path, this.#path, (draft) => {
        const copy = new this.#sqlite.DatabaseSync(draft);
        // News that waited when the backup was made may have been told since.
        copy.exec("pragma trusted_schema = off; delete from event where taken is null");
        copy.prepare("update origin set loss = ?").run(loss);
        copy.close();
      });
    }
    try {
      return this.#open(loss);
    } catch (error) {
      throw sqliteFailure(error, this.#path);
    }
  }

  /** How many memories a backup holds; undefined where it is damaged or no brain of this user made it. */
  #memoriesIn(path: string): number | undefined {
    const from = new this.#sqlite.DatabaseSync(path, { readOnly: true });
    try {
      from.exec("pragma trusted_schema = off");
      if (pragma(from, "application_id") !== applicationId || !this.#isOurs(from)) return undefined;
      if (firstFault(from) !== "ok") return undefined;
      return columnNumber(from.prepare("select memories from tally").get(), "memories");
    } catch (error) {
      if (faultIn(error) !== undefined) return undefined;
      throw sqliteFailure(error, path);
    } finally {
      from.close();
    }
  }

  #open(loss?: string): DatabaseSync {
    this.#makeFile(this.#path, companions);
    if (loss === undefined && this.backups.paths().length > 0 && sizeOf(this.#path) === 0) {
      throw new UnusableDatabase("missing", "it was removed or emptied");
    }
    this.#holder.clearLocks();
    const database = new this.#sqlite.DatabaseSync(this.#path);
    try {
      database.exec(settings);
      this.#requireLog(database);
      this.#checkOrCreate(database, loss);
      // The name of the log of changes: not every build of SQLite sees to it.
      syncFolder(this.#folder);
      if (sizeOf(this.#path) <= checkedBytesMax) checkPages(database, this.#path);
      this.#inode = statSync(this.#path)?.ino;
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Without a log of changes a build of SQLite may spoil the database when its process is killed. */
  #requireLog(database: DatabaseSync): void {
    const mode = database.prepare("pragma journal_mode").get()?.["journal_mode"];
    if (mode === "wal") return;
    const reason = `cannot use ${this.#path}: its journal mode is ${mode}, expected wal`;
    throw unavailable(`${reason}; move the project to a disk of this machine`);
  }

  /**
   * Makes an empty file where it is missing: SQLite would make it readable for others, and follow a link.
   * @throws ConsultaError REFUSED when one of the files is a link; UNAVAILABLE when the folder was moved or removed:
   * what is stored at its old place is lost to the project.
   */
  #makeFile(
    path: string,
    endings: readonly string[],
    prepare: (file: number) => void = () => undefined,
  ): void {
    if (folderIdentity(this.#folder)?.inode !== this.#inodeOfFolder) {
      const reason = `${this.#folder} was moved or removed while its brain ran`;
      throw unavailable(`${reason}: run this again where the project is`);
    }
    for (const ending of endings) safeJoin(this.#folder, `${basename(path)}${ending}`);
    try {
      withRegularFile(path, constants.O_RDWR | constants.O_CREAT, (file, status) => {
        refuseOtherNames(path, status);
        checkOwner(path, status, "each user has memories of their own");
        if ((status.mode & 0o077) !== 0) fchmodSync(file, 0o600);
        prepare(file);
      });
      syncFile(path);
    } catch (error) {
      throw diskFailure(error, `open ${path}`);
    }
  }

  /** @throws ConsultaError REFUSED for a database of another schema, which this one would spoil. */
  #checkOrCreate(database: DatabaseSync, loss: string | undefined): void {
    const things = database.prepare("select count(*) as count from sqlite_schema").get();
    if (columnNumber(things, "count") === 0) {
      database.exec(`begin immediate; ${schema}`);
      const id = randomBytes(16).toString("hex");
      const insert = database.prepare("insert into origin (id, proof, loss) values (?, ?, ?)");
      insert.run(id, this.#proofOf(id), loss ?? null);
      database.exec("commit");
    }
    if (pragma(database, "application_id") !== applicationId) {
      throw new UnusableDatabase("damaged", "another program made it");
    }
    const version = pragma(database, "user_version");
    if (version !== schemaVersion) {
      const reason = `the memory of this project has schema ${version}, expected ${schemaVersion}`;
      const way = "use the version of Consulta that wrote it, or remove .consulta/brain";
      throw refused(`${reason}: ${way}`);
    }
    if (this.#isOurs(database)) return;
    if (!this.#owner?.adopts)
      throw new UnusableDatabase("foreign", "no brain of this user made it");
    const id = columnText(database.prepare("select id from origin").get() ?? {}, "id");
    database.prepare("update origin set proof = ?").run(this.#proofOf(id));
  }

  /** A repository may bring a database: who has the user's key can tell that a brain of theirs made it. */
  #isOurs(database: DatabaseSync): boolean {
    if (this.#owner === undefined) return true;
    try {
      const row = database.prepare("select id, proof from origin").get();
      return isSameText(String(row?.["proof"]), this.#proofOf(String(row?.["id"])));
    } catch (error) {
      // One of another's making need not have such a table.
      if (faultIn(error) !== undefined) throw error;
      return false;
    }
  }

  #proofOf(id: string): string {
    return this.#owner === undefined ? "" : databaseProof(this.#owner.key, id);
  }
}

/** A whole number is one to SQLite as well: `node:sqlite` would make each a fraction, and the other build not. */
function bound(value: SqlValue): SqlValue {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

const faultTexts: Readonly<Record<Fault, string>> = {
  damaged: "brain.db was damaged",
  foreign: "brain.db was made by no brain of yours",
  missing: "brain.db was removed or emptied",
};

function sizeOf(path: string): number {
  return statSync(path)?.size ?? 0;
}

/** A damaged search index is made again from the memories. */
function checkPages(database: DatabaseSync, path: string): void {
  const fault = firstFault(database);
  if (!fault.includes("memory_index")) {
    if (fault !== "ok") throw pageFault(fault, path);
    return;
  }
  database.exec("insert into memory_index (memory_index) values ('rebuild')");
  const left = firstFault(database);
  if (left !== "ok") throw pageFault(left, path);
}

function firstFault(database: DatabaseSync): string {
  return String(database.prepare("pragma quick_check(1)").get()?.["quick_check"]);
}

function pragma(database: DatabaseSync, name: string): number {
  return columnNumber(database.prepare(`pragma ${name}`).get(), name);
}
