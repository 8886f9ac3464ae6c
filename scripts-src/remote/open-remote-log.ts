import { join } from "node:path";
import { readStores } from "../clis/user-settings.ts";
import { printErrorLines } from "../script/output.ts";
import { EtcdStore } from "./etcd/etcd-store.ts";
import { etcdClient } from "./etcd/open-etcd-store.ts";
import { SeenEvents } from "./etcd/seen-events.ts";
import { openGitStore } from "./git/git-store.ts";
import { RemoteEventLog, type RemoteLogOptions } from "./remote-event-log.ts";
import type { Gate, RemoteStore } from "./remote-store.ts";
import { type FoundEntry, placedFile, readEntry, updateEntry } from "./store-entry.ts";
import { PlacedDocuments } from "./synced-documents.ts";

/** The log that the person keeps beside that of a session, in a folder of its own. */
export interface BesideLog {
  readonly folder: string;
  /** Looks at what goes out of it as at what comes in. */
  readonly gate: Gate;
  /** Told how far it goes when more of it has come. */
  onBrought(seq: number): void;
}

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
  let opened: Promise<RemoteStore> | undefined;
  const open = () => {
    opened ??= openStore(entry, gate, beside?.gate);
    return opened;
  };
  const onKept = (path: string, keptAs: string) =>
    printErrorLines(
      `note: ${path} was changed here and by a peer: theirs is there now, yours is ${join(folder, keptAs)}`,
    );
  const places = { folder, list: join(entry.at, placedFile), onKept };
  const parts = {
    ...{ folder, gate, open, where: `${entry.ref} on ${entry.remote}` },
    documents: new PlacedDocuments(places),
    watchFile: join(entry.at, "watch.json"),
  };
  if (beside === undefined) return new RemoteEventLog(parts, options);
  return new RemoteEventLog({ ...parts, beside: besideLog(beside, entry, open) }, options);
}

/** Opens the log that the person keeps beside that of the session in a folder. */
export async function openBesideLog(folder: string, beside: BesideLog): Promise<RemoteEventLog> {
  const entry = readEntry(folder);
  return besideLog(beside, entry, () => openStore(entry, beside.gate, beside.gate));
}

/** Nothing of it is a document. What comes is the person's as much as the session is that they joined. */
function besideLog(
  { folder, gate, onBrought }: BesideLog,
  { ref, remote, at }: FoundEntry,
  openSession: () => Promise<RemoteStore>,
): RemoteEventLog {
  const where = `the log of the user beside ${ref} on ${remote}`;
  const open = async () => {
    const { beside } = await openSession();
    if (beside === undefined) throw new Error(`${where} was not opened`);
    return beside;
  };
  const watchFile = join(at, "watch-beside.json");
  return new RemoteEventLog({ folder, where, open, watchFile, gate, onBrought }, { begins: true });
}

async function openStore(found: FoundEntry, gate: Gate, besideGate?: Gate): Promise<RemoteStore> {
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
