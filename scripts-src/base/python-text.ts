import type { JsonValue } from "./json.ts";

/** A value as the original prints it in its messages: Python's `repr`. */
export function pythonRepr(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  const pairs = Object.entries(value).map(([key, item]) => `${quoted(key)}: ${pythonRepr(item)}`);
  return `{${pairs.join(", ")}}`;
}

/** The same without quotes around a single word, as Python prints a text; more could pass for words of ours. */
export function pythonText(value: JsonValue | undefined): string {
  return typeof value === "string" && /^[\w-]*$/.test(value) ? value : pythonRepr(value);
}

function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = escapeUnprintable(text.replaceAll("\\", "\\\\")).replaceAll(mark, `\\${mark}`);
  return `${mark}${inner}${mark}`;
}

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeUnprintable(text: string): string {
  return text.replace(/(?! )[\p{C}\p{Z}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    if (code < 0x100) return shortEscapes[character] ?? `\\x${hex.padStart(2, "0")}`;
    return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  });
}
