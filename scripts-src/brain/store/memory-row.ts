import type { SqlRow, SqlValue } from "node:sqlite";
import { defined } from "../../base/defined.ts";
import { namesOf } from "../rules/search-words.ts";
import { searchedText } from "../rules/session-memories.ts";
import type { Memory } from "../rules/store.ts";
import { numberAt, textAt, textIfAny } from "./sql-row.ts";

export function columnsOf(memory: Memory): Record<string, SqlValue> {
  const text = searchedText(memory);
  const isPlain = memory.value === text && text.isWellFormed() && !text.includes("\0");
  const tags = JSON.stringify(memory.tags);
  return {
    key: memory.key,
    text: isPlain ? text : text.toWellFormed().replaceAll("\0", " "),
    json: isPlain ? null : JSON.stringify(memory.value),
    tags,
    names: namesOf(memory.key, tags, text),
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
    key: textAt(row, "key"),
    value: json === undefined ? textAt(row, "text") : JSON.parse(json),
    tags: JSON.parse(textAt(row, "tags")),
    source: textAt(row, "source"),
    ...defined({ session }),
    version: numberAt(row, "version"),
    created: textAt(row, "created"),
    updated: textAt(row, "updated"),
  };
}
