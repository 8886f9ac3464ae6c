import type { SqlRow, SqlValue } from "node:sqlite";
import { defined } from "../../base/omit-undefined.ts";
import type { Memory } from "../rules/brain-store.ts";
import { indexedNames } from "../rules/search-words.ts";
import { searchedText } from "../rules/session-memories.ts";
import { columnNumber, columnText, textIfAny } from "./sql-row.ts";

export function columnsOf(memory: Memory): Record<string, SqlValue> {
  const text = searchedText(memory);
  const isPlain = memory.value === text && text.isWellFormed() && !text.includes("\0");
  const tags = JSON.stringify(memory.tags);
  return {
    key: memory.key,
    text: isPlain ? text : text.toWellFormed().replaceAll("\0", " "),
    json: isPlain ? null : JSON.stringify(memory.value),
    tags,
    names: indexedNames(memory.key, tags, text),
    source: memory.source,
    session: memory.session ?? null,
    version: memory.version,
    created: memory.created,
    updated: memory.updated,
  };
}

/** @throws TypeError for a row that is not as the schema has it. */
export function memoryOf(row: SqlRow): Memory {
  const json = textIfAny(row, "json");
  const session = textIfAny(row, "session");
  return {
    key: columnText(row, "key"),
    value: json === undefined ? columnText(row, "text") : JSON.parse(json),
    tags: JSON.parse(columnText(row, "tags")),
    source: columnText(row, "source"),
    ...defined({ session }),
    version: columnNumber(row, "version"),
    created: columnText(row, "created"),
    updated: columnText(row, "updated"),
  };
}
