import { isRecord, type JsonObject, type JsonValue, quote, strictObject } from "../../base/json.ts";
import { deliverablesFaults } from "./deliverables-faults.ts";
import { type Fault, fault } from "./faults.ts";
import { nameOfEntry, schemaOf } from "./settings.ts";
import { phases } from "./state.ts";

/** Files that are not part of the protocol; a gate must not name them. */
export const forbiddenFiles = ["state.log", "discussion.md", "opinions.md"] as const;

/** What is wrong with the object that `protocol.json` holds, whatever the log says. */
export function protocolFaults(raw: JsonObject): Fault[] {
  // Any other version is measured by the newest that is known, and told to be none of them.
  const schema = schemaOf(raw);
  const gates = Array.isArray(raw["completionGates"]) ? raw["completionGates"] : [];
  return [
    ...(schema === 2 ? markFaults(raw) : []),
    ...phaseFaults(raw["currentPhase"]),
    ...emptyFaults(raw, gates),
    ...(schema === 1 && Object.hasOwn(raw, "version") ? [fault("protocol version")] : []),
    ...gates.flatMap((gate, index) => gateFaults(gate, index, schema)),
    ...["waitingFor", "proposalOwner"]
      .filter((key) => !Object.hasOwn(raw, key))
      .map((key) => fault("no key", key)),
    ...(schema === 2 ? deliverablesFaults(raw) : []),
  ];
}

/** The forbidden files that a gate names, also as a part of other names, as in the original. */
export function forbiddenIn(gate: string): string[] {
  return forbiddenFiles.filter((name) => gate.includes(name)).sort();
}

function markFaults({ protocol, schemaVersion }: JsonObject): Fault[] {
  const faults: Fault[] = [];
  if (protocol !== "acp") faults.push(fault("not acp"));
  if (schemaVersion !== 2) faults.push(fault("schema version"));
  return faults;
}

function phaseFaults(phase: JsonValue | undefined): Fault[] {
  if (phases.some((known) => known === phase)) return [];
  const known = [...phases].sort().map((name) => `'${name}'`);
  return [fault("unknown phase", known.join(", "))];
}

function emptyFaults({ objective, participants }: JsonObject, gates: JsonValue[]): Fault[] {
  const faults: Fault[] = [];
  // Blanks alone pass, as they do in the original.
  if (typeof objective !== "string" || objective === "") {
    faults.push(fault("no objective"));
  }
  if (
    !Array.isArray(participants) ||
    !participants.some((entry) => nameOfEntry(entry) !== undefined)
  ) {
    faults.push(fault("no participants"));
  }
  if (gates.length === 0) faults.push(fault("no gates"));
  return faults;
}

function gateFaults(gate: JsonValue, index: number, schema: 1 | 2): Fault[] {
  const text = schema === 2 ? objectGateText(gate) : gate;
  if (typeof text !== "string") {
    return schema === 2 ? [fault("gate form", String(index + 1))] : [];
  }
  return forbiddenIn(text).map((name) => fault("obsolete file", name));
}

function objectGateText(gate: JsonValue): string | undefined {
  if (!isRecord(gate)) return undefined;
  const { source, text } = gate;
  if (source !== "objective" && source !== "generated") return undefined;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

/**
 * Why what `protocol.json` says of the phase cannot be true of any log: somebody wrote it by hand.
 * A phase that is only older than the log is what a crash leaves; the next script corrects it.
 */
export function statedFault(text: string): string | undefined {
  const protocol = strictObject(text);
  const phase = typeof protocol === "string" ? undefined : protocol["currentPhase"];
  const [found] = phaseFaults(phase);
  if (found === undefined) return undefined;
  return (
    `protocol.json ${found.text}: it is ${quote(phase)}; the rest here follows from events.jsonl; ` +
    "validate --repair writes it anew"
  );
}
