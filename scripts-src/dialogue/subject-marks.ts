import { stopWords } from "../base/stop-words.ts";
import type { DialogueState } from "./state.ts";
import { isSameWord, isTelling, wordsOf } from "./synthesis-words.ts";
import { type Mark, standingClaims } from "./trust.ts";

/** Fewer words may share none by chance. */
const tellingWords = 3;

/** An agreement that speaks of something else than its question, or its text than its position. */
export function subjectMarks({ outcome, topic, goal, trust }: DialogueState): Mark[] {
  const agreed = outcome?.kind === "consensus" ? outcome.agreed : undefined;
  if (agreed === undefined) return [];
  const { position, text, by, seq } = agreed;
  const claims = standingClaims(trust).flatMap((it) => [it.text, it.spec, it.expect]);
  const question = subjectOf(`${topic}\n${goal}`);
  const answer = [position, text, ...claims].join("\n");
  const marks: Mark[] = [];
  if (sharesNone(question, subjectOf(answer)))
    marks.push({
      ...{ code: "off_question", by: "", seq },
      text: "the decision shares no word with the question: does it answer it?",
    });
  const around = subjectOf([position, topic, goal, ...claims].join("\n"));
  if (sharesNone(subjectOf(text), around))
    marks.push({
      ...{ code: "off_position", by, seq },
      text: "the text for the user shares no word with the position that both accepted",
    });
  return marks;
}

const hiragana = /^[\u3040-\u309f]+$/;

/** The words of a text that tell what it is about. */
function subjectOf(text: string): string[] {
  return wordsOf(text).filter((it) => isTelling(it) && !stopWords.has(it) && !hiragana.test(it));
}

function sharesNone(words: readonly string[], others: readonly string[]): boolean {
  if (words.length < tellingWords || others.length < tellingWords) return false;
  return !words.some((word) => others.some((it) => isSameWord(word, it)));
}
