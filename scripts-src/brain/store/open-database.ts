import type { DatabaseSync } from "node:sqlite";
import { ConsultaError } from "../../base/errors.ts";
import type { BrainFiles } from "../brain-files.ts";
import { applicationId, schema, schemaVersion } from "./brain-schema.ts";
import { isSignedBy, type Owner, signDatabase } from "./database-owner.ts";
import type { Sqlite } from "./load-sqlite.ts";
import { columnNumber } from "./sql-row.ts";
import { DamagedDatabase, ForeignDatabase, MissingDatabase, pageFault } from "./sqlite-failure.ts";

/** How long a call waits for another process that writes. */
const busyTimeoutMs = 2_000;
/** Pages of a large index that are read again and again. */
const cacheKibibytes = 65_536;
/** After a large change the log of changes shrinks to this. */
const logBytesMax = 4_194_304;
/** Up to this size a database is looked through when it is opened; a larger one takes too long. */
const checkedBytesMax = 16_777_216;

const settings = `
pragma busy_timeout = ${busyTimeoutMs};
-- A database that came with a repository may not run anything but the schema's own triggers.
pragma trusted_schema = off;
pragma journal_mode = wal;
pragma synchronous = full;
pragma secure_delete = on;
pragma cache_size = -${cacheKibibytes};
pragma journal_size_limit = ${logBytesMax};
`;

/**
 * Opens a brain's database, made where it is missing; `isExpected` where it has to be there.
 * @throws DamagedDatabase, or SQLite's own error, when it has to be moved aside or is not there.
 */
export function openDatabase(
  { DatabaseSync }: Sqlite,
  files: BrainFiles,
  { owner, isExpected }: { readonly owner: Owner | undefined; readonly isExpected: () => boolean },
): DatabaseSync {
  files.make();
  if (files.status()?.size === 0 && isExpected()) throw new MissingDatabase("it was removed");
  const database = new DatabaseSync(files.path);
  try {
    database.exec(settings);
    checkOrCreate(database, owner);
    if ((files.status()?.size ?? 0) <= checkedBytesMax) checkPages(database, files.path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @throws ConsultaError REFUSED for a database of another schema, which this one would spoil. */
function checkOrCreate(database: DatabaseSync, owner: Owner | undefined): void {
  if (isEmpty(database)) {
    database.exec("begin immediate");
    // Another process may have been faster.
    if (isEmpty(database)) create(database, owner);
    database.exec("commit");
  }
  if (pragma(database, "application_id") !== applicationId) {
    throw new DamagedDatabase("another program made it");
  }
  if (owner?.adopts) signDatabase(database, owner);
  else if (owner !== undefined && !isSignedBy(database, owner)) {
    throw new ForeignDatabase("no brain of this user made it");
  }
  const version = pragma(database, "user_version");
  if (version === schemaVersion) return;
  const reason = `the memory of this project has schema ${version}, expected ${schemaVersion}`;
  throw new ConsultaError("REFUSED", `${reason}: use the version of Consulta that wrote it`);
}

function create(database: DatabaseSync, owner: Owner | undefined): void {
  database.exec(schema);
  if (owner !== undefined) signDatabase(database, owner);
}

function isEmpty(database: DatabaseSync): boolean {
  const things = database.prepare("select count(*) as count from sqlite_schema").get();
  return columnNumber(things, "count") === 0;
}

function checkPages(database: DatabaseSync, path: string): void {
  const fault = firstFault(database);
  if (fault.includes("memory_index")) rebuildIndex(database);
  const left = fault.includes("memory_index") ? firstFault(database) : fault;
  if (left !== "ok") throw pageFault(left, path);
}

function firstFault(database: DatabaseSync): string {
  return String(database.prepare("pragma quick_check(1)").get()?.["quick_check"]);
}

/** Makes the search index again from the memories. */
export function rebuildIndex(database: DatabaseSync): void {
  database.exec("insert into memory_index (memory_index) values ('rebuild')");
}

function pragma(database: DatabaseSync, name: string): number {
  return columnNumber(database.prepare(`pragma ${name}`).get(), name);
}
