import { ConsultaError } from "../base/errors.ts";
import { existsSync } from "../files/disk.ts";
import { removeTree } from "../files/open-directory.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import { type ChosenStore, freeRef, refOn, refuseUnprovable } from "../remote/choose-store.ts";
import { type FoundEntry, forgetStore, updateEntry, writeEntry } from "../remote/store-entry.ts";
import { joinLine } from "./join-line.ts";
import type { Place } from "./place.ts";

/**
 * Notes that the session which is about to begin at a place is kept on a store; undefined where a session
 * of that name is there already.
 * @throws ConsultaError REFUSED for a name that the store does not take, and as `refuseUnprovable`; UNAVAILABLE
 * when it is out of reach.
 */
export async function beginOnStore(
  store: ChosenStore,
  place: Place,
  id: string,
): Promise<FoundEntry | undefined> {
  const ref = freeRef(store, id);
  if ((await refOn(store, id)) !== undefined) return undefined;
  await refuseUnprovable(store);
  return noteStore(store, place, id, ref);
}

export function noteStore(
  { store, remote, project, isSigned }: ChosenStore,
  { folder }: Place,
  session: string,
  ref: string,
): FoundEntry {
  return writeEntry({ store, session, remote, project, ref, folder, isSigned });
}

/** A folder that was noted under a draft's name and has its own now. */
export function movedTo(entry: FoundEntry, folder: string): void {
  updateEntry({ ...entry, folder });
}

/** Takes back what `beginOnStore` noted of a session that did not begin here. */
export function notBegun({ folder }: Place): void {
  if (isCreatedLocally(folder)) return;
  forgetStore(folder);
  if (existsSync(folder)) removeTree(folder);
}

export function takenThere(store: ChosenStore, id: string): ConsultaError {
  return new ConsultaError(
    "EXISTS",
    `session ${id} is on ${store.remote} already: choose another --session, or join it: ${joinLine(store, id)}`,
  );
}
