import { homeOrNone } from "../files/home-folder.ts";
import { askedAs } from "../remote/choose-store.ts";
import { entryOfGone, type StoreEntry } from "../remote/store-entry.ts";
import { commandLine, readerHere } from "../script/command-line.ts";

/** The line that brings a session of a store here. */
export function joinLine(
  store: Pick<StoreEntry, "store" | "remote" | "isSigned">,
  id: string,
  reader = readerHere(),
): string {
  const line = commandLine("join", { store: askedAs(store) }, [id], reader);
  return store.isSigned ? `${line} --signed` : line;
}

/** How a session comes back whose folder is gone here; undefined where the home knows nothing of it. */
export function wayBack(id: string, project: string): string | undefined {
  const entry = homeOrNone() === undefined ? undefined : entryOfGone(id, project);
  return entry && `it was kept on ${entry.remote}; join it again: ${joinLine(entry, id)}`;
}
