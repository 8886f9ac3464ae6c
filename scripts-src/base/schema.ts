import { inline, isRecord, quote } from "./json.ts";
import { limits } from "./limits.ts";
import { meantHint, nameHint, nearestName } from "./nearest-name.ts";
import { isMessageTime, isUtcForm } from "./time.ts";

/**
 * Small readers that turn `unknown` into a typed value and collect every fault with its path, so
 * that one refusal names all that is wrong.
 */
export interface Faults {
  readonly found: string[];
  /** Whether a field that no reader knows is a fault (our senders) or ignored (foreign ones). */
  readonly strict: boolean;
}

export type FieldReader<T> = (value: unknown, path: string, faults: Faults) => T | undefined;

type Fields = Record<string, FieldReader<unknown>>;
export type Read<R> = R extends FieldReader<infer T> ? T : never;

/** What `record` returns: every field may be absent, unless it is listed in `required`. */
export type Partially<F extends Fields> = { [K in keyof F]?: Read<F[K]> | undefined };

type WithRequired<F extends Fields, R extends keyof F> = Partially<F> & {
  [K in R]: Read<F[K]>;
};

/** Any characters, if they are whole. */
export function string(charactersMax: number): FieldReader<string> {
  return (value, path, faults) => {
    if (typeof value !== "string") return fault(faults, path, value, "a string");
    if (value.length > charactersMax) {
      return fault(
        faults,
        path,
        value,
        `at most ${charactersMax} characters (${value.length} came)`,
      );
    }
    return value.isWellFormed() ? value : fault(faults, path, value, "whole Unicode characters");
  };
}

export function text(charactersMax: number = limits.messageBytes): FieldReader<string> {
  const readString = string(charactersMax);
  return (value, path, faults) => {
    const read = readString(value, path, faults);
    if (read === undefined || !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(read))
      return read;
    return fault(faults, path, value, "text without control characters");
  };
}

/** A string that says something: not empty, not only blanks. */
export function words(charactersMax: number = limits.itemCharacters): FieldReader<string> {
  const readText = text(charactersMax);
  return (value, path, faults) => {
    const read = readText(value, path, faults);
    if (read === undefined || read.trim() !== "") return read;
    return fault(faults, path, value, "some text");
  };
}

/** An ISO-8601 time in UTC, with or without fractions: `2026-04-22T14:35:00Z`. */
export function utcTime(): FieldReader<string> {
  return (value, path, faults) =>
    typeof value === "string" && isUtcForm(value) && isMessageTime(value)
      ? value
      : fault(faults, path, value, "a time such as 2026-04-22T14:35:00Z");
}

export function numberBetween(min: number, max: number): FieldReader<number> {
  return (value, path, faults) =>
    typeof value === "number" && value >= min && value <= max
      ? value
      : fault(faults, path, value, `a number${rangeText(min, max)}`);
}

export function integerBetween(min: number, max: number): FieldReader<number> {
  return (value, path, faults) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? value
      : fault(faults, path, value, `a whole number${rangeText(min, max)}`);
}

/** A bound that no one would reach is none. */
function rangeText(min: number, max: number): string {
  const { MAX_SAFE_INTEGER: far } = Number;
  if (max < far) return ` from ${min} to ${max}`;
  return min > -far ? ` of at least ${min}` : "";
}

export function flag(): FieldReader<boolean> {
  return (value, path, faults) =>
    typeof value === "boolean" ? value : fault(faults, path, value, "true or false");
}

export function oneOf<const T extends string>(choices: readonly T[]): FieldReader<T> {
  return (value, path, faults) =>
    choices.find((choice) => choice === value) ?? wrongChoice(faults, path, value, choices);
}

export function list<T>(
  item: FieldReader<T>,
  itemsMax: number = limits.listItems,
): FieldReader<T[]> {
  return (value, path, faults) => {
    if (!Array.isArray(value)) return fault(faults, path, value, "a list");
    if (value.length > itemsMax) return tooMany(faults, path, value.length, itemsMax);
    return value.flatMap((entry, index) => {
      const read = item(entry, `${path}[${index}]`, faults);
      return read === undefined ? [] : [read];
    });
  };
}

/** An object whose keys are names of somebody's choice. */
export function mapOf<T>(
  item: FieldReader<T>,
  entriesMax: number = limits.listItems,
): FieldReader<ReadonlyMap<string, T>> {
  return (value, path, faults) => {
    if (!isRecord(value)) return fault(faults, path, value, "an object");
    const entries = Object.entries(value);
    if (entries.length > entriesMax) return tooMany(faults, path, entries.length, entriesMax);
    const read = new Map<string, T>();
    for (const [key, entry] of entries) {
      const it = item(entry, join(path, key), faults);
      if (it !== undefined) read.set(key, it);
    }
    return read;
  };
}

function tooMany(faults: Faults, path: string, count: number, most: number): undefined {
  faults.found.push(`${path === "" ? "it" : path} has ${count} entries, expected at most ${most}`);
  return undefined;
}

/** A regular expression, found in any case. */
export function pattern(charactersMax: number = limits.itemCharacters): FieldReader<RegExp> {
  const readText = words(charactersMax);
  return (value, path, faults) => {
    const source = readText(value, path, faults);
    if (source === undefined) return undefined;
    try {
      return new RegExp(source, "i");
    } catch {
      return fault(faults, path, value, "a regular expression");
    }
  };
}

/** An object; the fields in `required` must be there, unknown ones are faults when strict. */
export function record<F extends Fields, R extends keyof F & string = never>(
  fields: F,
  required: readonly R[] = [],
): FieldReader<WithRequired<F, R>> {
  const needed: readonly string[] = required;
  const isWhole = (it: Partially<F>): it is WithRequired<F, R> =>
    required.every((key) => it[key] !== undefined);
  return (value, path, faults) => {
    if (!isRecord(value)) return fault(faults, path, value, "an object");
    const read: Partially<F> = {};
    for (const key in fields) {
      const given = Object.hasOwn(value, key) ? value[key] : undefined;
      if (given !== undefined)
        Object.assign(read, { [key]: fields[key]?.(given, join(path, key), faults) });
      else if (needed.includes(key)) faults.found.push(`${join(path, key)} is missing`);
    }
    if (faults.strict) reportUnknown(value, Object.keys(fields), path, faults);
    return isWhole(read) ? read : undefined;
  };
}

function reportUnknown(value: object, known: string[], path: string, faults: Faults): void {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  let areKnownTold = false;
  for (const key of unknown.slice(0, limits.unknownFieldsTold)) {
    const name = key.length > limits.summaryCharacters ? inline(key) : key;
    const nearest = nearestName(key, known);
    const hint =
      nearest === undefined && areKnownTold ? "" : ` (${nameHint(key, known, "known are")})`;
    areKnownTold ||= nearest === undefined;
    faults.found.push(`${join(path, name)} is not a field${hint}`);
  }
  const more = unknown.length - limits.unknownFieldsTold;
  if (more > 0) faults.found.push(`${more} more are no fields`);
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function wrongChoice(
  faults: Faults,
  path: string,
  came: unknown,
  choices: readonly string[],
): undefined {
  const one = `one of ${choices.join(", ")}`;
  const hint = typeof came === "string" ? meantHint(came, choices) : "";
  return fault(faults, path, came, `${one}${hint}`);
}

export function fault(faults: Faults, path: string, came: unknown, expected: string): undefined {
  faults.found.push(`${path === "" ? "it" : path} is ${quote(came)}, expected ${expected}`);
  return undefined;
}
