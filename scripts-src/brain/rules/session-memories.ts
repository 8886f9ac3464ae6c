import { isCompound, partsOf, stopWords } from "../../base/words.ts";
import type { Conclusion } from "../../protocol/protocol.ts";
import type { EndedSession } from "../../session/past/outcome.ts";
import { cut, withoutInjected } from "./injected-text.ts";
import { brainLimits } from "./limits.ts";
import { type Memory, type MemoryDraft, textOf } from "./records.ts";

/** Whose words they are: nobody's alone. */
export const learnedSource = "consulta";

/** What of an ended session becomes memories. */
export function sessionMemories(session: EndedSession): MemoryDraft[] {
  return session.conclusions.map((conclusion) => memoryOf(session, conclusion));
}

const topicCharacters = 300;
const namesShown = 6;

/** A memory of a session, cut to a size that can be put into a context. */
function memoryOf(session: EndedSession, { what, outcome, text }: Conclusion): MemoryDraft {
  const { id, kind, topic, participants, date, folder } = session;
  const more = participants.length > namesShown ? ", ..." : "";
  const about = cut(topic.replace(/\s+/g, " ").trim(), topicCharacters);
  const names = `${participants.slice(0, namesShown).join(", ")}${more}`;
  const where = folder === undefined ? "" : `, in ${folder}`;
  const head = `${about}\n${outcome}; ${kind} of ${names}, ${date}${where}`;
  // What the brain said itself is no news, though somebody quoted it.
  const said = withoutInjected(`${head}\n${text}`);
  const isCut = said.length > brainLimits.learnedCharacters;
  const words = [kind, what, ...topicWords(topic)].filter(
    ({ length }) => length <= brainLimits.memoryTagCharacters,
  );
  return {
    // A decision that comes after all takes the place of what was open.
    key: `consulta/${id}/${what === "undecided" ? "decision" : what}`,
    value: isCut ? `${cut(said, brainLimits.learnedCharacters - 4)} ...` : said,
    tags: [...new Set(words)].slice(0, brainLimits.memoryTags),
    source: learnedSource,
    session: id,
  };
}

/**
 * What is searched of a memory. Of what a session came to it is what its participants said: how that
 * came about is told in words that all such memories share.
 */
export function searchedText({ key, source, session = "", value }: Memory): string {
  const text = textOf(value);
  const isOutcome = source === learnedSource && key.startsWith(`consulta/${session}/`);
  return isOutcome ? text.replace(/\n.*/, "") : text;
}

/** The words of a topic that say something, in their order, each once. */
function topicWords(topic: string): string[] {
  const names = topic.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  const words = names.flatMap((name) => [name, ...(isCompound(name) ? partsOf(name) : [])]);
  return words
    .map((word) => word.toLowerCase())
    .filter((it) => it.length > 1 && !stopWords.has(it));
}
