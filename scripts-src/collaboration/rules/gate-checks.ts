import { inline, isRecord, strictObject } from "../../base/json.ts";
import { type CheckSpec, parseCheckSpec, specText } from "../../protocol/check-spec.ts";
import { type EvidenceRecord, parseEvidence } from "../../protocol/evidence.ts";
import type { Files } from "../../protocol/protocol.ts";
import { gateFaults } from "./readiness.ts";
import type { Settings } from "./settings.ts";
import { type CollaborationState, named } from "./state.ts";

/**
 * What scripts of ours saw of the gates that carry a check, one JSON line each. The log cannot hold it:
 * the originals take an event that they do not know for an error.
 */
export const gateEvidenceFile = ".gate-evidence.jsonl";

/** A completion gate and the check that it carries; undefined where a person has to judge it. */
export interface Gate {
  readonly text: string;
  readonly spec: CheckSpec | undefined;
}

/** The newest look at a gate. */
export interface GateEvidence {
  readonly gate: string;
  readonly by: string;
  readonly at: string;
  readonly record: EvidenceRecord;
}

/** How a gate stands: by its box in readiness.md, and by what a script saw of its check. */
export interface GateStatus extends Gate {
  readonly ticked: boolean;
  readonly evidence: GateEvidence | undefined;
}

/** The gates with their checks. The author of protocol.json wrote these: a check is never a permission. */
export function gatesOf({ gates, raw }: Settings): Gate[] {
  const given = Array.isArray(raw["gateChecks"]) ? raw["gateChecks"] : [];
  const checks = new Map(
    given.flatMap((entry) => {
      if (!isRecord(entry)) return [];
      const { gate, check } = entry;
      const spec = typeof check === "string" ? parseCheckSpec(check) : undefined;
      return typeof gate === "string" && spec !== undefined && !("fault" in spec)
        ? [[gate.trim(), spec] as const]
        : [];
    }),
  );
  return gates.map((text) => ({ text, spec: checks.get(text.trim()) }));
}

export function gateStatuses(settings: Settings, files: Files): GateStatus[] {
  const readiness = files.get("readiness.md")?.text ?? "";
  const seen = readGateEvidence(files.get(gateEvidenceFile)?.text ?? "");
  return gatesOf(settings).map((gate) => {
    const { text, spec } = gate;
    const found = seen.get(text.trim());
    const isOfCheck = spec !== undefined && found?.record.spec === specText(spec);
    const ticked = gateFaults(readiness, [text]).length === 0;
    return { ...gate, ticked, evidence: isOfCheck ? found : undefined };
  });
}

export function gateEvidenceLine(evidence: GateEvidence): string {
  return `${JSON.stringify(evidence)}\n`;
}

/** The newest evidence by gate. What is none is passed over: the file may have come with a clone. */
function readGateEvidence(text: string): Map<string, GateEvidence> {
  const found = new Map<string, GateEvidence>();
  for (const line of text.split("\n")) {
    const value = strictObject(line);
    const { gate, by, at, record: given } = typeof value === "string" ? {} : value;
    const record = parseEvidence(given);
    if (record === undefined || typeof gate !== "string" || typeof by !== "string") continue;
    if (typeof at === "string") found.set(gate.trim(), { gate, by, at, record });
  }
  return found;
}

/** A gate as the report tells it: who ticked it, and whether any script looked. */
export function gateLine(
  { owner }: CollaborationState,
  { text, spec, ticked, evidence }: GateStatus,
): string {
  const gate = inline(text, 500);
  if (evidence === undefined) {
    if (!ticked) return `NOT met: ${gate}`;
    const check = spec === undefined ? "" : `; its check: ${inline(specText(spec), 300)}`;
    return `met: ${gate} (ticked by ${named([owner])}, not run${check})`;
  }
  const { record, by, at } = evidence;
  const exit = record.exit === undefined ? "" : `, exit ${record.exit}`;
  const seen = `${inline(record.spec, 300)}${exit}, seen by a script of ${inline(by, 128)} at ${inline(at, 40)}`;
  if (!record.met) return `NOT met: ${gate} (its check fails: ${seen})`;
  return ticked ? `met: ${gate} (${seen})` : `NOT met: ${gate} (not ticked; ${seen})`;
}

/** Gates that carry a check and are ticked over a failed one, or over none, once readiness is claimed. */
export function gateMarks(state: CollaborationState, files: Files): string[] {
  const { phase, readinessPassed, settings } = state;
  if (phase !== "completed" && !readinessPassed) return [];
  return gateStatuses(settings, files)
    .filter(({ spec, evidence }) => spec !== undefined && evidence?.record.met !== true)
    .map((gate) => `gate ${gateLine(state, gate)}`);
}
