import { isPlainLine } from "../../base/escape-untrusted-text.ts";
import { isInstructions } from "../../base/instruction-files.ts";
import { isRecord, type JsonObject, quote } from "../../base/json.ts";
import { listOf, stepsUp } from "./deliverables.ts";
import { deliverablesFaults } from "./deliverables-faults.ts";
import { hasFault, type UnusableFault, unusable } from "./faults.ts";

/**
 * Why the paths that a `protocol.json` of schema 2 declares must not be followed; undefined when they
 * may. Its author could otherwise lead readers and writers out of the folder, or put lines of its own among
 * ours.
 */
export function declaredPathFault(raw: JsonObject): UnusableFault | undefined {
  const given = raw["deliverables"];
  if (!isRecord(given)) return undefined;
  const entries = [
    given["primary"],
    ...listOf(given["supporting"]),
    ...listOf(given["attachments"]),
  ];
  const files = entries.map((entry) => (isRecord(entry) ? entry["file"] : undefined));
  const paths = [given["dir"], raw["repoRoot"], ...files].filter(
    (path) => typeof path === "string",
  );
  const odd = paths.find((path) => !isPlainLine(path) || path.includes("\\"));
  if (odd !== undefined) {
    return unusable(`${quote(odd)} cannot be a path: write plain names with slashes between`);
  }
  const leaving = deliverablesFaults(raw).find((it) =>
    hasFault([it], "leads out", "not inside root"),
  );
  if (leaving !== undefined) {
    return { code: leaving.code, text: `${leaving.text}: correct protocol.json` };
  }
  const programs = paths.find((path) => path.split("/").some((name) => isOfProgram(name)));
  if (programs !== undefined) {
    return unusable(
      `${quote(programs)} is, or lies in, what programs keep for themselves: move it`,
    );
  }
  const isAbove = typeof raw["repoRoot"] === "string" && (stepsUp(raw["repoRoot"]) ?? 0) > 0;
  const taken = isAbove ? files.find((file) => isOwnName(given["dir"], file)) : undefined;
  return taken === undefined
    ? undefined
    : unusable(`deliverable ${quote(taken)} has the name of a file of the protocol: rename it`);
}

/** Whether a name of a path is hidden: what programs keep there is no deliverable. */
export function isHidden(name: string): boolean {
  return /^\.(?!\.?$)./.test(name);
}

/** Windows and macOS know only one case, and read a dot or blank at the end as none. */
function isOfProgram(name: string): boolean {
  const hidden = /^\.(?:git|consulta|claude|gemini|agents|codex|opencode|cursor|github)[ .]*$/i;
  return hidden.test(name) || isInstructions(name);
}

/** A file of the repository that rules would take for one of the collaboration's own. */
function isOwnName(dir: unknown, file: unknown): boolean {
  const isRoot = typeof dir === "string" && /^(?:\.?\/)*\.?$/.test(dir);
  return (
    isRoot &&
    typeof file === "string" &&
    /^(?:\.\/)*[a-z]+\.(?:md|json|jsonl)$/i.test(file) &&
    ownNames.includes(file.replace(/^(?:\.\/)+/, "").toLowerCase())
  );
}

const ownNames: readonly string[] = [
  ...["protocol.json", "events.jsonl", "readme.md", "proposal.md", "review.md"],
  ...["decisions.md", "readiness.md", "conclusion.md"],
];
