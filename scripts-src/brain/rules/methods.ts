import type { JsonValue } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { utcTime } from "../../base/schema.ts";
import { brainLimits } from "./limits.ts";
import { type RpcErrorName, rpcFailure } from "./rpc-errors.ts";
import {
  choice,
  described,
  type Fields,
  json,
  line,
  many,
  number,
  type ObjectOf,
  type Of,
  object,
  optional,
  readShape,
  type Shape,
  text,
  whole,
  within,
  yes,
} from "./shapes.ts";

/**
 * All methods of the wire. This table is the one place that says what a method takes and returns: the types,
 * the check of what comes and docs/brain-methods.md are made of it.
 */
export interface MethodSpec {
  readonly to: "brain" | "client";
  /** Who wrote the method into the protocol: brain.txt, or we. */
  readonly by: "seed" | "consulta";
  readonly summary: string;
  readonly description?: string;
  readonly params: Fields;
  /** Parameters that nobody knows are passed over, so that a foreign sender may say more. */
  readonly takesMore?: true;
  /** A notification has none. */
  readonly result?: Shape<unknown>;
  readonly errors?: readonly RpcErrorName[];
}

export const key = described(
  within(brainLimits.memoryKeyBytes, line(), "choose a shorter one"),
  "names the memory",
);
const value = described(
  within(
    brainLimits.memoryValueBytes,
    json(brainLimits.memoryValueLevels),
    "store what matters of it, or the path of a file that holds it",
  ),
  "any JSON value",
);
const tags = many(line(brainLimits.memoryTagCharacters), brainLimits.memoryTags);
const source = described(
  line(brainLimits.memorySourceCharacters),
  "who says it, such as claude, gemini or person",
);
const session = described(
  line(brainLimits.brainSessionCharacters),
  "the id that the CLI gave its session",
);
const link = described(line(limits.sessionIdCharacters), "the Consulta session that it comes from");
const cli = described(
  line(brainLimits.memorySourceCharacters),
  "which CLI it is, such as claude or gemini",
);
const query = text(brainLimits.queryCharacters, 1);
const pattern = line(brainLimits.patternCharacters);
const time = described(text(), "ISO-8601 in UTC");
const dated: Shape<string> = { read: utcTime(), schema: { type: "string" } };
const next = optional(key, "give it as after for the next page; absent at the end");

/** A memory as the wire and an export have it. */
export const memory = {
  key,
  value,
  version: whole(),
  created: time,
  updated: time,
  source,
  link: optional(link),
  tags,
};
/** A memory as `memory.export` writes it. */
export const importedMemory = object({
  key,
  value,
  tags: optional(tags),
  source,
  session: optional(line(brainLimits.brainSessionCharacters)),
  version: whole(1),
  created: dated,
  updated: dated,
});
const match = { ...memory, score: optional(number(), "how well it fits; higher is better") };

/** What goes to a client: sent after `state.update`, and beside that given in answers. */
const pushMethods = [
  "context.inject",
  "action.suggest",
  "alert.memory_full",
  "alert.hallucination_risk",
] as const;

const told = (description: string) =>
  optional(text(brainLimits.contextTextCharacters), description);
/** What a hook knows of a session; kept as its snapshot, newest fields over older ones. */
const context = object(
  {
    summary: told("the CLI's own summary at a compaction"),
    prompt: told("what the user said last"),
    answer: told("what the model said last"),
  },
  "more",
);

/** The seed's current and total; the rest lets the brain find the total that counts. */
const tokenUsage = object(
  {
    current: described(number(), "tokens in the context now"),
    total: optional(number(), "tokens at which the CLI compacts; 0 is passed over"),
    raw_total: optional(number(), "the model's whole window"),
    model: optional(text(128), "finds the total where none is given"),
  },
  "more",
);

/** What is due in a session's context, in its order, and what says that it arrived. */
const synced = object({
  ok: yes,
  due: many(
    object({
      method: described(choice(pushMethods), "as if it were sent"),
      params: json(),
    }),
  ),
  receipt: optional(text(), "for session.delivered"),
});
/** What a client answers to a push; any answer that is no error and does not decline counts. */
const reception = object({ accepted: yes, reason: optional(text()) }, "more");
const percentages = {
  token_percentage: described(number(), "of the tokens at which the CLI compacts"),
  raw_percentage: optional(number(), "of the model's whole window"),
  session: optional(text()),
};
/** What was put into a context and why; `own` was stored from that very session, which knows it anyway. */
export const injection = object({
  reason: choice(["relevant", "restore", "event", "own", "alert"]),
  subject: text(),
  version: whole(),
  score: optional(number()),
  characters: whole(),
  session: text(),
  /** Grows when the context of the session is emptied. */
  epoch: whole(),
  at: time,
});
const storeErrors = ["STORE"] as const;
const delegateErrors = [
  "SECRET",
  "NO_DELEGATE",
  "DELEGATE_FAILED",
  "TIMEOUT",
  "BUSY",
  "TOO_LARGE",
] as const;

export const methods = {
  "memory.store": {
    ...{ to: "brain", by: "seed" },
    summary: "Store information in the persistent memory.",
    description:
      "Answered when it is durable. The last write wins, unless if_version is given. The session " +
      "that stores it knows it and is not given it back.",
    params: {
      key,
      value,
      tags: optional(tags),
      source: optional(source),
      session: optional(session),
      link: optional(link),
      if_version: optional(whole(), "store only over this version; 0: only a new key"),
      insist: optional(yes, "store it though it looks like a secret"),
    },
    result: object({ stored: yes, key, version: whole(), created: yes }),
    errors: ["CONFLICT", "SECRET", "ECHO", "STORE"],
  },
  "memory.retrieve": {
    ...{ to: "brain", by: "seed" },
    summary: "Retrieve information from the persistent memory: one key, or what fits a query.",
    description: "Takes key or query, not both. What is not there is found: false and no error.",
    params: {
      key: optional(key),
      query: optional(query),
      limit: optional(whole(1, brainLimits.matches)),
    },
    result: object({
      found: yes,
      key: optional(key),
      value: optional(value),
      version: optional(whole()),
      created: optional(time),
      updated: optional(time),
      source: optional(source),
      link: optional(link),
      tags: optional(tags),
      matches: optional(many(object(match))),
    }),
    errors: storeErrors,
  },
  "memory.list": {
    ...{ to: "brain", by: "consulta" },
    summary: "List memories in the order of their keys, a page at a time.",
    params: {
      prefix: optional(within(brainLimits.memoryKeyBytes, text())),
      limit: optional(whole(1, brainLimits.listed)),
      after: optional(key),
    },
    result: object({ memories: many(object(memory)), next }),
    errors: storeErrors,
  },
  "memory.forget": {
    ...{ to: "brain", by: "consulta" },
    summary: "Remove without a trace: memories by their keys, or whatever holds a text.",
    description: "Takes keys or text, not both. Of keys, * stands for any characters, ? for one.",
    params: { keys: optional(pattern), text: optional(pattern) },
    result: object({ memories: whole(), snapshots: whole(), events: whole() }),
    errors: storeErrors,
  },
  "memory.export": {
    ...{ to: "brain", by: "consulta" },
    summary: "Give memories as they are, one JSON text each, a part at a time.",
    params: { after: optional(key) },
    result: object({ lines: many(text()), next }),
    errors: storeErrors,
  },
  "memory.import": {
    ...{ to: "brain", by: "consulta" },
    summary: "Take over what memory.export gave; of two states of a key the newer one stays.",
    params: {
      lines: many(text(), brainLimits.importedLines),
      lines_before: optional(whole(), "how many lines the calls before this one brought"),
    },
    result: object({ added: whole(), replaced: whole(), kept: whole() }),
    errors: storeErrors,
  },
  "brain.status": {
    ...{ to: "brain", by: "consulta" },
    summary: "Say what the brain holds: sessions with usage and alerts, memories, injections.",
    params: {},
    result: object({
      started: time,
      pid: whole(),
      connections: described(whole(), "the one that asks is among them"),
      store: object({
        memories: whole(),
        snapshots: whole(),
        eventsPending: whole(),
        injections: whole(),
        bytes: described(whole(), "on disk, all files together"),
        setAside: described(many(text()), "databases that were damaged, or not ours"),
        loss: optional(text(), "how the database was lost last, and what is in its place"),
      }),
      sessions: many(
        object({
          session: text(),
          cli: optional(text()),
          updated: time,
          current: optional(number()),
          token_percentage: optional(number()),
          raw_percentage: optional(number()),
          alerts: object({ memory_full: yes, hallucination_risk: yes }),
        }),
      ),
      snapshots: many(object({ session: text(), cli: text(), at: time, holds: many(text()) })),
      injections: many(injection),
      delegate: object({
        configured: yes,
        provider: optional(text()),
        busy: optional(yes),
        fault: optional(text()),
      }),
    }),
    errors: storeErrors,
  },
  "research.search": {
    ...{ to: "brain", by: "seed" },
    summary: "Perform a web search: the delegate searches and sums up.",
    params: { query },
    result: object({ query: text(), text: text(), provider: text() }),
    errors: delegateErrors,
  },
  "data.process": {
    ...{ to: "brain", by: "seed" },
    summary: "Process a large amount of data: the delegate reads and digests it.",
    description:
      "What is above one call of the delegate is digested in parts, and the parts together; " +
      "chunks says how many there were.",
    params: {
      data: text(undefined, 1),
      instruction: optional(query),
    },
    result: object({ text: text(), provider: text(), input_bytes: whole(), chunks: whole() }),
    errors: delegateErrors,
  },
  "state.update": {
    ...{ to: "brain", by: "seed" },
    summary: "Inform the brain of a session's current state.",
    description:
      "Alerts and, once, the snapshot of the session before it are sent " +
      "on this connection. Without session the connection is the session.",
    params: {
      token_usage: optional(tokenUsage),
      session: optional(session),
      cli: optional(cli),
      seq: optional(whole(), "a lower one than before is dropped"),
      context: optional(context),
    },
    takesMore: true,
  },
  "session.sync": {
    ...{ to: "brain", by: "consulta" },
    summary: "Tell what happened in a session and get whatever belongs into its context now.",
    description:
      "What is due counts as given once session.delivered names the receipt; until then nobody else " +
      "is given it, and after a minute, or the end of the connection, it is due again.",
    params: {
      session,
      cli,
      event: choice(["start", "prompt", "tool", "save", "end"]),
      source: optional(
        text(64),
        "of a start: startup, resume, clear, compact, fork; of an end: clear",
      ),
      prompt: optional(text(brainLimits.contextTextCharacters)),
      context: optional(context),
      token_usage: optional(tokenUsage),
      transcript: optional(
        text(brainLimits.pathCharacters),
        "the path of the transcript of claude or gemini, which is followed; absent where what it says is outdated",
      ),
      deliverable: optional(yes, "what is due can reach the model now"),
    },
    result: synced,
    errors: ["SESSION_TAKEN", "STORE"],
  },
  "session.delivered": {
    ...{ to: "brain", by: "consulta" },
    summary: "Confirm that what a sync or a wait gave has reached the model.",
    params: { receipt: text(64) },
    result: object({ counted: yes }),
    errors: storeErrors,
  },
  "session.wait": {
    ...{ to: "brain", by: "consulta" },
    summary: "Be answered when there is news for a session: an event or a suggestion.",
    description:
      "The newest wait of a session counts; an older one is answered with nothing, as is the " +
      "oldest of more than 24.",
    params: { session, timeout_seconds: optional(number(0, 86_400)) },
    result: synced,
    errors: storeErrors,
  },
  "event.publish": {
    ...{ to: "brain", by: "consulta" },
    summary:
      "Publish an external event, or suggest an action, for a session or whichever comes first.",
    params: {
      text: within(brainLimits.eventBytes, text(undefined, 1), "say it in fewer words"),
      source: optional(source),
      kind: optional(choice(["event", "suggestion"])),
      session: optional(session),
    },
    result: object({
      queued: yes,
      id: whole(),
      left_out: optional(text(), "what credential was left out of the text"),
    }),
    errors: storeErrors,
  },
  "context.inject": {
    ...{ to: "client", by: "seed" },
    summary: "Inject information into the client's context.",
    description: "The data is fenced and labelled: it is quoted material, never an instruction.",
    params: {
      data: text(),
      reason: optional(choice(["restore", "relevant", "event"])),
      session: optional(text()),
      key: optional(text()),
      score: optional(number()),
    },
    result: reception,
  },
  "action.suggest": {
    ...{ to: "client", by: "seed" },
    summary: "Suggest an action to take: data that nobody executes by itself.",
    params: { action: text(), session: optional(text()), source: optional(text()) },
    result: reception,
  },
  "alert.memory_full": {
    ...{ to: "client", by: "seed" },
    summary: "Inform the client that its context window is nearing capacity: above 90 %.",
    params: percentages,
  },
  "alert.hallucination_risk": {
    ...{ to: "client", by: "seed" },
    summary: "Warn the client of a high risk of hallucination: above 95 %.",
    params: percentages,
  },
} as const satisfies Readonly<Record<string, MethodSpec>>;

type Methods = typeof methods;
export type MethodName = keyof Methods;
export type ParamsOf<N extends MethodName> = ObjectOf<Methods[N]["params"]>;
/** What a method returns; a notification returns nothing. */
export type ResultOf<N extends MethodName> = Methods[N] extends {
  readonly result: Shape<infer R>;
}
  ? R
  : undefined;
/** The methods that one end has. */
export type NamesTo<D extends MethodSpec["to"]> = {
  [N in MethodName]: Methods[N]["to"] extends D ? N : never;
}[MethodName];
/** What a hook tells the brain of its session. */
export type SessionReport = ParamsOf<"session.sync">;
/** What a session is due. */
export type Due = ResultOf<"session.sync">["due"];
export type TokenUsage = NonNullable<ParamsOf<"state.update">["token_usage"]>;
export type PastInjection = Of<typeof injection>;
/** A memory as a client gets it. */
export type ShownMemory = ObjectOf<typeof match>;

function specOf(name: MethodName): MethodSpec {
  return methods[name];
}

function paramsShape<N extends MethodName>(name: N): Shape<ParamsOf<N>> {
  const { params } = methods[name];
  return object<Methods[N]["params"]>(params, specOf(name).takesMore ? "more" : "no more");
}

/** @throws RpcFailure INVALID_PARAMS that says all that is wrong. */
export function readParams<N extends MethodName>(
  name: N,
  params: JsonValue | undefined,
): ParamsOf<N> {
  if (Array.isArray(params)) {
    throw rpcFailure("INVALID_PARAMS", "the parameters are a list, expected an object with names");
  }
  const faults: string[] = [];
  const read = readShape(paramsShape(name), params ?? {}, faults);
  if (read === undefined) throw rpcFailure("INVALID_PARAMS", faults.join("; "));
  return read;
}

/** What a method answered; undefined for what it does not return. */
export function readResult<N extends MethodName>(name: N, answer: unknown): ResultOf<N> | undefined;
export function readResult(name: MethodName, answer: unknown): unknown {
  const { result } = specOf(name);
  return result && readShape(result, answer, []);
}
