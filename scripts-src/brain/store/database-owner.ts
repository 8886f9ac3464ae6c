import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type BrainKey, databaseProof, isProof } from "../brain-key.ts";
import { columnNumber, columnText } from "./sql-row.ts";

/** Whose brain opens a database. */
export interface Owner {
  readonly key: BrainKey;
  /** Takes over one that was made under another key. */
  readonly adopts: boolean;
}

/** Who has the user's key can tell that a brain of theirs made this. */
const table = "create table if not exists owner (id text not null, proof text not null) strict";

export function signDatabase(database: DatabaseSync, { key }: Owner): void {
  const id = randomBytes(16).toString("hex");
  database.exec(`${table}; delete from owner`);
  database.prepare("insert into owner (id, proof) values (?, ?)").run(id, databaseProof(key, id));
}

export function isSignedBy(database: DatabaseSync, { key }: Owner): boolean {
  const named =
    "select count(*) as count from sqlite_schema where type = 'table' and name = 'owner'";
  if (columnNumber(database.prepare(named).get(), "count") === 0) return false;
  const row = database.prepare("select id, proof from owner").get();
  return (
    row !== undefined &&
    isProof(columnText(row, "proof"), databaseProof(key, columnText(row, "id")))
  );
}
