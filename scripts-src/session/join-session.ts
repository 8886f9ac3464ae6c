import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import { nameHint } from "../base/nearest-name.ts";
import { existsSync } from "../files/disk.ts";
import { removeTree } from "../files/open-directory.ts";
import { discard } from "../files/regular-file.ts";
import { adoptLog } from "../log/created-locally.ts";
import {
  type ChosenStore,
  isSameStore,
  refOn,
  refuseUnprovable,
  sessionsOn,
} from "../remote/choose-store.ts";
import { remoteLimits } from "../remote/limits.ts";
import { openRemoteLog } from "../remote/open-remote-log.ts";
import {
  entriesOf,
  forgetStore,
  leaveStore,
  readEntry,
  renewEntry,
} from "../remote/store-entry.ts";
import { hasStore } from "../remote/store-mark.ts";
import { noteStore } from "./begin-on-store.ts";
import { intakeCheckOf } from "./intake-check.ts";
import { openSession } from "./open.ts";
import { type Place, placeIn } from "./place.ts";
import type { Session } from "./session.ts";
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
    if (other === undefined)
      return { session: await openSession(place, { fetch: "unless-offline" }), repeated: true };
    const reason = `a session ${id} is here already, and it is ${other}`;
    throw new ConsultaError("REFUSED", `${reason}: move ${place.folder} away first`);
  }
  const wasThere = existsSync(place.folder);
  const takeBack = await note(place, store);
  try {
    await bringIn(place);
    await refuseUnprovable({ ...store, isSigned: readEntry(place.folder).isSigned });
    return { session: await openSession(place, { fetch: "unless-offline" }), repeated: false };
  } catch (cause) {
    // What cannot be joined would stay as a session that no script can read.
    takeBack();
    if (wasThere) discard(join(place.folder, "events.jsonl"));
    else removeTree(place.folder);
    throw cause;
  }
}

/** Notes where the session is; returns what takes the note back. What was seen of it here before stays known. */
async function note(place: Place, store: ChosenStore): Promise<() => void> {
  const { id: session, folder } = place;
  const ref = await refThere(place, store);
  for (const known of entriesOf(session, folder)) {
    if (store.isSigned && !known.isSigned) continue;
    if (!isSameStore(store, known)) continue;
    renewEntry(known);
    return () => leaveStore(folder);
  }
  noteStore(store, place, session, ref);
  return () => forgetStore(folder);
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
  if (!isAsked || isSameStore(store, entry)) return undefined;
  return `kept on ${entry.store}:${entry.remote}, not on ${store.store}:${store.remote}`;
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
  const log = await openRemoteLog(place.folder, intakeCheckOf(place), {});
  await log.fetch();
  adoptLog(place.folder);
}
