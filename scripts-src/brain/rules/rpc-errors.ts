import { isRecord, type JsonObject, type JsonValue } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";

/** The errors of the wire: one closed table. Those above -32099 are JSON-RPC's own. */
export const rpcErrors = {
  PARSE: { code: -32700, message: "Parse error", meaning: "the frame holds no readable JSON" },
  INVALID_REQUEST: {
    code: -32600,
    message: "Invalid Request",
    meaning: "it is no JSON-RPC 2.0 request",
  },
  UNKNOWN_METHOD: {
    code: -32601,
    message: "Method not found",
    meaning: "nobody has this method, or it goes in the other direction",
  },
  INVALID_PARAMS: {
    code: -32602,
    message: "Invalid params",
    meaning: "a parameter is missing, unknown or out of range; the data says which",
  },
  INTERNAL: { code: -32603, message: "Internal error", meaning: "a bug; brain.log has more" },
  NO_DELEGATE: {
    code: -32010,
    message: "No delegate configured",
    meaning: "name a headless CLI under brain: in ~/.consulta/config.yaml; nothing is invented",
  },
  DELEGATE_FAILED: {
    code: -32011,
    message: "Delegate failed",
    meaning: "the CLI ended with an error; the data has its exit code and last words",
  },
  TIMEOUT: { code: -32012, message: "Timeout", meaning: "no answer came in time" },
  BUSY: {
    code: -32013,
    message: "Busy",
    meaning: "too much is under way already; try again later",
  },
  TOO_LARGE: { code: -32014, message: "Too large", meaning: "the input is above the limit named" },
  STORE: {
    code: -32020,
    message: "Store unavailable",
    meaning: "the disk is full or fails, or the database is busy; nothing was stored",
  },
  CONFLICT: {
    code: -32021,
    message: "Version conflict",
    meaning: "the key is at another version than if_version; the data has it",
  },
  SECRET: {
    code: -32022,
    message: "Looks like a secret",
    meaning: "the value holds a credential; insist stores it anyway",
  },
  SESSION_TAKEN: {
    code: -32023,
    message: "Session taken",
    meaning: "another CLI has a session of this id; use its own id",
  },
  ECHO: {
    code: -32024,
    message: "Already a memory",
    meaning: "the value is what the brain itself put into the context; it is not stored again",
  },
} as const;

export type RpcErrorName = keyof typeof rpcErrors;

/** The error of a JSON-RPC answer. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/** The message is the table's, word for word; `reason` says what was given and what was expected. */
export function rpcError(name: RpcErrorName, reason?: string, more: JsonObject = {}): RpcError {
  const { code, message } = rpcErrors[name];
  if (reason === undefined && Object.keys(more).length === 0) return { code, message };
  return { code, message, data: { ...defined({ reason }), ...more } };
}

/** An error in one line, for people. */
export function errorText(error: RpcError): string {
  const reason = rpcReason(error);
  return reason === undefined ? error.message : `${error.message}: ${reason}`;
}

/** What was given and what was expected, where the error says so. */
export function rpcReason({ data }: RpcError): string | undefined {
  const reason = isRecord(data) ? data["reason"] : undefined;
  return typeof reason === "string" ? reason : undefined;
}

/** A refusal that goes to the other end as it is. */
export class RpcFailure extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(errorText(error));
    this.name = "RpcFailure";
    this.error = error;
  }
}

export function rpcFailure(name: RpcErrorName, reason?: string, more?: JsonObject): RpcFailure {
  return new RpcFailure(rpcError(name, reason, more));
}

/** Whether an error of the wire is this one of the table. */
export function isRpcFailure(error: unknown, name: RpcErrorName): error is RpcFailure {
  return error instanceof RpcFailure && error.error.code === rpcErrors[name].code;
}
