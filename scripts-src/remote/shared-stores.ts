import { existsSync } from "../files/disk.ts";
import { homeOrNone } from "../files/home-folder.ts";
import type { SharedStores } from "../session/shared-stores.ts";
import { chooseStore } from "./choose-store.ts";
import { joinLine } from "./chosen-store.ts";
import { entriesOf, readEntry, type StoreName } from "./known-stores.ts";
import { openPersonLog, openRemoteLog } from "./open-remote-log.ts";

const proofs: Readonly<Record<StoreName, string>> = {
  git: "each event is signed by a key that ~/.consulta/allowed_signers has for who wrote it",
  etcd: "each event was stored by a user of the cluster whom it lets write as who wrote it",
};

/** What this room is to sessions: session/shared-stores.ts registers it. */
export const sharedStores: SharedStores = {
  openLog: openRemoteLog,
  openPersonLog,
  choose: chooseStore,
  senderProof(folder) {
    const { store, isSigned } = readEntry(folder);
    return isSigned ? proofs[store] : undefined;
  },
  wayBack(id, project) {
    const known = homeOrNone() === undefined ? [] : entriesOf(id);
    const entry = known.find((it) => it.project === project && !existsSync(it.folder));
    return entry && `it was kept on ${entry.remote}; join it again: ${joinLine(entry, id)}`;
  },
};
