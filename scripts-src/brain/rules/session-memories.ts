import { limits } from "../../base/limits.ts";
import type { Conclusion } from "../../protocol/protocol.ts";
import type { EndedSession } from "../../session/past/outcome.ts";
import { cut, withoutInjected } from "./injected-text.ts";
import { queryWords } from "./relevance.ts";
import type { Memory, MemoryDraft } from "./store.ts";

/** Whose words they are: nobody's alone. */
export const learnedSource = "consulta";

/** What of an ended session becomes memories. */
export function sessionMemories(session: EndedSession): MemoryDraft[] {
  return session.conclusions.map((conclusion) => memoryOf(session, conclusion));
}

const decision = "decision";
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

/** Whether a memory is what the session decided, as it was learned. */
export function isDecisionOf({ key, source }: Memory, session: string): boolean {
  return source === learnedSource && key === keyOf(session, decision);
}

function keyOf(session: string, what: string): string {
  return `consulta/${session}/${what}`;
}

/** A memory of a session, cut to a size that can be put into a context. */
export function learnedDraft(
  session: string,
  what: string,
  text: string,
  words: readonly string[],
): MemoryDraft {
  // What the brain said itself is no news, though somebody quoted it.
  const said = withoutInjected(text);
  const isCut = said.length > limits.learnedCharacters;
  const value = isCut ? `${cut(said, limits.learnedCharacters - 4)} ...` : said;
  const fitting = words.filter(({ length }) => length > 0 && length <= limits.memoryTagCharacters);
  return {
    key: keyOf(session, what),
    value,
    tags: [...new Set(fitting)].slice(0, limits.memoryTags),
    source: learnedSource,
    session,
  };
}
