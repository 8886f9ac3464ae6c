import type { JsonValue } from "../../base/json.ts";
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
import { utf8Bytes } from "./searchable-text.ts";

/**
 * The part of JSON Schema that the brain's methods need. A schema written as a constant gives the
 * TypeScript type of what fits it, so that the published document and the code cannot disagree.
 */
export type Schema =
  | AnySchema
  | StringSchema
  | NumberSchema
  | BooleanSchema
  | ArraySchema
  | ObjectSchema;

interface Described {
  readonly description?: string;
  /** Bytes of UTF-8; for a value that is no string, of its JSON text. */
  readonly "x-maxBytes"?: number;
}

interface AnySchema extends Described {
  readonly type?: undefined;
}

interface StringSchema extends Described {
  readonly type: "string";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
}

interface NumberSchema extends Described {
  readonly type: "number" | "integer";
  readonly minimum?: number;
  readonly maximum?: number;
}

interface BooleanSchema extends Described {
  readonly type: "boolean";
}

interface ArraySchema extends Described {
  readonly type: "array";
  readonly items: Schema;
  readonly maxItems?: number;
}

export interface ObjectSchema extends Described {
  readonly type: "object";
  readonly properties: { readonly [name: string]: Schema };
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
}

/** What fits a schema. */
export type Fitting<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly type: "string" }
    ? string
    : S extends { readonly type: "number" | "integer" }
      ? number
      : S extends { readonly type: "boolean" }
        ? boolean
        : S extends { readonly type: "array"; readonly items: infer I }
          ? Fitting<I>[]
          : S extends {
                readonly properties: infer P;
                readonly required: readonly (infer R)[];
              }
            ? { [K in keyof P as K extends R ? K : never]: Fitting<P[K]> } & {
                [K in keyof P as K extends R ? never : K]?: Fitting<P[K]>;
              }
            : JsonValue;

/** All that is wrong with a value, each with its path; nothing when it fits. */
export function faultsOf(schema: Schema, value: JsonValue, path: string): string[] {
  const faults: Faults = { found: [], strict: true };
  readerOf(schema)(value, path, faults);
  return faults.found;
}

/** Reads what a schema describes. */
function readerOf(schema: Schema): FieldReader<unknown> {
  const read = shapeReader(schema);
  const { "x-maxBytes": bytesMax } = schema;
  if (bytesMax === undefined) return read;
  return (value, path, faults) => {
    const bytes = utf8Bytes(typeof value === "string" ? value : JSON.stringify(value));
    if (bytes <= bytesMax) return read(value, path, faults);
    return fault(faults, path, value, `at most ${bytesMax} bytes (${bytes} came)`);
  };
}

function shapeReader(schema: Schema): FieldReader<unknown> {
  const { MAX_SAFE_INTEGER: far, MAX_VALUE: farthest } = Number;
  switch (schema.type) {
    case "string":
      return schema.enum === undefined ? stringReader(schema) : oneOf(schema.enum);
    case "number":
      return numberBetween(schema.minimum ?? -farthest, schema.maximum ?? farthest);
    case "integer":
      return integerBetween(schema.minimum ?? -far, schema.maximum ?? far);
    case "boolean":
      return flag();
    case "array":
      return list(readerOf(schema.items), schema.maxItems ?? Number.POSITIVE_INFINITY);
    case "object":
      return objectReader(schema);
    default:
      return (value) => value;
  }
}

function stringReader({ minLength = 0, maxLength }: StringSchema): FieldReader<string> {
  const read = string(maxLength ?? Number.POSITIVE_INFINITY);
  return (value, path, faults) => {
    const found = read(value, path, faults);
    if (found === undefined || found.length >= minLength) return found;
    return fault(faults, path, value, minLength === 1 ? "some text" : `${minLength} characters`);
  };
}

function objectReader({ properties, required, additionalProperties }: ObjectSchema) {
  const fields = Object.entries(properties).map(([name, it]) => [name, readerOf(it)] as const);
  const read: FieldReader<unknown> = record(Object.fromEntries(fields), required);
  return (value: unknown, path: string, { found }: Faults) =>
    read(value, path, { found, strict: !additionalProperties });
}
