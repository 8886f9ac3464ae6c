import { isRecord, type JsonValue, quote } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import { findSecret } from "../../base/secrets.ts";
import type { BrainStore, Memory } from "../rules/brain-store.ts";
import { exportLines } from "../rules/import-export.ts";
import { holdsInjected } from "../rules/injected-text.ts";
import { brainLimits } from "../rules/limits.ts";
import type { ParamsOf, ResultOf } from "../rules/open-rpc.ts";
import { rpcFailure } from "../rules/rpc-errors.ts";
import { utf8Bytes } from "../rules/searchable-text.ts";
import type { Brain } from "./brain-context.ts";

const matchesDefault = 5;
const listedDefault = 100;

/** @throws RpcFailure CONFLICT, SECRET or ECHO; nothing was stored then. */
export function storeMemory(
  store: BrainStore,
  params: ParamsOf<"memory.store">,
  at: string,
): ResultOf<"memory.store"> {
  const { key, value, tags, source = "client", link, if_version: ifVersion, insist } = params;
  if (insist !== true) refuseSecret(key, value, tags ?? []);
  refuseInjected(value);
  const outcome = store.store({ key, value, tags, source, session: link, ifVersion }, at);
  if (outcome.stored) {
    const { version, created } = outcome;
    if (params.session !== undefined) markOwn(store, params.session, { key, value, version }, at);
    return { stored: true, key, version, created };
  }
  if (outcome.refusal === "echo") {
    throw rpcFailure("ECHO", `it is the memory ${quote(outcome.of)}`, { key: outcome.of });
  }
  const { version } = outcome;
  const found = version === 0 ? "is not there" : `is at version ${version}`;
  throw rpcFailure("CONFLICT", `${quote(key)} ${found}, not at ${ifVersion}`, { version });
}

/** The session that stored it knows it: it is in the context already. */
function markOwn(
  store: BrainStore,
  session: string,
  { key, value, version }: { key: string; value: JsonValue; version: number },
  at: string,
): void {
  const characters = textOf(value).length;
  const own = { reason: "own", subject: key, version, score: null, characters } as const;
  store.markInjected(session, [own], at);
}

function refuseSecret(key: string, value: JsonValue, tags: readonly string[]): void {
  const secret = findSecret([key, textOf(value), ...tags].join("\n"));
  if (secret === undefined) return;
  const way = "say where it is kept instead, or store it with insist (brain store --insist)";
  throw rpcFailure("SECRET", `the value looks like ${secret}; ${way}`);
}

/** What the brain put into a context comes back as quoted text: memories would feed on themselves. */
function refuseInjected(value: JsonValue): void {
  if (!holdsInjected(textOf(value))) return;
  throw rpcFailure("ECHO", "it holds a text that was injected; store only what is new in it");
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export async function retrieveMemory(
  { store, today }: Pick<Brain, "store" | "today">,
  { key, query, limit = matchesDefault }: ParamsOf<"memory.retrieve">,
): Promise<ResultOf<"memory.retrieve">> {
  const told = async (memory: Memory) => {
    const now = await today(memory);
    return now === undefined ? shown(memory) : { ...shown(memory), today: now };
  };
  if (key !== undefined && query === undefined) {
    const found = store.retrieve(key);
    return found === undefined ? { found: false, key } : { found: true, ...(await told(found)) };
  }
  if (query === undefined || key !== undefined) {
    throw rpcFailure("INVALID_PARAMS", "give key or query, and not both");
  }
  const matches = await Promise.all(
    store
      .search(query, limit)
      .map(async (match) => ({ ...(await told(match)), score: match.score })),
  );
  return { found: matches.length > 0, matches };
}

export function listMemories(
  store: BrainStore,
  { prefix = "", limit = listedDefault, after }: ParamsOf<"memory.list">,
): ResultOf<"memory.list"> {
  // One more than asked for tells whether there is a next page.
  const found = store.list(prefix, limit + 1, after);
  const memories = firstPage(found.slice(0, limit).map(shown), (it) => JSON.stringify(it));
  const last = memories.at(-1);
  return found.length > memories.length && last !== undefined
    ? { memories, next: last.key }
    : { memories };
}

/** As much of a list as one answer may bring: at least one. */
function firstPage<T>(items: Iterable<T>, textOfItem: (item: T) => string): T[] {
  const page: T[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += utf8Bytes(textOfItem(item));
    if (bytes > brainLimits.pageBytes && page.length > 0) break;
    page.push(item);
  }
  return page;
}

export function exportMemories(
  store: BrainStore,
  { after }: ParamsOf<"memory.export">,
): ResultOf<"memory.export"> {
  const lines = firstPage(exportLines(store, after), (line) => line);
  const last: unknown = JSON.parse(lines.at(-1) ?? "{}");
  const key = isRecord(last) ? last["key"] : undefined;
  const isAll = typeof key !== "string" || store.list("", 1, key).length === 0;
  return isAll ? { lines } : { lines, next: key };
}

export function forgetMemories(
  store: BrainStore,
  { keys, text }: ParamsOf<"memory.forget">,
): ResultOf<"memory.forget"> {
  if (keys !== undefined && text === undefined) return { ...store.forget({ keys }) };
  if (text !== undefined && keys === undefined) return { ...store.forget({ text }) };
  throw rpcFailure("INVALID_PARAMS", "give keys or text, and not both");
}

function shown(memory: Memory): ResultOf<"memory.list">["memories"][number] {
  const { key, value, version, created, updated, source, session, tags } = memory;
  const from = defined({ link: session });
  return { key, value, version, created, updated, source, tags: [...tags], ...from };
}
