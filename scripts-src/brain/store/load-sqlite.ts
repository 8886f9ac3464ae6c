import { ConsultaError } from "../../base/errors.ts";

export type Sqlite = typeof import("node:sqlite");

/**
 * Node's own SQLite, with the full-text search that the brain needs: Node 22.16 and later have it.
 * @throws ConsultaError UNAVAILABLE on an older Node, in one line.
 */
export async function loadSqlite(): Promise<Sqlite> {
  try {
    const sqlite = await import("node:sqlite");
    const probe = new sqlite.DatabaseSync(":memory:");
    probe.exec("create virtual table probe using fts5(text)");
    probe.close();
    return sqlite;
  } catch (cause) {
    const reason = `the brain needs Node 22.16 or later, this is ${process.version}`;
    throw new ConsultaError("UNAVAILABLE", reason, { cause });
  }
}
