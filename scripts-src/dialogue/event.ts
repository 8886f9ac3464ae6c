import { ConsultaError } from "../base/errors.ts";
import {
  isJsonObject,
  isStringArray,
  type JsonObject,
  type JsonValue,
  quote,
} from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { isSafeName } from "../base/names.ts";
import { defined } from "../base/omit-undefined.ts";
import {
  type Faults,
  type FieldReader,
  flag,
  list,
  numberBetween,
  oneOf,
  type Read,
  record,
  string,
  words,
} from "../base/schema.ts";
import type { LogEvent } from "../log/event.ts";
import { type AuditRecord, readAuditRecord } from "../protocol/audit.ts";
import { type Mode, modes, type Rules, readRules } from "../protocol/config.ts";
import { type EvidenceRecord, parseEvidence } from "../protocol/evidence.ts";
import {
  type PersonStep,
  personName,
  readPersonStep,
  type Stage,
  stages,
} from "../protocol/person-step.ts";
import type { Origin } from "../protocol/protocol.ts";
import { type Message, parseMessage } from "./message.ts";

const keys = list(string(limits.itemCharacters), Number.MAX_SAFE_INTEGER);

const readAssessment = record(
  {
    /** Keys of the progress that counted; the part before the colon is its kind. */
    progress: keys,
    /** It objects: a counter-proposal, an objection, a new disagreement, or of a letter by hand its words. */
    objects: flag(),
    /** It does nothing else: no progress, no synthesis, no question, no new agreement. */
    onlyObjects: flag(),
    /** It formally accepts something of the other side, or agrees. */
    accepts: flag(),
    /** It proposes another solution than the other side did, and accepts nothing of that. */
    competes: flag(),
    /** It disputes facts and nothing else; "refuted": and a script of its sender has refuted each. */
    disputes: oneOf(["facts", "refuted"]),
    /** Of an AGREE: claims whose commands its sender saw on files that are others now. */
    changed: list(record({ claim: words(40), files: list(words()) }, ["claim", "files"])),
  },
  ["progress", "objects", "onlyObjects", "accepts"],
);

/** What the decider found in a message; kept with it, so that replay never judges again. */
export type Assessment = Read<typeof readAssessment>;

/** A claim whose commands saw files that are others now, with their names. */
export type ChangedRun = NonNullable<Assessment["changed"]>[number];

/** `conclusions` are those of `discoveries`. */
const readLetterFields = record({
  ...{ confidence: numberBetween(0, 1), disagreements_pending: keys },
  conclusions: string(limits.messageBytes),
});

/** What a letter says beside its sender's words; see `letterFields`. */
export type LetterFields = Read<typeof readLetterFields>;

/** What became of a decision, in the word of the person who made or took it. */
export const outcomeWords = ["kept", "changed", "wrong"] as const;

type OutcomeWord = (typeof outcomeWords)[number];

/** What the person put on record about a session that has ended; of several the last counts. */
export type PersonSaid = {
  decided?: { seq: number; at: string; text: string };
  judged?: { seq: number; at: string; says: OutcomeWord; because: string };
};

/** What a dialogue's log holds, beside the fields that every event has. */
export type DialogueEvent =
  | {
      event: "opened";
      session_id: string;
      topic: string;
      participants: string[];
      mode: Mode;
      rules: Rules;
      /** Consensus needs every claim seen. */
      requireSeen: boolean;
      /** Words of the user: a question that holds one is the user's to decide. */
      ownerWords: string[];
    }
  | {
      event: "message_sent";
      message: Message;
      origin: Origin;
      /** Name of the file in the recipient's inbox and in the archive. */
      file: string;
      /** Hash of what the sender wrote: the same draft again is a retry. */
      draft: string;
      assessment: Assessment;
      /** Of a message of ours. */
      letter?: LetterFields;
    }
  /** A script's record of what it read, searched or ran for its participant. */
  | { event: "evidence"; record: EvidenceRecord }
  /** A `message_sent` in an envelope (base64 of its JSON), opened when both are in. */
  | { event: "position_sealed"; sealed: string; draft: string }
  | { event: "closed"; by: string; reason: string }
  | { event: "decided"; decision: string }
  | { event: "judged"; verdict: OutcomeWord; because: string }
  /** An auditor has read the decision and what it rests on; a script wrote it for the person who had that done. */
  | { event: "audited"; record: AuditRecord }
  | PersonStep
  /** Messages to the event's author were announced to it, or put before it, by this script. */
  | { event: Stage; messages: number[]; by: string };

export type PersonEvent = Extract<DialogueEvent, { event: "decided" | "judged" }>;

export type Sent = Extract<DialogueEvent, { event: "message_sent" }>;

/** A message as the log holds it, with its place and time. */
export type SentFields = Sent & { seq: number; at: string };

/** Leaves out what is absent, as the log will. */
export function toJson(value: Sent | Message): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/**
 * Reads a stored event.
 * @throws ConsultaError REFUSED when the log holds something that is no dialogue event.
 */
export function parseDialogueEvent(event: LogEvent): DialogueEvent {
  const parsed = readEvent(event);
  if (parsed !== undefined) return parsed;
  const what = `${quote(event.event)} with the fields ${Object.keys(event).join(", ")}`;
  throw new ConsultaError(
    "REFUSED",
    `seq ${event.seq} is not a dialogue event: ${what}; run validate`,
  );
}

function readEvent(event: LogEvent): DialogueEvent | undefined {
  switch (event.event) {
    case "opened":
      return readOpened(event);
    case "message_sent":
      return readMessageSent(event);
    case "evidence": {
      const record = parseEvidence(event["record"]);
      return record && { event: "evidence", record };
    }
    case "position_sealed": {
      const { sealed, draft } = event;
      if (typeof sealed !== "string" || typeof draft !== "string") return undefined;
      return { event: "position_sealed", sealed, draft };
    }
    case "closed": {
      const { closed_by: by, reason } = event;
      if (typeof by !== "string" || typeof reason !== "string") return undefined;
      // What a log says of names stands in lines of ours.
      return by === "user" || isSafeName(by) ? { event: "closed", by, reason } : undefined;
    }
    case "audited": {
      const record =
        event.from === personName ? readAs(readAuditRecord, event["audit"]) : undefined;
      return record && { event: "audited", record };
    }
    case "decided":
    case "judged":
      return readPersonEvent(event);
    default:
      return readPersonStep(event) ?? readDelivery(event);
  }
}

function readPersonEvent(event: LogEvent): PersonEvent | undefined {
  const { decision, because } = event;
  const verdict = outcomeWords.find((it) => it === event["verdict"]);
  if (event.from !== personName) return undefined;
  if (event.event === "decided")
    return typeof decision === "string" ? { event: "decided", decision } : undefined;
  const reason = typeof because === "string" ? because : "";
  return verdict && { event: "judged", verdict, because: reason };
}

function readOpened(event: LogEvent): DialogueEvent | undefined {
  const { session_id, topic, participants, require, owner_words } = event;
  const mode = modes.find((name) => name === event["mode"]);
  const rules = readRules(event["rules"]);
  if (typeof session_id !== "string" || typeof topic !== "string") return undefined;
  if (!isStringArray(participants) || new Set(participants).size !== 2) return undefined;
  // What a log says becomes part of paths: nothing but our own grammar is read.
  if (![session_id, ...participants].every(isSafeName)) return undefined;
  if (mode === undefined || rules === undefined) return undefined;
  return {
    ...{ event: "opened", session_id, topic, participants, mode, rules },
    requireSeen: require === "seen",
    ownerWords: isStringArray(owner_words) ? owner_words.slice(0, limits.listItems) : [],
  };
}

function readDelivery(event: LogEvent): DialogueEvent | undefined {
  const stage = stages.find((name) => name === event.event);
  const { messages, by } = event;
  if (stage === undefined || !Array.isArray(messages)) return undefined;
  const seqs = messages.filter((seq) => typeof seq === "number");
  if (seqs.length < messages.length || typeof by !== "string" || !isSafeName(by)) return undefined;
  return { event: stage, messages: seqs, by };
}

const origins: readonly Origin[] = ["script", "inbox"];

/** In any letter case; not by a flag, which makes the pattern slow to build. */
const letterName = /^[A-Za-z0-9][\w.-]*[Tt]\d{6}[Zz]-[\w.-]+\.[Jj][Ss][Oo][Nn]$/;

function readMessageSent(event: JsonObject): Sent | undefined {
  const { file, draft, from } = event;
  const message = event["message"] === undefined ? [] : parseMessage(event["message"]);
  const origin = origins.find((name) => name === event["origin"]);
  const assessment = readAs(readAssessment, event["assessment"]);
  const letter = readAs(readLetterFields, event["letter"]);
  if (Array.isArray(message) || origin === undefined || assessment === undefined) return undefined;
  if (typeof file !== "string" || typeof draft !== "string") return undefined;
  if (!letterName.test(file) || file.includes("..")) return undefined;
  if (from !== undefined && from !== message.from) return undefined;
  const sent = { message, origin, file, draft, assessment };
  return { event: "message_sent", ...sent, ...defined({ letter }) };
}

/** What a reader makes of a value; undefined for what is absent, or not as it has to be. */
function readAs<T>(read: FieldReader<T>, value: JsonValue | undefined): T | undefined {
  if (value === undefined) return undefined;
  const faults: Faults = { found: [], strict: false };
  const known = read(value, "", faults);
  return faults.found.length > 0 ? undefined : known;
}

/** Puts a sealed message into its envelope: out of sight of a glance, not of a determined reader. */
export function seal(sent: JsonObject): string {
  const bytes = new TextEncoder().encode(JSON.stringify(sent));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Opens an envelope; undefined when it is damaged or holds no message of the one who sealed it. */
export function unseal(sealed: string, sender: string): Sent | undefined {
  if (sealed === "") return undefined;
  try {
    const bytes = Uint8Array.from(atob(sealed), (character) => character.charCodeAt(0));
    const value: JsonValue = JSON.parse(new TextDecoder().decode(bytes));
    const sent = isJsonObject(value) ? readMessageSent(value) : undefined;
    return sent?.message.from === sender ? sent : undefined;
  } catch {
    // `eventFaults` says so, and nobody reads it.
    return undefined;
  }
}
