import { ConsultaError } from "../base/errors.ts";
import { existsSync } from "../files/disk.ts";
import { removeTree } from "../files/remove-tree.ts";
import { isBegunHere } from "../log/begun-here.ts";
import { type ChosenStore, chooseStore, namesAddress, refOn } from "../remote/choose-store.ts";
import { type FoundEntry, forgetStore, updateEntry, writeEntry } from "../remote/store-entry.ts";
import type { Arguments } from "../script/arguments.ts";
import { commandLine } from "./command-line.ts";
import type { Place } from "./place.ts";
import { refuseBelowCli } from "./refuse-agents.ts";

/**
 * The store that a command line asks for.
 * @throws ConsultaError REFUSED where it may not be used: by an agent only what its user has named.
 */
export async function storeFor(
  args: Arguments,
  asked: string,
  project: string,
): Promise<ChosenStore> {
  const remedy = "the user can name it in ~/.consulta/config.yaml, under stores:";
  if (namesAddress(asked))
    await refuseBelowCli("--store with an address sends a session there", remedy);
  if (args.has("public")) await refuseBelowCli("--public lets anybody read a session");
  return chooseStore(asked, project, args.has("public"));
}

/**
 * Notes that the session which is about to begin at a place is kept on a store; undefined where a session
 * of that name is there already.
 * @throws ConsultaError REFUSED for a name that git does not take, UNAVAILABLE when it is out of reach.
 */
export async function beginOnStore(
  store: ChosenStore,
  place: Place,
  id: string,
): Promise<FoundEntry | undefined> {
  if (id.endsWith(".lock"))
    throw new ConsultaError(
      "REFUSED",
      `git takes no session whose name ends in .lock: choose another than ${id}`,
    );
  if ((await refOn(store, id)) !== undefined) return undefined;
  return noteStore(store, place, id, `refs/consulta/${id}`);
}

export function noteStore(
  { remote, project }: ChosenStore,
  { folder }: Place,
  session: string,
  ref: string,
): FoundEntry {
  return writeEntry({ store: "git", session, remote, project, ref, folder });
}

/** A folder that was noted under a draft's name and has its own now. */
export function movedTo(entry: FoundEntry, folder: string): void {
  updateEntry({ ...entry, folder });
}

/** Takes back what `beginOnStore` noted of a session that did not begin here. */
export function notBegun({ folder }: Place): void {
  if (isBegunHere(folder)) return;
  forgetStore(folder);
  if (existsSync(folder)) removeTree(folder);
}

export function takenThere(store: ChosenStore, id: string): ConsultaError {
  const join = commandLine("join", { store: askedAs(store) }, [id]);
  return new ConsultaError(
    "EXISTS",
    `session ${id} is on ${store.remote} already; join it with ${join}, or choose another --session`,
  );
}

/** The line that brings another machine into a session. */
export function invitation(store: ChosenStore, id: string): string[] {
  return [
    "on another machine, in a clone of the project:",
    commandLine("join", { store: askedAs(store) }, [id]),
  ];
}

function askedAs({ remote }: ChosenStore): string | undefined {
  return remote === "origin" ? undefined : `git:${remote}`;
}
