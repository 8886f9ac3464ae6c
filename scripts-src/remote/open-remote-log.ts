import { basename, join } from "node:path";
import { readStores } from "../clis/own-settings.ts";
import { printErrorLines } from "../script/output.ts";
import { EtcdStore } from "./etcd/etcd-store.ts";
import { etcdClient } from "./etcd/open-etcd-store.ts";
import { SeenEvents } from "./etcd/seen-events.ts";
import type { Gate } from "./gate.ts";
import { openGitStore } from "./git/open-git-store.ts";
import { lazyStore } from "./lazy-store.ts";
import { PlacedDocuments } from "./placed-documents.ts";
import { RemoteEventLog, type RemoteLogOptions } from "./remote-event-log.ts";
import type { RemoteStore } from "./remote-store.ts";
import { type FoundEntry, readEntry, updateEntry } from "./store-entry.ts";

/** Opens the log of a session that is kept for several machines; nothing comes in or goes out that `gate` stops. */
export async function openRemoteLog(
  folder: string,
  gate: Gate,
  options: RemoteLogOptions,
): Promise<RemoteEventLog> {
  const entry = readEntry(folder);
  const store = lazyStore(`${entry.ref} on ${entry.remote}`, () => openStore(entry, gate));
  const places = {
    folder,
    list: join(entry.at, "documents.json"),
    onKept: ({ path, keptAs }: { path: string; keptAs: string }) =>
      printErrorLines(
        `note: ${path} was changed here and by a peer: theirs is there now, yours is ${join(folder, keptAs)}`,
      ),
  };
  const documents = new PlacedDocuments(places, store);
  const watchFile = join(entry.at, "watch.json");
  return new RemoteEventLog({ folder, store, documents, watchFile, gate }, options);
}

async function openStore(found: FoundEntry, gate: Gate): Promise<RemoteStore> {
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
    return new EtcdStore({
      ...{ client, session, seen, machine: basename(entry.at), isSigned, gate },
      onSigned: () => learn({ isSigned: true }),
    });
  }
  return openGitStore(entry, named.git, gate, (found) => {
    learn(found);
    if (found.ref === undefined) return;
    const reason = `${entry.remote} takes only branches`;
    printErrorLines(`note: ${reason}: the session is kept as ${found.ref}`);
  });
}
