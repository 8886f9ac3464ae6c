import { sha256 } from "../files/hash.ts";
import { type CheckSpec, parseCheckSpec, specText } from "../protocol/check-spec.ts";
import type { EvidenceRecord } from "../protocol/evidence.ts";
import { checkLimits } from "./check-limits.ts";
import { isUnreadable, readCitedLines } from "./read-cited-file.ts";
import { look } from "./record-reading.ts";

/** What has become of what a record saw; `moved`: the same lines stand elsewhere in their file. */
export type Since =
  | { readonly now: "same" }
  | { readonly now: "moved"; readonly spec: string }
  | { readonly now: "changed"; readonly why: string };

type Reread = Pick<EvidenceRecord, "kind" | "spec" | "sha256" | "expect" | "met">;

const nobody = { process: { pid: process.pid, started: "" }, git: {} };

/** Reads cited lines, or searches, again; undefined for a command, which only `check --replay` runs. */
export function lookAgain(record: Reread, project: string): Since | undefined {
  const spec = parseCheckSpec(record.spec);
  if ("fault" in spec || spec.kind === "run") return undefined;
  try {
    const found = look(spec, record.expect, { project, ...nobody }, "recorded");
    if (found.sha256 === record.sha256 && found.met === record.met) return { now: "same" };
    const moved = spec.kind === "lines" ? placeOf(spec, record.sha256, project) : undefined;
    if (moved !== undefined) return { now: "moved", spec: specText(moved) };
    return { now: "changed", why: `${record.spec} says something else now` };
  } catch (cause) {
    if (!isUnreadable(cause)) throw cause;
    return { now: "changed", why: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Where the very same lines stand now; undefined when nowhere, at several places, or too far to look. */
function placeOf(
  { path, from, to }: Extract<CheckSpec, { kind: "lines" }>,
  wanted: string,
  project: string,
): CheckSpec | undefined {
  const lines = readCitedLines(project, path) ?? [];
  const more = to - from;
  const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (size * (more + 1) > checkLimits.movedCharacters) return undefined;
  const places = lines.flatMap((_, at) => {
    const isThere = at + more < lines.length;
    return isThere && sha256(lines.slice(at, at + more + 1).join("\n")) === wanted ? [at + 1] : [];
  });
  const [place] = places;
  if (place === undefined || places.length > 1) return undefined;
  return { kind: "lines", path, from: place, to: place + more };
}
