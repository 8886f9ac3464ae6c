import { randomBytes } from "node:crypto";
import { basename, join, relative, sep } from "node:path";
import { refused } from "../base/errors.ts";
import { isRecord, parseJson } from "../base/json.ts";
import {
  createFileExclusively,
  isOlderThan,
  namesIn,
  readFileIfPresent,
  touchFile,
  writeFileAtomically,
} from "../files/atomic-file.ts";
import { existsSync, statSync } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import { ensureOwnFolder, readOwnFile } from "../files/ownership.ts";
import { discard, removeTree } from "../files/safe-open.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { storeMark } from "../session/place.ts";
import { remoteLimits } from "./limits.ts";

export type StoreName = "git" | "etcd";

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
  /** The session's folder; this is kept for a while where it is gone. */
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

/** Notes where the log of the session in a folder is kept, in place of what its mark led to before. */
export function writeEntry(entry: StoreEntry): FoundEntry {
  const stores = storesFolder();
  forgetStore(entry.folder);
  forgetGone(stores);
  const at = ensureOwnFolder(stores, randomBytes(16).toString("hex"), why);
  return noteAt({ ...entry, at });
}

/** What the home knows of sessions of a name, perhaps till their folders were removed; the last one first. */
export function entriesOf(session: string): FoundEntry[] {
  const known = entriesIn(knownStores()).filter((it) => it.session === session);
  return known.sort((one, other) => notedAt(other) - notedAt(one));
}

/**
 * Marks a folder again with what the home knows of its session. What was seen of it last stays known: rewritten
 * history shows by that.
 */
export function renewEntry(known: FoundEntry): FoundEntry {
  leaveStore(known.folder);
  discard(join(known.at, placedFile));
  return noteAt(known);
}

function noteAt(entry: FoundEntry): FoundEntry {
  ensureFolder(entry.folder);
  updateEntry(entry);
  const mark = { store: entry.store, key: basename(entry.at) };
  createFileExclusively(join(entry.folder, storeMark), `${JSON.stringify(mark)}\n`);
  return entry;
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
  const entry = key === undefined ? undefined : entryAt(join(knownStores(), key));
  if (entry !== undefined) return asItLies(entry, folder);
  const reason = `${join(folder, storeMark)} says that the session is kept elsewhere, and your home does not know where`;
  throw refused(`${reason}: move the folder away and join the session again`);
}

/**
 * What was noted of a folder that lies elsewhere now. With its project it was moved only where that is gone from
 * its place: whose remotes count is never up to a folder that came from somewhere.
 */
function asItLies(noted: FoundEntry, folder: string): FoundEntry {
  if (noted.folder === folder) return noted;
  const below = sep + relative(noted.project, noted.folder);
  const isMoved = !existsSync(noted.project) && folder.endsWith(below);
  const project = isMoved ? folder.slice(0, -below.length) : noted.project;
  const entry = { ...noted, folder, project };
  if (!existsSync(noted.folder)) updateEntry(entry);
  return entry;
}

/** The sessions of a project on one of its stores whose folders this user has, wherever they lie. */
export function sessionsKept(of: Pick<StoreEntry, "store" | "remote" | "project">): string[] {
  const { store, remote, project } = of;
  const isThere = (it: FoundEntry) =>
    it.store === store && it.remote === remote && it.project === project && isInPlace(it);
  return entriesIn(knownStores())
    .filter(isThere)
    .map(({ session }) => session);
}

/** Takes back what `writeEntry` noted; the log in the folder stays. */
export function forgetStore(folder: string): void {
  const key = keyIn(folder);
  if (key !== undefined) removeTree(join(storesFolder(), key));
  leaveStore(folder);
}

/** Takes the mark away; the home goes on knowing what was seen last. */
export function leaveStore(folder: string): void {
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
/** In an entry's folder: which documents were placed in the session's. */
export const placedFile = "documents.json";

/** For who only reads: it need not be there. */
function knownStores(): string {
  return join(homeFolder(), ".consulta", "stores");
}

function storesFolder(): string {
  const home = ensureFolder(homeFolder(), ".consulta");
  return ensureOwnFolder(home, "stores", why);
}

/** So long the home knows what was seen of a session, from when its folder was last noticed in its place. */
const forgottenMs = 30 * 86_400_000;

function forgetGone(stores: string): void {
  for (const entry of entriesIn(stores)) {
    const path = join(entry.at, entryFile);
    if (isInPlace(entry)) touchFile(path, Date.now() / 1_000);
    else if (isOlderThan(path, forgottenMs)) removeTree(entry.at);
  }
}

function notedAt({ at }: FoundEntry): number {
  return statSync(join(at, entryFile))?.mtimeMs ?? 0;
}

/** Whether the folder is there, and no other session's by now. */
function isInPlace({ at, folder }: FoundEntry): boolean {
  return keyIn(folder) === basename(at);
}

/** All that the home knows. */
function entriesIn(stores: string): FoundEntry[] {
  const keys = namesIn(stores).filter((name) => keyPattern.test(name));
  return keys.flatMap((key) => entryAt(join(stores, key)) ?? []);
}

function entryAt(at: string): FoundEntry | undefined {
  const text = readOwnFile(join(at, entryFile), remoteLimits.entryBytes, why);
  const entry = text === undefined ? undefined : entryIn(text);
  return entry && { ...entry, at };
}

function entryIn(text: string): StoreEntry | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { store, session, remote, project, ref, folder, isSigned } = value;
  if (store !== "git" && store !== "etcd") return undefined;
  if (typeof session !== "string" || typeof remote !== "string" || typeof ref !== "string")
    return undefined;
  if (typeof project !== "string" || typeof folder !== "string") return undefined;
  return { store, session, remote, project, ref, folder, isSigned: isSigned === true };
}
