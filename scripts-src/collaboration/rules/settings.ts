import { isPlainLine } from "../../base/escape-untrusted-text.ts";
import {
  isJsonObject,
  isRecord,
  type JsonObject,
  type JsonValue,
  quote,
  strictObject,
} from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { declaredPathFault } from "./declared-paths.ts";
import { type Deliverables, readDeliverables } from "./deliverables.ts";
import { type UnusableFault, unusable } from "./faults.ts";

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

/** The keys of `protocol.json` that follow from the log. */
const derivedKeys: readonly string[] = ["currentPhase", "proposalOwner", "waitingFor", "updatedAt"];

/** Reads the text of `protocol.json`, undefined where there is none; `fault` tells what is wrong. */
export function parseSettings(text: string | undefined): Settings {
  if (text === undefined) {
    return settingsWith(
      "protocol.json is missing: it names the participants and the completion gates; " +
        "restore it, or run init in another folder",
    );
  }
  const value = strictObject(text);
  if (typeof value === "string") {
    const repair = "restore protocol.json from a copy, or run init in another folder";
    return settingsWith(`invalid protocol.json: ${value}; ${repair}`);
  }
  return fromKeys(
    Object.fromEntries(Object.entries(value).filter(([key]) => !derivedKeys.includes(key))),
  );
}

/** The settings that `readSettings` gave, after they went through a place that knows only JSON. */
export function settingsOf(settings: JsonObject): Settings {
  const { raw, fault } = settings;
  const read = fromKeys(raw !== undefined && isJsonObject(raw) ? raw : {});
  return typeof fault === "string" ? { ...read, fault } : read;
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
    gates: gateTexts(completionGates),
    createdAt: typeof createdAt === "string" ? createdAt : "",
    deliverables: (schema === 2 ? readDeliverables(raw) : undefined) ?? null,
    raw,
  };
}

/** The first reason why nobody can work with what `protocol.json` says. */
export function keysFault(raw: JsonObject): UnusableFault | undefined {
  const names = readNames(raw["participants"]);
  return (
    schemaFault(raw) ??
    ("text" in names ? names : schemaOf(raw) === 2 ? declaredPathFault(raw) : undefined)
  );
}

/** Why nobody can work with these settings; undefined when all is well. */
export function settingsFault(settings: JsonObject): string | undefined {
  const { fault } = settings;
  return typeof fault === "string" && fault !== "" ? fault : undefined;
}

function settingsWith(fault: string): Settings {
  return {
    schema: 1,
    fault,
    participants: [],
    objective: "",
    gates: [],
    createdAt: "",
    deliverables: null,
    raw: {},
  };
}

/**
 * The schema that a `protocol.json` is measured by: schema 1 has none of the keys that tell it from
 * schema 2. Who takes one of them out, or writes another version, gets no laxer rules by it.
 */
export function schemaOf(raw: JsonObject): 1 | 2 {
  return "schemaVersion" in raw || keyOfSchema2(raw) !== undefined ? 2 : 1;
}

function keyOfSchema2(raw: JsonObject): string | undefined {
  return raw["protocol"] === "acp"
    ? "protocol"
    : "deliverables" in raw
      ? "deliverables"
      : undefined;
}

function schemaFault(raw: JsonObject): UnusableFault | undefined {
  const { schemaVersion: version } = raw;
  const told = keyOfSchema2(raw);
  if (version === 2 || (version === undefined && told === undefined)) return undefined;
  const came = version === undefined ? `it is missing beside ${told}` : `it is ${quote(version)}`;
  const none = version === undefined ? "" : " (none means schema 1)";
  const way = "correct it, or update Consulta if a newer one wrote it";
  return unusable(`${came}${none}; ${way}`, "schema version");
}

/** The participants' names in their order, each once, or what is wrong with the list. */
function readNames(participants: JsonValue | undefined): string[] | UnusableFault {
  const expected = 'expected a list such as [{"id": "claude"}, {"id": "gemini"}]';
  if (participants === undefined || !Array.isArray(participants) || participants.length === 0) {
    const came = participants === undefined ? "there are none" : `it is ${quote(participants)}`;
    return unusable(`${came}, ${expected}; correct it`, "no participants");
  }
  if (participants.length > limits.collaborationParticipants) {
    return unusable(
      `participants has ${participants.length} entries, expected at most ` +
        `${limits.collaborationParticipants}; split the group`,
    );
  }
  const names = participants.map(nameOfEntry);
  const bad = names.findIndex((name) => typeof name !== "string" || !isName(name));
  if (bad !== -1) {
    return unusable(
      `participants[${bad}] is ${quote(participants[bad])}, expected ` +
        `a name of 1 to ${limits.collaborationNameCharacters} characters without control ` +
        'characters, as "NAME" or {"id": "NAME"}; correct it',
    );
  }
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Why a name takes no part; undefined when it does. */
export function participantFault(
  { participants }: Settings,
  participant: string,
): string | undefined {
  if (participants.includes(participant)) return undefined;
  const near = nearestName(participant, participants);
  const way =
    near === undefined
      ? `give one of ${participants.map((name) => quote(name)).join(", ")} with --participant`
      : `did you mean ${quote(near)}?`;
  return `participant ${quote(participant)} is not listed in protocol.json: ${way}`;
}

/** The original writes `{"id": name}` and reads plain names as well. */
export function nameOfEntry(entry: JsonValue): string | undefined {
  const name = isRecord(entry) ? entry["id"] : entry;
  return typeof name === "string" ? name : undefined;
}

/** Whether a name may stand in a collaboration's list: wider than ours, for originals may share. */
export function isName(name: string): boolean {
  return (
    name.trim() !== "" && name.length <= limits.collaborationNameCharacters && isPlainLine(name)
  );
}

/** Schema 1 lists texts, schema 2 objects with a text. */
function gateTexts(gates: JsonValue | undefined): string[] {
  if (!Array.isArray(gates)) return [];
  return gates.flatMap((gate) => {
    const text = isRecord(gate) ? gate["text"] : gate;
    return typeof text === "string" ? [text] : [];
  });
}
