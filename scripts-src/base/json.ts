import { ConsultaError, type FailureDetails, refused } from "./errors.ts";
import { limits } from "./limits.ts";
import { singleLine, visibleText } from "./visible-text.ts";

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** True for a plain JSON object: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at the end of a path of names; undefined where one is missing. */
export function valueIn(value: unknown, ...names: readonly string[]): unknown {
  const next = (it: unknown, name: string) =>
    isRecord(it) && Object.hasOwn(it, name) ? it[name] : undefined;
  return names.reduce(next, value);
}

/** The items of a list; none of anything else. */
export function listIn(value: JsonValue | undefined): JsonValue[];
export function listIn(value: unknown): unknown[];
export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** All texts in a value, but for the names of its fields. */
export function textsIn(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** `isRecord` for a value that is known to be JSON. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Shows a value in an error: short, on one line, controls escaped. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return visibleText(text.length > 80 ? `${text.slice(0, 77)}...` : text);
}

/** A participant's words inside a line of ours: quoted, on one line, cut; they cannot pass for it. */
export function inline(text: string, charactersMax = 240): string {
  const line = singleLine(text);
  return visibleText(
    JSON.stringify(line.length > charactersMax ? `${line.slice(0, charactersMax)}...` : line),
  );
}

/** What a JSON text holds; undefined for a text that is torn, or never was JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object that a JSON text holds; undefined for anything else. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isRecord(value) ? value : undefined;
}

/**
 * Parses JSON that came from outside: no key twice in an object, no deep nesting.
 * @throws ConsultaError REFUSED with the reason, which begins with `what`.
 */
export function parseStrictJson(text: string, what: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${what} is not JSON: ${visibleText(reason)}`;
    throw refused(message, { cause, reason: "not JSON" });
  }
  const found = findStructureFault(text);
  if (found !== undefined) throw refused(`${what} ${found.fault}`, found);
  return value;
}

/** The object that a text from outside holds, or why it holds none. */
export function strictObject(text: string): JsonObject | string {
  if (text.trim() === "") return "it is empty, expected an object";
  try {
    const value = parseStrictJson(text, "it");
    return isJsonObject(value) ? value : `it is ${quote(value)}, expected an object`;
  } catch (cause) {
    if (cause instanceof ConsultaError) return cause.message;
    throw cause;
  }
}

/** A string, with the colon that makes it a key; a bracket; a number. Between them nothing can be wrong. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{}]|-?\d[\d.eE+-]*/g;

/** Walks valid JSON text once: JSON.parse itself hides repeated keys and depth. */
function findStructureFault(text: string): FailureDetails | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (const [token, string = "", colon] of text.matchAll(tokens)) {
    if (token === "{" || token === "[") {
      open.push(token === "{" ? new Set() : undefined);
      if (open.length > limits.depthLevels) {
        const fault = `is nested deeper than ${limits.depthLevels} levels; flatten it`;
        return { reason: "too deep", fault };
      }
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (string === "" && !Number.isFinite(Number(token))) {
      return { fault: `has the number ${quote(token)}, which is too large; write it as text` };
    } else if (colon !== undefined) {
      const key: string = JSON.parse(string);
      const keys = open.at(-1);
      if (keys?.has(key)) {
        const fault = `has the key ${quote(key)} twice in one object; keep one`;
        return { reason: "repeated key", fault, key };
      }
      keys?.add(key);
    }
  }
  return undefined;
}
