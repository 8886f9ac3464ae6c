import assert from "node:assert/strict";
import {
  isJsonObject,
  isRecord,
  type JsonObject,
  type JsonValue,
} from "../../scripts-src/base/json.ts";
import { decide } from "../../scripts-src/dialogue/decide.ts";
import { withStage } from "../../scripts-src/dialogue/delivery.ts";
import { parseDialogueEvent } from "../../scripts-src/dialogue/event.ts";
import { evolve } from "../../scripts-src/dialogue/fold.ts";
import type { Message, MessageType } from "../../scripts-src/dialogue/message.ts";
import { nextAction } from "../../scripts-src/dialogue/next-action.ts";
import { type DialogueState, initialState } from "../../scripts-src/dialogue/state.ts";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import { parseCheckSpec } from "../../scripts-src/protocol/check-spec.ts";
import {
  defaultConfig,
  type Mode,
  type Rules,
  rulesOf,
} from "../../scripts-src/protocol/config.ts";
import type { EvidenceRecord } from "../../scripts-src/protocol/evidence.ts";
import type {
  Decision,
  Guidance,
  Origin,
  Submission,
} from "../../scripts-src/protocol/protocol.ts";

/** What one side says: `says` and `asks` stand for the content and the specific questions. */
export interface Turn {
  readonly by: string;
  readonly origin: Origin;
  readonly message: JsonValue;
  /** What the script read for the claims of the message; or the record that the turn is. */
  readonly evidence?: readonly EvidenceRecord[];
  /** The audit that the turn is. */
  readonly audit?: JsonObject;
}

export interface Setting {
  readonly mode?: Mode;
  /** What else `opened` holds, such as `require`. */
  readonly opened?: JsonObject;
  readonly rules?: Partial<Rules>;
}

/** A dialogue after some turns, all of them accepted. */
export interface Dialogue {
  readonly state: DialogueState;
  readonly events: LogEvent[];
  /** The messages in the log; sealed ones do not show. */
  readonly messages: Message[];
  readonly last: Message;
  and(...turns: Turn[]): Dialogue;
  /** Why this turn is refused now. */
  refusal(turn: Turn): string;
  decision(turn: Turn): Decision;
  guidance(participant: string): Guidance;
}

export const participants = ["claude", "gemini"];

/** Two positions on the question; every side holds the first one unless the test says. */
export const sqlite = "Use SQLite.";
export const files = "Use plain files.";

export function claude(type: MessageType, fields: JsonObject = {}): Turn {
  return { by: "claude", origin: "script", message: draft("claude", type, fields) };
}

export function gemini(type: MessageType, fields: JsonObject = {}): Turn {
  return { by: "gemini", origin: "script", message: draft("gemini", type, fields) };
}

/** The same turn as a colleague with the original files makes it, who states no position. */
export function byHand(turn: Turn): Turn {
  const { message } = turn;
  if (!isJsonObject(message)) return { ...turn, origin: "inbox" };
  return { ...turn, origin: "inbox", message: { ...message, position: undefined } };
}

export function raw(by: string, message: JsonValue, origin: Origin = "script"): Turn {
  return { by, origin, message };
}

/** A record of lines as a script makes it; `part` says what is different about it. */
export function record(spec: string, part: Partial<EvidenceRecord> = {}): EvidenceRecord {
  const parsed = parseCheckSpec(spec);
  const kind = "fault" in parsed ? "run" : parsed.kind;
  records += 1;
  return {
    ...{ kind, spec, met: true, ms: 1, sha256: "a".repeat(64), first: "a line\n", last: "" },
    process: { pid: 1_000 + records, started: "then" },
    ...(kind === "run" ? { exit: 0 } : {}),
    ...part,
  };
}

let records = 0;

/** `check` made a record for this side. */
export function saw(by: string, spec: string, part: Partial<EvidenceRecord> = {}): Turn {
  return { by, origin: "script", message: null, evidence: [record(spec, part)] };
}

/** A script enters an audit for the person. */
export function audits(audit: object): Turn {
  return { by: "user", origin: "person", message: null, audit: JSON.parse(JSON.stringify(audit)) };
}

/** The same turn, for whose claims the script read these. */
export function reading(turn: Turn, ...evidence: EvidenceRecord[]): Turn {
  return { ...turn, evidence };
}

const sure: Partial<Record<MessageType, number>> = {
  RESPONSE: 0.7,
  EVALUATE: 0.7,
  COUNTER_PROPOSE: 0.7,
  AGREE: 0.9,
};

const stands = new Set<MessageType>(["RESPONSE", "EVALUATE", "COUNTER_PROPOSE"]);

let drafts = 0;

/** A draft with the fields that its type needs; texts that are not given differ every time. */
function draft(by: string, type: MessageType, fields: JsonObject): JsonObject {
  const { says, asks, ...rest } = fields;
  drafts += 1;
  // A number would be a figure that nobody has seen.
  const nth = `${drafts}`.replace(/\d/g, (digit) => "abcdefghij".charAt(Number(digit)));
  const confidence = sure[type];
  return {
    type,
    question_or_proposal: {
      content: says ?? `${type} ${nth} of ${by}.`,
      ...(asks === undefined ? {} : { specific_questions: asks }),
    },
    ...(confidence === undefined ? {} : { confidence }),
    ...(stands.has(type) ? { position: sqlite } : {}),
    ...rest,
  };
}

const began = Date.parse("2026-04-22T14:35:00.250Z");

/** A clock of the tests: every event comes seven seconds after the one before. */
export function timeOf(seq: number): string {
  return new Date(began + 7_000 * (seq - 1)).toISOString();
}

/** A dialogue of claude and gemini with these turns behind it; a refused one fails the test. */
export function dialogue(
  turns: Turn[] = [],
  { mode = "rapida", rules, opened: more = {} }: Setting = {},
): Dialogue {
  const opened: LogEvent = {
    seq: 1,
    from: "claude",
    event: "opened",
    at: timeOf(1),
    summary: "SQLite or files?",
    id: "e1",
    session_id: "auth",
    topic: "SQLite or files?",
    participants,
    mode,
    rules: { ...rulesOf(defaultConfig), ...rules },
    ...more,
  };
  return after(evolve(initialState(), opened), [opened]).and(...turns);
}

/** A dialogue in which claude has asked. */
export function asked(turns: Turn[] = [], setting?: Setting): Dialogue {
  return dialogue([claude("REQUEST", { says: "SQLite or files?" }), ...turns], setting);
}

function after(state: DialogueState, events: LogEvent[]): Dialogue {
  const messages = events.flatMap((event) => {
    const known = parseDialogueEvent(event);
    return known.event === "message_sent" ? [known.message] : [];
  });
  const judge = (turn: Turn) => {
    const read = afterReading(state, turn);
    return decide(read, submissionOf(read, accepting(state, turn)));
  };
  return {
    state,
    events,
    messages,
    get last() {
      const message = messages.at(-1);
      assert(message, "no message was sent yet");
      return message;
    },
    and(turn, ...later) {
      if (turn === undefined) return this;
      const decision = judge(turn);
      assert(decision.ok, `${describe(turn)} is refused: ${decision.ok || decision.reason}`);
      assert("event" in decision, `${describe(turn)} is taken for a repetition`);
      const event: LogEvent = JSON.parse(JSON.stringify(decision.event));
      return after(evolve(state, event), [...events, event]).and(...later);
    },
    refusal(turn) {
      const decision = judge(turn);
      assert(!decision.ok, `${describe(turn)} is accepted`);
      return decision.reason;
    },
    decision: judge,
    guidance: (participant) => nextAction(state, participant, new Map()),
  };
}

/** AGREE accepts the other side's text, or else its position, unless the test says. */
function accepting(state: DialogueState, turn: Turn): Turn {
  const { message, by, origin } = turn;
  if (origin !== "script" || !isJsonObject(message) || message["type"] !== "AGREE") return turn;
  const other = state.participants.find((name) => name !== by) ?? "";
  const { offer } = state;
  const seq = offer?.by === other ? offer.seq : state.sides[other]?.held.seq;
  if (!seq || "accepts" in message) return turn;
  return { ...turn, message: { ...message, accepts: seq } };
}

/** Whoever runs the scripts has letters by hand before it when it answers, as next-action notes. */
function afterReading(state: DialogueState, { by, origin }: Turn): DialogueState {
  const other = state.participants.find((name) => name !== by) ?? "";
  if (origin !== "script" || state.sides[by] === undefined || !state.sides[other]?.byHand)
    return state;
  const messages = state.sides[by].unanswered.map(({ seq }) => seq);
  return withStage(state, by, { event: "in_turn", messages, by: "next-action" });
}

function describe({ by, message }: Turn): string {
  return `${by}'s ${isRecord(message) ? message["type"] : "message"}`;
}

function submissionOf(state: DialogueState, turn: Turn): Submission {
  const { by, origin, message, evidence, audit } = turn;
  const seq = state.seq + 1;
  const isRecord = message === null && evidence?.[0] !== undefined;
  const said: JsonObject = isRecord
    ? { evidence: JSON.parse(JSON.stringify(evidence[0])) }
    : { message };
  const fields = audit === undefined ? said : { audit };
  const submission = { participant: by, origin, fields, at: timeOf(seq), id: `e${seq}` };
  const read = evidence === undefined ? {} : { evidence };
  return { ...submission, files: new Map(), ...read };
}

/** The codes of an escalation, in the order in which it names them. */
export function reasonsOf({ state }: Dialogue): string[] {
  assert.equal(state.phase, "escalated");
  assert.equal(state.outcome?.kind, "escalated");
  return state.outcome?.kind === "escalated" ? state.outcome.reasons.map(({ code }) => code) : [];
}

/** The draft that next-action hands a participant. */
export function draftIn({ moves }: Guidance): JsonObject {
  const input = moves[0]?.input;
  assert(isRecord(input), "next-action gives a draft");
  return Object.assign({}, input);
}

/** What a report is given that nobody looks at again. */
export function wanting(before: DialogueState) {
  return { before, today: { looked: [], changed: [] }, delivery: false };
}
