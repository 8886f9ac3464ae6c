import type { JsonValue } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import {
  type Faults,
  flag,
  integerBetween,
  list,
  oneOf,
  record,
  text,
  words,
} from "../base/schema.ts";
import { hasWord, singleLine } from "../base/visible-text.ts";
import { type CheckSpec, evidenceLimits, parseCheckSpec, specText } from "./check-spec.ts";

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
const readProcess = record({ ...processFields, cli: record(processFields, ["pid", "started"]) }, [
  "pid",
  "started",
]);
const recordFields = {
  claim: words(40),
  kind: oneOf(["lines", "search", "run"]),
  spec: words(2 * specCharacters),
  expect: words(expectCharacters),
  met: flag(),
  exit: integerBetween(0, 255),
  ms: integerBetween(0, 86_400_000),
  sha256,
  first: text(partCharacters),
  last: text(partCharacters),
  commit: words(64),
  dirty: list(words(pathCharacters), evidenceLimits.dirtyFiles + 1),
  process: readProcess,
  network: oneOf(["off", "on"]),
  lacks: list(text(1_000), evidenceLimits.lacks),
  places: integerBetween(0, 1_000_000),
  files: list(words(pathCharacters + 65), evidenceLimits.dirtyFiles),
};
const needed = ["kind", "spec", "met", "ms", "sha256", "first", "last", "process"] as const;

/** What `consult` writes in the place of a start time where it looks for a participant. */
export function lookedFor(participant: string): string {
  return `consult for ${participant}`;
}

/** When a process began, in the system's own words: pids are used again. "" where nobody can tell. */
export interface EvidenceProcess {
  readonly pid: number;
  readonly started: string;
}

/** What a script saw when it looked: plain JSON, bounded. */
export interface EvidenceRecord {
  /** The claim it is about, `C4.1`; absent for a free observation. */
  readonly claim?: string;
  readonly kind: CheckSpec["kind"];
  /** As `specText` writes it. */
  readonly spec: string;
  readonly expect?: string;
  /** The lines are there, or the command ended with 0; and they hold what was expected. */
  readonly met: boolean;
  /** Of a command; 128 where a signal ended it. */
  readonly exit?: number;
  readonly ms: number;
  /** Of exactly the cited lines, the lines that a search found, or what a command printed. */
  readonly sha256: string;
  readonly first: string;
  /** The end of what is longer than `first`. */
  readonly last: string;
  readonly commit?: string;
  /** Files that differ from the commit, and cited ones that git does not track; one more than the limit: there are more. */
  readonly dirty?: readonly string[];
  /** The script that looked, and the AI CLI that ran it or that it was done for. */
  readonly process: EvidenceProcess & { readonly cli?: EvidenceProcess };
  /** Of a command: whether the system kept it from the network. */
  readonly network?: "off" | "on";
  /** Numbers, quoted words and names that the claim says and that neither its check nor all that was seen holds. */
  readonly lacks?: string[];
  /** How many lines of the project hold the expected words, where they are more than a few. */
  readonly places?: number;
  /** Of a command: what no commit holds of the files that it could see, as `SHA-256 path`, or `gone path`; `wrote path` for what it changed itself. */
  readonly files?: string[];
}

/** The path of what a record names in its `files`. */
export function pathIn(seen: string): string {
  return seen.slice(seen.indexOf(" ") + 1);
}

/** Reads what a log holds as a record; undefined for anything that no script of ours wrote so. */
export function parseEvidence(value: JsonValue | undefined): EvidenceRecord | undefined {
  const faults: Faults = { found: [], strict: true };
  const read = record(recordFields, needed)(value, "", faults);
  if (read === undefined || faults.found.length > 0) return undefined;
  const { kind, spec, met, ms, first, last } = read;
  const hash = read.sha256;
  const made = processOf(read.process);
  if (kind === undefined || spec === undefined || met === undefined || ms === undefined) return;
  if (hash === undefined || first === undefined || last === undefined || made === undefined) return;
  const parsed = parseCheckSpec(spec);
  if ("fault" in parsed || parsed.kind !== kind || specText(parsed) !== spec) return undefined;
  if ((kind === "run") !== (read.exit !== undefined)) return undefined;
  if (kind === "run" && met && read.exit !== 0) return undefined;
  if (read.claim !== undefined && !claimId.test(read.claim)) return undefined;
  const always = { kind, spec, met, ms, sha256: hash, first, last, process: made };
  return { ...defined(read), ...always };
}

const claimId = /^[CF][1-9]\d{0,14}\.[1-9]\d{0,5}$/;

/** Whether a text is the id of a claim, as `C4.1`, or of a disputed fact, as `F4.1`. */
export function isClaimId(id: string): boolean {
  return claimId.test(id);
}

function processOf(it: ReturnType<typeof readProcess>): EvidenceRecord["process"] | undefined {
  if (it?.pid === undefined || it.started === undefined) return undefined;
  const { pid, started, cli } = it;
  if (cli?.pid === undefined || cli.started === undefined) return { pid, started };
  return { pid, started, cli: { pid: cli.pid, started: cli.started } };
}

/** The beginning of a text, and the end of a longer one, as a record keeps them. */
export function firstAndLast(whole: string): Pick<EvidenceRecord, "first" | "last"> {
  const most = evidenceLimits.partCharacters;
  const first = whole.slice(0, most).toWellFormed();
  const last = whole.slice(Math.max(first.length, whole.length - most)).toWellFormed();
  return { first, last };
}
