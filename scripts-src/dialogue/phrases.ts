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

const disagreement = phrases(
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
);

const consent = phrases(
  "не против",
  "(?:not|isn't|is not) against",
  "(?:nothing|anything|no point)(?: left| more| else)?(?: that| which)? (?:i|we) disagree with",
  "(?:nothing|no longer|not)(?: anything)? to disagree(?: with)?",
);

const acknowledgement = phrases("соглас(?:ен|на|ны) с", "agree (?:with|that|on)");

const refusal = phrases("не соглас[а-я]*", `(?:not|don't|cannot|can't)${much} agree`);

const acceptance = phrases(
  "(?<!не )принимаю (?:твой|твою|твоё|твое|ваш|вашу|ваше) (?:подход|предложение|довод|аргумент)",
  "i accept your (?:approach|proposal|argument|point)",
);

/** How an answer begins that goes on from the other's: an addition or a next step is no divergence. */
const addition = phrases(
  "^[ \\n]?(?:и|также|кроме того|дополнительно|затем|потом|сначала|далее)",
  "^[ \\n]?(?:and|also|additionally|in addition|furthermore|then|next|after that|first|second)",
);

/** JavaScript's `\b` knows ASCII only, so words are bounded by hand. */
function phrases(...list: string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${list.join("|")})(?![\\p{L}\\p{N}_])`, "giu");
}

export function statesDisagreement(text: string): boolean {
  return holds(disagreement, ownWords(text).replace(consent, " "));
}

/** The sentences that state a disagreement, as they are written; all of a text that does so only as a whole. */
export function disagreementsIn(text: string): string[] {
  const sentences = text.split(/(?<=[.!?;])\s+|\n+/).map((it) => it.trim());
  const found = sentences.filter(statesDisagreement);
  return found.length === 0 && statesDisagreement(text) ? [text.trim()] : found;
}

/** "Agree with X, disagree with Y because ...": the strong points of the other side are named. */
export function statesAcknowledgement(text: string): boolean {
  return holds(acknowledgement, ownWords(text).replace(refusal, " "));
}

export function statesAcceptance(text: string): boolean {
  return holds(acceptance, ownWords(text));
}

export function statesAddition(text: string): boolean {
  return holds(addition, ownWords(text));
}

function holds(pattern: RegExp, text: string): boolean {
  return text.search(pattern) >= 0;
}
