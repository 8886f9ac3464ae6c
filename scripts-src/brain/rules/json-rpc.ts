import { ConsultaError } from "../../base/errors.ts";
import { type JsonObject, type JsonValue, parseStrictJson, quote } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { brainLimits } from "./limits.ts";
import { errorText, type RpcError, rpcError } from "./rpc-errors.ts";

/**
 * JSON-RPC 2.0 as data: what a frame holds and what an answer looks like. Both ends use it alike;
 * it knows no method.
 */
export type RpcId = string | number;
export type RpcParams = JsonObject | JsonValue[];

export type RpcMessage =
  | {
      readonly kind: "request";
      readonly id: RpcId;
      readonly method: string;
      readonly params: Given;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: Given }
  | { readonly kind: "result"; readonly id: RpcId; readonly result: JsonValue }
  | { readonly kind: "failure"; readonly id: RpcId; readonly error: RpcError }
  /** Is answered with an error: its sender meant to ask something. */
  | { readonly kind: "invalid"; readonly id: RpcId | null; readonly reason: string }
  /** Is never answered: answers to answers would go on for ever. */
  | { readonly kind: "stray"; readonly reason: string };

type Given = RpcParams | undefined;

export type Frame =
  | { readonly kind: "unreadable"; readonly error: RpcError }
  | { readonly kind: "single"; readonly message: RpcMessage }
  | { readonly kind: "batch"; readonly messages: readonly RpcMessage[] };

/** Reads one frame; whatever comes, it gives something that can be acted on and never throws. */
export function readFrame(text: string): Frame {
  let value: JsonValue;
  try {
    value = parseStrictJson(text, "the message");
  } catch (error) {
    if (!(error instanceof ConsultaError)) throw error;
    return { kind: "unreadable", error: rpcError("PARSE", error.message) };
  }
  if (!Array.isArray(value)) return { kind: "single", message: readMessage(value) };
  const fault = batchFault(value.length);
  if (fault === undefined) return { kind: "batch", messages: value.map(readMessage) };
  return { kind: "unreadable", error: rpcError("INVALID_REQUEST", fault) };
}

function batchFault(length: number): string | undefined {
  if (length === 0) return "a batch is empty; send at least one message";
  if (length <= brainLimits.batchMessages) return undefined;
  return `a batch has ${length} messages, the limit is ${brainLimits.batchMessages}; send several`;
}

function readMessage(value: JsonValue): RpcMessage {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return invalid(null, `${quote(value)} is no object`);
  const message = new Map(Object.entries(value));
  const id = message.get("id");
  const isAnswer = !message.has("method") && (message.has("result") || message.has("error"));
  if (isAnswer) return readAnswer(message);
  const idFault = message.has("id") ? faultOfId(id) : undefined;
  const knownId = idFault === undefined && isId(id) ? id : null;
  const fault = idFault ?? faultOfCall(message);
  if (fault !== undefined) return invalid(knownId, fault);
  const [method, params] = [message.get("method"), message.get("params")];
  if (typeof method !== "string") return invalid(knownId, "method is missing");
  const given = isParams(params) ? params : undefined;
  if (knownId === null) return { kind: "notification", method, params: given };
  return { kind: "request", id: knownId, method, params: given };
}

type Fields = ReadonlyMap<string, JsonValue | undefined>;

function faultOfCall(message: Fields): string | undefined {
  const version = message.get("jsonrpc");
  if (version !== "2.0") return `jsonrpc is ${quote(version)}, expected "2.0"`;
  const method = message.get("method");
  if (typeof method !== "string") return `method is ${quote(method)}, expected a string`;
  if (message.has("result") || message.has("error")) return "a call has no result and no error";
  if (!message.has("params") || isParams(message.get("params"))) return undefined;
  return `params is ${quote(message.get("params"))}, expected an object or an array`;
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

function readAnswer(message: Fields): RpcMessage {
  const [id, result, error] = [message.get("id"), message.get("result"), message.get("error")];
  if (message.get("jsonrpc") !== "2.0") return stray("an answer without jsonrpc 2.0");
  if (!isId(id)) return stray(`an answer to ${quote(id)}${describe(error)}`);
  if (message.has("result") && message.has("error")) return stray("an answer and an error in one");
  if (result !== undefined) return { kind: "result", id, result };
  const read = readError(error);
  return read === undefined ? stray("an error without code") : { kind: "failure", id, error: read };
}

function describe(error: JsonValue | undefined): string {
  const read = readError(error);
  return read === undefined ? "" : `: ${read.code} ${errorText(read)}`;
}

function readError(error: JsonValue | undefined): RpcError | undefined {
  if (typeof error !== "object" || error === null || Array.isArray(error)) return undefined;
  const { code, message, data } = error;
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  return { code, message, ...defined({ data }) };
}

function invalid(id: RpcId | null, reason: string): RpcMessage {
  return { kind: "invalid", id, reason };
}

function stray(reason: string): RpcMessage {
  return { kind: "stray", reason };
}

/** `params` and `result` are whatever JSON can say. */
export function callObject(method: string, params: object | undefined, id?: RpcId): object {
  return {
    jsonrpc: "2.0",
    method,
    ...defined({ params, id }),
  };
}

export function resultObject(id: RpcId, result: unknown): object {
  return { jsonrpc: "2.0", result: result ?? null, id };
}

export function failureObject(id: RpcId | null, error: RpcError): object {
  const { code, message, data } = error;
  return { jsonrpc: "2.0", error: { code, message, ...defined({ data }) }, id };
}
