import { linesOf } from "../../base/markdown.ts";
import { isSafeName } from "../../base/names.ts";
import type { Conclusion } from "../../protocol/protocol.ts";
import type { EndedSession } from "../../session/past/outcome.ts";
import type { Memory, MemoryDraft } from "./brain-store.ts";
import { cut, withoutInjected } from "./injected-text.ts";
import { brainLimits } from "./limits.ts";
import { queryWords } from "./relevance.ts";
import { textOf } from "./searchable-text.ts";

/** Whose words they are: nobody's alone. */
export const learnedSource = "consulta";

/** What of an ended session becomes memories. */
export function sessionMemories(session: EndedSession): MemoryDraft[] {
  return session.conclusions.map((conclusion) => memoryOf(session, conclusion));
}

const decision = "decision";
const journal = "journal-";
const topicCharacters = 300;
const namesShown = 6;

function memoryOf(session: EndedSession, { what, outcome, text }: Conclusion): MemoryDraft {
  const { id, kind, topic, participants, date, folder } = session;
  const more = participants.length > namesShown ? ", ..." : "";
  const about = cut(topic.replace(/\s+/g, " ").trim(), topicCharacters);
  const names = `${participants.slice(0, namesShown).join(", ")}${more}`;
  const where = folder === undefined ? "" : `, in ${folder}`;
  const head = `${about}\n${outcome}; ${kind} of ${names}, ${date}${where}`;
  // A decision that comes after all takes the place of what was open.
  const name = what === "undecided" ? decision : what;
  return learnedDraft(id, name, `${head}\n${text}`, [kind, what, ...queryWords(topic)]);
}

/**
 * What is searched of a memory. Of what a session came to it is what its participants said: how that
 * came about is told in words that all such memories share.
 */
export function searchedText({ key, source, session = "", value }: Memory): string {
  const text = textOf(value);
  const isOutcome = source === learnedSource && key.startsWith(keyOf(session, ""));
  return isOutcome && !key.startsWith(keyOf(session, journal)) ? text.replace(/\n.*/, "") : text;
}

/** Whether a memory is what the session decided, as it was learned. */
export function isDecisionOf({ key, source }: Memory, session: string): boolean {
  return source === learnedSource && key === keyOf(session, decision);
}

function keyOf(session: string, what: string): string {
  return `consulta/${session}/${what}`;
}

/** A memory of a session, cut to a size that can be put into a context. */
function learnedDraft(
  session: string,
  what: string,
  text: string,
  words: readonly string[],
): MemoryDraft {
  // What the brain said itself is no news, though somebody quoted it.
  const said = withoutInjected(text);
  const isCut = said.length > brainLimits.learnedCharacters;
  const value = isCut ? `${cut(said, brainLimits.learnedCharacters - 4)} ...` : said;
  const fitting = words.filter(
    ({ length }) => length > 0 && length <= brainLimits.memoryTagCharacters,
  );
  return {
    key: keyOf(session, what),
    value,
    tags: [...new Set(fitting)].slice(0, brainLimits.memoryTags),
    source: learnedSource,
    session,
  };
}

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
    const what = `${journal}${author}`;
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
