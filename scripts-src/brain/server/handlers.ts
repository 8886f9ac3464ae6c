import { ConsultaError, refused } from "../../base/errors.ts";
import { type JsonValue, parseStrictJson, quote } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { findSecret } from "../../base/secrets.ts";
import { visibleText } from "../../base/visible-text.ts";
import type { Handler, RpcPeer } from "../rpc-peer.ts";
import { givenAlerts, shownFill } from "../rules/alerts.ts";
import { holdsInjected } from "../rules/injected-text.ts";
import { brainLimits } from "../rules/limits.ts";
import {
  importedMemory,
  type NamesTo,
  type ParamsOf,
  type ResultOf,
  readParams,
  type ShownMemory,
} from "../rules/methods.ts";
import type { Memory } from "../rules/records.ts";
import { RpcFailure, rpcFailure } from "../rules/rpc-errors.ts";
import { readShape, utf8Bytes } from "../rules/shapes.ts";
import type { BrainStore } from "../store/brain-store.ts";
import type { Delegate } from "./delegate.ts";
import type { SessionState } from "./session-state.ts";
import type { Sessions } from "./sessions.ts";

/** What a running brain consists of. */
export interface Brain {
  readonly store: BrainStore;
  readonly sessions: Sessions;
  readonly delegate: Delegate;
  readonly started: string;
  readonly now: () => string;
  readonly connections: () => number;
  /** Learns what sessions of Consulta came to since. */
  readonly learn: () => Promise<void>;
}

const matchesDefault = 5;
const listedDefault = 100;
/** Of what a status tells the newest. */
const injectionsShown = 50;
const snapshotsShown = 20;

/** What the brain answers, by method. What goes in the other direction is not among it. */
export function handlersOf(brain: Brain): ReadonlyMap<string, Handler> {
  const { store, sessions, delegate, now, learn } = brain;
  return new Map([
    on("memory.store", (params) => storeMemory(store, params, now())),
    on("memory.retrieve", (params) => learn().then(() => retrieveMemory(store, params))),
    on("memory.list", (params) => learn().then(() => listMemories(store, params))),
    on("memory.forget", async (params) => {
      // What is forgotten before it was learned would come after all.
      await learn();
      return forgetMemories(store, params);
    }),
    on("memory.export", (params) => learn().then(() => exportMemories(store, params))),
    on("memory.import", (params) => importMemories(store, params)),
    on("brain.status", () => learn().then(() => statusOf(brain))),
    on("research.search", (params, peer) => delegate.search(params, peer.ended)),
    on("data.process", (params, peer) => delegate.process(params, peer.ended)),
    on("state.update", (params, peer) => sessions.update(params, peer)),
    on("session.sync", async (params, peer) => {
      if (params.event === "start" || params.event === "prompt") await learn();
      return sessions.sync(params, peer);
    }),
    on("session.delivered", (params) => sessions.delivered(params)),
    on("session.wait", (params, peer) => sessions.wait(params, peer)),
    on("event.publish", (params) => sessions.publish(params)),
  ]);
}

/** A handler that is called only with what the table says that its method takes. */
function on<N extends NamesTo<"brain">>(
  name: N,
  serve: (params: ParamsOf<N>, peer: RpcPeer) => ResultOf<N> | Promise<ResultOf<N>>,
): [name: string, handler: Handler] {
  const handler: Handler = async (params, peer) => {
    try {
      return await serve(readParams(name, params), peer);
    } catch (error) {
      throw asRpcFailure(error);
    }
  };
  return [name, handler];
}

/** What the store refuses the caller can act on; anything else is a bug. */
function asRpcFailure(error: unknown): unknown {
  if (error instanceof RpcFailure || !(error instanceof ConsultaError)) return error;
  const isRefused = error.code === "REFUSED";
  return rpcFailure(isRefused ? "INVALID_PARAMS" : "STORE", error.message);
}

/** @throws RpcFailure CONFLICT, SECRET or ECHO; nothing was stored then. */
function storeMemory(
  { memories, sessions }: BrainStore,
  params: ParamsOf<"memory.store">,
  at: string,
): ResultOf<"memory.store"> {
  const { key, value, tags, source = "client", session, link, if_version: ifVersion } = params;
  const text = plainText(value);
  const secret = findSecret([key, text, ...(tags ?? [])].join("\n"));
  if (secret !== undefined && params.insist !== true) {
    const way = "say where it is kept instead, or store it with insist (brain store --insist)";
    throw rpcFailure("SECRET", `the value looks like ${secret}; ${way}`);
  }
  // What the brain put into a context comes back as quoted text: memories would feed on themselves.
  if (holdsInjected(text)) {
    throw rpcFailure("ECHO", "it holds a text that was injected; store only what is new in it");
  }
  const outcome = memories.store({ key, value, tags, source, session: link, ifVersion }, at);
  const { version } = outcome;
  if (!outcome.stored) {
    const found = version === 0 ? "is not there" : `is at version ${version}`;
    throw rpcFailure("CONFLICT", `${quote(key)} ${found}, not at ${ifVersion}`, { version });
  }
  if (session !== undefined) {
    // The session that stored it knows it: it is in the context already.
    const own = { reason: "own", subject: key, version, characters: text.length } as const;
    sessions.markInjected(session, [own], at);
  }
  return { stored: true, key, version, created: outcome.created };
}

function plainText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function retrieveMemory(
  { memories }: BrainStore,
  { key, query, limit = matchesDefault }: ParamsOf<"memory.retrieve">,
): ResultOf<"memory.retrieve"> {
  if (key !== undefined && query === undefined) {
    const found = memories.retrieve(key);
    return found === undefined ? { found: false, key } : { found: true, ...shown(found) };
  }
  if (query === undefined || key !== undefined) {
    throw rpcFailure("INVALID_PARAMS", "give key or query, and not both");
  }
  const found = memories.search(query, limit);
  const matches = found.map((match) => ({ ...shown(match), score: match.score }));
  return { found: matches.length > 0, matches };
}

function listMemories(
  { memories }: BrainStore,
  { prefix = "", limit = listedDefault, after }: ParamsOf<"memory.list">,
): ResultOf<"memory.list"> {
  // One more than asked for tells whether there is a next page.
  const found = memories.list(prefix, limit + 1, after);
  const page = firstPage(found.slice(0, limit).map(shown), (it) => JSON.stringify(it));
  const last = page.at(-1);
  return found.length > page.length && last !== undefined
    ? { memories: page, next: last.key }
    : { memories: page };
}

/** As much of a list as one answer may bring: at least one. */
function firstPage<T>(items: readonly T[], textOfItem: (item: T) => string): T[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += utf8Bytes(textOfItem(item));
    return bytes > brainLimits.pageBytes && index > 0;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}

/** The memories after a key as JSON, each on a line of its own, in the order of their keys. */
function exportMemories(
  { memories }: BrainStore,
  { after }: ParamsOf<"memory.export">,
): ResultOf<"memory.export"> {
  const found = memories.list("", brainLimits.memoriesListed, after);
  const page = firstPage(found, (it) => JSON.stringify(it));
  const lines = page.map((it) => JSON.stringify(it));
  const last = page.at(-1)?.key;
  const isAll = last === undefined || memories.list("", 1, last).length === 0;
  return isAll ? { lines } : { lines, next: last };
}

/**
 * Takes over what was exported; of two states of a key the newer one stays.
 * @throws ConsultaError REFUSED with the number of the first line that is no memory; nothing was stored then.
 */
function importMemories(
  { memories }: BrainStore,
  { lines, lines_before: before = 0 }: ParamsOf<"memory.import">,
): ResultOf<"memory.import"> {
  return memories.load(
    lines.flatMap((line, index) =>
      line.trim() === "" ? [] : [memoryIn(line, `line ${before + index + 1}`)],
    ),
  );
}

function memoryIn(line: string, what: string): Memory {
  const faults: string[] = [];
  const read = readShape(importedMemory, parseStrictJson(line, what), faults);
  if (read !== undefined) return { ...read, tags: read.tags ?? [] };
  const reason = visibleText(faults.join("; "));
  throw refused(`${what} is no memory: ${reason}; fix it or leave it out`);
}

function forgetMemories(
  store: BrainStore,
  { keys, text }: ParamsOf<"memory.forget">,
): ResultOf<"memory.forget"> {
  if (keys !== undefined && text === undefined) return store.forget({ keys });
  if (text !== undefined && keys === undefined) return store.forget({ text });
  throw rpcFailure("INVALID_PARAMS", "give keys or text, and not both");
}

function shown(memory: Memory): ShownMemory {
  const { key, value, version, created, updated, source, session, tags } = memory;
  const from = defined({ link: session });
  return { key, value, version, created, updated, source, tags: [...tags], ...from };
}

/** What the brain holds right now. */
async function statusOf(brain: Brain): Promise<ResultOf<"brain.status">> {
  const { store, sessions, delegate, started, connections } = brain;
  return {
    started,
    pid: process.pid,
    connections: connections(),
    store: store.stats(),
    sessions: sessions.all().map(shownSession),
    snapshots: store.sessions.snapshots(snapshotsShown).map(({ session, cli, at, content }) => ({
      ...{ session, cli, at },
      holds: Object.keys(content),
    })),
    injections: store.sessions.injections(injectionsShown),
    delegate: await delegate.describe(),
  };
}

function shownSession({ session, cli, fill, usage, alerts, updated }: SessionState) {
  return {
    session,
    updated,
    ...defined({ cli, current: usage?.current }),
    ...(fill === undefined ? {} : shownFill(fill)),
    alerts: givenAlerts(alerts),
  };
}
