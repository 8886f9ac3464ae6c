import { isJsonObject, isRecord, type JsonObject, type JsonValue } from "../base/json.ts";

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
function isLeft(text: string): boolean {
  return blanks.has(text) || text.includes(blank.kept);
}

/** The fields of a message that still have a blank of its form, each with what it holds. */
export function blanksIn(message: JsonValue): string[] {
  if (!isRecord(message)) return [];
  return Object.entries(message).flatMap(([name, value]) => blanksAt(name, value));
}

function blanksAt(path: string, value: unknown): string[] {
  if (typeof value === "string") return isLeft(value) ? [`${path} ("${value}")`] : [];
  if (Array.isArray(value))
    return value.flatMap((entry, index) => blanksAt(`${path}[${index}]`, entry));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => blanksAt(`${path}.${name}`, part));
}

/** A form as it reads once somebody has written something in every place of it. */
export function filledIn(form: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, filled(value)]));
}

function filled(value: JsonValue | undefined): JsonValue {
  if (typeof value === "string") return isLeft(value) ? value.replace(/<[^<>]+>/g, wordFor) : value;
  if (Array.isArray(value)) return value.map(filled);
  return isJsonObject(value) ? filledIn(value) : (value ?? null);
}

function wordFor(place: string): string {
  if (place === blank.confidence) return "1";
  const [, choice] = /^<(\w+)\|/.exec(place) ?? [];
  return choice ?? "done";
}
