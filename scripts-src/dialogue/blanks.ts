import { isRecord, type JsonValue } from "../base/json.ts";
import type { Move } from "../protocol/protocol.ts";
import { type DialogueState, sideOf } from "./state.ts";

/** What a draft holds where its sender is to write, choose or name something. */
export const blank = {
  text: "...",
  reference: "path/to/file",
  type: "AGREE|EVALUATE",
  check: "path:from-to",
  confidence: "0..1",
} as const;

const blanks: ReadonlySet<string> = new Set(Object.values(blank));

/** The fields that drafts have; in any other such words are the sender's own. */
const draftFields = new Set([
  "type",
  "question_or_proposal",
  "references",
  "answers",
  "synthesis",
  "self_check",
  "checks",
  "position",
  "claims",
  "because",
  "confidence",
]);

/** The fields of a message that are still as the draft has them, each with what it holds. */
export function blanksIn(message: JsonValue): string[] {
  if (!isRecord(message)) return [];
  return Object.entries(message).flatMap(([name, value]) =>
    draftFields.has(name) ? blanksAt(name, value) : [],
  );
}

function blanksAt(path: string, value: unknown): string[] {
  if (typeof value === "string") return blanks.has(value) ? [`${path} ("${value}")`] : [];
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => blanksAt(`${path}[${index}]`, entry));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => blanksAt(`${path}.${name}`, part));
}

/** A peer by hand knows no turns: it may be told at any time that a letter of its did not arrive. */
export function askBack(state: DialogueState, participant: string): Move {
  return {
    purpose: "ask back, when a message was rejected or is unclear",
    options: { message: "-" },
    input: { type: "CLARIFY", question_or_proposal: { content: blank.text } },
    draft: sideOf(state, participant).sentCount + 1,
  };
}
