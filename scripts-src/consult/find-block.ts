import { ConsultaError } from "../base/errors.ts";
import { type JsonValue, parseStrictJson } from "../base/json.ts";
import { unquoted } from "../base/markdown.ts";
import { runLimits } from "../clis/run-limits.ts";
import { parseDraftText } from "../session/text/draft-text.ts";

/** The block that an answer ends with, or why there is none. */
export type Block = { readonly value: JsonValue } | { readonly fault: string };

/** How to find one kind of block and how to name it in errors. */
export interface BlockSearch {
  /** Its name in errors: message, event. */
  readonly name: string;
  readonly test: (value: JsonValue) => boolean;
  /** The fault when the answer holds no such block. */
  readonly none: string;
}

/**
 * Looks for a block in a participant's last words: the last fenced JSON or YAML block that passes
 * the test, else the last JSON object that does. Where there is none, a quotation may hold it.
 */
export async function findBlock(answer: string, search: BlockSearch): Promise<Block> {
  const text = answer.slice(-runLimits.searchedCharacters);
  const found = await lastBlock(text, search);
  const bare = "fault" in found ? unquoted(text) : undefined;
  const quoted = bare === undefined ? found : await lastBlock(bare, search);
  return "fault" in quoted ? found : quoted;
}

async function lastBlock(text: string, { name, test, none }: BlockSearch): Promise<Block> {
  let fault: string | undefined;
  for (const block of fencedBlocks(text).reverse()) {
    const read = await readBlock(block, name);
    if ("value" in read && test(read.value)) return read;
    if ("fault" in read) fault ??= read.fault;
  }
  const value = lastObject(text, test);
  return value === undefined ? { fault: fault ?? none } : { value };
}

/** The last JSON object in a text that passes `test`, wherever it begins. */
export function lastObject(
  text: string,
  test: (value: JsonValue) => boolean,
): JsonValue | undefined {
  let from = text.length;
  let walked = 0;
  const walkedMax = runLimits.searchedTimes * text.length;
  for (let places = 0; places < runLimits.searchedPlaces && from > 0 && walked <= walkedMax; ) {
    from = text.lastIndexOf("{", from - 1);
    if (from < 0) return undefined;
    if (!/^\{\s*"/.test(text.slice(from, from + 64))) continue;
    places += 1;
    const end = endOfObject(text, from);
    walked += end - from;
    const value = parseOrNothing(text.slice(from, end));
    if (value !== undefined && test(value)) return value;
  }
  return undefined;
}

/** Blocks between fences; a fence inside the block stands further in than the one that opened it. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; indent: number; lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    const [, blanks = "", fence = "", name = ""] =
      // Blanks are taken off first: two parts that may both match them take quadratic time.
      /^([ \t]*)(`{3,}|~{3,})[ \t]*(\w*)$/.exec(line.trimEnd()) ?? [];
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

async function readBlock(text: string, name: string): Promise<Block> {
  try {
    return { value: await parseDraftText(text) };
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    return { fault: `the ${name} cannot be read: ${cause.message}` };
  }
}

function parseOrNothing(text: string): JsonValue | undefined {
  try {
    return parseStrictJson(text, "it");
  } catch {
    return undefined;
  }
}

/** Where the object that begins at `from` ends: one walk over its tokens. */
function endOfObject(text: string, from: number): number {
  // A string that does not end takes the rest, so that no other is looked for in it.
  const token = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}]/gs;
  token.lastIndex = from;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === "{") depth += 1;
    if (match[0] === "}") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return text.length;
}
