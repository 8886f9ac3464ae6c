import { rmSync } from "node:fs";
import { loadSqlite } from "../../scripts-src/brain/store/sqlite.ts";

const { DatabaseSync } = await loadSqlite();

/** Opens a database that no process has open, without a brain; a lock that a killed process left goes. */
export function openRaw(path: string): InstanceType<typeof DatabaseSync> {
  rmSync(`${path}.lock`, { recursive: true, force: true });
  const database = new DatabaseSync(path);
  database.exec("pragma locking_mode = exclusive");
  return database;
}
