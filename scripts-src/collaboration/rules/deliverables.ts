import { isRecord, type JsonObject, listIn, quote } from "../../base/json.ts";
import { isInstructions } from "../../base/names.ts";
import { isPlainLine } from "../../base/quote-text.ts";
import { type Fault, fault, hasFault, unusable } from "./faults.ts";

/** What a collaboration delivers beside its decision; schema 2 only (originals.md 2.1). */
export interface Deliverable extends JsonObject {
  type: string;
  /** As `protocol.json` names it: relative to the deliverables' folder. */
  file: string;
  /** Relative to the collaboration's folder, or to the repository in external mode. */
  path: string;
  checklist: string[];
  frozen: boolean;
}

export interface Deliverables extends JsonObject {
  mode: "internal" | "external";
  dir: string;
  primary: Deliverable;
  supporting: Deliverable[];
  attachments: string[];
  /** Schema 2, external mode: the repository's root, relative to the collaboration's folder. */
  repoRoot: string;
}

/** The headings that a deliverable of each type must have (originals.md 2.6); `custom` has none. */
const sectionsByType: Readonly<Record<string, string>> = {
  adr: "Status, Context, Decision, Alternatives Considered, Consequences, Follow-ups",
  custom: "",
  "decision-memo": "Question, Recommendation, Options, Tradeoffs, Decision, Next Action",
  "design-spec":
    "Problem, Goals, Non-goals, Proposed Design, Interfaces / Contracts, Failure Modes, Validation Plan, Open Questions",
  "implementation-plan":
    "Scope, Phases, Tasks, Dependencies, Rollout / Migration, Tests, Risks, Exit Criteria",
  "review-report": "Scope, Findings, Risks, Required Changes, Open Questions, Recommendation",
  "test-plan": "Scope, Test Matrix, Fixtures, Automation, Manual Tests, Exit Criteria",
};

export const deliverableTypeNames: readonly string[] = Object.keys(sectionsByType);

/** The sections that a deliverable must have: those of its type, or its checklist. */
export function sectionsOf({ type, checklist }: Pick<Deliverable, "type" | "checklist">): string[] {
  if (type === "custom") return checklist;
  return isDeliverableType(type) ? (sectionsByType[type] ?? "").split(", ") : [];
}

function isDeliverableType(type: unknown): boolean {
  return typeof type === "string" && Object.hasOwn(sectionsByType, type);
}

/**
 * Reads the deliverables that `protocol.json` declares, as far as they can be read; undefined without a primary
 * deliverable that names a file. `deliverablesFaults` judges them.
 */
export function readDeliverables(raw: JsonObject): Deliverables | undefined {
  const given = raw["deliverables"];
  if (!isRecord(given) || !isRecord(given["primary"])) return undefined;
  const dir = textOf(given["dir"]);
  const primary = readDeliverable(given["primary"], dir);
  if (primary.file === "") return undefined;
  const attachments = recordsOf(given["attachments"]).map((entry) => textOf(entry["file"]));
  return {
    mode: given["mode"] === "external" ? "external" : "internal",
    dir,
    primary,
    supporting: recordsOf(given["supporting"]).map((entry) => readDeliverable(entry, dir)),
    attachments: attachments.filter((file) => file !== ""),
    repoRoot: textOf(raw["repoRoot"]),
  };
}

function readDeliverable(given: Record<string, unknown>, dir: string): Deliverable {
  const file = textOf(given["file"]);
  return {
    type: textOf(given["type"]),
    file,
    path: pathInDeliverables({ dir }, file),
    checklist: checklistIn(given["checklist"]),
    frozen: Boolean(given["frozen"]),
  };
}

function checklistIn(value: unknown): string[] {
  const entries = listIn(value).filter((item) => typeof item === "string");
  return entries.map((item) => item.trim()).filter((item) => item !== "");
}

/** The primary deliverable and, after it, the supporting ones. */
export function deliverablesIn({ primary, supporting }: Deliverables): Deliverable[] {
  return [primary, ...supporting];
}

/** How review.md, conclusion.md and the gates name the primary deliverable; "" in schema 1. */
export function primaryReference({ deliverables }: { deliverables: Deliverables | null }): string {
  return deliverables === null ? "" : referenceOf(deliverables, deliverables.primary);
}

/** How documents and the `doc` of an event name a deliverable: exactly so, not another way. */
export function referenceOf({ mode }: Deliverables, { path, file }: Deliverable): string {
  return mode === "external" ? `external:${file}` : path;
}

/** Where a file of the deliverables' folder is, under the folder that `foldersUpOf` leads to. */
export function pathInDeliverables({ dir }: Pick<Deliverables, "dir">, file: string): string {
  return [...segmentsOf(dir), ...segmentsOf(file)].join("/");
}

/** How many folders above the collaboration's the deliverables' paths start; undefined: elsewhere. */
export function foldersUpOf({ mode, repoRoot }: Deliverables): number | undefined {
  return mode === "external" ? stepsUp(repoRoot) : 0;
}

/** How many steps up a repository's root is from the folder; undefined when it is not straight up. */
function stepsUp(repoRoot: string): number | undefined {
  let [steps, below] = [0, 0];
  for (const segment of segmentsOf(repoRoot)) {
    if (segment !== "..") below += 1;
    else if (below > 0) below -= 1;
    else steps += 1;
  }
  return below === 0 && !repoRoot.startsWith("/") ? steps : undefined;
}

/** What is wrong with the declared deliverables. With any fault their paths must not be followed. */
export function deliverablesFaults(raw: JsonObject): Fault[] {
  const given = raw["deliverables"];
  if (!isRecord(given) || !isRecord(given["primary"])) return [fault("no primary")];
  const { primary, supporting, attachments } = given;
  return [
    ...modeFaults(given["mode"], raw),
    ...dirFaults(given["dir"]),
    ...fileFaults("primary", primary),
    ...(primary["type"] === "custom" && checklistIn(primary["checklist"]).length === 0
      ? [fault("no checklist")]
      : []),
    ...supportingFaults(recordsOf(supporting), primary["file"]),
    ...listIn(attachments).flatMap(attachmentFaults),
  ];
}

function modeFaults(mode: unknown, raw: JsonObject): Fault[] {
  const { repoRoot } = raw;
  if (mode === "internal") return Object.hasOwn(raw, "repoRoot") ? [fault("root given")] : [];
  if (mode !== "external") return [fault("unknown mode")];
  if (typeof repoRoot !== "string" || repoRoot.trim() === "") return [fault("no root")];
  if (repoRoot.startsWith("/")) return [fault("absolute root")];
  // Which folders exist is not known here; but only a way straight up can lead to one around ours.
  return stepsUp(repoRoot) === undefined ? [fault("not inside root")] : [];
}

function dirFaults(dir: unknown): Fault[] {
  if (typeof dir !== "string" || dir.trim() === "") return [fault("no dir")];
  return staysBelow(dir) ? [] : [fault("leads out", "deliverables.dir")];
}

function fileFaults(role: string, { type, file }: Record<string, unknown>): Fault[] {
  const ofType = isDeliverableType(type) ? [] : [fault("unknown type", role)];
  if (typeof file !== "string" || !file.endsWith(".md"))
    return [...ofType, fault("not Markdown", role)];
  return staysBelow(file) ? ofType : [...ofType, fault("leads out", `${role} deliverable file`)];
}

function supportingFaults(entries: Record<string, unknown>[], primaryFile: unknown): Fault[] {
  const seen = new Set<unknown>();
  return entries.flatMap((entry) => {
    const { file } = entry;
    const again =
      file === primaryFile ? [fault("primary again")] : seen.has(file) ? [fault("same file")] : [];
    seen.add(file);
    return [...fileFaults("supporting", entry), ...(typeof file === "string" ? again : [])];
  });
}

function attachmentFaults(entry: unknown): Fault[] {
  if (!isRecord(entry)) return [fault("attachment form")];
  const { file } = entry;
  if (typeof file !== "string" || file.trim() === "") return [fault("no attachment")];
  return staysBelow(file) ? [] : [fault("leads out", "attachment file")];
}

function staysBelow(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..");
}

/**
 * Why the declared paths must not be followed. Their author could otherwise lead readers and writers out of the
 * folder, into what programs keep for themselves, or put lines of its own among ours.
 */
export function declaredPathFault(
  raw: JsonObject,
): (Partial<Fault> & { text: string }) | undefined {
  const given = raw["deliverables"];
  if (!isRecord(given)) return undefined;
  const entries = [
    given["primary"],
    ...listIn(given["supporting"]),
    ...listIn(given["attachments"]),
  ];
  const files = entries.map((entry) => textOf(isRecord(entry) ? entry["file"] : undefined));
  const dir = textOf(given["dir"]);
  const root = textOf(raw["repoRoot"]);
  const paths = [dir, root, ...files].filter((path) => path !== "");
  const odd = paths.find((path) => !isPlainLine(path) || path.includes("\\"));
  if (odd !== undefined) {
    return unusable(`${quote(odd)} cannot be a path: write plain names with slashes between`);
  }
  const leaving = deliverablesFaults(raw).find((it) =>
    hasFault([it], "leads out", "not inside root"),
  );
  if (leaving !== undefined) return { ...leaving, text: `${leaving.text}: correct protocol.json` };
  const kept = paths.find((path) => path.split("/").some(isOfProgram));
  if (kept !== undefined) {
    return unusable(
      `${quote(kept)} is, or lies in, what programs keep for themselves; name another file or folder`,
    );
  }
  const taken = files.find((file) => isOwnFile(pathInDeliverables({ dir }, file)));
  return taken === undefined || (stepsUp(root) ?? 0) === 0
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

/** Whether a path is that of a file of the collaboration's own, in any letter case. */
export function isOwnFile(path: string): boolean {
  return ownFiles.includes(path.toLowerCase());
}

/** Files that are not part of the protocol; a gate must not name them. */
export const forbiddenFiles = ["state.log", "discussion.md", "opinions.md"] as const;

const ownFiles: readonly string[] = [
  ...["protocol.json", "events.jsonl", "readme.md", "proposal.md", "review.md"],
  ...["decisions.md", "readiness.md", "conclusion.md"],
];

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return listIn(value).filter(isRecord);
}
