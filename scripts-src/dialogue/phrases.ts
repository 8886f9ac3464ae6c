import { ownWords } from "./prose.ts";

/**
 * Phrases that show where its sender stands in a letter by hand, which has no fields of ours: those that seed 003 names, in
 * Russian and in English, as whole words in any letter case. Quoted lines and code are not the sender's own words,
 * and what stands in the past or is denied says nothing of now (originals.md 4.3).
 */
const much = "(?: fully| quite| entirely| completely)?";

const strongly = "(?: still| strongly| partly| respectfully)?";

/** Where a sentence begins: words that count only there. Blanks are single by then. */
const first = "(?<=^[ \\n]?(?:[-*] )?|[.!?;:][ \\n]|\\n(?:[-*] )?)";

/** What says a stance; the words in `except` do not say it, and are left out before. */
const stances: Record<
  "disagreement" | "acknowledgement" | "acceptance" | "addition",
  { readonly words: readonly string[]; readonly except?: readonly string[] }
> = {
  disagreement: {
    words: [
      "(?<!был )(?<!была )(?<!были )не соглас(?:ен|на|ны)",
      "(?:я|мы)(?: всё ещё| все ещё| категорически)? против",
      `${first}против(?=[.!]|,? потому|$)`,
      "лучше (?:бы )?(?:всего )?[а-яё]{2,}(?:ть|ти|чь)(?:ся)?",
      "предлага(?:ю|ем) альтернативу",
      `(?:i|we|but|and|yet|however)${strongly} disagree`,
      `${first}(?:strongly )?disagree(?:[.!,:;]|$|(?= (?:with|that|on|about|because)))`,
      `(?:do not|don't|cannot|can't)${much} agree(?! more)`,
      `(?:i am|i'm|we are|we're)${strongly} against`,
      `${first}against(?=[.!]|,? because|$)`,
      "(?:would be|it'd be|that'd be|it is|it's) better to",
      `${first}better (?:to )?(?:do|use|take|keep)`,
      "(?:i|we)(?: would|'d)? (?:propose|suggest) an alternative",
    ],
    except: [
      "не против",
      "(?:not|isn't|is not) against",
      "(?:nothing|anything|no point)(?: left| more| else)?(?: that| which)? (?:i|we) disagree with",
      "(?:nothing|no longer|not)(?: anything)? to disagree(?: with)?",
    ],
  },
  /** "Agree with X, disagree with Y because ...": the strong points of the other side are named. */
  acknowledgement: {
    words: ["соглас(?:ен|на|ны) с", "agree (?:with|that|on)"],
    except: ["не соглас[а-я]*", `(?:not|don't|cannot|can't)${much} agree`],
  },
  acceptance: {
    words: [
      "(?<!не )принимаю (?:твой|твою|твоё|твое|ваш|вашу|ваше) (?:подход|предложение|довод|аргумент)",
      "i accept your (?:approach|proposal|argument|point)",
    ],
  },
  /** How an answer begins that goes on from the other's: an addition or a next step is no divergence. */
  addition: {
    words: [
      "^[ \\n]?(?:и|также|кроме того|дополнительно|затем|потом|сначала|далее)",
      "^[ \\n]?(?:and|also|additionally|in addition|furthermore|then|next|after that|first|second)",
    ],
  },
};

/** Whether a letter by hand says a stance in its sender's own words. */
export function states(stance: keyof typeof stances, text: string): boolean {
  const { words, except = [] } = stances[stance];
  const own = ownWords(text);
  const left = except.length === 0 ? own : own.replace(wholeWords(except), " ");
  return left.search(wholeWords(words)) >= 0;
}

/** JavaScript's `\b` knows ASCII only, so words are bounded by hand. */
function wholeWords(list: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${list.join("|")})(?![\\p{L}\\p{N}_])`, "giu");
}

/** The sentences that state a disagreement, as they are written; all of a text that does so only as a whole. */
export function disagreementsIn(text: string): string[] {
  const sentences = text.split(/(?<=[.!?;])\s+|\n+/).map((it) => it.trim());
  const found = sentences.filter((it) => states("disagreement", it));
  return found.length === 0 && states("disagreement", text) ? [text.trim()] : found;
}
