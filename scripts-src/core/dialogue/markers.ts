/**
 * Words that show a stance in running text (seed 003, originals.md 4.3): whole words in any letter
 * case; quoted lines and code are not the sender's own words. JavaScript's `\b` knows ASCII only,
 * so Cyrillic words are bounded by hand.
 */
const start = "(?<![\\p{L}\\p{N}_])";
const end = "(?![\\p{L}\\p{N}_])";

/** Made when first used: Unicode classes take a millisecond to build, which most starts can save. */
function anyOf(...patterns: string[]): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(`${start}(?:${patterns.join("|")})${end}`, "iu");
    return made;
  };
}

const disagreement = anyOf(
  "(?:i|we|but|and|yet|however)(?: still| strongly| partly)? (?:disagree|object)",
  "(?:do not|don't|cannot|can't)(?: fully| quite| entirely| completely)? agree",
  "(?:i am|i'm|we are|we're) against",
  "(?:would be|it is|it's) better to do",
  "(?:i|we) (?:would )?(?:propose|suggest) an alternative",
  "не соглас(?:ен|на|ны)",
  "(?:я|мы) против",
  "лучше сделать",
  "предлага(?:ю|ем) альтернативу",
);

const consent = anyOf("(?:not|isn't|is not) against", "не против");

const acknowledgement = anyOf(
  "(?:i|we) agree (?:with|that|on)",
  "agree with",
  "(?:your|the) point (?:about|on) .{1,200} (?:is|holds)",
  "соглас(?:ен|на|ны) с",
);

const refusal = anyOf(
  "(?:not|don't|cannot|can't)(?: fully| quite| entirely| completely)? agree",
  "не соглас\\p{L}*",
);

const acceptance = anyOf(
  "i accept your (?:approach|proposal|argument|point)",
  "принимаю твой подход",
);

/** Without one of these stems no marker can match; most texts need no more than this look. */
const stems =
  /disagree|object|agree|against|better to do|alternative|соглас|против|лучше|альтернатив/i;

export function statesDisagreement(text: string): boolean {
  return stems.test(text) && disagreement().test(without(consent(), ownWords(text)));
}

/** "Agree with X, disagree with Y because ...": the strong points of the other side are named. */
export function statesAcknowledgement(text: string): boolean {
  return acknowledgement().test(without(refusal(), ownWords(text)));
}

function without(pattern: RegExp, text: string): string {
  return text.replace(new RegExp(pattern, "giu"), " ");
}

export function statesAcceptance(text: string): boolean {
  return /accept|принимаю/i.test(text) && acceptance().test(ownWords(text));
}

function ownWords(text: string): string {
  return text
    .replace(/\u2019/g, "'")
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/`[^`\n]*`/g, " ")
    .replace(/^\s*>.*$/gm, " ")
    .replace(/["«“][^"»”\n]*["»”]/g, " ");
}

/** Letters and digits in lower case, one blank between words: for comparing free prose. */
export function normalized(text: string): string {
  // Unicode classes take long to build; plain text, the usual case, does without.
  if (/^[\x20-\x7e]*$/.test(text))
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, " ")
      .trim();
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/**
 * Whether `point` names something that `said` contains: the words as they stand, or most of its
 * longer words.
 */
export function names(point: string, said: string): boolean {
  const [short, long] = [normalized(point), normalized(said)];
  if (short === "" || ` ${long} `.includes(` ${short} `)) return short !== "";
  const telling = [...new Set(short.split(" "))].filter((word) => word.length > 3);
  const held = new Set(long.split(" "));
  const found = telling.filter((word) => held.has(word)).length;
  return telling.length > 0 && found / telling.length >= 0.6;
}

/** A short name for a text: the same words give the same hash (FNV-1a, 2 x 32 bits). */
export function hashOf(text: string): string {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + index), 0x85ebca6b);
  }
  return (low >>> 0).toString(16).padStart(8, "0") + (high >>> 0).toString(16).padStart(8, "0");
}
