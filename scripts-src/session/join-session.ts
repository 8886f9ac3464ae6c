import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import { nameHint } from "../base/nearest-name.ts";
import { existsSync } from "../files/disk.ts";
import { discard } from "../files/regular-file.ts";
import { removeTree } from "../files/remove-tree.ts";
import { adoptLog } from "../log/begun-here.ts";
import { type ChosenStore, refOn, sessionsOn } from "../remote/choose-store.ts";
import { remoteLimits } from "../remote/limits.ts";
import { forgetStore } from "../remote/store-entry.ts";
import { hasStore } from "../remote/store-mark.ts";
import { loadWithNews } from "./news.ts";
import { type Place, placeIn } from "./place.ts";
import type { Session } from "./session.ts";
import { noteStore } from "./session-store.ts";
import type { Workspace } from "./workspace/workspace.ts";

export interface JoinedSession {
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
): Promise<JoinedSession> {
  const place = placeIn(workspace, parseSessionId(id));
  const repeated = existsSync(join(place.folder, "events.jsonl"));
  if (repeated && !hasStore(place.folder)) {
    const reason = `a session ${id} is here already, and it is kept here alone`;
    throw new ConsultaError("REFUSED", `${reason}: move ${place.folder} away first`);
  }
  if (repeated) return { session: await loadWithNews(place), repeated };
  const wasThere = existsSync(place.folder);
  try {
    await bringIn(place, store);
    return { session: await loadWithNews(place), repeated };
  } catch (cause) {
    // What cannot be joined would stay as a session that no script can read.
    takeBack(place, wasThere);
    throw cause;
  }
}

/** A folder that was there before keeps what was in it: the log came only now. */
function takeBack({ folder }: Place, wasThere: boolean): void {
  forgetStore(folder);
  if (!existsSync(folder)) return;
  if (wasThere) discard(join(folder, "events.jsonl"));
  else removeTree(folder);
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
  noteStore(store, place, place.id, ref);
  const { openRemoteLog } = await import("../remote/open-remote-log.ts");
  const { gateOf } = await import("./gate.ts");
  const log = await openRemoteLog(place.folder, gateOf(place), {});
  await log.fetch();
  await adoptLog(place.folder);
}
