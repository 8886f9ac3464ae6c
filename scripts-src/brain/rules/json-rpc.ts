import { ConsultaError } from "../../base/errors.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  quote,
} from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { brainLimits } from "./limits.ts";
import { errorText, type RpcError, rpcError } from "./rpc-errors.ts";

/**
 * JSON-RPC 2.0 as data: what a frame holds and what an answer looks like. Both ends use it alike;
 * it knows no method.
 */
export type RpcId = string | number;
export type RpcParams = JsonObject | JsonValue[];

/** A request, or without id a notification. */
export interface RpcCall {
  readonly kind: "call";
  readonly id: RpcId | undefined;
  readonly method: string;
  readonly params: RpcParams | undefined;
}

export type RpcMessage =
  | RpcCall
  | { readonly kind: "result"; readonly id: RpcId; readonly result: JsonValue }
  | { readonly kind: "failure"; readonly id: RpcId; readonly error: RpcError }
  /** Is answered with an error: its sender meant to ask something. */
  | { readonly kind: "invalid"; readonly id: RpcId | null; readonly error: RpcError }
  /** Is never answered: answers to answers would go on for ever. */
  | { readonly kind: "stray"; readonly reason: string };

/** What one frame holds; of a batch each message. */
export interface Frame {
  readonly isBatch: boolean;
  readonly messages: readonly RpcMessage[];
}

/** Reads one frame; whatever comes, it gives something that can be acted on and never throws. */
export function readFrame(text: string): Frame {
  const invalidAsWhole = (error: RpcError): Frame => ({
    isBatch: false,
    messages: [{ kind: "invalid", id: null, error }],
  });
  let value: JsonValue;
  try {
    value = parseStrictJson(text, "the message");
  } catch (error) {
    if (!(error instanceof ConsultaError)) throw error;
    return invalidAsWhole(rpcError("PARSE", error.message));
  }
  if (!Array.isArray(value)) return { isBatch: false, messages: [readMessage(value)] };
  const fault = batchFault(value.length);
  if (fault !== undefined) return invalidAsWhole(rpcError("INVALID_REQUEST", fault));
  return { isBatch: true, messages: value.map(readMessage) };
}

function batchFault(length: number): string | undefined {
  if (length === 0) return "a batch is empty; send at least one message";
  if (length <= brainLimits.batchMessages) return undefined;
  return `a batch has ${length} messages, the limit is ${brainLimits.batchMessages}; send several`;
}

type Fields = Readonly<Record<string, JsonValue | undefined>>;

function readMessage(value: JsonValue): RpcMessage {
  if (!isJsonObject(value)) return invalid(null, `${quote(value)} is no object`);
  const { id, method, params } = value;
  const has = (name: string) => Object.hasOwn(value, name);
  if (!has("method") && (has("result") || has("error"))) return readAnswer(value);
  const idFault = has("id") ? faultOfId(id) : undefined;
  const knownId = isId(id) ? id : undefined;
  const fault = idFault ?? faultOfCall(value);
  if (fault !== undefined || typeof method !== "string")
    return invalid(knownId ?? null, fault ?? "method is missing");
  return { kind: "call", id: knownId, method, params: isParams(params) ? params : undefined };
}

function faultOfCall(message: Fields): string | undefined {
  const { jsonrpc, method, params } = message;
  if (jsonrpc !== "2.0") return `jsonrpc is ${quote(jsonrpc)}, expected "2.0"`;
  if (typeof method !== "string") return `method is ${quote(method)}, expected a string`;
  if (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))
    return "a call has no result and no error";
  if (!Object.hasOwn(message, "params") || isParams(params)) return undefined;
  return `params is ${quote(params)}, expected an object or an array`;
}

/** An id has to come back as it was: a number that JSON cannot hold exactly would not. */
function faultOfId(id: JsonValue | undefined): string | undefined {
  if (isId(id)) return undefined;
  if (id === null) return "id is null; leave it out for a notification, or number the request";
  const range = `a string of at most ${brainLimits.idCharacters} characters or a safe number`;
  return `id is ${quote(id)}, expected ${range}`;
}

function isId(id: JsonValue | undefined): id is RpcId {
  if (typeof id === "string") return id.length <= brainLimits.idCharacters && id.isWellFormed();
  return typeof id === "number" && Math.abs(id) <= Number.MAX_SAFE_INTEGER;
}

function isParams(params: JsonValue | undefined): params is RpcParams {
  return typeof params === "object" && params !== null;
}

function readAnswer({ jsonrpc, id, result, error: given }: Fields): RpcMessage {
  const stray = (reason: string): RpcMessage => ({ kind: "stray", reason });
  const error = readError(given);
  if (jsonrpc !== "2.0") return stray("an answer without jsonrpc 2.0");
  const said = error === undefined ? "" : `: ${error.code} ${errorText(error)}`;
  if (!isId(id)) return stray(`an answer to ${quote(id)}${said}`);
  if (result !== undefined && given !== undefined) return stray("an answer and an error in one");
  if (result !== undefined) return { kind: "result", id, result };
  return error === undefined ? stray("an error without code") : { kind: "failure", id, error };
}

function readError(error: JsonValue | undefined): RpcError | undefined {
  if (!isJsonObject(error)) return undefined;
  const { code, message, data } = error;
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  return { code, message, ...defined({ data }) };
}

function invalid(id: RpcId | null, reason: string): RpcMessage {
  return { kind: "invalid", id, error: rpcError("INVALID_REQUEST", reason) };
}

/** `params` and `result` are whatever JSON can say. */
export function callObject(method: string, params: object | undefined, id?: RpcId): object {
  return { jsonrpc: "2.0", method, ...defined({ params, id }) };
}

export function resultObject(id: RpcId, result: unknown): object {
  return { jsonrpc: "2.0", result: result ?? null, id };
}

export function failureObject(id: RpcId | null, error: RpcError): object {
  return { jsonrpc: "2.0", error, id };
}
