import { once } from "../base/once.ts";
import { isPlain, ownWords } from "./prose.ts";

/**
 * Words that show a stance in running text (seed 003, originals.md 4.3), in the languages that people
 * and models use here: whole words in any letter case; quoted lines and code are not the sender's own
 * words. What stands in the past, or is denied, is no stance of now. JavaScript's `\b` knows ASCII
 * only, so words are bounded by hand.
 */
interface Markers {
  /** One of these is in every text that has a marker: a look that costs nothing. */
  readonly stems: readonly string[];
  readonly groups: readonly Group[];
  /** What was made for the groups that a text asked for. */
  readonly made: Map<string, RegExp>;
}

/** Markers of which each match holds one of the stems: what a text cannot match is not compiled. */
interface Group {
  readonly stems: readonly string[];
  readonly markers: readonly string[];
  /** Written in ASCII. */
  readonly isPlain: boolean;
}

/** Markers by their stems, divided by blanks. */
type Grouped = Record<string, readonly string[]>;

function markers(plain: Grouped, others: Grouped): () => Markers {
  return once(() => {
    const groups = [...groupsOf(plain, true), ...groupsOf(others, false)];
    return { groups, stems: [...new Set(groups.flatMap((it) => it.stems))], made: new Map() };
  });
}

function groupsOf(grouped: Grouped, isPlain: boolean): Group[] {
  return Object.entries(grouped).map(([stems, list]) => ({
    ...{ stems: stems.split(" "), markers: list, isPlain },
  }));
}

/** Where a sentence begins: words that are a stance only there. Blanks are single by then. */
const first = "(?<=^[ \\n]?(?:[-*] )?|[.!?;:][ \\n]|\\n(?:[-*] )?)";
const how = "(?: still| strongly| partly| respectfully)?";
const much = "(?: fully| quite| entirely| completely)?";
const would = "(?: would|'d)";
const another =
  "(?:an alternative|another (?:option|way|approach|solution|variant|design)|a different|something else)";

const disagreement = markers(
  {
    "disagree object": [`(?:i|we|but|and|yet|however)${how} (?:disagree|object)`],
    disagree: [`${first}(?:strongly )?disagree(?:[.!,:;]|$|(?= (?:with|that|on|about|because)))`],
    against: [`${first}against(?=[.!]|,? because|$)`],
    agree: [`(?:do not|don't|cannot|can't)${much} agree(?! more)`],
    "against opposed": [`(?:i am|i'm|we are|we're)${how} (?:against|opposed to)`],
    "reject oppose": ["(?:i|we) (?:reject|oppose)"],
    better: [
      "(?:would be|it'd be|that'd be|it is|it's) better (?:to|if)",
      `${first}better (?:to )?(?:do|use|take|keep)`,
    ],
    "rather prefer": [`(?:i|we)${would} (?:rather|prefer)(?! (?:agree|accept|leave it))`],
    "propose suggest": [`(?:i|we|let me)${would}? (?:propose|suggest) ${another}`],
    stimme: ["(?:stimme|stimmen)(?: dem| dir| ihnen| da| hier)? nicht zu"],
    einverstanden: ["nicht einverstanden"],
    meinung: ["anderer meinung"],
    dagegen: ["(?:bin|sind) dagegen"],
    besser: ["waere besser"],
    lieber: ["wuerden? lieber"],
    schlage: ["schlagen? (?:eine alternative|etwas anderes|eine andere|einen anderen)"],
    accordo: ["non sono d'accordo"],
    concordo: ["non concordo"],
    contrari: ["(?<!non )sono contrari[oa]"],
    meglio: ["sarebbe meglio", `${first}meglio (?:usare|fare|tenere)`],
    propongo: [
      "propongo (?:un'alternativa|un altro|un'altra)",
      "propongo (?:una alternativa|otr[oa])",
    ],
    preferirei: ["preferirei"],
    dissento: ["dissento"],
    accord: ["pas d'accord"],
    contre: ["(?:suis|sommes) contre"],
    mieux: ["vaudrait mieux", "serait mieux"],
    propose: ["propose une (?:autre|alternative)"],
    acuerdo: ["no estoy de acuerdo"],
    contra: ["(?<!no )estoy en contra"],
    mejor: ["es mejor (?:usar|hacer)"],
  },
  {
    соглас: ["(?<!был )(?<!была )(?<!были )не соглас(?:ен|на|ны)"],
    против: [
      "(?:я|мы)(?: всё ещё| все ещё| категорически)? против",
      `${first}против(?=[.!]|,? потому|$)`,
    ],
    лучше: ["лучше (?:бы )?(?:всего )?[а-яё]{2,}(?:ть|ти|чь)(?:ся)?"],
    "лучше скорее предпоч": ["(?:я|мы) бы (?:лучше|скорее|предпоч[её]л[аи]?)"],
    предлага: ["предлага(?:ю|ем) (?:альтернативу|другой|другую|другое|иной|иную|иное)"],
    возража: ["(?<!не )возража(?:ю|ем)"],
    besser: ["wäre besser", "besser wäre"],
    lieber: ["würden? lieber"],
    préf: ["je préfère", "je préférerais", "serait préférable"],
    mejor: ["sería mejor"],
    preferiría: ["preferiría"],
  },
);

const consent = markers(
  {
    against: ["(?:not|isn't|is not) against"],
    "object disagree": [
      "(?:nothing|anything|no point)(?: left| more| else)?(?: that| which)? (?:i|we) (?:object to|disagree with)",
      "(?:nothing|no longer|not)(?: anything)? to (?:object|disagree)(?: to| with)?",
    ],
    dagegen: ["(?:nichts|nicht) dagegen"],
    contrari: ["non sono contrari[oa]"],
    contre: ["pas contre"],
    contra: ["no estoy en contra"],
  },
  { против: ["не против"] },
);

const acknowledgement = markers(
  {
    agree: ["(?:i|we) agree (?:with|that|on)", "agree with"],
    point: ["(?:your|the) point (?:about|on) .{1,200} (?:is|holds)"],
    stimme: ["stimmen? (?:dir|dem|ihnen|euch)(?: darin| hier)? zu"],
    einverstanden: ["einverstanden mit"],
    accord: ["d'accordo (?:con|su|che)", "d'accord (?:avec|sur|que)"],
    concordo: ["concordo (?:con|su|che)"],
    acuerdo: ["de acuerdo (?:con|en|que)"],
  },
  { соглас: ["соглас(?:ен|на|ны) с"] },
);

const refusal = markers(
  {
    agree: [`(?:not|don't|cannot|can't)${much} agree`],
    einverstanden: ["nicht einverstanden"],
    accord: ["non sono d'accordo", "pas d'accord"],
    concordo: ["non concordo"],
    acuerdo: ["no estoy de acuerdo"],
  },
  { соглас: ["не соглас[а-я]*"] },
);

const acceptance = markers(
  {
    accept: [
      "i accept your (?:approach|proposal|argument|point)",
      "j'accepte (?:ta|ton|votre) (?:approche|proposition|argument|point)",
    ],
    akzeptiere: ["ich akzeptiere deine?n? (?:ansatz|vorschlag|argument|punkt)(?! nicht)"],
    accetto: ["(?<!non )accetto (?:il tuo|la tua) (?:approccio|proposta|argomento|punto)"],
    acepto: ["(?<!no )acepto tu (?:enfoque|propuesta|argumento|punto)"],
  },
  {
    принима: [
      "(?<!не )принимаю (?:твой|твою|твоё|твое|ваш|вашу|ваше) (?:подход|предложение|довод|аргумент)",
    ],
  },
);

/** How an answer begins that goes on from the other's: an addition or a next step is no divergence. */
const addition = markers(
  {
    "a e i o u y": [
      "^[ \\n]?(?:and|also|additionally|in addition|furthermore|moreover|plus|on top|then|next|after that|first|second)",
      "^[ \\n]?(?:und|ausserdem|dann|danach|zuerst|inoltre|anche|poi|prima|et|aussi|de plus|puis|ensuite|luego)",
    ],
  },
  {
    "a e i u и а о е": [
      "^[ \\n]?(?:и|также|кроме того|дополнительно|затем|потом|сначала|далее)",
      "^[ \\n]?(?:außerdem|zusätzlich|además|también|después)",
    ],
  },
);

export function statesAddition(text: string): boolean {
  return matches(addition(), ownWords(text));
}

export function statesDisagreement(text: string): boolean {
  return (
    mayHold(disagreement(), text) && matches(disagreement(), without(consent(), ownWords(text)))
  );
}

/** "Agree with X, disagree with Y because ...": the strong points of the other side are named. */
export function statesAcknowledgement(text: string): boolean {
  return (
    mayHold(acknowledgement(), text) &&
    matches(acknowledgement(), without(refusal(), ownWords(text)))
  );
}

export function statesAcceptance(text: string): boolean {
  return mayHold(acceptance(), text) && matches(acceptance(), ownWords(text));
}

function mayHold({ stems }: Markers, text: string): boolean {
  const lower = text.toLowerCase();
  return (!isPlain(text) && otherForms.test(text)) || stems.some((stem) => lower.includes(stem));
}

function matches(pattern: Markers, text: string): boolean {
  return forText(pattern, text)?.test(text) ?? false;
}

function without(pattern: Markers, text: string): string {
  if (!mayHold(pattern, text)) return text;
  const found = forText(pattern, text);
  return found === undefined ? text : text.replace(new RegExp(found, `g${found.flags}`), " ");
}

/** A process that lives long meets many combinations. */
const madeMax = 100;

/** Letters that regular expressions, but not `toLowerCase`, take for those of a stem. */
const otherForms = /[\u017f\u1c80-\u1c88]/;

/** One pattern of all markers that the text may hold; undefined when it holds none of their stems. */
function forText({ groups, made }: Markers, text: string): RegExp | undefined {
  const plain = isPlain(text);
  const lower = text.toLowerCase();
  const isAny = !plain && otherForms.test(text);
  const wanted = groups.filter(
    (it) => (it.isPlain || !plain) && (isAny || it.stems.some((stem) => lower.includes(stem))),
  );
  if (wanted.length === 0) return undefined;
  const source = wanted.flatMap((it) => it.markers).join("|");
  const known = made.get(source);
  // Unicode classes take milliseconds to build, which most texts can save.
  const pattern =
    known ??
    (plain
      ? new RegExp(`(?<!\\w)(?:${source})(?!\\w)`, "i")
      : new RegExp(`(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])`, "iu"));
  if (made.size >= madeMax) made.clear();
  made.set(source, pattern);
  return pattern;
}
