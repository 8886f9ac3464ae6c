import { parseDraftText } from "../app/draft-text.ts";
import { ConsultaError } from "../core/errors.ts";
import { isRecord, type JsonValue, parseStrictJson } from "../core/json.ts";
import { runLimits } from "./run-limits.ts";

/** The message that an answer ends with, or why there is none to send. */
export type Found = { readonly message: JsonValue } | { readonly fault: string };

const none =
  "the answer holds no message; end it with one JSON code block that has type and question_or_proposal";

/**
 * Looks for the message in a participant's last words: the last fenced JSON or YAML block that is
 * one, else the last JSON object that is one. A draft that nobody filled in is no message: a
 * program that only echoes its task must not vote.
 */
export async function findMessage(answer: string): Promise<Found> {
  const text = answer.slice(-runLimits.searchedCharacters);
  let fault: string | undefined;
  for (const block of fencedBlocks(text).reverse()) {
    const read = await readBlock(block);
    if ("message" in read && isMessage(read.message)) return unlessEmpty(read.message);
    if ("fault" in read) fault ??= read.fault;
  }
  const bare = lastObject(text, isMessage);
  if (bare !== undefined) return unlessEmpty(bare);
  return { fault: fault ?? none };
}

/** The last JSON object in a text that passes `test`, wherever it begins. */
export function lastObject(
  text: string,
  test: (value: JsonValue) => boolean,
): JsonValue | undefined {
  let from = text.length;
  for (let places = 0; places < runLimits.searchedPlaces && from > 0; ) {
    from = text.lastIndexOf("{", from - 1);
    if (from < 0) return undefined;
    if (!/^\{\s*"/.test(text.slice(from, from + 64))) continue;
    places += 1;
    const value = parseOrNothing(text.slice(from, endOfObject(text, from)));
    if (value !== undefined && test(value)) return value;
  }
  return undefined;
}

function isMessage(value: JsonValue): boolean {
  return isRecord(value) && "type" in value && "question_or_proposal" in value;
}

function unlessEmpty(message: JsonValue): Found {
  const proposal = isRecord(message) ? message["question_or_proposal"] : undefined;
  const content = isRecord(proposal) ? proposal["content"] : undefined;
  if (typeof content !== "string" || !/^[.\s\u2026]*$/.test(content)) return { message };
  return { fault: "the message is the unfilled draft: its content says nothing; fill it in" };
}

/** Blocks between fences; a fence inside the block stands further in than the one that opened it. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; indent: number; lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    const [, blanks = "", fence = "", name = ""] =
      /^([ \t]*)(`{3,}|~{3,})[ \t]*(\w*)\s*$/.exec(line) ?? [];
    if (open === undefined) {
      if (/^(?:json|yaml|yml)$/i.test(name)) open = { fence, indent: blanks.length, lines: [] };
    } else if (name === "" && fence.startsWith(open.fence) && blanks.length <= open.indent) {
      blocks.push(open.lines.join("\n"));
      open = undefined;
    } else {
      open.lines.push(line.slice(Math.min(open.indent, /^[ \t]*/.exec(line)?.[0].length ?? 0)));
    }
  }
  // An answer that was cut off in its block may still hold all of the object.
  if (open !== undefined) blocks.push(open.lines.join("\n"));
  return blocks;
}

async function readBlock(text: string): Promise<{ message: JsonValue } | { fault: string }> {
  try {
    return { message: await parseDraftText(text) };
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return { fault: `the message cannot be read: ${cause.message}` };
  }
}

function parseOrNothing(text: string): JsonValue | undefined {
  try {
    return parseStrictJson(text, "the message");
  } catch {
    return undefined;
  }
}

/** Where the object that begins at `from` ends: one walk over its tokens. */
function endOfObject(text: string, from: number): number {
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/gs;
  token.lastIndex = from;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === "{") depth += 1;
    if (match[0] === "}") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return text.length;
}
