import { ConsultaError } from "../base/errors.ts";
import { isRecord, isStringArray, type JsonObject, type JsonValue, quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { isSafeName } from "../base/names.ts";
import { defined } from "../base/omit-undefined.ts";
import type { LogEvent } from "../log/event.ts";
import { type Mode, modes, type Rules, readRules } from "../protocol/config.ts";
import { type Stage, stages } from "../protocol/delivery-note.ts";
import { type EvidenceRecord, parseEvidence } from "../protocol/evidence.ts";
import { type PersonStep, readPersonStep } from "../protocol/person-step.ts";
import type { Origin } from "../protocol/protocol.ts";
import { type NamedFact, readFacts } from "./disputed-facts.ts";
import { type Message, parseDraft } from "./message.ts";
import { type PersonEvent, readPersonEvent } from "./person-event.ts";

/** What the decider found in a message; kept with it, so that replay never judges again. */
export interface Assessment {
  /** Keys of the progress that counted; the part before the colon is its kind. */
  progress: string[];
  /** It objects: a counter-proposal, an objection, a new disagreement, or of a letter by hand its words. */
  objects: boolean;
  /** It does nothing else: no progress, no synthesis, no question, no new agreement. */
  onlyObjects: boolean;
  /** It formally accepts something of the other side, or agrees. */
  accepts: boolean;
  /** It proposes another solution than the other side did, and accepts nothing of that. */
  competes?: boolean;
  /** It disputes facts and nothing else; "refuted": and a script of its sender has refuted each. */
  disputes?: "facts" | "refuted";
  /** Facts that it is the first to dispute. */
  facts?: NamedFact[];
}

/** What a letter says beside its sender's words; see letter.ts. */
export interface LetterFields {
  readonly confidence?: number;
  readonly disagreements_pending?: string[];
  /** Of `discoveries`. */
  readonly conclusions?: string;
}

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
      /** Disputed points that a letter by hand left out of its list without a reason. */
      dropped?: string[];
      /** The AGREE whose text for the user this one confirms, with the hash of that text. */
      confirms?: { seq: number; hash: string };
    }
  | {
      /** A script's record of what it read, searched or ran for its participant. */
      event: "evidence";
      record: EvidenceRecord;
    }
  | {
      /** A `message_sent` in an envelope (base64 of its JSON), opened when both are in. */
      event: "position_sealed";
      sealed: string;
      draft: string;
    }
  | { event: "closed"; by: string; reason: string }
  | PersonEvent
  | PersonStep
  | {
      /** Messages to the event's author were announced to it, or put before it. */
      event: Stage;
      messages: number[];
      /** The script that did it. */
      by: string;
    };

/** A message as the log holds it, with its place and time. */
export type SentFields = Extract<DialogueEvent, { event: "message_sent" }> & {
  seq: number;
  at: string;
};

/** Each event is asked for several times, by the code that judges, folds and shows it. */
const known = new WeakMap<LogEvent, DialogueEvent>();

/**
 * Reads a stored event.
 * @throws ConsultaError REFUSED when the log holds something that is no dialogue event.
 */
export function parseDialogueEvent(event: LogEvent): DialogueEvent {
  const parsed = known.get(event) ?? readEvent(event);
  if (parsed !== undefined) {
    known.set(event, parsed);
    return parsed;
  }
  throw new ConsultaError(
    "REFUSED",
    `seq ${event.seq} is not a dialogue event: ${quote(event.event)} with the fields ` +
      `${Object.keys(event).join(", ")}; run validate`,
  );
}

function readEvent(event: LogEvent): DialogueEvent | undefined {
  switch (event.event) {
    case "opened":
      return readOpened(event);
    case "message_sent":
      return readMessageSent(event);
    case "evidence": {
      const record = event["record"] === undefined ? undefined : parseEvidence(event["record"]);
      return record === undefined ? undefined : { event: "evidence", record };
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
    case "decided":
    case "judged":
      return readPersonEvent(event);
    default:
      return readPersonStep(event) ?? readDelivery(event);
  }
}

function readOpened(event: LogEvent): DialogueEvent | undefined {
  const { session_id, topic, participants, mode, rules } = event;
  const knownMode = modes.find((name) => name === mode);
  const knownRules = readRules(rules);
  if (typeof session_id !== "string" || typeof topic !== "string") return undefined;
  if (!isStringArray(participants) || new Set(participants).size !== 2) return undefined;
  // What a log says becomes part of paths: nothing but our own grammar is read.
  if (![session_id, ...participants].every(isSafeName)) return undefined;
  if (knownMode === undefined || knownRules === undefined) return undefined;
  const { require, owner_words } = event;
  return {
    event: "opened",
    session_id,
    topic,
    participants,
    mode: knownMode,
    rules: knownRules,
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
function isLetterName(file: string): boolean {
  const form = /^[A-Za-z0-9][\w.-]*[Tt]\d{6}[Zz]-[\w.-]+\.[Jj][Ss][Oo][Nn]$/;
  return form.test(file) && !file.includes("..");
}

function readMessageSent(event: JsonObject): DialogueEvent | undefined {
  const message = event["message"] === undefined ? undefined : readMessage(event["message"]);
  const origin = origins.find((name) => name === event["origin"]);
  const assessment = readAssessment(event["assessment"]);
  const { file, draft, dropped } = event;
  const confirms = readConfirms(event["confirms"]);
  const letter = readLetterFields(event["letter"]);
  if (dropped !== undefined && !isStringArray(dropped)) return undefined;
  if (message === undefined || origin === undefined || assessment === undefined) return undefined;
  if (typeof file !== "string" || typeof draft !== "string") return undefined;
  if (!isLetterName(file)) return undefined;
  if (message.from !== event["from"] && event["from"] !== undefined) return undefined;
  return {
    event: "message_sent",
    message,
    origin,
    file,
    draft,
    assessment,
    ...defined({ letter, dropped, confirms }),
  };
}

function readLetterFields(value: JsonValue | undefined): LetterFields | undefined {
  if (!isRecord(value)) return undefined;
  const { confidence, disagreements_pending, conclusions } = value;
  return {
    ...(isStringArray(disagreements_pending) ? { disagreements_pending } : {}),
    ...(typeof confidence === "number" ? { confidence } : {}),
    ...(typeof conclusions === "string" ? { conclusions } : {}),
  };
}

function readConfirms(value: JsonValue | undefined): { seq: number; hash: string } | undefined {
  if (!isRecord(value)) return undefined;
  const { seq, hash } = value;
  return typeof seq === "number" && typeof hash === "string" ? { seq, hash } : undefined;
}

function readMessage(value: JsonValue): Message | undefined {
  const message = parseMessage(value);
  return Array.isArray(message) ? undefined : message;
}

/** Reads a complete message; returns it or the faults found. */
export function parseMessage(value: JsonValue): Message | string[] {
  const draft = parseDraft(value, false);
  if (Array.isArray(draft)) return draft;
  const { id, session_id, timestamp, from, to, round, expects_reply } = draft;
  if (id === undefined || session_id === undefined || timestamp === undefined)
    return ["it has no id"];
  if (from === undefined || to === undefined || round === undefined) return ["it has no sender"];
  if (expects_reply === undefined) return ["expects_reply is missing"];
  return { ...draft, id, session_id, timestamp, from, to, round, expects_reply };
}

function readAssessment(value: JsonValue | undefined): Assessment | undefined {
  if (!isRecord(value)) return undefined;
  const { progress, objects, onlyObjects, accepts, competes, disputes } = value;
  const facts = readFacts(value["facts"]);
  if (!isStringArray(progress) || typeof objects !== "boolean") return undefined;
  if (typeof onlyObjects !== "boolean" || typeof accepts !== "boolean") return undefined;
  if (facts === undefined) return undefined;
  return {
    ...{ progress, objects, onlyObjects, accepts },
    ...(competes === true ? { competes } : {}),
    ...(disputes === "facts" || disputes === "refuted" ? { disputes } : {}),
    ...(facts.length > 0 ? { facts } : {}),
  };
}

/** Puts a sealed message into its envelope: out of sight of a glance, not of a determined reader. */
export function seal(event: JsonObject): string {
  const bytes = new TextEncoder().encode(JSON.stringify(event));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function openEnvelope(sealed: string): JsonValue | undefined {
  if (sealed === "") return undefined;
  try {
    const bytes = Uint8Array.from(atob(sealed), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // Damaged: audit says so, and nobody reads it.
    return undefined;
  }
}

/** Opens an envelope; undefined when it holds no message of the one who sealed it. */
export function unseal(
  sealed: string,
  sender: string,
): Extract<DialogueEvent, { event: "message_sent" }> | undefined {
  const value = openEnvelope(sealed);
  const event = isRecord(value) ? readMessageSent(value) : undefined;
  return event?.event === "message_sent" && event.message.from === sender ? event : undefined;
}
