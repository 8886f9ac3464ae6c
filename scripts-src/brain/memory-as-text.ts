import type { JsonValue } from "../base/json.ts";
import { defined } from "../base/omit-undefined.ts";
import { plural } from "../base/plural.ts";
import { millisecondsOf } from "../base/time.ts";
import { asLine, oneLine } from "../base/visible-text.ts";
import { quoteText } from "../session/text/quotation.ts";
import { ageBetween } from "./rules/injected-text.ts";
import type { ResultOf, ShownMemory } from "./rules/methods.ts";

type Found = ResultOf<"memory.retrieve">;

/** A memory as quoted data: the agent that stored it may have been told to by another. */
export function memoryText(memory: ShownMemory, nonce: string): string {
  const { key, version, updated, source, link, value } = memory;
  const parts = [
    `memory ${JSON.stringify(key)}`,
    `version ${version} of ${updated}`,
    `from ${source}`,
    ...(link === undefined ? [] : [`session ${link}`]),
  ];
  return quoteText(parts.join(", "), valueText(value), nonce);
}

/** What was found under a key or for a query; undefined when it was nothing. */
export function foundText(found: Found, nonce: string): string | undefined {
  if (!found.found) return undefined;
  const { matches, key, value, version, updated = "", source = "", ...more } = found;
  if (matches !== undefined) return matches.map((it) => memoryText(it, nonce)).join("");
  if (key === undefined || value === undefined || version === undefined) return undefined;
  const { created = "", tags = [], link } = more;
  const known = { key, value, version, updated, source, created, tags, ...defined({ link }) };
  return memoryText(known, nonce);
}

const lineCharacters = 80;
/** What is shown of a value at least; after a longer key it has a line of its own. */
const valueCharactersMin = 24;

/** Each memory in a line as long as a terminal is wide, or in two where its key is long. */
export function listText({ memories, next }: ResultOf<"memory.list">, nowMs: number): string {
  const lines = memories.map(({ key, updated, source, value }) => {
    const head = asLine(
      `${keyText(key)}  (${source}, ${ageBetween(millisecondsOf(updated), nowMs)})  `,
    );
    const shown = oneLine(valueText(value));
    const room = lineCharacters - head.length;
    return room < valueCharactersMin
      ? `${head.trimEnd()}\n  | ${shortened(shown, lineCharacters - 4)}`
      : `${head}${shortened(shown, room)}`;
  });
  const more = next === undefined ? [] : [asLine(`more: list --after ${JSON.stringify(next)}`)];
  return `${[...lines, ...more, `${plural(memories.length, "memory", "memories")} shown`].join("\n")}\n`;
}

/** A key as it is where it is nothing else, in quotes where it could pass for words of ours. */
function keyText(key: string): string {
  return /^[\p{L}\p{N}_./@+-]+$/u.test(key) ? key : JSON.stringify(key);
}

function shortened(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 3)}...` : text;
}

export function forgottenText(gone: ResultOf<"memory.forget">): string {
  const parts = [
    plural(gone.memories, "memory", "memories"),
    plural(gone.snapshots, "saved session"),
    plural(gone.events, "event"),
  ];
  return `forgot ${parts.join(", ")}\n`;
}

function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}
