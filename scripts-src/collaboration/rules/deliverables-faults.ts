import { isRecord, type JsonObject } from "../../base/json.ts";
import { isDeliverableType } from "./deliverable-sections.ts";
import { checklistOf, stepsUp } from "./deliverables.ts";
import { type Fault, fault } from "./faults.ts";

/**
 * What is wrong with the deliverables that a `protocol.json` of schema 2 declares. With any fault
 * their paths must not be followed.
 */
export function deliverablesFaults(raw: JsonObject): Fault[] {
  const given = raw["deliverables"];
  if (!isRecord(given) || !isRecord(given["primary"])) {
    return [fault("no primary")];
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

function modeFaults(mode: unknown, raw: JsonObject): Fault[] {
  const repoRoot = raw["repoRoot"];
  if (mode === "internal") {
    const given = Object.hasOwn(raw, "repoRoot");
    return given ? [fault("root given")] : [];
  }
  if (mode !== "external") return [fault("unknown mode")];
  if (typeof repoRoot !== "string" || repoRoot.trim() === "") {
    return [fault("no root")];
  }
  if (repoRoot.startsWith("/")) return [fault("absolute root")];
  // Which folders exist is not known here; but only a way straight up can lead to one around ours.
  const inside = stepsUp(repoRoot) !== undefined;
  return inside ? [] : [fault("not inside root")];
}

function dirFaults(dir: unknown): Fault[] {
  if (typeof dir !== "string" || dir.trim() === "") return [fault("no dir")];
  return staysBelow(dir) ? [] : [fault("leads out", "deliverables.dir")];
}

function fileFaults(role: string, { type, file }: Record<string, unknown>): Fault[] {
  const isKnown = typeof type === "string" && isDeliverableType(type);
  const faults = isKnown ? [] : [fault("unknown type", role)];
  if (typeof file !== "string" || !file.endsWith(".md")) {
    return [...faults, fault("not Markdown", role)];
  }
  if (staysBelow(file)) return faults;
  return [...faults, fault("leads out", `${role} deliverable file`)];
}

function checklistFaults({ type, checklist }: Record<string, unknown>): Fault[] {
  if (type !== "custom" || checklistOf(checklist).length > 0) return [];
  return [fault("no checklist")];
}

function supportingFaults(given: unknown, primaryFile: unknown): Fault[] {
  const entries = Array.isArray(given) ? given.filter(isRecord) : [];
  const seen = new Set<unknown>();
  return entries.flatMap((entry) => {
    const file = entry["file"];
    const faults = fileFaults("supporting", entry);
    if (typeof file !== "string") return faults;
    if (file === primaryFile) {
      faults.push(fault("primary again"));
    } else if (seen.has(file)) faults.push(fault("same file"));
    seen.add(file);
    return faults;
  });
}

function attachmentFaults(given: unknown): Fault[] {
  const entries: unknown[] = Array.isArray(given) ? given : [];
  return entries.flatMap((entry) => {
    if (!isRecord(entry)) return [fault("attachment form")];
    const file = entry["file"];
    if (typeof file !== "string" || file.trim() === "") return [fault("no attachment")];
    return staysBelow(file) ? [] : [fault("leads out", "attachment file")];
  });
}
