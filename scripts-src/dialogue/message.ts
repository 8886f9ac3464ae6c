import { isRecord, type JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import {
  type Faults,
  type FieldReader,
  flag,
  integerBetween,
  list,
  numberBetween,
  oneOf,
  type Partially,
  record,
  text,
  utcTime,
  words,
} from "../base/schema.ts";

/** The ten message types of ConsultaSkill's protocol 1.2 (seed 000, originals.md 1.2). */
export const messageTypes = [
  "REQUEST",
  "RESPONSE",
  "EVALUATE",
  "COUNTER_PROPOSE",
  "CLARIFY",
  "AGREE",
  "CONSENSUS",
  "ESCALATE",
  "TASK_ASSIGN",
  "TASK_RESULT",
] as const;

export type MessageType = (typeof messageTypes)[number];

const texts = list(words());

/**
 * Kinds of decision that stay the user's: where a side names one, the agreed decision is only a
 * recommendation.
 */
const ownerKinds = ["spend", "licence", "destructive", "publish", "taste"] as const;

export type OwnerKind = (typeof ownerKinds)[number];

/**
 * Whose decision a message says it is: `owner_decides`, or `needs_user` that begins with such a kind,
 * as `spend: 40 EUR a month?`. Any other `needs_user` puts the question to the user at once.
 */
export function ownerKindIn({
  owner_decides,
  needs_user,
  type,
}: Pick<MessageDraft, "owner_decides" | "needs_user" | "type">): OwnerKind | undefined {
  if (owner_decides !== undefined || type === "ESCALATE") return owner_decides;
  const [, word = ""] = /^\s*([A-Za-z]+)\s*:/.exec(needs_user ?? "") ?? [];
  const named = word.toLowerCase().replace("license", "licence");
  return ownerKinds.find((kind) => kind === named);
}

/** One text, or a list of them. */
const oneOrMore: FieldReader<string[]> = (value, path, faults) =>
  texts(typeof value === "string" ? [value] : value, path, faults);

/** `true`, or the reason in words. */
const withReason: FieldReader<string> = (value, path, faults) =>
  value === true ? "withdrawn" : value === false ? undefined : words()(value, path, faults);

/** A number, also one in quotes: so it reads where a blank of a draft was filled in between them. */
function written(number: FieldReader<number>): FieldReader<number> {
  return (value, path, faults) => {
    const isNumber = typeof value === "string" && /^\d{1,15}(?:\.\d{1,15})?$/.test(value);
    return number(isNumber ? Number(value) : value, path, faults);
  };
}

/** A word that foreign senders may use in another sense: what is not of our form is none of ours. */
function unlessForeign<Value>(read: FieldReader<Value>): FieldReader<Value> {
  return (value, path, faults) => {
    if (faults.strict) return read(value, path, faults);
    const own: Faults = { found: [], strict: false };
    const known = read(value, path, own);
    return own.found.length > 0 ? undefined : known;
  };
}

/** The seed's fields first, in the seed's order; then ours, which foreign senders may omit. */
const draftFields = {
  id: words(200),
  session_id: words(limits.sessionIdCharacters),
  timestamp: utcTime(),
  from: words(limits.participantCharacters),
  to: words(limits.participantCharacters),
  type: oneOf(messageTypes),
  round: integerBetween(1, Number.MAX_SAFE_INTEGER),
  expects_reply: flag(),
  context: record({
    user_instructions: text(),
    project_state: text(),
    conversation_summary: text(),
  }),
  discoveries: record({ analysis: text(), code_examined: texts, conclusions: text() }),
  references: texts,
  tried_and_discarded: list(record({ approach: words(), reason: words() }, ["approach", "reason"])),
  question_or_proposal: record(
    {
      type: oneOf(["proposal", "question", "clarification_response"]),
      content: words(limits.messageBytes),
      specific_questions: texts,
    },
    ["content"],
  ),
  confidence: written(numberBetween(0, 1)),
  agreements_so_far: texts,
  disagreements_pending: texts,
  meta: record({
    model: text(),
    round_budget_remaining: numberBetween(0, Number.MAX_SAFE_INTEGER),
    session_cost_usd: numberBetween(0, Number.MAX_VALUE),
  }),
  answers: list(
    record({ question: words(), answer: words(limits.messageBytes) }, ["question", "answer"]),
  ),
  acknowledged: texts,
  objections: list(
    record(
      {
        point: words(),
        because: words(),
        about: oneOf(["fact", "judgement"]),
        evidence: words(),
      },
      ["point", "because"],
    ),
  ),
  resolved: list(record({ point: words(), because: words() }, ["point", "because"])),
  progress: unlessForeign(
    list(
      record(
        {
          kind: oneOf(["artifact", "tool", "accepted"]),
          path: words(),
          tool: words(),
          result: words(),
          point: words(),
        },
        ["kind"],
      ),
    ),
  ),
  synthesis: words(limits.messageBytes),
  self_check: words(),
  // A synthesis that was taken over is longer than the sentence that `positionGiven` wants.
  position: words(),
  claims: list(
    record({ text: words(), check: words(), expect: words(), withdrawn: withReason }, [
      "text",
      "check",
    ]),
  ),
  checks: list(
    record(
      {
        claim: words(),
        outcome: oneOf(["holds", "fails", "not_run"]),
        evidence: words(),
        reason: words(),
      },
      ["claim", "outcome"],
    ),
  ),
  accepts: written(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  because: oneOrMore,
  reservations: texts,
  owner_decides: oneOf(ownerKinds),
  withdrawn: list(record({ claim: words(), because: words() }, ["claim", "because"])),
  needs_user: words(),
  reply_to: written(integerBetween(1, Number.MAX_SAFE_INTEGER)),
};

/**
 * What the scripts fill in for `context.project_state`: a text that differs from this one was written
 * by the participant.
 */
export const defaultProjectState = "The project that both work in; see references.";

const readDraft = record(draftFields, ["type", "question_or_proposal"]);

/** What a sender writes: `type`, the content, and whatever else it has to say. */
type MessageDraft = Partially<typeof draftFields>;

type Proposal = NonNullable<MessageDraft["question_or_proposal"]> & { content: string };

/** A draft whose type and content are there. */
export type CheckedDraft = Omit<MessageDraft, "type" | "question_or_proposal"> & {
  type: MessageType;
  question_or_proposal: Proposal;
};

/** A complete message, as the log, the inbox and the archive hold it: no field that scripts fill in is missing. */
export type Message = CheckedDraft & {
  id: string;
  session_id: string;
  timestamp: string;
  from: string;
  to: string;
  round: number;
  expects_reply: boolean;
};

/** Each draft is asked for by the code that reads for it and by the code that judges it. */
const parsed = new WeakMap<object, CheckedDraft | string[]>();

/**
 * Reads a draft, gives it or the faults found. Fields that no one knows are faults when `strict`,
 * because a misspelt field would silently say nothing.
 */
export function parseDraft(value: JsonValue, strict: boolean): CheckedDraft | string[] {
  const isKept = strict && isRecord(value);
  const read = (isKept && parsed.get(value)) || readCheckedDraft(value, strict);
  if (isKept) parsed.set(value, read);
  return read;
}

function readCheckedDraft(value: JsonValue, strict: boolean): CheckedDraft | string[] {
  const faults: Faults = { found: [], strict };
  const draft = readDraft(value, "", faults);
  const content = draft?.question_or_proposal?.content;
  for (const [index, entry] of (strict ? (draft?.progress ?? []) : []).entries()) {
    const lacks = progressFault(entry);
    if (lacks !== undefined) faults.found.push(`progress[${index}] ${lacks}`);
  }
  const type = draft?.type;
  if (type === undefined || content === undefined || faults.found.length > 0) return faults.found;
  return { ...draft, type, question_or_proposal: { ...draft?.question_or_proposal, content } };
}

type ProgressEntry = NonNullable<MessageDraft["progress"]>[number];

function progressFault(entry: ProgressEntry): string | undefined {
  if (entry.kind === "artifact" && entry.path === undefined) return "is an artifact without path";
  if (entry.kind === "accepted" && entry.point === undefined) return "is accepted without point";
  if (entry.kind !== "tool" || (entry.tool !== undefined && entry.result !== undefined))
    return undefined;
  return "is from a tool without tool or result";
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
