import { closeSync, constants, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { ConsultaError, tryAgain } from "../base/errors.ts";
import { isErrno } from "./errno.ts";

const { O_DIRECTORY = 0 } = constants;
/** Opens a folder without the right to list it, only to use names in it; Node has no name for this flag. */
const O_PATH = 0o10000000;
/** Where Linux has a link for each open file, by its number. */
const openFiles = "/proc/self/fd/";

/** A folder that stays the same while it is held. */
export interface HeldFolder {
  /** The path to use: it leads to this folder whatever happens to the folder's own path. */
  readonly at: string;
  /** Whether the folder still has its own path: another process may have moved or removed it. */
  isInPlace(): boolean;
  /** The failure for a folder that is not in place. */
  moved(cause?: unknown): ConsultaError;
  /** What to throw for an error: a name may be missing because the folder is; no message shows `at`. */
  failure(error: unknown): unknown;
  release(): void;
}

/**
 * Works in a folder that stays the same while the work lasts; `work` gets the path to use. Without this
 * another process could put a link in the place of any folder of a path between a look at it and its
 * use. Only Linux can hold a folder; elsewhere the folder's own path is used.
 * @throws ConsultaError REFUSED when a link on the way leads elsewhere; UNAVAILABLE when the folder is
 * not there, or was moved or removed meanwhile, so that a name in it was not found.
 */
export function inFolder<T>(folder: string, work: (at: string) => T): T {
  if (folder.startsWith(openFiles)) return work(folder);
  const hold = holdFolder(folder);
  try {
    return work(hold.at);
  } catch (error) {
    throw hold.failure(error);
  } finally {
    hold.release();
  }
}

/** Like `inFolder`, for work that is done in steps; the caller releases the folder. */
export function holdFolder(folder: string): HeldFolder {
  if (process.platform !== "linux") return holdByPath(folder);
  const file = openFolder(folder);
  const real = targetOf(file);
  if (real !== undefined && !isReachedWithoutLink(folder, withoutDeleted(real))) {
    closeSync(file);
    throw ledElsewhere(folder);
  }
  // Without /proc nothing leads back to what was opened.
  const at = real === undefined ? folder : `${openFiles}${file}`;
  const isInPlace = () => real === undefined || targetOf(file) === real;
  return heldFolder(folder, { at, isInPlace, release: () => closeSync(file) });
}

/** Nothing is held: the folder is used by its own path. */
function holdByPath(folder: string): HeldFolder {
  const isInPlace = () => lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  return heldFolder(folder, { at: folder, isInPlace, release: () => undefined });
}

function heldFolder(
  folder: string,
  hold: Pick<HeldFolder, "at" | "isInPlace" | "release">,
): HeldFolder {
  const { at, isInPlace } = hold;
  const moved = (cause?: unknown) => movedAway(folder, cause);
  const failure = (error: unknown) => {
    if (!(error instanceof ConsultaError)) {
      return isErrno(error, "ENOENT") && !isInPlace() ? moved(error) : error;
    }
    const message = error.message.replaceAll(`${at}/`, `${folder}/`);
    return message === error.message ? error : new ConsultaError(error.code, message, error);
  };
  return { ...hold, moved, failure };
}

function openFolder(folder: string): number {
  try {
    return openSync(folder, O_PATH | O_DIRECTORY);
  } catch (error) {
    throw isErrno(error, "ENOENT") ? movedAway(folder, error) : error;
  }
}

function movedAway(folder: string, cause: unknown): ConsultaError {
  const reason = `${folder} is gone: it was moved or removed while it was worked in`;
  return new ConsultaError("UNAVAILABLE", `busy: ${reason}; ${tryAgain}`, { cause });
}

/** Like `inFolder`, for one name: `work` gets the path that it has there. */
export function heldPath<T>(path: string, work: (at: string) => T): T {
  return inFolder(dirname(path), (at) => work(join(at, basename(path))));
}

/** Like `heldPath`, for two names: often of one folder, which is then opened once. */
export function heldPaths<T>(from: string, to: string, work: (from: string, to: string) => T): T {
  return heldPath(from, (one) =>
    dirname(from) === dirname(to)
      ? work(one, join(dirname(one), basename(to)))
      : heldPath(to, (other) => work(one, other)),
  );
}

/** Whether an open file is the one at this path, reached without a link; true where nobody can tell. */
export function isFileAt(path: string, file: number): boolean {
  if (process.platform !== "linux" || path.startsWith(openFiles)) return true;
  const real = realPathOf(file);
  return real === undefined || isReachedWithoutLink(path, real);
}

export function ledElsewhere(path: string): ConsultaError {
  return new ConsultaError(
    "REFUSED",
    `${path} is reached through a link; Consulta does not follow links: replace it by a real file or folder`,
  );
}

const guarded = new Set<string>();

/** From here on nothing at or below this folder is used through a link; workspaces always are so. */
export function guardFolder(folder: string): void {
  guarded.add(folder);
}

/** The path of an open file, or the one it had before it was removed; undefined without /proc. */
function realPathOf(file: number): string | undefined {
  const link = targetOf(file);
  return link === undefined ? undefined : withoutDeleted(link);
}

/** What Linux writes after the path of a file that was removed. */
const deleted = " (deleted)";

function withoutDeleted(link: string): string {
  return link.endsWith(deleted) ? link.slice(0, -deleted.length) : link;
}

/** What the system says that an open file is; undefined without /proc. */
function targetOf(file: number): string | undefined {
  try {
    return readlinkSync(`${openFiles}${file}`);
  } catch (error) {
    if (isErrno(error, "ENOENT", "EACCES")) return undefined;
    throw error;
  }
}

/**
 * Whether a path that leads to the file `real` has no link at or below a guarded folder. Links above
 * that are the user's own choice.
 */
function isReachedWithoutLink(path: string, real: string): boolean {
  if (path === real) return true;
  const whole = resolve(path);
  const cut = guardedFrom(whole);
  if (cut === undefined) return true;
  return join(realpathSync.native(whole.slice(0, cut) || sep), whole.slice(cut)) === real;
}

/** Where in a path the part begins that must hold no link; undefined when none must. */
function guardedFrom(path: string): number | undefined {
  const root = [...guarded].find((it) => `${path}${sep}`.startsWith(`${it}${sep}`));
  if (root !== undefined) return dirname(root).length;
  const cut = `${path}${sep}`.lastIndexOf(`${sep}.consulta${sep}`);
  return cut < 0 ? undefined : cut;
}
