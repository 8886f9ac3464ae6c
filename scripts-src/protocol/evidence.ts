import type { JsonValue } from "../base/json.ts";
import {
  type Faults,
  flag,
  integerBetween,
  list,
  oneOf,
  type Read,
  record,
  text,
  words,
} from "../base/schema.ts";
import { hasWord, singleLine } from "../base/visible-text.ts";
import { evidenceLimits, parseCheckSpec, specText } from "./check-spec.ts";

/** Whether a text holds the words that were expected: signs count, how they are broken into lines does not. */
export function holdsWords(found: string, expected: string): boolean {
  const wanted = plain(expected);
  return wanted !== "" && plain(found).includes(wanted);
}

function plain(words: string): string {
  return singleLine(words.normalize("NFC"));
}

/** Why nothing can be expected by these words; undefined when it can. */
export function expectFault(expected: string): string | undefined {
  if (!hasWord(expected)) {
    return `expect is ${JSON.stringify(expected.slice(0, 40))}: write words that the lines or output hold`;
  }
  const { expectCharacters } = evidenceLimits;
  return expected.length > expectCharacters
    ? `expect has more than ${expectCharacters} characters: take the words that count`
    : undefined;
}

function sha256(value: unknown, path: string, faults: Faults): string | undefined {
  if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return value;
  faults.found.push(`${path} is no SHA-256`);
  return undefined;
}

const { specCharacters, expectCharacters, pathCharacters, partCharacters } = evidenceLimits;
const processFields = { pid: integerBetween(1, 4_294_967_295), started: text(100) };
const readProcess = record(processFields, ["pid", "started"]);
const claimId = /^[CF][1-9]\d{0,14}\.[1-9]\d{0,5}$/;

const readEvidence = record(
  {
    /** The claim it is about, `C4.1`; absent for a free observation. */
    claim: words(40),
    kind: oneOf(["lines", "search", "run"]),
    /** As `specText` writes it. */
    spec: words(2 * specCharacters),
    expect: words(expectCharacters),
    /** The lines are there, or the command ended with 0; and they hold what was expected. */
    met: flag(),
    /** Of a command; 128 where a signal ended it. */
    exit: integerBetween(0, 255),
    ms: integerBetween(0, 86_400_000),
    /** Of exactly the cited lines, the lines that a search found, or what a command printed. */
    sha256,
    first: text(partCharacters),
    /** The end of what is longer than `first`. */
    last: text(partCharacters),
    commit: words(64),
    /** Files that differ from the commit, and cited ones that git does not track; one more than the limit: there are more. */
    dirty: list(words(pathCharacters), evidenceLimits.dirtyFiles + 1),
    /** The script that looked, and the AI CLI that ran it or that it was done for. */
    process: record({ ...processFields, cli: readProcess }, ["pid", "started"]),
    /** Of a command: whether the system kept it from the network. */
    network: oneOf(["off", "on"]),
    /** Numbers, quoted words and names that the claim says and that neither its check nor all that was seen holds. */
    lacks: list(text(1_000), evidenceLimits.lacks),
    /** How many lines of the project hold the expected words, where they are more than a few. */
    places: integerBetween(0, 1_000_000),
    /** Of a command: what no commit holds of the files that it could see, as `SHA-256 path`, or `gone path`; `wrote path` for what it changed itself. */
    files: list(words(pathCharacters + 65), evidenceLimits.dirtyFiles),
  },
  ["kind", "spec", "met", "ms", "sha256", "first", "last", "process"],
);

/** What a script saw when it looked: plain JSON, bounded. */
export type EvidenceRecord = Read<typeof readEvidence>;

/** When a process began, in the system's own words: pids are used again. "" where nobody can tell. */
export type EvidenceProcess = Read<typeof readProcess>;

/** What `consult` writes in the place of a start time where it looks for a participant. */
export function lookedFor(participant: string): string {
  return `consult for ${participant}`;
}

/** The path of what a record names in its `files`. */
export function pathIn(seen: string): string {
  return seen.slice(seen.indexOf(" ") + 1);
}

/** Reads what a log holds as a record; undefined for anything that no script of ours wrote so. */
export function parseEvidence(value: JsonValue | undefined): EvidenceRecord | undefined {
  const faults: Faults = { found: [], strict: true };
  const found = readEvidence(value, "", faults);
  if (found === undefined || faults.found.length > 0) return undefined;
  const { kind, spec, met, exit, claim } = found;
  const parsed = parseCheckSpec(spec);
  if ("fault" in parsed || parsed.kind !== kind || specText(parsed) !== spec) return undefined;
  if ((kind === "run") !== (exit !== undefined) || (met && (exit ?? 0) !== 0)) return undefined;
  return claim === undefined || isClaimId(claim) ? found : undefined;
}

/** Whether a text is the id of a claim, as `C4.1`, or of a disputed fact, as `F4.1`. */
export function isClaimId(id: string): boolean {
  return claimId.test(id);
}

/** The beginning of a text, and the end of a longer one, as a record keeps them. */
export function firstAndLast(whole: string): Pick<EvidenceRecord, "first" | "last"> {
  const most = evidenceLimits.partCharacters;
  const first = whole.slice(0, most).toWellFormed();
  const last = whole.slice(Math.max(first.length, whole.length - most)).toWellFormed();
  return { first, last };
}
