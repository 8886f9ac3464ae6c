import { firstOf } from "../base/first-of.ts";
import { inline } from "../base/json.ts";
import { sha256 } from "../files/hash.ts";
import { type CheckSpec, parseCheckSpec, specText } from "../protocol/check-spec.ts";
import { type EvidenceRecord, pathIn } from "../protocol/evidence.ts";
import type { SeenBefore } from "../protocol/protocol.ts";
import { checkLimits } from "./check-limits.ts";
import { fileNow, isUnreadable, readCitedLines } from "./read-cited-file.ts";
import { readCheck } from "./record-reading.ts";

/** What has become of what a record saw; `moved`: the same lines stand elsewhere in their file. */
type Since =
  | { readonly now: "same" }
  | { readonly now: "moved"; readonly spec: string }
  | { readonly now: "changed"; readonly why: string };

type Reread = Pick<EvidenceRecord, "kind" | "spec" | "sha256" | "expect" | "met">;

const nobody = { process: { pid: process.pid, started: "" }, git: {} };

/** Reads cited lines, or searches, again; undefined for a command, which only `check --replay` runs. */
export function recheck(record: Reread, project: string): Since | undefined {
  const spec = parseCheckSpec(record.spec);
  if ("fault" in spec || spec.kind === "run") return undefined;
  try {
    const found = readCheck(spec, record.expect, { project, ...nobody }, "recorded");
    if (found.sha256 === record.sha256 && found.met === record.met) return { now: "same" };
    const moved = spec.kind === "lines" ? placeOf(spec, record.sha256, project) : undefined;
    if (moved !== undefined) return { now: "moved", spec: specText(moved) };
    return { now: "changed", why: `${record.spec} says something else now` };
  } catch (cause) {
    if (!isUnreadable(cause)) throw cause;
    return { now: "changed", why: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Where the very same lines stand now. */
function placeOf(
  { path, from, to }: Extract<CheckSpec, { kind: "lines" }>,
  wanted: string,
  project: string,
): CheckSpec | undefined {
  const place = onlyPlaceOf(readCitedLines(project, path) ?? [], to - from + 1, wanted);
  return place === undefined
    ? undefined
    : { kind: "lines", path, from: place, to: place + to - from };
}

/** The line at which so many lines of this SHA-256 begin; undefined when nowhere, at several places, or too far to look. */
export function onlyPlaceOf(
  lines: readonly string[],
  count: number,
  wanted: string,
): number | undefined {
  const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (size * count > checkLimits.movedCharacters) return undefined;
  const places = lines.flatMap((_, at) => {
    const isThere = at + count <= lines.length;
    return isThere && sha256(lines.slice(at, at + count).join("\n")) === wanted ? [at + 1] : [];
  });
  return places.length === 1 ? places[0] : undefined;
}

/** What of a record that a decision rests on no longer holds: what it saw has changed or is gone. */
export interface StaleRecord {
  readonly claim: string | undefined;
  /** The lines or the search; of a command a file that it saw. */
  readonly what: "lines" | "files";
  readonly spec: string;
  readonly why: string;
}

/**
 * Reads cited lines and searches again, as they are in the project now, and the files that commands saw; lines that
 * moved count as they were. What commands said is not looked at: only `check --replay` runs them.
 */
export function staleOf(records: readonly SeenBefore[], project: string): StaleRecord[] {
  const known = new Map<string, ReturnType<typeof recheck>>();
  return records.flatMap((record) => {
    const key = `${record.sha256} ${record.spec} ${record.expect ?? ""}`;
    const since = known.has(key) ? known.get(key) : recheck(record, project);
    known.set(key, since);
    const { claim, spec, files = [] } = record;
    if (since?.now === "changed") return [{ claim, what: "lines", spec, why: since.why }];
    return files.map(pathIn).flatMap((path, at): StaleRecord[] => {
      const why = `the file ${inline(path, 120)} is another now`;
      const isSame = [undefined, files[at]].includes(fileNow(project, path));
      return isSame ? [] : [{ claim, what: "files", spec: path, why }];
    });
  });
}

const shownMax = 5;

/** One line for anyone who relies on a decision; undefined while nothing has changed. */
export function staleText(stale: readonly StaleRecord[]): string | undefined {
  if (stale.length === 0) return undefined;
  const places = stale.map(({ claim, spec }) => {
    const about = claim === undefined ? "" : ` (${claim})`;
    return `${inline(spec, 120)}${about}`;
  });
  const shown = firstOf(places, shownMax, (beyond) => `${beyond} more`);
  const whats = [...new Set(stale.map(({ what }) => what))].join(" and ");
  return `rests on ${whats} that have changed since: ${shown.join(", ")}`;
}
