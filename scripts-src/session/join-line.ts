import { homeOrNone } from "../files/home-folder.ts";
import { askedAs } from "../remote/choose-store.ts";
import { entryOfGone, type StoreEntry } from "../remote/store-entry.ts";
import { commandLine, pathFromHere } from "./command-line.ts";

/** The line that brings a session of a store here. */
export function joinLine(
  store: Pick<StoreEntry, "store" | "remote" | "isSigned">,
  id: string,
  pathOf = pathFromHere,
): string {
  const line = commandLine("join", { store: askedAs(store) }, [id], pathOf);
  return store.isSigned ? `${line} --signed` : line;
}

/** How a session comes back whose folder is gone here; undefined where the home knows nothing of it. */
export function wayBack(id: string, project: string): string | undefined {
  const entry = homeOrNone() === undefined ? undefined : entryOfGone(id, project);
  return entry && `it was kept on ${entry.remote}; join it again: ${joinLine(entry, id)}`;
}
