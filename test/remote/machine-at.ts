import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { EtcdClient } from "../../scripts-src/remote/etcd/etcd-client.ts";
import { EtcdStore } from "../../scripts-src/remote/etcd/etcd-store.ts";
import { SeenEvents } from "../../scripts-src/remote/etcd/seen-events.ts";
import { RemoteEventLog } from "../../scripts-src/remote/remote-event-log.ts";
import type { RemoteStore } from "../../scripts-src/remote/remote-store.ts";
import { PlacedDocuments } from "../../scripts-src/remote/synced-documents.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { gate, machineIn, makeMachine } from "./git-remote.ts";

/** One machine's view of a shared session. */
export interface SharedMachine {
  readonly home: string;
  readonly folder: string;
  open(): RemoteEventLog;
  store(): RemoteStore;
}

const etcd = "etcd ";

/** Where a session of a cluster is, in one word of a command line. */
export function inEtcd(endpoints: readonly string[], session: string): string {
  return `${etcd}${session} ${endpoints.join(" ")}`;
}

/** A new machine with a view of what is at a place: a session in etcd, else a git remote. */
export function newMachineAt(place: string): SharedMachine {
  if (!place.startsWith(etcd)) return makeMachine(place);
  const home = makeScratchFolder();
  mkdirSync(join(home, "copy"));
  return machineAt(home, place);
}

/** The same for a process of its own. */
export function machineAt(home: string, place: string): SharedMachine {
  if (!place.startsWith(etcd)) return machineIn(home, place);
  const [session = "", ...endpoints] = place.slice(etcd.length).split(" ");
  const folder = join(home, "copy");
  const store = () =>
    new EtcdStore({
      ...{ client: new EtcdClient({ name: "team", endpoints }), session },
      ...{ seen: new SeenEvents(home), isSigned: false, gate },
      onSigned: () => assert.fail("signed"),
    });
  const open = () => {
    const places = { folder, list: join(home, "documents.json"), onKept: () => undefined };
    const parts = { folder, where: `session ${session} on team`, gate, open: async () => store() };
    const documents = new PlacedDocuments(places);
    return new RemoteEventLog({ ...parts, watchFile: join(home, "watch.json"), documents });
  };
  return { home, folder, open, store };
}
