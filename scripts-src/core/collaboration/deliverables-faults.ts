import { isRecord, type JsonObject } from "../json.ts";
import { isDeliverableType } from "./deliverable-types.ts";
import { checklistOf, stepsUp } from "./deliverables.ts";

/**
 * What is wrong with the deliverables that a `protocol.json` of schema 2 declares. With any fault
 * their paths must not be followed.
 */
export function deliverablesFaults(raw: JsonObject): string[] {
  const given = raw["deliverables"];
  if (!isRecord(given) || !isRecord(given["primary"])) {
    return ["protocol.json deliverables.primary is required"];
  }
  const primary = given["primary"];
  return [
    ...modeFaults(given["mode"], raw),
    ...dirFaults(given["dir"]),
    ...fileFaults("primary", primary),
    ...checklistFaults(primary),
    ...supportingFaults(given["supporting"], primary["file"]),
    ...attachmentFaults(given["attachments"]),
  ];
}

/** True for a path that stays below where it starts. */
export function staysBelow(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..");
}

function modeFaults(mode: unknown, raw: JsonObject): string[] {
  const repoRoot = raw["repoRoot"];
  if (mode === "internal") {
    const given = Object.hasOwn(raw, "repoRoot");
    return given ? ["repoRoot is not allowed for internal deliverables"] : [];
  }
  if (mode !== "external") return ["deliverables.mode must be internal or external"];
  if (typeof repoRoot !== "string" || repoRoot.trim() === "") {
    return ["repoRoot is required for external deliverables"];
  }
  if (repoRoot.startsWith("/")) return ["repoRoot must be relative"];
  // Which folders exist is not known here; but only a way straight up can lead to one around ours.
  const inside = stepsUp(repoRoot) !== undefined;
  return inside ? [] : ["collaboration folder must be inside repoRoot"];
}

function dirFaults(dir: unknown): string[] {
  if (typeof dir !== "string" || dir.trim() === "") return ["deliverables.dir is required"];
  return staysBelow(dir) ? [] : ["deliverables.dir must be relative and must not contain .."];
}

function fileFaults(role: string, { type, file }: Record<string, unknown>): string[] {
  const isKnown = typeof type === "string" && isDeliverableType(type);
  const faults = isKnown ? [] : [`${role} deliverable type is invalid`];
  if (typeof file !== "string" || !file.endsWith(".md")) {
    return [...faults, `${role} deliverable file must be Markdown`];
  }
  if (staysBelow(file)) return faults;
  return [...faults, `${role} deliverable file must be relative and must not contain ..`];
}

function checklistFaults({ type, checklist }: Record<string, unknown>): string[] {
  if (type !== "custom" || checklistOf(checklist).length > 0) return [];
  return ["custom primary deliverable requires checklist"];
}

function supportingFaults(given: unknown, primaryFile: unknown): string[] {
  const entries = Array.isArray(given) ? given.filter(isRecord) : [];
  const seen = new Set<unknown>();
  return entries.flatMap((entry) => {
    const file = entry["file"];
    const faults = fileFaults("supporting", entry);
    if (typeof file !== "string") return faults;
    if (file === primaryFile) {
      faults.push("supporting deliverable must not reuse the primary deliverable file");
    } else if (seen.has(file)) faults.push("supporting deliverable files must be unique");
    seen.add(file);
    return faults;
  });
}

function attachmentFaults(given: unknown): string[] {
  const entries: unknown[] = Array.isArray(given) ? given : [];
  return entries.flatMap((entry) => {
    if (!isRecord(entry)) return ["attachments must be objects"];
    const file = entry["file"];
    if (typeof file !== "string" || file.trim() === "") return ["attachment file is required"];
    return staysBelow(file) ? [] : ["attachment file must be relative and must not contain .."];
  });
}
