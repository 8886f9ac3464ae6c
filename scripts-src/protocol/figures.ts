import { defined } from "../base/omit-undefined.ts";
import { singleLine } from "../base/visible-text.ts";
import { type CheckSpec, parseCheckSpec, specText } from "./check-spec.ts";
import type { EvidenceRecord } from "./evidence.ts";

/** What one text says and another may hold: numbers, quoted words, paths and identifiers, found by their form in any language. */
export interface Figure {
  readonly kind: "number" | "quoted" | "name";
  readonly text: string;
  /** What may be the number's unit: 5 s may stand as 5000. */
  readonly unit?: string;
  /** An abbreviation before the number, as in RFC 6585: compared only where that is spoken of. */
  readonly label?: string;
}

const quotations =
  /[`"\u201c-\u201f\u00ab\u300c\u300e][^`"\u201c-\u201f\u00ab\u00bb\u300c-\u300f\n]{1,80}[`"\u201c-\u201f\u00bb\u300d\u300f]|(?<![\p{L}\p{N}])['\u2018][^'\u2018\u2019\n]{1,80}['\u2019](?![\p{L}\p{N}])/gu;
const pathWords = /(?<![\w@.~/+-])[\w@.~/+-]{3,200}(?![\w@.~/+(-])/g;
const nameWords = /(?<![\w$-])(?:--[a-z][\w-]{1,60}|[\w$]{3,80}(?:\(\))?)(?![\w$])/g;
/** Dates and times of day, years in dates, parts as 50/50, all of a hundred, places in a list or a file, ordinals. */
const notCounted = [
  /(?:(?<![\p{L}\d.,])(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\.? \p{L}{3,}\.?,? |\p{Lu}\p{Ll}{2,}\.? (?:(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?,? )?)(?:19|20|21)\d\d(?![.,]?\d)(?! ?(?:ms|s|min|h|d|%|[kKMG]i?B?)(?!\p{L}))|\d{4}[年년] ?(?:\d{1,2}[月월] ?(?:\d{1,2}[日일])?)?|\d{1,2}[月월] ?\d{1,2}[日일]/gu,
  /(?<![\d./])\d{1,2}\/\d{1,2}(?![\d./])|(?<![\d.,])100 ?%/g,
  /\d{4}[-./]\d{1,2}[-./]\d{1,2}(?:T[\d:.]+Z?)?|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}:\d\d(?::\d\d)?/g,
  /^[ \t]*(?:[-*] )?\d{1,3}[.)](?=\s)|\(\d{1,2}\)|(?<=\s):\d+(?:-\d+)?|#\d+|\u7b2c\d+|(?<![\d.,])\d+(?:st|nd|rd|th|er|[eao])(?![A-Za-z\d])|\d+-[\u0400-\u04ff]{1,3}(?![\u0400-\u04ff])/gm,
];
/** Not the digits of a word, as in UTF-8, Apache-2.0 or v2; signs of scripts without blanks may stand beside them. */
const numberWords =
  /(?<![A-Za-z\u00c0-\u024f\u0370-\u04ff\d_.]|[A-Za-z][-/])(?:0x[\da-f]+|\d{1,3}(?: \d{3})+|\d+(?:[.,_'\u2019]\d+)*)(?:e[+-]?\d+)?(?!\d|[A-Za-z]+\d)/gi;

/** What a unit begins with, however it goes on: `minutes`, `MiB`. */
const unitStems = /^(?:([kKMG])i?B|(min)\p{L}*|(s)e[ckg]\p{L}*)$/iu;

function unitOf(_: string, size?: string, minutes?: string): string {
  return size ?? (minutes === undefined ? "s" : "min");
}

/** The figures of a text, each once. */
export function figuresIn(said: string): Figure[] {
  const found: Figure[] = [];
  // A version is its digits.
  let left = said.normalize("NFKC").replace(/(?<![\p{L}\p{N}_.-])v(?=\d+\.\d)/gu, "");
  const take = (kind: Figure["kind"], form: RegExp, isWanted: RegExp, edges: RegExp) => {
    left = left.replace(form, (word) => {
      if (!isWanted.test(word)) return word;
      found.push({ kind, text: word.replace(edges, "") });
      return " ";
    });
  };
  take("name", /`+[^`\s]{1,80}`+/g, /[^\d.,_`]/, /^`+|(?:\([^()]*\))?`+$/g);
  take("quoted", quotations, /^.(?![\d.,_]+.$)/u, /^.|.$/gu);
  left = left.replace(/\w+:\/\/\S+|[\w.+-]+@[\w-]+\.[\w.-]+/g, " ");
  take("name", pathWords, pathForm, /\.+$/);
  take("name", nameWords, nameForm, /\(\)$/);
  for (const form of notCounted) left = left.replace(form, " ");
  for (const { 0: text, index } of left.matchAll(numberWords)) {
    const unit = /^[ -]?(\p{L}+|[%\u00b0])/u.exec(left.slice(index + text.length))?.[1];
    const label = /(?<![\p{L}\p{N}_])([A-Z]{2,}) $/u.exec(left.slice(0, index))?.[1];
    const kind = valuesOf(text).length === 0 ? "name" : "number";
    found.push({ kind, text, ...defined({ unit: unit?.replace(unitStems, unitOf), label }) });
  }
  return [...new Map(found.map((it) => [`${it.text} ${it.unit} ${it.label}`, it])).values()];
}

/** `src/`, `./a`, or a name with an ending; `Node.js` and `1.4.x` are none. */
const pathForm =
  /^(?!v?\d+\.\d|[A-Z][a-z]+\.[a-z]+\.?$)(?:(?:\.\.?|~)\/\w.*|[\w@.+-]{2,}\/\.*|(?:.*\/[\w@+-]|[\w@+-]{2})[\w@.+-]*\.[a-z][a-z0-9]{0,7}\.*)$/;

/** An option, a call, `snake_case` or `camelCase`; `iOS`, `GitHub` and `_this_` are none. */
const nameForm = /^--|[A-Za-z].*\)$|[A-Za-z].*\w_+[A-Za-z0-9]|^[a-z]{2}[a-z0-9]*[A-Z]+[a-z]/;

/** What a number may mean: `1.000` is one, or a thousand. None for a version. */
function valuesOf(written: string): number[] {
  if (/^0x/i.test(written)) return [Number(written)];
  const [digits = "", power = ""] = written.replace(/[_'\u2019 ]/g, "").split(/(?=e)/i);
  const groups = digits.split(/[.,]/);
  const isWhole = groups.slice(1).every((it) => it.length === 3);
  const isDecimal = groups.length === 2 || (digits.includes(".") && digits.includes(","));
  const decimal = `${groups.slice(0, -1).join("")}.${groups.at(-1)}`;
  const read = [...(isWhole ? [groups.join("")] : []), ...(isDecimal ? [decimal] : [])];
  return read.map((it) => Number(it + power));
}

const numbersHeld = /0x[\da-f]+|\d{1,3}(?: \d{3})+|\d+(?:[.,_'\u2019]\d+)*(?:e[+-]?\d+)?/gi;

/** What of these figures a text does not hold; in cited lines a name stands without what it is of. */
export function lackingIn(figures: readonly Figure[], held: string, isCited = false): Figure[] {
  const text = held.normalize("NFKC");
  const words = singleLine(text.toLowerCase());
  const single = new Set(text.match(/[\p{L}\p{N}_$]+/gu));
  const places = [...text.matchAll(placeHeld)].map((it) => Number(it[1]));
  // Also of a list, or a version, each part.
  const numbers = (text.replace(placeHeld, " ").match(numbersHeld) ?? []).flatMap((it) =>
    [[it], it.split(/(?<=\.\d+)\./), it.split(/[^\d_'\u2019]/)].flat().flatMap(valuesOf),
  );
  const known = [...new Set(numbers)];
  return figures.filter((it) => {
    if (it.label !== undefined && !single.has(it.label)) return false;
    const isPlace = (value: number) => !unitSigns.has(it.unit ?? "") && places.includes(value);
    if (it.kind === "number")
      return !valuesOf(it.text).some((value) => isPlace(value) || isAmong(known, value, it));
    const [, first = "", last = ""] = /^([\w$]+)\.(?:[\w$]+\.)*([\w$]{3,})$/.exec(it.text) ?? [];
    const isWhole = single.has(first) || (isCited && /.{5}|[A-Z]/.test(last));
    if (isWhole && single.has(last)) return false;
    return !it.text.split("...").every((part) => words.includes(singleLine(part.toLowerCase())));
  });
}

/** In what a number with such a unit may stand: seconds also in milliseconds, never the other way round. */
const unitSigns = new Map<string, readonly number[]>([
  ...Object.entries({ ms: [0.001], s: [1_000], min: [60, 60_000], h: [60, 3_600, 3.6e6] }),
  ...Object.entries({ d: [24, 86_400, 8.64e7], "%": [0.01], k: [1_000, 1_024], K: [1_000, 1_024] }),
  ...Object.entries({ M: [1e6, 1_048_576], G: [1e9, 2 ** 30] }),
]);
/** Any other word after a number may be a unit of time or of size. */
const scales = [1_000, 1_024, 60, 3_600, 60_000, 3.6e6, 86_400, 8.64e7, 1_048_576, 1e6];

function isAmong(known: readonly number[], value: number, { text, unit = "" }: Figure): boolean {
  const decimals = /[.,](\d+)$/.exec(text)?.[1]?.length ?? 0;
  const eitherWay = unit === "" ? [] : [...scales, ...scales.map((it) => 1 / it)];
  return [1, ...(unitSigns.get(unit) ?? eitherWay)].some((step) => {
    // What was measured may be rounded.
    const most = decimals > 0 ? 0.5 * 10 ** -decimals : step === 1 ? 0.5 : value * 1e-9;
    return known.some((it) => Math.abs(it / step - value) <= most * 0.999);
  });
}

/** Where something stands: no quantity, so nothing but this very number. */
const placeHeld = /(?<!\S):(\d+):(?!\S)/g;

/** What was seen, with its check and the numbers of its lines. */
export function heldBy(spec: CheckSpec, expect: string, seen: string): string {
  const found = seen.replace(/^(.+?):(\d+): /gm, "$1 :$2: ");
  const count = spec.kind === "search" ? seen.split("\n").length : "";
  if (spec.kind !== "lines") return [specText(spec), expect, found, count].join("\n");
  const lines = Array.from({ length: 20 }, (_, at) => spec.from + at);
  const places = lines.filter((it) => it <= spec.to).map((it) => `:${it}:`);
  return [spec.path, expect, seen, ...places].join("\n");
}

type Compared = Pick<EvidenceRecord, "kind" | "spec" | "expect" | "lacks" | "places">;

/** What anyone is told of a record who compares it with its claim; nothing else words it. */
export function doubtsOf(record: Compared, claim: string): string[] {
  const { kind, spec, expect, lacks = [], places } = record;
  const parsed = parseCheckSpec(spec);
  const sought = "text" in parsed ? parsed.text : "";
  const wanted = expect ?? sought;
  const [missing, shown] = [lacks.join(", "), JSON.stringify(wanted)];
  const isSpoken = lackingIn([{ kind: "name", text: sought }], claim).length === 0;
  const isNet = expect === undefined ? !isSpoken : sought.includes(expect);
  // A sign of these scripts says as much as two.
  const signs = wanted.trim().replace(/[\u3040-\u9fff\uac00-\ud7af]/g, "..").length;
  const told: [isSo: boolean, text: string][] = [
    [missing !== "", `the claim says ${missing}; what was seen has no ${missing}`],
    [kind === "lines" && wanted === "", "it expects no words of its lines"],
    [kind === "search" && isNet, `it expects ${shown}, which are the words that it searches for`],
    [signs > 0 && signs < 4, `it expects ${shown}, fewer than 4 characters`],
    [places !== undefined, `it expects ${shown}, which ${places} lines of the project hold`],
  ];
  return told.flatMap(([isSo, text]) => (isSo ? [text] : []));
}
