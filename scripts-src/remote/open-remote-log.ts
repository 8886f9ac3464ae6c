import { basename, join } from "node:path";
import { once } from "../base/once.ts";
import { readStores } from "../clis/user-settings.ts";
import { printErrorLines } from "../script/output.ts";
import { EtcdStore } from "./etcd/etcd-store.ts";
import { etcdClient } from "./etcd/open-etcd-store.ts";
import { SeenEvents } from "./etcd/seen-events.ts";
import { openGitStore } from "./git/open-git-store.ts";
import type { Gate } from "./intake-check.ts";
import { lazyStore } from "./lazy-store.ts";
import { type BesideLog, RemoteEventLog, type RemoteLogOptions } from "./remote-event-log.ts";
import type { SessionStore } from "./session-store.ts";
import { type FoundEntry, placedFile, readEntry, updateEntry } from "./store-entry.ts";
import { PlacedDocuments } from "./synced-documents.ts";

/**
 * Opens the log of a session that is kept for several machines, with the one beside it, if there is any;
 * nothing comes in or goes out that `gate` stops.
 */
export async function openRemoteLog(
  folder: string,
  gate: Gate,
  options: RemoteLogOptions,
  beside?: BesideLog,
): Promise<RemoteEventLog> {
  const entry = readEntry(folder);
  const open = once(() => openStore(entry, gate, beside !== undefined));
  const store = lazyStore(`${entry.ref} on ${entry.remote}`, open);
  const places = {
    folder,
    list: join(entry.at, placedFile),
    onKept: ({ path, keptAs }: { path: string; keptAs: string }) =>
      printErrorLines(
        `note: ${path} was changed here and by a peer: theirs is there now, yours is ${join(folder, keptAs)}`,
      ),
  };
  const documents = new PlacedDocuments(places, store);
  const watchFile = join(entry.at, "watch.json");
  const parts = { folder, store, documents, watchFile, gate };
  if (beside === undefined) return new RemoteEventLog(parts, options);
  return new RemoteEventLog({ ...parts, beside: besideLog(beside, entry, open) }, options);
}

/** Opens the log that the person keeps beside that of the session in a folder. */
export async function openBesideLog(folder: string, beside: BesideLog): Promise<RemoteEventLog> {
  const entry = readEntry(folder);
  return besideLog(
    beside,
    entry,
    once(() => openStore(entry, beside.gate, true)),
  );
}

/** Nothing of it is a document. What comes is the person's as much as the session is that they joined. */
function besideLog(
  { folder, gate, onBrought }: BesideLog,
  entry: FoundEntry,
  open: () => Promise<SessionStore>,
): RemoteEventLog {
  const where = `the log of the user beside ${entry.ref} on ${entry.remote}`;
  const store = lazyStore(where, async () => (await open()).beside(gate));
  const watchFile = join(entry.at, "watch-beside.json");
  return new RemoteEventLog({ folder, store, watchFile, gate, onBrought }, { begins: true });
}

async function openStore(found: FoundEntry, gate: Gate, hasBeside: boolean): Promise<SessionStore> {
  let entry = found;
  const learn = (more: Partial<FoundEntry>) => {
    entry = { ...entry, ...more };
    updateEntry(entry);
  };
  const named = await readStores(process.env);
  if (entry.store === "etcd") {
    const client = etcdClient(entry.remote, named.etcd);
    const seen = new SeenEvents(entry.at);
    const { session, isSigned } = entry;
    const seenBeside = hasBeside ? new SeenEvents(entry.at, "seen-beside") : undefined;
    return new EtcdStore({
      ...{ client, session, seen, seenBeside, machine: basename(entry.at), isSigned, gate },
      onSigned: () => learn({ isSigned: true }),
    });
  }
  const onFound = (found: Partial<FoundEntry>) => {
    learn(found);
    if (found.ref === undefined) return;
    const reason = `${entry.remote} takes only branches`;
    printErrorLines(`note: ${reason}: the session is kept as ${found.ref}`);
  };
  return openGitStore(entry, named.git, gate, onFound, hasBeside);
}
