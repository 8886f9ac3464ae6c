import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import {
  type Faults,
  type FieldReader,
  flag,
  integerBetween,
  list,
  numberBetween,
  oneOf,
  type Read,
  record,
  text,
  utcTime,
  words,
} from "../base/schema.ts";
import { ownerKinds } from "../protocol/audit.ts";

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

/** Where a side names one, the agreed decision is only a recommendation. */
export type OwnerKind = (typeof ownerKinds)[number];

/**
 * Whose decision a message says it is: `owner_decides`, or `needs_user` that begins with such a kind,
 * as `spend: 40 EUR a month?`. Any other `needs_user` puts the question to the user at once.
 */
export function ownerKindIn({
  owner_decides,
  needs_user,
  type,
}: Pick<CheckedDraft, "owner_decides" | "needs_user" | "type">): OwnerKind | undefined {
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

const proposalFields = {
  type: oneOf(["proposal", "question", "clarification_response"]),
  ...{ content: words(limits.messageBytes), specific_questions: texts },
};
const objectionFields = {
  ...{ point: words(), because: words(), about: oneOf(["fact", "judgement"]), evidence: words() },
};
const progressFields = {
  ...{ kind: oneOf(["artifact", "tool", "accepted"]), path: words(), tool: words() },
  ...{ result: words(), point: words() },
};
const claimFields = { text: words(), check: words(), expect: words(), withdrawn: withReason };
const checkFields = {
  ...{ claim: words(), outcome: oneOf(["holds", "fails", "not_run"]), evidence: words() },
  reason: words(),
};

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
  question_or_proposal: record(proposalFields, ["content"]),
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
  objections: list(record(objectionFields, ["point", "because"])),
  resolved: list(record({ point: words(), because: words() }, ["point", "because"])),
  progress: unlessForeign(list(record(progressFields, ["kind"]))),
  synthesis: words(limits.messageBytes),
  self_check: words(),
  // A synthesis that was taken over is longer than the sentence that `positionGiven` wants.
  position: words(),
  claims: list(record(claimFields, ["text", "check"])),
  checks: list(record(checkFields, ["claim", "outcome"])),
  accepts: written(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  because: oneOrMore,
  reservations: texts,
  owner_decides: oneOf(ownerKinds),
  withdrawn: list(record({ claim: words(), because: words() }, ["claim", "because"])),
  kept: unlessForeign(list(record({ claim: words(), because: words() }, ["claim", "because"]))),
  needs_user: words(),
  reply_to: written(integerBetween(1, Number.MAX_SAFE_INTEGER)),
};

/**
 * What the scripts fill in for `context.project_state`: a text that differs from this one was written
 * by the participant.
 */
export const defaultProjectState = "The project that both work in; see references.";

const needed = ["type", "question_or_proposal"] as const;

const readDraft = record(draftFields, needed);

/** What a sender writes: its type, the content, and whatever else it has to say. */
export type CheckedDraft = Read<typeof readDraft>;

export type Check = NonNullable<CheckedDraft["checks"]>[number];

const readMessage = record(draftFields, [
  ...needed,
  ...(["id", "session_id", "timestamp", "from", "to", "round", "expects_reply"] as const),
]);

/** A complete message, as the log, the inbox and the archive hold it: no field that scripts fill in is missing. */
export type Message = Read<typeof readMessage>;

/**
 * Reads a draft, gives it or the faults found. Fields that no one knows are faults when `strict`,
 * because a misspelt field would silently say nothing.
 */
export function parseDraft(value: JsonValue, strict: boolean): CheckedDraft | string[] {
  const faults: Faults = { found: [], strict };
  const draft = readDraft(value, "", faults);
  for (const [index, { kind, path, point, tool, result }] of (draft?.progress ?? []).entries()) {
    const isWhole = { artifact: path, accepted: point, tool: tool && result }[kind] !== undefined;
    const lacks = { artifact: "path", accepted: "point", tool: "tool or result" }[kind];
    if (strict && !isWhole) faults.found.push(`progress[${index}] is ${kind} without ${lacks}`);
  }
  return draft === undefined || faults.found.length > 0 ? faults.found : draft;
}

/** Reads a complete message; returns it or the faults found. */
export function parseMessage(value: JsonValue): Message | string[] {
  const faults: Faults = { found: [], strict: false };
  const message = readMessage(value, "", faults);
  return message === undefined || faults.found.length > 0 ? faults.found : message;
}

/** The places of a form where its sender writes, chooses one of `a|b`, or names a number. */
export const blank = {
  question: "<the question, what the user wants, what you found, which files to read>",
  position: "<your answer in one sentence>",
  reasons: "<why, and what you checked>",
  decision: "<the decision for the user, in full>",
  agreed: "<what you both agree on, in one sentence>",
  looked: "<what you looked at>",
  ask: "<what you ask or add>",
  result: "<what came out of the task>",
  answer: "<your answer>",
  strong: "<what is right in it>",
  point: "<what you dispute, in their words>",
  because: "<why>",
  about: "<fact|judgement>",
  kept: "<what of it stays>",
  judgement: "judgement: <what convinced you>",
  fact: "<holds|fails>",
  ownFact: "<holds|not_run>",
  shows: "<what your look shows>",
  outcome: "<not_run|holds|fails>",
  notRun: "<why not, or what came out>",
  claim: "<what is so>",
  check: "<path:from-to>",
  confidence: "<0..1>",
} as const;

const blanks: ReadonlySet<string> = new Set(Object.values(blank));

/** Also in the midst of a text that the form began; words about forms are their sender's own. */
function isBlank(text: string): boolean {
  return blanks.has(text) || text.includes(blank.kept);
}

/** The fields of a message that still have a blank of its form, each with what it holds. */
export function blanksIn(message: JsonValue, path = ""): string[] {
  if (typeof message === "string") return isBlank(message) ? [`${path} ("${message}")`] : [];
  if (Array.isArray(message)) return message.flatMap((it, at) => blanksIn(it, `${path}[${at}]`));
  if (!isJsonObject(message)) return [];
  return Object.entries(message).flatMap(([name, part]) =>
    blanksIn(part ?? null, path === "" ? name : `${path}.${name}`),
  );
}

/** A form as it reads once somebody has written something in every place of it. */
export function filledIn(form: JsonObject): JsonObject {
  const filled = JSON.stringify(form, (_, value) =>
    typeof value === "string" && isBlank(value) ? value.replace(/<[^<>]+>/g, wordFor) : value,
  );
  return JSON.parse(filled);
}

function wordFor(place: string): string {
  if (place === blank.confidence) return "1";
  const [, choice] = /^<(\w+)\|/.exec(place) ?? [];
  return choice ?? "is done";
}
