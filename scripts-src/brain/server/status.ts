import type { JsonObject } from "../../base/json.ts";
import { shownFill } from "../rules/effective-window.ts";
import type { ResultOf } from "../rules/open-rpc.ts";
import type { Brain } from "./brain.ts";
import type { SessionState } from "./session-state.ts";

const injectionsShown = 50;
const snapshotsShown = 20;

/** What the brain holds right now. */
export async function statusOf(brain: Brain): Promise<ResultOf<"brain.status">> {
  const { store, sessions, delegate, started } = brain;
  const stats = store.stats();
  return {
    started,
    pid: process.pid,
    connections: brain.connections(),
    store: { ...stats, setAside: [...stats.setAside], rescues: [...stats.rescues] },
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
    ...(usage === undefined ? {} : { current: usage.current }),
    ...(fill === undefined ? {} : shownFill(fill)),
    alerts: { ...latches },
  };
}
