import type { JsonValue } from "../base/json.ts";
import { plural } from "../base/plural.ts";
import { millisecondsOf } from "../base/time.ts";
import { asLine } from "../base/visible-text.ts";
import { shortLine } from "../clis/output-line.ts";
import { quoteText } from "../session/text/quotation.ts";
import { ageBetween } from "./rules/injected-text.ts";
import type { ResultOf, ShownMemory } from "./rules/methods.ts";

/** What was found under a key or for a query; undefined when it was nothing. */
export function foundText(
  { found, matches, ...memory }: ResultOf<"memory.retrieve">,
  nonce: string,
): string | undefined {
  if (!found) return undefined;
  return (matches ?? [memory]).map((it) => memoryText(it, nonce)).join("");
}

/** A memory as quoted data: the agent that stored it may have been told to by another. */
function memoryText(memory: Partial<ShownMemory>, nonce: string): string {
  const { key, version, updated, source, link, value = null } = memory;
  const parts = [
    `memory ${JSON.stringify(key)}`,
    `version ${version} of ${updated}`,
    `from ${source}`,
    ...(link === undefined ? [] : [`session ${link}`]),
  ];
  return quoteText(parts.join(", "), valueText(value), nonce);
}

const lineCharacters = 80;

/** Each memory in a line as long as a terminal is wide, or longer where its key is. */
export function listText({ memories, next }: ResultOf<"memory.list">, nowMs: number): string {
  const lines = memories.map(({ key, updated, source, value }) => {
    const head = asLine(
      `${keyText(key)}  (${source}, ${ageBetween(millisecondsOf(updated), nowMs)})  `,
    );
    return `${head}${shortLine(valueText(value), Math.max(24, lineCharacters - head.length))}`;
  });
  const more = next === undefined ? [] : [asLine(`more: list --after ${JSON.stringify(next)}`)];
  return `${[...lines, ...more, `${plural(memories.length, "memory", "memories")} shown`].join("\n")}\n`;
}

/** A key as it is where it is nothing else, in quotes where it could pass for words of ours. */
function keyText(key: string): string {
  return /^[\p{L}\p{N}_./@+-]+$/u.test(key) ? key : JSON.stringify(key);
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
