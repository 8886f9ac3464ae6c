import type { DatabaseSync } from "node:sqlite";
import { indexedNames } from "../rules/search-words.ts";
import { schemaVersion } from "./brain-schema.ts";
import { columnNumber, columnText } from "./sql-row.ts";

/** Rows that are read at a time: a brain may hold millions. */
const pageRows = 1_000;

/**
 * Makes a database of the first schema one of the second: the same tables, whose index also knows
 * the stems of other languages and scripts without blanks. It happens in whole or not at all.
 */
export function upgradeDatabase(database: DatabaseSync): void {
  database.exec("begin immediate");
  try {
    // Another process may have been faster.
    if (
      columnNumber(database.prepare("pragma user_version").get(), "user_version") < schemaVersion
    ) {
      renewNames(database);
      database.exec(`pragma user_version = ${schemaVersion}`);
    }
    database.exec("commit");
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

/** The schema's trigger brings the index in step with each row that changes. */
function renewNames(database: DatabaseSync): void {
  const sql = "select id, key, tags, text, names from memory where id > ? order by id limit ?";
  const page = database.prepare(sql);
  const change = database.prepare("update memory set names = ? where id = ?");
  for (let last = 0; ; ) {
    const rows = page.all(last, pageRows);
    for (const row of rows) {
      const names = indexedNames(
        columnText(row, "key"),
        columnText(row, "tags"),
        columnText(row, "text"),
      );
      last = columnNumber(row, "id");
      if (names !== columnText(row, "names")) change.run(names, last);
    }
    if (rows.length < pageRows) return;
  }
}
