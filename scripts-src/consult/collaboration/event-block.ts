import { isJsonObject, type JsonObject, type JsonValue, quote } from "../../base/json.ts";
import { isUnfilled, objectIn, unfilled } from "../answer-blocks.ts";

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

/** The event that an answer ends with, or why there is none to append. */
export async function eventBlockIn(
  answer: string,
): Promise<EventBlock | { readonly fault: string }> {
  const found = await objectIn(answer, "event", ["event", "summary"]);
  if ("fault" in found) return found;
  const { event, summary, documents, reply_to: replyTo } = found.object;
  if (typeof event !== "string" || typeof summary !== "string")
    return { fault: `summary is ${quote(summary)}, expected one plain line` };
  if (isUnfilled(event) || isUnfilled(summary)) return { fault: unfilled("event", "summary") };
  const texts = readDocuments(documents);
  if (!(texts instanceof Map)) return { fault: texts };
  const more: JsonObject = {};
  for (const name of optional) {
    const text = found.object[name];
    if (text === undefined || text === null) continue;
    if (typeof text !== "string") return { fault: `${name} is ${quote(text)}, expected a text` };
    if (!isUnfilled(text)) more[name] = text;
  }
  if (/^\d+$/.test(String(replyTo))) more["reply_to"] = Number(replyTo);
  // Models break lines anywhere; what a line must not hold beyond that, the decider says.
  return { event, summary: summary.replace(/\s+/g, " ").trim(), more, documents: texts };
}

/** The texts by path, or what is wrong with them. */
function readDocuments(value: JsonValue | undefined): Map<string, string> | string {
  const texts = new Map<string, string>();
  if (value === undefined || value === null) return texts;
  if (!isJsonObject(value))
    return `documents is ${quote(value)}, expected an object such as {"proposal.md": "its whole new text"}`;
  for (const [path, text] of Object.entries(value)) {
    if (typeof text !== "string" || isUnfilled(text))
      return `the document ${quote(path)} is ${quote(text)}, expected its whole new text; leave out what stays`;
    texts.set(path, text.endsWith("\n") ? text : `${text}\n`);
  }
  return texts;
}
