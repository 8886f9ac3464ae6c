import { isJsonObject, isRecord, type JsonObject, type JsonValue, quote } from "../base/json.ts";
import { findBlock } from "./find-block.ts";
import { isUnfilled } from "./find-message.ts";

/** An event of a collaboration as a participant gave it in its answer, with what it wrote for it. */
export interface EventBlock {
  readonly event: string;
  readonly summary: string;
  /** What else it said of it, under the names of the options of `append-event`. */
  readonly more: JsonObject;
  /** The whole new texts of documents, by their paths. */
  readonly documents: ReadonlyMap<string, string>;
}

const optional = ["doc", "role", "sha256", "review"] as const;

/** Looks for the event in a participant's last words; returns why there is none to append. */
export async function findEventBlock(
  answer: string,
): Promise<EventBlock | { readonly fault: string }> {
  const found = await findBlock(answer, {
    name: "event",
    test: (value) => isRecord(value) && typeof value["event"] === "string" && "summary" in value,
    none: "the answer holds no event; end it with one JSON code block that has event and summary",
  });
  if ("fault" in found) return found;
  return isJsonObject(found.value) ? readBlock(found.value) : { fault: "the event is no object" };
}

function readBlock(value: JsonObject): EventBlock | { fault: string } {
  const { event, summary } = value;
  if (typeof event !== "string" || typeof summary !== "string") {
    return { fault: `summary is ${quote(summary)}, expected one plain line` };
  }
  if (isUnfilled(event) || isUnfilled(summary)) {
    return { fault: "the event is the unfilled example: its summary says nothing; fill it in" };
  }
  const documents = readDocuments(value["documents"]);
  if (!(documents instanceof Map)) return { fault: documents };
  const more: JsonObject = {};
  for (const name of optional) {
    const text = value[name];
    if (text === undefined || text === null) continue;
    if (typeof text !== "string") return { fault: `${name} is ${quote(text)}, expected a text` };
    if (!isUnfilled(text)) more[name] = text;
  }
  const replyTo = value["reply_to"];
  if (typeof replyTo === "number") more["reply_to"] = replyTo;
  else if (typeof replyTo === "string" && /^\d+$/.test(replyTo)) more["reply_to"] = Number(replyTo);
  // Models break lines anywhere; what a line must not hold beyond that, the decider says.
  return { event, summary: summary.replace(/\s+/g, " ").trim(), more, documents };
}

/** The texts by path, or what is wrong with them. */
function readDocuments(value: JsonValue | undefined): Map<string, string> | string {
  const texts = new Map<string, string>();
  if (value === undefined || value === null) return texts;
  if (!isJsonObject(value)) {
    return `documents is ${quote(value)}, expected an object such as {"proposal.md": "its whole new text"}`;
  }
  for (const [path, text] of Object.entries(value)) {
    if (typeof text !== "string" || isUnfilled(text)) {
      return `the document ${quote(path)} is ${quote(text)}, expected its whole new text; leave out what stays`;
    }
    texts.set(path, text.endsWith("\n") ? text : `${text}\n`);
  }
  return texts;
}
