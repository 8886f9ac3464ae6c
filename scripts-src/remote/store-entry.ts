import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { isRecord, parseJson } from "../base/json.ts";
import {
  createFileExclusively,
  isOlderThan,
  namesIn,
  readFileIfPresent,
  writeFileAtomically,
} from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import { ensureOwnFolder, readOwnFile } from "../files/own-file.ts";
import { discard } from "../files/regular-file.ts";
import { removeTree } from "../files/remove-tree.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { remoteLimits } from "./limits.ts";
import { storeMark } from "./store-mark.ts";

export const storeNames = ["git", "etcd"] as const;
export type StoreName = (typeof storeNames)[number];

/** Where a session's log is kept for several machines, as this user's home remembers it. */
export interface StoreEntry {
  readonly store: StoreName;
  readonly session: string;
  /** A name of the user's settings; of git also a remote of the project's repository, or an address. */
  readonly remote: string;
  /** The project whose remotes those are. */
  readonly project: string;
  /** Where the session is there: of git a ref. */
  readonly ref: string;
  /** The session's folder: where it is gone, so is the need for this. */
  readonly folder: string;
  /** Whether each event has to prove who wrote it. */
  readonly isSigned: boolean;
}

/** An entry and the folder of the home that holds it. */
export interface FoundEntry extends StoreEntry {
  readonly at: string;
}

const why = "it says where sessions are sent to";
const keyPattern = /^[0-9a-f]{32}$/;

/** Notes where the log of the session in a folder is kept, in place of what was noted before. */
export function writeEntry(entry: StoreEntry): FoundEntry {
  ensureFolder(entry.folder);
  const stores = storesFolder();
  removeOrphans(stores);
  forgetStore(entry.folder);
  const key = randomBytes(16).toString("hex");
  const at = ensureOwnFolder(stores, key, why);
  writeFileAtomically(join(at, entryFile), `${JSON.stringify(entry)}\n`);
  const mark = { store: entry.store, key };
  createFileExclusively(join(entry.folder, storeMark), `${JSON.stringify(mark)}\n`);
  return { ...entry, at };
}

export function updateEntry({ at, ...entry }: FoundEntry): void {
  writeFileAtomically(join(at, entryFile), `${JSON.stringify(entry)}\n`);
}

/**
 * Where the log of the session in a folder is kept. The mark there may have come with a clone: it only
 * names what the home holds.
 * @throws ConsultaError REFUSED where the home knows nothing of it.
 */
export function readEntry(folder: string): FoundEntry {
  const key = keyIn(folder);
  const stores = join(homeFolder(), ".consulta", "stores");
  const entry = key === undefined ? undefined : entryAt(stores, key);
  if (entry !== undefined && key !== undefined) return { ...entry, at: join(stores, key) };
  const reason = `${join(folder, storeMark)} says that the session is kept elsewhere, and your home does not know where`;
  throw new ConsultaError("REFUSED", `${reason}: move the folder away and join the session again`);
}

/** The sessions of a project on one of its stores whose folders this user has, wherever they lie. */
export function sessionsKept(of: Pick<StoreEntry, "store" | "remote" | "project">): string[] {
  const stores = join(homeFolder(), ".consulta", "stores");
  const entries = namesIn(stores).flatMap((key) => entryAt(stores, key) ?? []);
  return entries
    .filter(
      ({ store, remote, project, folder }) =>
        store === of.store && remote === of.remote && project === of.project && existsSync(folder),
    )
    .map(({ session }) => session);
}

/** What proves who wrote each event of the session in a folder; undefined where nothing does. */
export function provenSender(folder: string): string | undefined {
  const { store, isSigned } = readEntry(folder);
  return isSigned ? proofs[store] : undefined;
}

const proofs: Readonly<Record<StoreName, string>> = {
  git: "each event is signed by a key that ~/.consulta/allowed_signers has for who wrote it",
  etcd: "each event was stored by a user of the cluster whom it lets write as who wrote it",
};

/** Takes back what `writeEntry` noted; the log in the folder stays. */
export function forgetStore(folder: string): void {
  const key = keyIn(folder);
  if (key !== undefined) removeTree(join(storesFolder(), key));
  discard(join(folder, storeMark));
}

function keyIn(folder: string): string | undefined {
  const value = parseJson(
    readFileIfPresent(join(folder, storeMark), remoteLimits.entryBytes) ?? "",
  );
  const key = isRecord(value) ? value["key"] : undefined;
  return typeof key === "string" && keyPattern.test(key) ? key : undefined;
}

const entryFile = "entry.json";

function storesFolder(): string {
  const home = ensureFolder(homeFolder(), ".consulta");
  return ensureOwnFolder(home, "stores", why);
}

/** A folder that is about to get its name is not gone. */
const orphanMs = 3_600_000;

/** A session that was removed leaves what the home remembers of it. */
function removeOrphans(stores: string): void {
  for (const key of namesIn(stores)) {
    const entry = entryAt(stores, key);
    const isOld = isOlderThan(join(stores, key, entryFile), orphanMs);
    if (entry !== undefined && isOld && !existsSync(entry.folder)) removeTree(join(stores, key));
  }
}

function entryAt(stores: string, key: string): StoreEntry | undefined {
  if (!keyPattern.test(key)) return undefined;
  const text = readOwnFile(join(stores, key, entryFile), remoteLimits.entryBytes, why);
  return text === undefined ? undefined : entryIn(text);
}

function entryIn(text: string): StoreEntry | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { store, session, remote, project, ref, folder, isSigned } = value;
  const texts = [session, remote, project, ref, folder];
  const known = storeNames.find((name) => name === store);
  if (known === undefined || !texts.every((it) => typeof it === "string")) return undefined;
  const read = (it: unknown) => String(it);
  return {
    store: known,
    session: read(session),
    remote: read(remote),
    project: read(project),
    ref: read(ref),
    folder: read(folder),
    isSigned: isSigned === true,
  };
}
