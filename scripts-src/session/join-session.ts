import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import { nameHint } from "../base/nearest-name.ts";
import { existsSync } from "../files/disk.ts";
import { adoptLog } from "../log/begun-here.ts";
import { type ChosenStore, refOn, sessionsOn } from "../remote/choose-store.ts";
import { remoteLimits } from "../remote/limits.ts";
import { hasStore } from "../remote/store-mark.ts";
import { withNews } from "./news.ts";
import { type Place, placeIn } from "./place.ts";
import { loadSession, type Session } from "./session.ts";
import { notBegun, noteStore } from "./session-store.ts";
import type { Workspace } from "./workspace/workspace.ts";

export interface Joined {
  readonly session: Session;
  /** It was joined here before. */
  readonly repeated: boolean;
}

/**
 * Brings a session that other machines share into a workspace; its log and documents are then here as
 * well. The user wants it, so it counts as begun here. The same call again goes on where one stopped.
 * @throws ConsultaError REFUSED where there is no such session, or another of that name is here;
 * UNAVAILABLE when the store is out of reach.
 */
export async function joinSession(
  workspace: Workspace,
  id: string,
  store: ChosenStore,
): Promise<Joined> {
  const place = placeIn(workspace, parseSessionId(id));
  const repeated = existsSync(join(place.folder, "events.jsonl"));
  if (repeated && !hasStore(place.folder)) {
    const reason = `a session ${id} is here already, and it is kept here alone`;
    throw new ConsultaError("REFUSED", `${reason}: move ${place.folder} away first`);
  }
  if (!repeated) await bringIn(place, store);
  const session = await withNews(await loadSession(place));
  return { session, repeated };
}

async function bringIn(place: Place, store: ChosenStore): Promise<void> {
  const ref = await refOn(store, place.id);
  if (ref === undefined) {
    const there = await sessionsOn(store);
    const names = there.slice(0, remoteLimits.sessionsTold);
    const hint = nameHint(place.id, names, "there are:");
    const way = names.length === 0 ? "there is none at all" : hint;
    throw new ConsultaError("REFUSED", `no session ${place.id} on ${store.remote}; ${way}`);
  }
  const isNew = !existsSync(place.folder);
  noteStore(store, place, place.id, ref);
  const { openRemoteLog } = await import("../remote/open-remote-log.ts");
  const { gateOf } = await import("./gate.ts");
  const log = await openRemoteLog(place.folder, gateOf(place), {});
  try {
    await log.fetch();
  } catch (cause) {
    // Nothing of it came in; the same call again goes on where the store was out of reach.
    if (isNew && cause instanceof ConsultaError && cause.code === "REFUSED") notBegun(place);
    throw cause;
  }
  await adoptLog(place.folder);
}
