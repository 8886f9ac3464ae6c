import type { ProjectText } from "../survey.ts";

/** What one scripted colleague saw in the project; every word of it can be checked. */
export interface Sight {
  readonly title: string;
  /** How many lines there are of what it looked for. */
  readonly lines: number;
  /** Some of the lines, as `path:line`. */
  readonly places: readonly string[];
  readonly method: string;
}

/** What a colleague looks for: lines of which people say this. */
interface Interest {
  readonly what: string;
  readonly method: string;
  /** How much a line is of that; 0: not at all. Lines come in lower case. */
  weigh(line: string): number;
}

const placesMax = 5;

/** Looks at the project as the colleague of that seat does: each for something else. */
export function lookFor(seat: number, question: string, texts: readonly ProjectText[]): Sight {
  const interests = [aboutWords(question), unsteady, test, openEnd];
  const { what, method, weigh } = interests[seat % interests.length] ?? unsteady;
  let [lines, holding] = [0, 0];
  const found: { place: string; weight: number }[] = [];
  for (const { path, text } of texts) {
    const before = lines;
    for (const [index, line] of text.split("\n").entries()) {
      const weight = weigh(line);
      if (weight === 0) continue;
      lines += 1;
      if (isCitable(path)) found.push({ place: `${path}:${index + 1}`, weight });
    }
    if (lines > before) holding += 1;
  }
  const heaviest = found.sort((one, other) => other.weight - one.weight);
  const places = heaviest.slice(0, placesMax).map(({ place }) => place);
  const count = `${lines}, in ${holding} of ${texts.length} text files`;
  return { title: `Lines that ${what}: ${count}`, lines, places, method };
}

/** Blanks and marks in a path would make another citation of it. */
function isCitable(path: string): boolean {
  return /^[\p{L}\p{N}_./@+-]+$/u.test(path);
}

function aboutWords(question: string): Interest {
  const words = tellingWords(question);
  const list = words.map((word) => `"${word}"`).join(", ");
  const shown = list.replace(/, (?=[^,]*$)/, " or ") || "a telling word of the question";
  return {
    what: `hold ${shown}`,
    method: `Lines with ${shown}`,
    weigh: (line) => words.filter((word) => line.includes(word)).length,
  };
}

const wordsMax = 3;
const common =
  /^(?:about|after|also|been|before|being|come|does|doing|down|each|from|goes|have|into|keep|know|make|makes|more|most|must|need|only|other|over|same|should|some|such|take|than|that|their|them|then|there|these|they|this|those|very|want|were|what|when|where|which|while|will|with|work|would|your)$/;

/** The longest words of a question are those that say most. */
function tellingWords(question: string): string[] {
  const all = question.toLowerCase().match(/[\p{L}\p{N}_]{4,30}/gu) ?? [];
  const words = [...new Set(all)].filter((word) => !common.test(word));
  return words.sort((one, other) => other.length - one.length).slice(0, wordsMax);
}

function matching(what: string, method: string, pattern: RegExp): Interest {
  return { what, method, weigh: (line) => (pattern.test(line) ? 1 : 0) };
}

const unsteady = matching(
  "ask the clock, wait or draw random numbers",
  "Lines with Date.now, new Date, time.time, setTimeout, sleep, random or rand()",
  /date\.now|new date\b|time\.time|settimeout|\bsleep\b|random|\brand\(/,
);

const test = matching(
  "begin a test",
  "Lines that begin with it(, test(, describe(, def test_, func Test or #[test]",
  /^\s*(?:(?:it|test|describe)\(|def test_|func test|#\[test\])/,
);

const openEnd = matching(
  "are marked as unfinished",
  "Lines with TODO, FIXME, HACK or XXX",
  /\b(?:todo|fixme|hack|xxx)\b/,
);
