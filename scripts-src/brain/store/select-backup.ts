import type { DatabaseSync } from "node:sqlite";
import { plural } from "../../base/plural.ts";
import { restoredText } from "../brain-files.ts";
import { type Backups, dayOf } from "./backups.ts";
import { applicationId } from "./brain-schema.ts";
import { isSignedBy, type Owner } from "./database-owner.ts";
import type { Sqlite } from "./load-sqlite.ts";
import { columnNumber } from "./sql-row.ts";
import { isDamage, sqliteFailure } from "./sqlite-failure.ts";

/** By what backups are read, and whose they have to be; anybody's unless said. */
export interface BackupReader {
  readonly sqlite: Sqlite;
  readonly owner: Owner | undefined;
}

/** The newest sound backup, and how a person is told of it; undefined where there is none. */
export function newestSound(
  backups: Backups,
  reader: BackupReader,
): { readonly path: string; readonly text: string } | undefined {
  for (const path of backups.paths().reverse()) {
    const memories = readBackup(path, reader, (from) =>
      isSound(from) ? countIn(from) : undefined,
    );
    if (memories === undefined) continue;
    return { path, text: restoredText(dayOf(path), plural(memories, "memory", "memories")) };
  }
  return undefined;
}

/** How many memories a backup holds; undefined where it cannot be read, or no brain of this user made it. */
export function memoriesIn(path: string, reader: BackupReader): number | undefined {
  return readBackup(path, reader, countIn);
}

function readBackup<T>(
  path: string,
  { sqlite, owner }: BackupReader,
  read: (from: DatabaseSync) => T,
): T | undefined {
  const from = new sqlite.DatabaseSync(path, { readOnly: true });
  try {
    from.exec("pragma trusted_schema = off");
    const mark = from.prepare("pragma application_id").get();
    const isOurs = columnNumber(mark, "application_id") === applicationId;
    return isOurs && (owner === undefined || isSignedBy(from, owner)) ? read(from) : undefined;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw sqliteFailure(error, path);
  } finally {
    from.close();
  }
}

function isSound(from: DatabaseSync): boolean {
  return from.prepare("pragma quick_check(1)").get()?.["quick_check"] === "ok";
}

function countIn(from: DatabaseSync): number {
  return columnNumber(from.prepare("select memories from tally").get(), "memories");
}

/** News that waited when the backup was made may have been told since. */
export function dropEvents(path: string, { sqlite }: BackupReader): void {
  const draft = new sqlite.DatabaseSync(path);
  draft.exec("pragma trusted_schema = off; delete from event where taken is null");
  draft.close();
}
