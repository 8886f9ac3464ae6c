import type { Schema } from "./json-schema.ts";
import { brainLimits } from "./limits.ts";
import type { RpcErrorName } from "./rpc-errors.ts";

/** One method of the OpenRPC document, with the extensions (`x-`) that the brain needs. */
export interface MethodSpec {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly paramStructure: "by-name";
  readonly params: readonly ParamSpec[];
  /** A notification has none. */
  readonly result?: { readonly name: string; readonly schema: Schema };
  readonly "x-direction": "to-brain" | "to-client";
  /** Who wrote the method into the protocol: the seed, or we. */
  readonly "x-origin": "seed" | "consulta";
  /** Parameters that nobody knows are passed over, so that a foreign sender may say more. */
  readonly "x-more-params"?: true;
  readonly "x-errors"?: readonly RpcErrorName[];
}

interface ParamSpec {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** Gives a method back with its exact type. */
export function method<const M extends MethodSpec>(spec: M): M {
  return spec;
}

export const key = {
  type: "string",
  minLength: 1,
  "x-maxBytes": brainLimits.memoryKeyBytes,
  description: "names the memory",
} as const;

export const source = {
  type: "string",
  minLength: 1,
  maxLength: brainLimits.memorySourceCharacters,
  description: "who says it, such as claude, gemini or person",
} as const;

export const session = {
  type: "string",
  minLength: 1,
  maxLength: brainLimits.brainSessionCharacters,
  description: "the id that the CLI gave its session",
} as const;

export const time = { type: "string", description: "ISO-8601 in UTC" } as const;

export const count = { type: "integer", minimum: 0 } as const;

export const yes = { type: "boolean" } as const;

export const text = { type: "string" } as const;

const tokens = { type: "number", minimum: 0 } as const;

/** The seed's current and total; the rest lets the brain find the total that counts. */
export const tokenUsage = {
  type: "object",
  properties: {
    current: { ...tokens, description: "tokens in the context now" },
    total: { ...tokens, description: "tokens at which the CLI compacts; 0 is passed over" },
    raw_total: { ...tokens, description: "the model's whole window" },
    model: { type: "string", maxLength: 128, description: "finds the total where none is given" },
    compacted_at: { ...tokens, description: "where the CLI was seen to compact by itself" },
  },
  required: ["current"],
  additionalProperties: true,
} as const;

/** A memory as the wire has it. */
export const memory = {
  type: "object",
  properties: {
    key: text,
    value: {},
    version: count,
    created: time,
    updated: time,
    source: text,
    link: text,
    tags: { type: "array", items: text },
    score: { type: "number", description: "how well it fits the query; higher is better" },
    today: { ...text, description: "what has changed since of what a decision rests on" },
  },
  required: ["key", "value", "version", "updated", "source"],
  additionalProperties: false,
} as const;
