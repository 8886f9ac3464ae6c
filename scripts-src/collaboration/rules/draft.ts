import { type JsonObject, type JsonValue, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { isUnwritten } from "../../base/markdown.ts";
import { isPlainLine } from "../../base/quote-text.ts";
import { isHidden } from "./deliverables.ts";
import type { Attempt } from "./transitions.ts";

/** A submission whose fields have the right form; whether its time is right is not said yet. */
export interface CollaborationDraft extends Attempt {
  readonly replyTo: number | undefined;
  /** The text of a review. */
  readonly review: string | undefined;
  /** The sender knows that the originals cannot read the event. */
  readonly allowExtension: boolean;
}

/** Reads the options of `append-event`, or says what is wrong with them. */
export function parseEventDraft(fields: JsonObject, from: string): CollaborationDraft | string {
  const { event, summary, doc, role, sha256, review, message } = fields;
  if (message !== undefined) return "a collaboration takes no message: give --event and --summary";
  const texts = { event, summary, doc, role, sha256, review };
  const odd = Object.entries(texts).find(([, it]) => it !== undefined && typeof it !== "string");
  if (odd !== undefined) return `${odd[0]} is ${quote(odd[1])}, expected a text`;
  const replyTo = readSeq(fields["reply_to"]);
  if (typeof replyTo === "string") return replyTo;
  if (typeof event !== "string") return "event is missing: name what happened with --event";
  const fault =
    summaryFault(summary) ?? pathFault(event, textOf(doc)) ?? roleFault(event, role, sha256);
  if (fault !== undefined) return fault;
  return {
    event,
    from,
    summary: textOf(summary) ?? "",
    // The original leaves an empty option out as well.
    doc: textOf(doc),
    role: textOf(role),
    sha256: textOf(sha256),
    replyTo,
    review: typeof review === "string" ? review : undefined,
    allowExtension: ["true", true].some((it) => it === fields["allow_extension"]),
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function readSeq(value: JsonValue | undefined): number | undefined | string {
  if (value === undefined) return undefined;
  const seq = typeof value === "string" && /^\s*\+?\d+\s*$/.test(value) ? Number(value) : value;
  if (typeof seq === "number" && Number.isSafeInteger(seq)) return seq;
  return `reply_to is ${quote(value)}, expected the seq of an earlier event, such as 1`;
}

/** Blank is fine, as it is for the original. */
function summaryFault(summary: JsonValue | undefined): string | undefined {
  if (typeof summary !== "string") return "summary is missing: say it in one short sentence";
  if (isUnwritten(summary)) return "summary is not filled in: say it in one short sentence";
  if (summary.length > limits.itemCharacters) {
    const size = `summary has ${summary.length} characters, at most ${limits.itemCharacters} are allowed`;
    return `${size}: say it in one short sentence and put the rest into a document`;
  }
  // Any other character is stored escaped where a reader of the log might stumble on it.
  return summary.isWellFormed() ? undefined : "summary has half a character: write it whole";
}

function pathFault(event: string, doc: string | undefined): string | undefined {
  if (doc === undefined) return undefined;
  if (!isInside(doc)) {
    return (
      `doc ${quote(doc)} leads out of the folder or is no plain path: give it relative to the ` +
      "collaboration folder, such as proposal.md, or leave it out"
    );
  }
  // The first event of all is about the settings.
  if (event === "initialized" && doc === "protocol.json") return undefined;
  // The log and its settings are no documents, and what is hidden belongs to a program.
  const isReserved = (name: string) =>
    isHidden(name) || /^(?:events\.jsonl|protocol\.json)$/i.test(name);
  return doc.split("/").some(isReserved)
    ? `doc ${quote(doc)} is no document: name one that people read, such as proposal.md, or leave it out`
    : undefined;
}

/** Whether a path stays in the folder that it starts from. */
export function isInside(path: string): boolean {
  if (!isPlainLine(path) || /^[/~]|^[A-Za-z]:[/\\]|\\/.test(path)) return false;
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return names.length > 0 && !names.includes("..");
}

/** Both belong to deliverable events; on others they would be noise that readers stumble on. */
function roleFault(
  event: string,
  role: JsonValue | undefined,
  sha256: JsonValue | undefined,
): string | undefined {
  if (textOf(role) !== undefined && !event.startsWith("deliverable_")) {
    return `role belongs to deliverable events, not to ${quote(event)}: leave it out`;
  }
  if (textOf(sha256) !== undefined && event !== "deliverable_frozen") {
    return `sha256 belongs to deliverable_frozen, not to ${quote(event)}: leave it out`;
  }
  return undefined;
}
