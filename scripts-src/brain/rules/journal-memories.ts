import { linesOf } from "../../base/markdown.ts";
import { isSafeName } from "../../base/names.ts";
import { learnedDraft } from "./session-memories.ts";
import type { MemoryDraft } from "./store.ts";

/** An entry of a journal as a memory, and the session that it is about. */
export interface JournalMemory {
  readonly session: string;
  readonly draft: MemoryDraft;
}

/**
 * The entries of a journal as `journal` writes it: a heading that names the session, and fields below.
 * Anything else in it is its author's own.
 */
export function journalMemories(
  author: string,
  colleague: string,
  text: string,
  /** How memories call a session. */
  idOf = (session: string) => session,
): JournalMemory[] {
  const parts = linesOf(text).join("\n").split(/^## /m).slice(1);
  return parts.flatMap((part) => {
    const [heading = "", ...lines] = part.split("\n");
    const session = heading.trim();
    const fields = fieldsIn(lines);
    if (!isSafeName(session) || !fields.has("date")) return [];
    const said = [
      `${author} about working with ${colleague}, ${fields.get("date")}: ${fields.get("topic") ?? ""}`,
      ...named.flatMap(([field, name]) => {
        const value = fields.get(field) ?? "-";
        return value === "-" ? [] : [`${name}: ${value}`];
      }),
    ];
    const what = `journal-${author}`;
    return [
      {
        session,
        draft: learnedDraft(idOf(session), what, said.join("\n"), ["journal", author, colleague]),
      },
    ];
  });
}

const named = [
  ["positive", "went well"],
  ["negative", "went badly"],
  ["notes", "next time"],
] as const;

function fieldsIn(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const field = /^- (date|topic|positive|negative|notes): (.*)$/.exec(line);
    if (field !== null) fields.set(field[1] ?? "", (field[2] ?? "").trim());
  }
  return fields;
}
