import { refused } from "../base/errors.ts";
import { isJsonObject, isRecord, type JsonObject, type JsonValue, quote } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { instantOf } from "../base/time.ts";
import { sha256 } from "../files/hash.ts";
import type { LogEvent } from "./event.ts";

/** An event wraps a message, which may use every level it is allowed, in a few of its own. */
const depthLevels = limits.depthLevels + 8;

/**
 * The line that stores an event, without its newline.
 * @throws ConsultaError REFUSED when the event is too large or too deeply nested.
 */
export function toLine(event: LogEvent): string {
  if (isDeeper(event, depthLevels)) {
    const reason = `event ${event.seq} is nested deeper than ${depthLevels} levels`;
    throw refused(`${reason}; flatten it`);
  }
  const line = JSON.stringify(event).replace(/[\u0085\u2028\u2029]/g, escaped);
  const bytes = Buffer.byteLength(line);
  if (bytes > limits.eventLineBytes) {
    const reason = `event ${event.seq} has ${bytes} bytes; the limit is ${limits.eventLineBytes}`;
    throw refused(`${reason}: make its message shorter`);
  }
  return line;
}

/** Line ends to a colleague's reader though not to ours: it would cut the event there. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The event of a line, or what is wrong with the line, to follow the line's number. */
export function parseLine(line: string, seq: number): LogEvent | string {
  const value = parseObject(line);
  if (typeof value === "string") return value;
  if (!isLogEvent(value)) return `is not an event: ${quote(line)}`;
  if (value.seq !== seq) return `has seq ${value.seq} where ${seq} must come`;
  if (instantOf(value.at) === undefined) return `says ${quote(value.at)} where a time must stand`;
  return value;
}

/** True when `value` has the fields that every event of every protocol has. */
function isLogEvent(value: unknown): value is LogEvent {
  return (
    isRecord(value) &&
    Number.isSafeInteger(value["seq"]) &&
    typeof value["from"] === "string" &&
    typeof value["event"] === "string" &&
    typeof value["at"] === "string" &&
    typeof value["summary"] === "string"
  );
}

/** An event as somebody else wrote it, made whole, with all that was wrong with it. */
export interface SharedEvent {
  readonly event: LogEvent;
  readonly faults: string[];
}

const fields = ["seq", "from", "event", "at", "summary"] as const;

/**
 * Like `parseLine` for a log that others write as well: any JSON object is an event. Its place in
 * the log is its seq, whatever it says, and what it lacks is empty.
 */
export function parseSharedLine(line: string, seq: number): SharedEvent | string {
  const value = parseObject(line);
  if (typeof value === "string") return value;
  const faults = fields
    .filter((name) => value[name] === undefined)
    .map((name) => `seq ${seq}: missing required field ${name}`);
  const given = value["seq"];
  if (given !== seq) {
    faults.unshift(`events.jsonl: expected seq ${seq}, found ${quote(given)}`);
  }
  const text = (name: string) => {
    const word = value[name];
    if (typeof word === "string") return word;
    if (word !== undefined) faults.push(`seq ${seq}: ${name} is ${quote(word)}, expected text`);
    return "";
  };
  const whole = {
    from: text("from"),
    event: text("event"),
    at: text("at"),
    summary: text("summary"),
  };
  return { event: { ...value, seq, ...whole }, faults };
}

/** The JSON object of a line, or what is wrong with the line. */
function parseObject(line: string): JsonObject | string {
  // Spaces after an event cover a torn write that was there; they do not count.
  if (line.length > limits.eventLineBytes && line.trimEnd().length > limits.eventLineBytes) {
    return `is longer than the limit of ${limits.eventLineBytes} bytes`;
  }
  let value: JsonValue;
  try {
    value = JSON.parse(line);
  } catch {
    return line.trim() === "" ? "is blank" : `is not JSON: ${quote(line)}`;
  }
  if (!isJsonObject(value)) return `is not a JSON object: ${quote(line)}`;
  if (/[[:,]\s*-?\d[\d.]*(?:[eE]\+?\d{3}|\d{308})/.test(line) && hasInfinity(value)) {
    return "has a number that is too large";
  }
  if (mayBeDeep(line) && isDeeper(value, depthLevels))
    return `is nested deeper than ${depthLevels} levels`;
  return value;
}

/** Counting brackets costs a tenth of a walk, which only lines with many brackets need. */
function mayBeDeep(line: string): boolean {
  let closed = 0;
  for (const bracket of ["}", "]"]) {
    for (let at = line.indexOf(bracket); at >= 0; at = line.indexOf(bracket, at + 1)) {
      closed += 1;
      if (closed > depthLevels) return true;
    }
  }
  return false;
}

/** JSON has no infinity, but 1e400 is read as one, and stored as null. */
function hasInfinity(value: JsonValue | undefined, levels: number = depthLevels): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null || levels === 0) return false;
  return Object.values(value).some((item) => hasInfinity(item, levels - 1));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/**
 * Every event that we append has `prev`: the SHA-256, as 64 hex digits, of the line before it, so
 * that a line which somebody changes later no longer fits the one after it. The first event has that
 * of no bytes. Neither the newline counts nor blanks around a line: they may cover a torn write.
 */
export function chainedLine(event: LogEvent, before: Uint8Array | undefined): string {
  return toLine({ ...event, prev: hashOfLine(before ?? new Uint8Array()) });
}

/** What the event after a line has as its `prev`. */
export function hashOfLine(line: Uint8Array): string {
  return sha256(bareLine(line));
}

const blank = 0x20;

/** A line without its newline and the blanks around it. */
export function bareLine(line: Uint8Array): Uint8Array {
  let [from, to] = [0, line.length];
  while (to > from && (line[to - 1] ?? 0) <= blank) to -= 1;
  while (from < to && (line[from] ?? 0) <= blank) from += 1;
  return line.subarray(from, to);
}
