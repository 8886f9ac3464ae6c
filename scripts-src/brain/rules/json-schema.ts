import { isRecord, type JsonObject, type JsonValue, quote } from "../../base/json.ts";
import { meantHint, nameHint } from "../../base/nearest-name.ts";
import { utf8Bytes } from "./memory-text.ts";

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
export function faultsOf(schema: Schema, value: JsonValue | undefined, path: string): string[] {
  const fault = sizeFault(schema, value) ?? shapeFault(schema, value);
  if (fault !== undefined) return [`${path} is ${quote(value)}, expected ${fault}`];
  if (schema.type === "array" && Array.isArray(value))
    return value.flatMap((item, index) => faultsOf(schema.items, item, `${path}[${index}]`));
  if (schema.type === "object" && isJsonRecord(value)) return fieldFaults(schema, value, path);
  return [];
}

function isJsonRecord(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}

function sizeFault(schema: Schema, value: JsonValue | undefined): string | undefined {
  const bytesMax = schema["x-maxBytes"];
  if (bytesMax === undefined || value === undefined) return undefined;
  const bytes = utf8Bytes(typeof value === "string" ? value : JSON.stringify(value));
  return bytes > bytesMax ? `at most ${bytesMax} bytes (${bytes} came)` : undefined;
}

function shapeFault(schema: Schema, value: JsonValue | undefined): string | undefined {
  switch (schema.type) {
    case "string":
      return stringFault(schema, value);
    case "number":
    case "integer":
      return numberFault(schema, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : "true or false";
    case "array":
      if (!Array.isArray(value)) return "a list";
      if (value.length <= (schema.maxItems ?? Number.POSITIVE_INFINITY)) return undefined;
      return `at most ${schema.maxItems} entries (${value.length} came)`;
    case "object":
      return isRecord(value) ? undefined : "an object";
    default:
      return value === undefined ? "a value" : undefined;
  }
}

function stringFault(schema: StringSchema, value: JsonValue | undefined): string | undefined {
  if (typeof value !== "string") return "a string";
  if (!value.isWellFormed()) return "whole Unicode characters";
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minLength) return minLength === 1 ? "some text" : `${minLength} characters`;
  if (value.length > maxLength) return `at most ${maxLength} characters (${value.length} came)`;
  if (schema.enum === undefined || schema.enum.includes(value)) return undefined;
  return `one of ${schema.enum.join(", ")}${meantHint(value, schema.enum)}`;
}

function numberFault(schema: NumberSchema, value: JsonValue | undefined): string | undefined {
  const what = schema.type === "integer" ? "a whole number" : "a number";
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  // JSON has no infinity, but 1e400 is read as one.
  const fits = typeof value === "number" && Number.isFinite(value);
  if (!fits || (schema.type === "integer" && !Number.isSafeInteger(value))) return what;
  if (value >= minimum && value <= maximum) return undefined;
  if (!Number.isFinite(maximum)) return `${what} of at least ${minimum}`;
  return `${what} from ${minimum} to ${maximum}`;
}

function fieldFaults(schema: ObjectSchema, value: JsonObject, path: string): string[] {
  const known = Object.keys(schema.properties);
  const join = (name: string) => (path === "" ? name : `${path}.${name}`);
  const missing = schema.required.filter((name) => !Object.hasOwn(value, name));
  const faults = missing.map((name) => `${join(name)} is missing`);
  for (const [name, field] of Object.entries(value)) {
    // Not `properties[name]`: a field may be named `__proto__` or `constructor`.
    const own = known.includes(name) ? schema.properties[name] : undefined;
    if (own !== undefined) faults.push(...faultsOf(own, field, join(name)));
    else if (!schema.additionalProperties) faults.push(unknownField(join(name), name, known));
  }
  return faults;
}

function unknownField(path: string, name: string, known: readonly string[]): string {
  return `${quote(path)} is not a parameter (${nameHint(name, known, "known are")})`;
}
