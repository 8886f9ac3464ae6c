import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { EventLog } from "../../scripts-src/log/event-log.ts";
import { EtcdClient } from "../../scripts-src/remote/etcd/etcd-client.ts";
import { EtcdStore } from "../../scripts-src/remote/etcd/etcd-store.ts";
import { SeenEvents } from "../../scripts-src/remote/etcd/seen-events.ts";
import { GitStore } from "../../scripts-src/remote/git/git-store.ts";
import { Git } from "../../scripts-src/remote/git/run-git.ts";
import { RemoteEventLog } from "../../scripts-src/remote/remote-event-log.ts";
import type { Gate, RemoteStore } from "../../scripts-src/remote/remote-store.ts";
import { PlacedDocuments } from "../../scripts-src/remote/synced-documents.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { git } from "./git-remote.ts";

/** One machine's view of a shared session: a folder with the copy, and what its home knows of the store. */
export interface SharedMachine {
  readonly home: string;
  readonly folder: string;
  /** Of git: a repository of its own. */
  readonly repository: string;
  /** Where texts were kept that a peer's took the place of. */
  readonly kept: readonly string[];
  open(): RemoteEventLog;
  store(): RemoteStore;
}

/** Logs of no kind of session: what a store does by itself is all that is looked at. */
const gate: Gate = async () => undefined;
export const sessionRef = "refs/consulta/talk";
const etcd = "etcd ";

/** Where a session of a cluster is, in one word of a command line. */
export function inEtcd(endpoints: readonly string[], session: string): string {
  return `${etcd}${session} ${endpoints.join(" ")}`;
}

/** A new machine with a view of what is at a place: a session in etcd, else a git remote. */
export function newMachineAt(place: string): SharedMachine {
  const home = makeScratchFolder();
  mkdirSync(join(home, "copy"));
  git(".", "init", "--quiet", "--bare", "--template=", join(home, "repository.git"));
  return machineAt(home, place);
}

/** The same for a process of its own. */
export function machineAt(home: string, place: string): SharedMachine {
  const folder = join(home, "copy");
  const repository = join(home, "repository.git");
  const kept: string[] = [];
  const onKept = (_: string, keptAs: string) => kept.push(keptAs);
  const documents = new PlacedDocuments({ folder, list: join(home, "documents.json"), onKept });
  const isEtcd = place.startsWith(etcd);
  const store = () => (isEtcd ? etcdStore(home, place) : gitStore(repository, place));
  const where = isEtcd ? "session talk on team" : `${sessionRef} on origin`;
  const parts = { folder, where, gate, documents, watchFile: join(home, "watch.json") };
  const open = () => new RemoteEventLog({ ...parts, open: async () => store() });
  return { home, folder, repository, kept, open, store };
}

const onSigned = () => assert.fail("nothing is signed");

function etcdStore(home: string, place: string): RemoteStore {
  const [session = "", ...endpoints] = place.slice(etcd.length).split(" ");
  const client = new EtcdClient({ name: "team", endpoints });
  const seen = new SeenEvents(home);
  return new EtcdStore({ client, session, seen, isSigned: false, gate, onSigned });
}

function gitStore(repository: string, url: string): RemoteStore {
  return new GitStore({
    git: new Git({ folder: repository, repository, projects: [] }),
    ...{ fetchUrl: url, pushUrl: url, remote: "origin", ref: sessionRef },
    ...{ isSigned: false, gate, onSigned, signatures: onSigned },
  });
}

/**
 * A log that fetches before each look, as the scripts do when one of them begins. Each machine has
 * checkpoints of its own: these are those of `home`.
 */
export function fetching(log: RemoteEventLog, home = log): EventLog {
  const fetched = Object.create(log);
  fetched.start = log.start;
  for (const name of ["append", "at", "before"] as const) fetched[name] = log[name].bind(log);
  fetched.loadCheckpoint = () => home.loadCheckpoint();
  fetched.saveCheckpoint = home.saveCheckpoint.bind(home);
  fetched.read = async (after: Parameters<EventLog["read"]>[0]) => {
    await log.fetch();
    return log.read(after);
  };
  return fetched;
}
