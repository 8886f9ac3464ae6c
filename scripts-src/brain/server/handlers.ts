import { ConsultaError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { defined } from "../../base/omit-undefined.ts";
import type { Call, Handler } from "../rpc-peer.ts";
import { shownFill } from "../rules/effective-window.ts";
import { importLines } from "../rules/import-export.ts";
import {
  fitsParams,
  type NamesTo,
  openRpcDocument,
  type ParamsOf,
  paramFaults,
  type ResultOf,
} from "../rules/open-rpc.ts";
import { RpcFailure, rpcFailure } from "../rules/rpc-errors.ts";
import type { Brain } from "./brain-context.ts";
import { processData, searchWeb } from "./delegate-calls.ts";
import {
  exportMemories,
  forgetMemories,
  listMemories,
  retrieveMemory,
  storeMemory,
} from "./memory-calls.ts";
import type { SessionState } from "./session-state.ts";

type ToBrain = NamesTo<"to-brain">;

/** Of what a status tells the newest. */
const injectionsShown = 50;
const snapshotsShown = 20;

/** What the brain answers, by method. What goes in the other direction is not among it. */
export function handlersOf(brain: Brain): ReadonlyMap<string, Handler> {
  const { store, sessions, delegate, now, learn } = brain;
  return new Map([
    on("memory.store", (params) => storeMemory(store, params, now())),
    on("memory.retrieve", (params) => learn().then(() => retrieveMemory(brain, params))),
    on("memory.list", (params) => learn().then(() => listMemories(store, params))),
    // What is forgotten before it was learned would come after all.
    on("memory.delete", ({ key }) => learn().then(() => ({ deleted: store.remove(key) }))),
    on("memory.forget", async (params) => {
      await learn();
      const forgotten = forgetMemories(store, params);
      sessions.heed();
      return forgotten;
    }),
    on("memory.export", (params) => learn().then(() => exportMemories(store, params))),
    on("memory.import", ({ lines, lines_before }) => ({
      ...importLines(store, lines, lines_before),
    })),
    on("brain.status", () => learn().then(() => statusOf(brain))),
    on("research.search", (params, { peer }) => searchWeb(delegate, params, peer.ended)),
    on("data.process", (params, { peer }) => processData(delegate, params, peer.ended)),
    on("state.update", (params, call) => sessions.update(params, call)),
    on("session.sync", async (params, call) => {
      if (params.event === "start" || params.event === "prompt") await learn();
      return sessions.sync(params, call);
    }),
    on("session.delivered", (params) => sessions.delivered(params)),
    on("session.wait", (params, call) => sessions.wait(params, call)),
    on("event.publish", (params) => sessions.publish(params)),
    on("rpc.discover", () => openRpcDocument()),
  ]);
}

/** A handler that is called only with what the document says that its method takes. */
function on<N extends ToBrain>(
  name: N,
  serve: (params: ParamsOf<N>, call: Call) => ResultOf<N> | Promise<ResultOf<N>>,
): [name: string, handler: Handler] {
  const handler: Handler = async (params = {}, call) => {
    if (!fitsParams(name, params)) {
      throw rpcFailure("INVALID_PARAMS", paramFaults(name, params).join("; "));
    }
    try {
      return await serve(params, call);
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

/** What the brain holds right now. */
async function statusOf(brain: Brain): Promise<ResultOf<"brain.status">> {
  const { store, sessions, delegate, started } = brain;
  const stats = store.stats();
  return {
    started,
    pid: process.pid,
    connections: brain.connections(),
    store: { ...stats, setAside: [...stats.setAside] },
    sessions: sessions.all().map(shownSession),
    snapshots: store.snapshots(snapshotsShown).map(({ session, cli, at, content }) => ({
      session,
      cli,
      at,
      holds: Object.keys(content),
    })),
    injections: store.injections(injectionsShown).map((it) => ({ ...it })),
    delegate: await delegate.describe(),
  };
}

function shownSession({ session, cli, fill, usage, latches, updated }: SessionState): JsonObject {
  return {
    session,
    cli: cli ?? null,
    updated,
    ...defined({ current: usage?.current }),
    ...(fill === undefined ? {} : shownFill(fill)),
    alerts: { ...latches },
  };
}
