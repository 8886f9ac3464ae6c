import { type ConsultaError, refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import { withoutSecrets } from "../base/secrets.ts";
import { oneLine, visibleText } from "../base/visible-text.ts";
import { orNothing } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { type CheckSpec, evidenceLimits, specText } from "../protocol/check-spec.ts";
import { type EvidenceRecord, firstAndLast, holdsWords } from "../protocol/evidence.ts";
import { figuresIn, heldBy, lackingIn } from "../protocol/figures.ts";
import type { GitState } from "./git-state.ts";
import { notThere, readCitedLines } from "./read-cited-file.ts";
import { searchProject } from "./search-project.ts";

/** A spec that needs nobody's consent: it only reads. */
type ReadingSpec = Exclude<CheckSpec, { kind: "run" }>;

/** Who looks, where, and what is known of the place. */
export interface Checker {
  readonly project: string;
  readonly process: EvidenceRecord["process"];
  readonly git: GitState;
  /** What the claim says that it is looked at for; absent without one, and where somebody looks again. */
  readonly said?: string;
}

/**
 * Reads the lines, or searches, and records what is there.
 * @throws ConsultaError REFUSED in one line for a path that may not or cannot be read, and for cited lines that
 * are not there or are blank. With `whenAbsent` "recorded" such lines make a record that is not met instead, as
 * a search that finds nothing always does.
 */
export function readCheck(
  spec: ReadingSpec,
  expect: string | undefined,
  checker: Checker,
  whenAbsent: "refused" | "recorded" = "refused",
): EvidenceRecord {
  const started = performance.now();
  const seen = spec.kind === "lines" ? seenLines(spec, checker) : seenByFind(spec, checker);
  if ("absent" in seen && whenAbsent === "refused") throw seen.absent;
  const ms = Math.round(performance.now() - started);
  return recordOf(spec, expect, "absent" in seen ? nothing : seen, checker, ms);
}

/** The record of what could not be read at all. */
export function emptyRecord(
  spec: ReadingSpec,
  expect: string | undefined,
  checker: Checker,
): EvidenceRecord {
  return recordOf(spec, expect, nothing, checker, 0);
}

function recordOf(
  spec: ReadingSpec,
  expect: string | undefined,
  { hashed, shown, there }: Seen,
  checker: Checker,
  ms: number,
): EvidenceRecord {
  return {
    kind: spec.kind,
    spec: specText(spec),
    ...defined({ expect }),
    met: there && (expect === undefined || holdsExpected(shown, spec, expect)),
    ms,
    sha256: sha256(hashed),
    ...keptParts(shown),
    ...checker.git,
    process: checker.process,
    ...(there ? comparedWith(spec, shown, checker, expect) : {}),
  };
}

/** What the whole of what was seen shows of the claim: a record keeps parts of it. */
export function comparedWith(spec: CheckSpec, seen: string, checker: Checker, expect?: string) {
  const { project, said } = checker;
  if (said === undefined) return {};
  const held = heldBy(spec, expect ?? "", seen);
  const missing = lackingIn(figuresIn(said), held, spec.kind === "lines").map(({ text }) => text);
  const lacks = [...new Set(missing)].slice(0, evidenceLimits.lacks).map((it) => oneLine(it));
  const wanted = expect ?? (spec.kind === "search" ? spec.text : "");
  const isCounted = spec.kind !== "run" && wanted !== "";
  const found = isCounted ? orNothing(() => searchProject(project, wanted, ["."], true)) : [];
  const places = found?.length ?? 0;
  const isNet = places > evidenceLimits.placesFew;
  return { ...(lacks.length > 0 ? { lacks } : {}), ...(isNet ? { places } : {}) };
}

const nothing: Seen = { hashed: "", shown: "", there: false };

interface Seen {
  /** Exactly what the hash is made of. */
  readonly hashed: string;
  /** The same for people, with paths where they need them. */
  readonly shown: string;
  readonly there: boolean;
}

function seenLines(
  { path, from, to }: Extract<CheckSpec, { kind: "lines" }>,
  { project }: Checker,
): Seen | { readonly absent: ConsultaError } {
  const lines = readCitedLines(project, path);
  if (lines === undefined) return { absent: notThere(path) };
  if (to > lines.length) {
    const reason = `${quote(path)} has ${lines.length} lines, cited are ${from}-${to}`;
    return {
      absent: refused(`${reason}; open the file and cite what is there`),
    };
  }
  const cited = lines.slice(from - 1, to).join("\n");
  if (cited.trim() === "") {
    const reason = `lines ${from}-${to} of ${quote(path)} are blank`;
    return { absent: refused(`${reason}; cite lines that say something`) };
  }
  return { hashed: cited, shown: cited, there: true };
}

function seenByFind(
  { text, paths }: Extract<CheckSpec, { kind: "search" }>,
  { project }: Checker,
): Seen {
  const found = searchProject(project, text, paths);
  return {
    hashed: found.map((line) => line.text).join("\n"),
    shown: found.map((line) => `${line.path}:${line.number}: ${line.text}`).join("\n"),
    there: found.length > 0,
  };
}

/**
 * What a search prints is `path:line: text`: the words may name the place. Each line is of its own place,
 * so that no words stand across two of them.
 */
function holdsExpected(shown: string, { kind }: ReadingSpec, expect: string): boolean {
  if (kind === "lines") return holdsWords(shown, expect);
  return shown.split("\n").some((line) => holdsWords(line, expect));
}

/** The beginning and the end of what was seen as a log may hold it: no control, no credential. */
export function keptParts(whole: string): Pick<EvidenceRecord, "first" | "last"> {
  const part = 4 * evidenceLimits.partCharacters;
  const short = whole.length <= 2 * part ? whole : `${whole.slice(0, part)}\n${whole.slice(-part)}`;
  const plain = short.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replace(/\r\n?/g, "\n");
  return firstAndLast(visibleText(withoutSecrets(plain.toWellFormed())));
}
