import {
  isRecord,
  type JsonObject,
  type JsonValue,
  listIn,
  quote,
  strictObject,
} from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { isPlainLine } from "../../base/quote-text.ts";
import {
  type Deliverables,
  declaredPathFault,
  deliverablesFaults,
  forbiddenFiles,
  readDeliverables,
} from "./deliverables.ts";
import { type Fault, fault, hasFault, textsOf, type UnusableFault, unusable } from "./faults.ts";

/**
 * The settings of a collaboration: all of `protocol.json` but the four keys that follow from the
 * log (currentPhase, proposalOwner, waitingFor, updatedAt).
 */
export interface Settings extends JsonObject {
  schema: 1 | 2;
  /** Why nobody can work with them; "" when all is well. */
  fault: string;
  participants: string[];
  objective: string;
  /** The texts of the completion gates. */
  gates: string[];
  createdAt: string;
  deliverables: Deliverables | null;
  /** The keys as they stand in the file, those that nobody knows included. */
  raw: JsonObject;
}

export const phases = [
  "drafting",
  "reviewing",
  "revising",
  "decision_review",
  "readiness_check",
  "completed",
  "blocked",
] as const;
export type Phase = (typeof phases)[number];

/** The keys of `protocol.json` that follow from the log. */
const derivedKeys: readonly string[] = ["currentPhase", "proposalOwner", "waitingFor", "updatedAt"];

/** Reads the text of `protocol.json`, undefined where there is none; `fault` tells what is wrong. */
export function parseSettings(text: string | undefined): Settings {
  if (text === undefined) {
    const missing = "protocol.json is missing: it names the participants and the completion gates";
    return { ...fromKeys({}), fault: `${missing}; restore it, or run init in another folder` };
  }
  const value = strictObject(text);
  if (typeof value === "string") {
    const repair = "restore protocol.json from a copy, or run init in another folder";
    return { ...fromKeys({}), fault: `invalid protocol.json: ${value}; ${repair}` };
  }
  return fromKeys(
    Object.fromEntries(Object.entries(value).filter(([key]) => !derivedKeys.includes(key))),
  );
}

function fromKeys(raw: JsonObject): Settings {
  const { participants, objective, createdAt, completionGates } = raw;
  const schema = schemaOf(raw);
  const names = readNames(participants);
  return {
    schema,
    fault: keysFault(raw)?.text ?? "",
    participants: "text" in names ? [] : names,
    objective: typeof objective === "string" ? objective : "",
    // Schema 1 lists texts, schema 2 objects with a text.
    gates: listIn(completionGates)
      .map((gate) => (isRecord(gate) ? gate["text"] : gate))
      .filter((text) => typeof text === "string"),
    createdAt: typeof createdAt === "string" ? createdAt : "",
    deliverables: (schema === 2 ? readDeliverables(raw) : undefined) ?? null,
    raw,
  };
}

/** Why nobody can work with these settings; undefined when all is well. */
export function settingsFault({ fault: told }: JsonObject): string | undefined {
  return typeof told === "string" && told !== "" ? told : undefined;
}

/** The first reason why nobody can work with what `protocol.json` says. */
export function keysFault(raw: JsonObject): UnusableFault | undefined {
  const names = readNames(raw["participants"]);
  const ofPaths = schemaOf(raw) === 2 ? declaredPathFault(raw) : undefined;
  return versionFault(raw) ?? ("text" in names ? names : ofPaths);
}

/**
 * The schema that a `protocol.json` is measured by: schema 1 has none of the keys that tell it from
 * schema 2. Who takes one of them out, or writes another version, gets no laxer rules by it.
 */
function schemaOf(raw: JsonObject): 1 | 2 {
  return "schemaVersion" in raw || keyOfSchema2(raw) !== undefined ? 2 : 1;
}

function keyOfSchema2(raw: JsonObject): string | undefined {
  if (raw["protocol"] === "acp") return "protocol";
  return "deliverables" in raw ? "deliverables" : undefined;
}

function versionFault(raw: JsonObject): UnusableFault | undefined {
  const { schemaVersion: version } = raw;
  const told = keyOfSchema2(raw);
  if (version === 2 || (version === undefined && told === undefined)) return undefined;
  const came =
    version === undefined
      ? `it is missing beside ${told}`
      : `it is ${quote(version)} (none means schema 1)`;
  return unusable(
    `${came}; correct it, or update Consulta if a newer one wrote it`,
    "schema version",
  );
}

/** The participants' names in their order, each once, or what is wrong with the list. */
function readNames(participants: JsonValue | undefined): string[] | UnusableFault {
  if (participants === undefined || !Array.isArray(participants) || participants.length === 0) {
    const came = participants === undefined ? "there are none" : `it is ${quote(participants)}`;
    const expected = 'expected a list such as [{"id": "claude"}, {"id": "gemini"}]';
    return unusable(`${came}, ${expected}; correct it`, "no participants");
  }
  const { collaborationParticipants: namesMax, collaborationNameCharacters } = limits;
  if (participants.length > namesMax) {
    const came = `participants has ${participants.length} entries`;
    return unusable(`${came}, expected at most ${namesMax}; split the group`);
  }
  const names = participants.map(nameOfEntry);
  const bad = names.findIndex((name) => name === undefined || !isName(name));
  if (bad !== -1) {
    return unusable(
      `participants[${bad}] is ${quote(participants[bad])}, expected a name of 1 to ` +
        `${collaborationNameCharacters} characters without control characters, ` +
        'as "NAME" or {"id": "NAME"}; correct it',
    );
  }
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The original writes `{"id": name}` and reads plain names as well. */
function nameOfEntry(entry: JsonValue): string | undefined {
  const name = isRecord(entry) ? entry["id"] : entry;
  return typeof name === "string" ? name : undefined;
}

/** Whether a name may stand in a collaboration's list: wider than ours, for originals may share. */
function isName(name: string): boolean {
  return (
    name.trim() !== "" && name.length <= limits.collaborationNameCharacters && isPlainLine(name)
  );
}

/** Why a name takes no part; undefined when it does. */
export function participantFault({ participants }: Settings, name: string): string | undefined {
  if (participants.includes(name)) return undefined;
  const near = nearestName(name, participants);
  const all = participants.map((it) => quote(it)).join(", ");
  const way =
    near === undefined ? `give one of ${all} with --participant` : `did you mean ${quote(near)}?`;
  return `participant ${quote(name)} is not listed in protocol.json: ${way}`;
}

/**
 * What is wrong with the object that `protocol.json` holds, whatever the log says, in the validator's words; where it
 * has none for what makes the settings unusable, that one in ours.
 */
export function protocolErrors(raw: JsonObject): string[] {
  const faults = protocolFaults(raw);
  const own = keysFault(raw);
  const isTold = own?.code !== undefined && hasFault(faults, own.code);
  return [...textsOf(faults), ...(own === undefined || isTold ? [] : [own.text])];
}

export function protocolFaults(raw: JsonObject): Fault[] {
  // Any other version is measured by the newest that is known, and told to be none of them.
  const schema = schemaOf(raw);
  const { protocol, schemaVersion, objective, participants, completionGates } = raw;
  const gates = listIn(completionGates);
  const names = listIn(participants).map(nameOfEntry);
  const broken = (isBroken: boolean, ...it: Parameters<typeof fault>) =>
    isBroken ? [fault(...it)] : [];
  return [
    ...broken(schema === 2 && protocol !== "acp", "not acp"),
    ...broken(schema === 2 && schemaVersion !== 2, "schema version"),
    ...phaseFaults(raw["currentPhase"]),
    // Blanks alone pass, as they do in the original.
    ...broken(typeof objective !== "string" || objective === "", "no objective"),
    ...broken(
      names.every((name) => name === undefined),
      "no participants",
    ),
    ...broken(gates.length === 0, "no gates"),
    ...broken(schema === 1 && Object.hasOwn(raw, "version"), "protocol version"),
    ...gates.flatMap((gate, index) => gateFaults(gate, index, schema)),
    ...["waitingFor", "proposalOwner"].flatMap((key) =>
      broken(!Object.hasOwn(raw, key), "no key", key),
    ),
    ...(schema === 2 ? deliverablesFaults(raw) : []),
  ];
}

function phaseFaults(phase: JsonValue | undefined): Fault[] {
  if (phases.some((known) => known === phase)) return [];
  const known = [...phases].sort().map((name) => `'${name}'`);
  return [fault("unknown phase", known.join(", "))];
}

/** The original looks for forbidden files as parts of other names, too. */
function gateFaults(gate: JsonValue, index: number, schema: 1 | 2): Fault[] {
  const text = schema === 2 ? objectGateText(gate) : gate;
  if (typeof text !== "string") {
    return schema === 2 ? [fault("gate form", String(index + 1))] : [];
  }
  const named = forbiddenFiles.filter((name) => text.includes(name)).sort();
  return named.map((name) => fault("obsolete file", name));
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
