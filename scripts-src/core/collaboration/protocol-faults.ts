import { isRecord, type JsonObject, type JsonValue } from "../json.ts";
import { deliverablesFaults } from "./deliverables-faults.ts";
import { nameOf, schemaOf } from "./settings.ts";
import { phases } from "./state.ts";

/** Files that are not part of the protocol; a gate must not name them. */
export const forbiddenFiles = ["state.log", "discussion.md", "opinions.md"] as const;

/** What is wrong with the object that `protocol.json` holds, whatever the log says. */
export function protocolFaults(raw: JsonObject): string[] {
  // Any other version is measured by the newest that is known, and told to be none of them.
  const schema = schemaOf(raw);
  const gates = Array.isArray(raw["completionGates"]) ? raw["completionGates"] : [];
  return [
    ...(schema === 2 ? markFaults(raw) : []),
    ...phaseFaults(raw["currentPhase"]),
    ...emptyFaults(raw, gates),
    ...(schema === 1 && Object.hasOwn(raw, "version")
      ? ["protocol.json must not include a protocol version field"]
      : []),
    ...gates.flatMap((gate, index) => gateFaults(gate, index, schema)),
    ...["waitingFor", "proposalOwner"]
      .filter((key) => !Object.hasOwn(raw, key))
      .map((key) => `protocol.json ${key} must be present`),
    ...(schema === 2 ? deliverablesFaults(raw) : []),
  ];
}

/** The forbidden files that a gate names, also as a part of other names, as in the original. */
export function forbiddenIn(gate: string): string[] {
  return forbiddenFiles.filter((name) => gate.includes(name)).sort();
}

function markFaults({ protocol, schemaVersion }: JsonObject): string[] {
  const faults: string[] = [];
  if (protocol !== "acp") faults.push("protocol.json protocol must be 'acp'");
  if (schemaVersion !== 2) faults.push("protocol.json schemaVersion must be 2");
  return faults;
}

function phaseFaults(phase: JsonValue | undefined): string[] {
  if (phases.some((known) => known === phase)) return [];
  const known = [...phases].sort().map((name) => `'${name}'`);
  return [`currentPhase must be one of [${known.join(", ")}]`];
}

function emptyFaults({ objective, participants }: JsonObject, gates: JsonValue[]): string[] {
  const faults: string[] = [];
  // Blanks alone pass, as they do in the original.
  if (typeof objective !== "string" || objective === "") {
    faults.push("protocol.json objective must not be blank");
  }
  if (!Array.isArray(participants) || !participants.some((entry) => nameOf(entry) !== undefined)) {
    faults.push("protocol.json participants must not be empty");
  }
  if (gates.length === 0) faults.push("protocol.json completionGates must not be empty");
  return faults;
}

function gateFaults(gate: JsonValue, index: number, schema: 1 | 2): string[] {
  const text = schema === 2 ? objectGateText(gate) : gate;
  if (typeof text !== "string") {
    return schema === 2 ? [`completionGates[${index + 1}] must include source and text`] : [];
  }
  return forbiddenIn(text).map((name) => {
    return `completion gate must not reference obsolete file ${name}`;
  });
}

function objectGateText(gate: JsonValue): string | undefined {
  if (!isRecord(gate)) return undefined;
  const { source, text } = gate;
  if (source !== "objective" && source !== "generated") return undefined;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}
