/**
 * Words that show a stance in running text (seed 003, originals.md 4.3): whole words in any letter
 * case; quoted lines and code are not the sender's own words. JavaScript's `\b` knows ASCII only,
 * so Cyrillic words are bounded by hand.
 */
interface Markers {
  /** One of these is in every text that has a marker: a look that costs nothing. */
  readonly stems: readonly string[];
  readonly english: () => RegExp;
  /** Apart, because Unicode classes take milliseconds to build, which most texts can save. */
  readonly all: () => RegExp;
}

function markers(
  stems: readonly string[],
  english: readonly string[],
  russian: readonly string[],
): Markers {
  const both = [...english, ...russian].join("|");
  return {
    stems,
    english: once(() => new RegExp(`(?<!\\w)(?:${english.join("|")})(?!\\w)`, "i")),
    all: once(() => new RegExp(`(?<![\\p{L}\\p{N}_])(?:${both})(?![\\p{L}\\p{N}_])`, "iu")),
  };
}

function once(make: () => RegExp): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const disagreement = markers(
  [
    ...["disagree", "object", "against", "alternative", "better to do"],
    ...[
      "not agree",
      "'t agree",
      "\u2019t agree",
      "fully agree",
      "quite agree",
      "entirely agree",
      "completely agree",
    ],
    ...["соглас", "против", "лучше", "альтернатив"],
  ],
  [
    "(?:i|we|but|and|yet|however)(?: still| strongly| partly)? (?:disagree|object)",
    "(?:do not|don't|cannot|can't)(?: fully| quite| entirely| completely)? agree",
    "(?:i am|i'm|we are|we're) against",
    "(?:would be|it is|it's) better to do",
    "(?:i|we) (?:would )?(?:propose|suggest) an alternative",
  ],
  ["не соглас(?:ен|на|ны)", "(?:я|мы) против", "лучше сделать", "предлага(?:ю|ем) альтернативу"],
);

const consent = markers(["against", "против"], ["(?:not|isn't|is not) against"], ["не против"]);

const acknowledgement = markers(
  ["agree", "point", "соглас"],
  [
    "(?:i|we) agree (?:with|that|on)",
    "agree with",
    "(?:your|the) point (?:about|on) .{1,200} (?:is|holds)",
  ],
  ["соглас(?:ен|на|ны) с"],
);

const refusal = markers(
  ["agree", "соглас"],
  ["(?:not|don't|cannot|can't)(?: fully| quite| entirely| completely)? agree"],
  ["не соглас[а-я]*"],
);

const acceptance = markers(
  ["accept your", "принимаю"],
  ["i accept your (?:approach|proposal|argument|point)"],
  ["принимаю твой подход"],
);

export function statesDisagreement(text: string): boolean {
  return mayHold(disagreement, text) && matches(disagreement, without(consent, ownWords(text)));
}

/** "Agree with X, disagree with Y because ...": the strong points of the other side are named. */
export function statesAcknowledgement(text: string): boolean {
  return (
    mayHold(acknowledgement, text) && matches(acknowledgement, without(refusal, ownWords(text)))
  );
}

export function statesAcceptance(text: string): boolean {
  return mayHold(acceptance, text) && matches(acceptance, ownWords(text));
}

function mayHold({ stems }: Markers, text: string): boolean {
  const lower = text.toLowerCase();
  return stems.some((stem) => lower.includes(stem));
}

function matches(pattern: Markers, text: string): boolean {
  return forText(pattern, text).test(text);
}

function without(pattern: Markers, text: string): string {
  if (!mayHold(pattern, text)) return text;
  const found = forText(pattern, text);
  return text.replace(new RegExp(found, `g${found.flags}`), " ");
}

function forText({ english, all }: Markers, text: string): RegExp {
  return isPlain(text) ? english() : all();
}

/** Printable ASCII and white space: where English markers and plain classes suffice. */
function isPlain(text: string): boolean {
  return /^[\t-\r\x20-\x7e]*$/.test(text);
}

function ownWords(text: string): string {
  return text
    .replace(/\u2019/g, "'")
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/`[^`\n]*`/g, " ")
    .replace(/^[ \t]*>.*$/gm, " ")
    .replace(/["\u00ab\u201c][^"\u00ab\u201c\u00bb\u201d\n]*["\u00bb\u201d]/g, " ");
}

/** Letters and digits in lower case, one blank between words: for comparing free prose. */
export function normalized(text: string): string {
  // Unicode classes take long to build; plain text, the usual case, does without.
  if (isPlain(text))
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
