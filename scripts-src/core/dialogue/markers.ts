/**
 * Words that show a stance in running text (seed 003, originals.md 4.3), in the languages that people
 * and models use here: whole words in any letter case; quoted lines and code are not the sender's own
 * words. What stands in the past, or is denied, is no stance of now. JavaScript's `\b` knows ASCII
 * only, so words are bounded by hand.
 */
interface Markers {
  /** One of these is in every text that has a marker: a look that costs nothing. */
  readonly stems: readonly string[];
  /** Written in ASCII. */
  readonly plain: () => RegExp;
  /** Apart, because Unicode classes take milliseconds to build, which most texts can save. */
  readonly all: () => RegExp;
}

function markers(
  stems: readonly string[],
  plain: readonly string[],
  others: readonly string[],
): Markers {
  const both = [...plain, ...others].join("|");
  return {
    stems,
    plain: once(() => new RegExp(`(?<!\\w)(?:${plain.join("|")})(?!\\w)`, "i")),
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

/** Where a sentence begins: words that are a stance only there. Blanks are single by then. */
const first = "(?<=^[ \\n]?(?:[-*] )?|[.!?;:][ \\n]|\\n(?:[-*] )?)";
const how = "(?: still| strongly| partly| respectfully)?";
const much = "(?: fully| quite| entirely| completely)?";
const would = "(?: would|'d)";
const another =
  "(?:an alternative|another (?:option|way|approach|solution|variant|design)|a different|something else)";

const disagreement = markers(
  [
    ...["disagree", "object", "against", "alternative", "better", "agree", "rather", "prefer"],
    ...["propos", "suggest", "opposed", "reject", "einverstanden", "dagegen", "stimme", "lieber"],
    ...["besser", "meinung", "schlage", "accordo", "concordo", "contrari", "meglio", "propongo"],
    ...["dissento", "accord", "contre", "mieux", "acuerdo", "contra", "mejor"],
    ...["соглас", "против", "лучше", "предлага", "возража", "предпоч"],
  ],
  [
    `(?:i|we|but|and|yet|however)${how} (?:disagree|object)`,
    `${first}(?:strongly )?disagree(?:[.!,:;]|$|(?= (?:with|that|on|about|because)))`,
    `${first}against(?=[.!]|,? because|$)`,
    `(?:do not|don't|cannot|can't)${much} agree(?! more)`,
    `(?:i am|i'm|we are|we're)${how} (?:against|opposed to)`,
    "(?:i|we) (?:reject|oppose)",
    "(?:would be|it'd be|that'd be|it is|it's) better (?:to|if)",
    `${first}better (?:to )?(?:do|use|take|keep)`,
    `(?:i|we)${would} (?:rather|prefer)(?! (?:agree|accept|leave it))`,
    `(?:i|we|let me)${would}? (?:propose|suggest) ${another}`,
    "(?:stimme|stimmen)(?: dem| dir| ihnen| da| hier)? nicht zu",
    "nicht einverstanden",
    "anderer meinung",
    "(?:bin|sind) dagegen",
    "waere besser",
    "wuerden? lieber",
    "schlagen? (?:eine alternative|etwas anderes|eine andere|einen anderen)",
    "non sono d'accordo",
    "non concordo",
    "(?<!non )sono contrari[oa]",
    "sarebbe meglio",
    `${first}meglio (?:usare|fare|tenere)`,
    "propongo (?:un'alternativa|un altro|un'altra)",
    "preferirei",
    "dissento",
    "pas d'accord",
    "(?:suis|sommes) contre",
    "vaudrait mieux",
    "serait mieux",
    "propose une (?:autre|alternative)",
    "no estoy de acuerdo",
    "(?<!no )estoy en contra",
    "es mejor (?:usar|hacer)",
    "propongo (?:una alternativa|otr[oa])",
  ],
  [
    "(?<!был )(?<!была )(?<!были )не соглас(?:ен|на|ны)",
    "(?:я|мы)(?: всё ещё| все ещё| категорически)? против",
    `${first}против(?=[.!]|,? потому|$)`,
    "лучше (?:бы )?(?:всего )?[а-яё]{2,}(?:ть|ти|чь)(?:ся)?",
    "(?:я|мы) бы (?:лучше|скорее|предпоч[её]л[аи]?)",
    "предлага(?:ю|ем) (?:альтернативу|другой|другую|другое|иной|иную|иное)",
    "(?<!не )возража(?:ю|ем)",
    "wäre besser",
    "besser wäre",
    "würden? lieber",
    "je préfère",
    "je préférerais",
    "serait préférable",
    "sería mejor",
    "preferiría",
  ],
);

const consent = markers(
  ["against", "object", "disagree", "против", "dagegen", "contrari", "contre", "contra"],
  [
    "(?:not|isn't|is not) against",
    "(?:nothing|anything|no point)(?: left| more| else)?(?: that| which)? (?:i|we) (?:object to|disagree with)",
    "(?:nothing|no longer|not)(?: anything)? to (?:object|disagree)(?: to| with)?",
    "(?:nichts|nicht) dagegen",
    "non sono contrari[oa]",
    "pas contre",
    "no estoy en contra",
  ],
  ["не против"],
);

const acknowledgement = markers(
  ["agree", "point", "соглас", "stimme", "einverstanden", "accord", "concordo", "acuerdo"],
  [
    "(?:i|we) agree (?:with|that|on)",
    "agree with",
    "(?:your|the) point (?:about|on) .{1,200} (?:is|holds)",
    "stimmen? (?:dir|dem|ihnen|euch)(?: darin| hier)? zu",
    "einverstanden mit",
    "d'accordo (?:con|su|che)",
    "concordo (?:con|su|che)",
    "d'accord (?:avec|sur|que)",
    "de acuerdo (?:con|en|que)",
  ],
  ["соглас(?:ен|на|ны) с"],
);

const refusal = markers(
  ["agree", "соглас", "einverstanden", "accord", "concordo", "acuerdo"],
  [
    `(?:not|don't|cannot|can't)${much} agree`,
    "nicht einverstanden",
    "non sono d'accordo",
    "non concordo",
    "pas d'accord",
    "no estoy de acuerdo",
  ],
  ["не соглас[а-я]*"],
);

const acceptance = markers(
  ["accept", "принима", "akzeptiere", "accetto", "acepto"],
  [
    "i accept your (?:approach|proposal|argument|point)",
    "ich akzeptiere deine?n? (?:ansatz|vorschlag|argument|punkt)(?! nicht)",
    "(?<!non )accetto (?:il tuo|la tua) (?:approccio|proposta|argomento|punto)",
    "j'accepte (?:ta|ton|votre) (?:approche|proposition|argument|point)",
    "(?<!no )acepto tu (?:enfoque|propuesta|argumento|punto)",
  ],
  ["(?<!не )принимаю (?:твой|твою|твоё|твое|ваш|вашу|ваше) (?:подход|предложение|довод|аргумент)"],
);

/** How an answer begins that goes on from the other's: an addition or a next step is no divergence. */
const addition = markers(
  ["a", "e", "i", "o", "u", "y", "и", "а", "о", "е"],
  [
    "^[ \\n]?(?:and|also|additionally|in addition|furthermore|moreover|plus|on top|then|next|after that|first|second)",
    "^[ \\n]?(?:und|ausserdem|dann|danach|zuerst|inoltre|anche|poi|prima|et|aussi|de plus|puis|ensuite|luego)",
  ],
  [
    "^[ \\n]?(?:и|также|кроме того|дополнительно|затем|потом|сначала|далее)",
    "^[ \\n]?(?:außerdem|zusätzlich|además|también|después)",
  ],
);

export function statesAddition(text: string): boolean {
  return matches(addition, ownWords(text));
}

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

function forText({ plain, all }: Markers, text: string): RegExp {
  return isPlain(text) ? plain() : all();
}

/** Printable ASCII and white space: where markers in ASCII and plain classes suffice. */
function isPlain(text: string): boolean {
  return /^[\t-\r\x20-\x7e]*$/.test(text);
}

function ownWords(text: string): string {
  return text
    .replace(/\u2019/g, "'")
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/`[^`\n]*`/g, " ")
    .replace(/^[ \t]*>.*$/gm, " ")
    .replace(/["\u00ab\u201c][^"\u00ab\u201c\u00bb\u201d\n]*["\u00bb\u201d]/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n");
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
