import { isRecord, type JsonObject } from "../../base/json.ts";
import { textsAfter } from "../../base/markdown.ts";

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

export const deliverableStatuses = ["Draft", "In Review", "Frozen"] as const;

/**
 * Reads the deliverables out of the whole object that `protocol.json` holds, as far as they can be
 * read; undefined without a primary deliverable that names a file. Never throws and never judges:
 * `deliverablesFaults` does.
 */
export function readDeliverables(raw: JsonObject): Deliverables | undefined {
  const given = raw["deliverables"];
  if (!isRecord(given) || !isRecord(given["primary"])) return undefined;
  const dir = textOf(given["dir"]);
  const primary = readDeliverable(given["primary"], dir);
  if (primary.file === "") return undefined;
  const supporting = listOf(given["supporting"]).filter(isRecord);
  const attachments = listOf(given["attachments"]).filter(isRecord);
  return {
    mode: given["mode"] === "external" ? "external" : "internal",
    dir,
    primary,
    supporting: supporting.map((entry) => readDeliverable(entry, dir)),
    attachments: attachments.map((entry) => textOf(entry["file"])).filter((file) => file !== ""),
    repoRoot: textOf(raw["repoRoot"]),
  };
}

/** The first status that a deliverable declares, in a line `Status: Draft`; "" without any. */
export function declaredStatus(document: string): string {
  const declared = textsAfter(document, /^Status:/);
  return declared.find((said) => deliverableStatuses.some((status) => status === said)) ?? "";
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
  return joinPath(dir, file);
}

/** How many folders above the collaboration's the deliverables' paths start; undefined: elsewhere. */
export function foldersUpOf({ mode, repoRoot }: Deliverables): number | undefined {
  return mode === "external" ? stepsUp(repoRoot) : 0;
}

/**
 * How many steps up a repository's root is from the collaboration's folder; undefined when the
 * path leads anywhere but straight up.
 */
export function stepsUp(repoRoot: string): number | undefined {
  let steps = 0;
  let below = 0;
  for (const segment of segmentsOf(repoRoot)) {
    if (segment !== "..") below += 1;
    else if (below > 0) below -= 1;
    else steps += 1;
  }
  return below === 0 && !repoRoot.startsWith("/") ? steps : undefined;
}

function readDeliverable(given: Record<string, unknown>, dir: string): Deliverable {
  const file = textOf(given["file"]);
  return {
    type: textOf(given["type"]),
    file,
    path: joinPath(dir, file),
    checklist: checklistOf(given["checklist"]),
    frozen: Boolean(given["frozen"]),
  };
}

/** The sections that a custom deliverable must have. */
export function checklistOf(value: unknown): string[] {
  const entries = listOf(value).filter((item) => typeof item === "string");
  return entries.map((item) => item.trim()).filter((item) => item !== "");
}

function joinPath(dir: string, file: string): string {
  return [...segmentsOf(dir), ...segmentsOf(file)].join("/");
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
