import { join } from "node:path";
import { once } from "../base/once.ts";
import { readStores } from "../clis/user-settings.ts";
import { printErrorLines } from "../script/output.ts";
import type { Place } from "../session/place.ts";
import { personLogFolder, tellPersonLogWatchers } from "../session/session.ts";
import type { SharedLogOptions } from "../session/shared-stores.ts";
import { etcdClient } from "./etcd/etcd-host.ts";
import { EtcdStore } from "./etcd/etcd-store.ts";
import { SeenEvents } from "./etcd/seen-events.ts";
import { openGitStore } from "./git/git-store.ts";
import { intakeCheckOf, personLogIntakeCheck } from "./intake-check.ts";
import { type FoundEntry, placedFile, readEntry, updateEntry } from "./known-stores.ts";
import { RemoteEventLog } from "./remote-event-log.ts";
import type { Gate, RemoteStore } from "./remote-store.ts";
import { PlacedDocuments } from "./synced-documents.ts";

/**
 * Opens the log of a session that is kept for several machines, with the person's own beside it, if there is any;
 * nothing comes in or goes out that its kind does not take.
 */
export async function openRemoteLog(
  place: Place,
  { hasAside = false, ...options }: SharedLogOptions,
): Promise<RemoteEventLog> {
  const { folder } = place;
  const entry = readEntry(folder);
  const gate = intakeCheckOf(place);
  const open = once(() => openStore(entry, gate, hasAside));
  const onKept = (path: string, keptAs: string) =>
    printErrorLines(
      `note: ${path} was changed here and by a peer: theirs is there now, yours is ${join(folder, keptAs)}`,
    );
  const documents = new PlacedDocuments({ folder, list: join(entry.at, placedFile), onKept });
  const where = `${entry.ref} on ${entry.remote}`;
  const watchFile = join(entry.at, "watch.json");
  const beside = hasAside ? personLog(place, entry, open) : undefined;
  return new RemoteEventLog({ folder, where, gate, open, documents, watchFile, beside }, options);
}

/** Opens the log that the person keeps beside that of a session. */
export async function openPersonLog(place: Place): Promise<RemoteEventLog> {
  const entry = readEntry(place.folder);
  return personLog(place, entry, () => openStore(entry, personLogIntakeCheck, true));
}

/** Nothing of it is a document. What comes is the person's as much as the session is that they joined. */
function personLog(
  place: Place,
  { ref, remote, at }: FoundEntry,
  openSession: () => Promise<RemoteStore>,
): RemoteEventLog {
  const where = `the log of the user beside ${ref} on ${remote}`;
  const open = async () => {
    const { beside } = await openSession();
    if (beside === undefined) throw new Error(`${where} was not opened`);
    return beside;
  };
  const parts = {
    ...{ folder: personLogFolder(place), where, open, gate: personLogIntakeCheck },
    watchFile: join(at, "watch-beside.json"),
    onBrought: (seq: number) => tellPersonLogWatchers(place, seq),
  };
  return new RemoteEventLog(parts, { begins: true });
}

async function openStore(found: FoundEntry, gate: Gate, hasAside: boolean): Promise<RemoteStore> {
  const besideGate = hasAside ? personLogIntakeCheck : undefined;
  let entry = found;
  const learn = (more: Partial<FoundEntry>) => {
    entry = { ...entry, ...more };
    updateEntry(entry);
    if (more.ref === undefined) return;
    const reason = `${entry.remote} takes only branches`;
    printErrorLines(`note: ${reason}: the session is kept as ${more.ref}`);
  };
  const named = await readStores(process.env);
  if (entry.store === "git") return openGitStore(entry, named.git, { gate, besideGate }, learn);
  const seen = (name?: string) => new SeenEvents(entry.at, name);
  return new EtcdStore({
    client: etcdClient(entry.remote, named.etcd),
    ...{ session: entry.session, isSigned: entry.isSigned, gate, seen: seen() },
    besides: besideGate && { seen: seen("seen-beside"), gate: besideGate },
    onSigned: () => learn({ isSigned: true }),
  });
}
