import { isRecord, type JsonObject, type JsonValue } from "../../base/json.ts";
import { isPlainLine } from "../../base/quote-text.ts";
import {
  type Faults,
  type FieldReader,
  fault,
  flag,
  integerBetween,
  list,
  numberBetween,
  oneOf,
  record,
  string,
} from "../../base/schema.ts";

/** What a value has to be, said once: its reader gives the type, its JSON Schema into docs/brain-methods.md. */
export interface Shape<T> {
  readonly read: FieldReader<T>;
  readonly schema: JsonObject;
  readonly isOptional?: boolean;
}

export interface Optional<T> extends Shape<T> {
  readonly isOptional: true;
}

export type Fields = Readonly<Record<string, Shape<unknown>>>;
export type Of<S> = S extends Shape<infer T> ? T : never;
type RequiredOf<F> = {
  [K in keyof F]: F[K] extends { readonly isOptional: true } ? never : K;
}[keyof F];
/** An object with these fields, of which some may be absent. */
export type ObjectOf<F> = { [K in RequiredOf<F>]: Of<F[K]> } & {
  [K in Exclude<keyof F, RequiredOf<F>>]?: Of<F[K]>;
};

/** Reads what came; undefined where `faults` say what is wrong with it. */
export function readShape<T>(shape: Shape<T>, value: unknown, faults: string[]): T | undefined {
  const before = faults.length;
  const read = shape.read(value, "", { found: faults, strict: true });
  return faults.length === before ? read : undefined;
}

export function optional<T>(shape: Shape<T>, description?: string): Optional<T> {
  return { ...described(shape, description), isOptional: true };
}

export function described<T>(shape: Shape<T>, description: string | undefined): Shape<T> {
  return description === undefined ? shape : { ...shape, schema: { ...shape.schema, description } };
}

/** An object; fields that it does not have are faults, unless it takes `more`, which it leaves out. */
export function object<F extends Fields>(fields: F, more: "more" | "no more" = "no more") {
  const entries = Object.entries(fields);
  const required = entries.flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]));
  const read = record(Object.fromEntries(entries.map(([name, it]) => [name, it.read])), required);
  const isWhole = (it: unknown): it is ObjectOf<F> =>
    isRecord(it) && required.every((name) => it[name] !== undefined);
  const shape: Shape<ObjectOf<F>> = {
    read: (value, path, { found }) => {
      const whole: unknown = read(value, path, { found, strict: more !== "more" });
      return isWhole(whole) ? whole : undefined;
    },
    schema: {
      type: "object",
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
      required,
      additionalProperties: more === "more",
    },
  };
  return shape;
}

export function text(charactersMax?: number, charactersMin = 0): Shape<string> {
  const read = string(charactersMax ?? Number.POSITIVE_INFINITY);
  return {
    read: (value, path, faults) => {
      const found = read(value, path, faults);
      if (found === undefined || found.length >= charactersMin) return found;
      return fault(faults, path, value, "some text");
    },
    schema: {
      type: "string",
      ...(charactersMin > 0 ? { minLength: charactersMin } : {}),
      ...(charactersMax === undefined ? {} : { maxLength: charactersMax }),
    },
  };
}

/** One line that says something and holds no control characters. */
export function line(charactersMax?: number): Shape<string> {
  const { read, schema } = text(charactersMax, 1);
  return {
    read: (value, path, faults) => {
      const found = read(value, path, faults);
      if (found === undefined || (found.trim() !== "" && isPlainLine(found))) return found;
      return fault(faults, path, value, "some text without control characters");
    },
    schema,
  };
}

/** At most so many bytes of UTF-8; of what is no string, those of its JSON text. */
export function within<T>(bytesMax: number, shape: Shape<T>, way?: string): Shape<T> {
  return {
    read: (value, path, faults) => {
      const bytes = utf8Bytes(typeof value === "string" ? value : JSON.stringify(value));
      if (bytes <= bytesMax) return shape.read(value, path, faults);
      const hint = way === undefined ? "" : `: ${way}`;
      return fault(faults, path, value, `at most ${bytesMax} bytes (${bytes} came)${hint}`);
    },
    schema: { ...shape.schema, "x-maxBytes": bytesMax },
  };
}

export function number(min = 0, max?: number): Shape<number> {
  return {
    read: numberBetween(min, max ?? Number.MAX_VALUE),
    schema: { type: "number", ...rangeOf(min, max) },
  };
}

export function whole(min = 0, max?: number): Shape<number> {
  return {
    read: integerBetween(min, max ?? Number.MAX_SAFE_INTEGER),
    schema: { type: "integer", ...rangeOf(min, max) },
  };
}

function rangeOf(minimum: number, maximum: number | undefined): JsonObject {
  return maximum === undefined ? { minimum } : { minimum, maximum };
}

export const yes: Shape<boolean> = { read: flag(), schema: { type: "boolean" } };

export function choice<const T extends string>(choices: readonly T[]): Shape<T> {
  return { read: oneOf(choices), schema: { type: "string", enum: [...choices] } };
}

export function many<T>(item: Shape<T>, itemsMax?: number): Shape<T[]> {
  return {
    read: list(item.read, itemsMax ?? Number.POSITIVE_INFINITY),
    schema: {
      type: "array",
      items: item.schema,
      ...(itemsMax === undefined ? {} : { maxItems: itemsMax }),
    },
  };
}

/** Whatever JSON can say, within so many levels. */
export function json(levelsMax?: number): Shape<JsonValue> {
  return {
    read: (value, path, faults: Faults) => {
      if (levelsMax !== undefined && isDeeperThan(value, levelsMax)) {
        faults.found.push(`${path} is nested deeper than ${levelsMax} levels: flatten it`);
        return undefined;
      }
      return toJson(value);
    },
    schema: {},
  };
}

/** Gives a parsed value its type; nothing but JSON comes out of a parser. */
function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

/** By level and not by recursion: a value may be nested deeper than the stack. */
function isDeeperThan(value: unknown, levelsMax: number): boolean {
  let level: unknown[] = [value];
  for (let levels = 0; level.length > 0; levels += 1) {
    level = level.filter((item) => typeof item === "object" && item !== null);
    if (level.length > 0 && levels === levelsMax) return true;
    level = level.flatMap((item) => Object.values(Object(item)));
  }
  return false;
}

/** The bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
