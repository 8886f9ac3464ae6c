import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import { nameHint } from "../base/nearest-name.ts";
import { existsSync } from "../files/disk.ts";
import { discard } from "../files/regular-file.ts";
import { removeTree } from "../files/remove-tree.ts";
import { adoptLog } from "../log/begun-here.ts";
import {
  type ChosenStore,
  isSameStore,
  refOn,
  refuseUnprovable,
  sessionsOn,
} from "../remote/choose-store.ts";
import { remoteLimits } from "../remote/limits.ts";
import { forgetStore, leaveStore, readEntry } from "../remote/store-entry.ts";
import { hasStore } from "../remote/store-mark.ts";
import { loadWithNews } from "./news.ts";
import { type Place, placeIn } from "./place.ts";
import type { Session } from "./session.ts";
import { noteStore, renewStore } from "./session-store.ts";
import type { Workspace } from "./workspace/workspace.ts";

export interface JoinedSession {
  readonly session: Session;
  /** It was joined here before. */
  readonly repeated: boolean;
}

/**
 * Brings a session that other machines share into a workspace; its log and documents are then here as
 * well. The user wants it, so it counts as begun here. The same call again goes on where one stopped.
 * `isAsked`: that store, and no other, is meant.
 * @throws ConsultaError REFUSED where there is no such session, another of that name is here, or it does not
 * go on from what was seen of it here; UNAVAILABLE when the store is out of reach.
 */
export async function joinSession(
  workspace: Workspace,
  id: string,
  store: ChosenStore,
  isAsked: boolean,
): Promise<JoinedSession> {
  const place = placeIn(workspace, parseSessionId(id));
  if (existsSync(join(place.folder, "events.jsonl"))) {
    const other = await otherThan(store, isAsked, place);
    if (other === undefined) return { session: await loadWithNews(place), repeated: true };
    const reason = `a session ${id} is here already, and it is ${other}`;
    throw new ConsultaError("REFUSED", `${reason}: move ${place.folder} away first`);
  }
  const wasThere = existsSync(place.folder);
  const ref = await refThere(place, store);
  await refuseUnprovable(store);
  const known = renewStore(store, place, place.id, ref);
  if (known === undefined) noteStore(store, place, place.id, ref);
  try {
    await bringIn(place);
    return { session: await loadWithNews(place), repeated: false };
  } catch (cause) {
    // What cannot be joined would stay as a session that no script can read.
    if (known === undefined) forgetStore(place.folder);
    else leaveStore(place.folder);
    takeBack(place, wasThere);
    throw cause;
  }
}

/** How the session of a folder is not the one that is asked for; undefined where it may be. */
async function otherThan(
  store: ChosenStore,
  isAsked: boolean,
  { folder }: Place,
): Promise<string | undefined> {
  if (!hasStore(folder)) return "kept here alone";
  const entry = readEntry(folder);
  if (store.isSigned && !entry.isSigned) return "not signed";
  if (!isAsked || (await isSameStore(store, entry))) return undefined;
  return `kept on ${entry.store}:${entry.remote}, not on ${store.store}:${store.remote}`;
}

/** A folder that was there before keeps what was in it: the log came only now. */
function takeBack({ folder }: Place, wasThere: boolean): void {
  if (!existsSync(folder)) return;
  if (wasThere) discard(join(folder, "events.jsonl"));
  else removeTree(folder);
}

async function refThere(place: Place, store: ChosenStore): Promise<string> {
  const ref = await refOn(store, place.id);
  if (ref !== undefined) return ref;
  const there = await sessionsOn(store);
  const names = there.slice(0, remoteLimits.sessionsTold);
  const hint = nameHint(place.id, names, "there are:");
  const way = names.length === 0 ? "there is none at all" : hint;
  throw new ConsultaError("REFUSED", `no session ${place.id} on ${store.remote}; ${way}`);
}

async function bringIn(place: Place): Promise<void> {
  const { openRemoteLog } = await import("../remote/open-remote-log.ts");
  const { gateOf } = await import("./gate.ts");
  const log = await openRemoteLog(place.folder, gateOf(place), {});
  await log.fetch();
  await adoptLog(place.folder);
}
