import type { JsonValue } from "../../base/json.ts";

/** What can be searched of a value: its strings, numbers and the names of its fields. */
export function textOf(value: JsonValue): string {
  if (typeof value === "string") return value;
  const words: string[] = [];
  collectWords(value, words);
  return words.join("\n");
}

function collectWords(value: JsonValue | undefined, words: string[]): void {
  if (typeof value === "string") words.push(value);
  else if (typeof value === "number" || typeof value === "boolean") words.push(String(value));
  else if (Array.isArray(value)) for (const item of value) collectWords(item, words);
  else if (value !== null && value !== undefined) {
    for (const [name, field] of Object.entries(value)) {
      words.push(name);
      collectWords(field, words);
    }
  }
}

/** A text as an echo of it would be compared: case and white space do not count. */
export function plainText(text: string): string {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}

/** The bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
