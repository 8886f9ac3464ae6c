import { closeSync, constants, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { ConsultaError, tryAgain } from "../base/errors.ts";
import { childPath } from "./child-path.ts";
import { isErrno } from "./errno.ts";

const { O_DIRECTORY = 0 } = constants;
/** Opens a folder to name files in it, also where its list may not be read; Node has no name for it. */
const O_PATH = 0o10000000;
const held = "/proc/self/fd/";

/** A folder that stays the same while it is held, under the path `at`. */
export interface HeldFolder {
  readonly at: string;
  /** Whether the folder is still where it was: somebody may have moved or removed it meanwhile. */
  isInPlace(): boolean;
  /** The failure for a folder that is not. */
  moved(cause?: unknown): ConsultaError;
  /** What to throw for an error: a name may be missing because the folder is; `at` is in no message. */
  failure(error: unknown): unknown;
  release(): void;
}

/**
 * Works in a folder that stays the same while the work lasts, under the path that `work` gets: between
 * a look at a path and its use somebody may put a link in the place of any folder on it. Linux alone
 * can hold a folder so; elsewhere the path is used as it is.
 * @throws ConsultaError REFUSED when a link on the way leads elsewhere; UNAVAILABLE when the folder is
 * not there, or was moved or removed meanwhile, and a name was looked for in vain because of that.
 */
export function inFolder<T>(folder: string, work: (at: string) => T): T {
  if (folder.startsWith(held)) return work(folder);
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
  if (process.platform !== "linux") return inItsPlace(folder);
  const file = openFolder(folder);
  const real = linkOf(file);
  if (real !== undefined && !isPlace(folder, withoutDeleted(real))) {
    closeSync(file);
    throw ledElsewhere(folder);
  }
  // Without /proc nothing leads back to what was opened.
  const at = real === undefined ? folder : `${held}${file}`;
  const isInPlace = () => real === undefined || linkOf(file) === real;
  return heldFolder(folder, { at, isInPlace, release: () => closeSync(file) });
}

function inItsPlace(folder: string): HeldFolder {
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
  return inFolder(dirname(path), (at) => work(childPath(at, basename(path))));
}

/** Like `heldPath`, for two names: often of one folder, which is then opened once. */
export function heldPaths<T>(from: string, to: string, work: (from: string, to: string) => T): T {
  return heldPath(from, (one) =>
    dirname(from) === dirname(to)
      ? work(one, childPath(dirname(one), basename(to)))
      : heldPath(to, (other) => work(one, other)),
  );
}

/** Whether an open file is the one at this path, reached without a link; true where nobody can tell. */
export function isFileAt(path: string, file: number): boolean {
  if (process.platform !== "linux" || path.startsWith(held)) return true;
  const real = realPathOf(file);
  return real === undefined || isPlace(path, real);
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

/** Where an open file lies, or lay before it was removed, by the system's own word; undefined without /proc. */
function realPathOf(file: number): string | undefined {
  const link = linkOf(file);
  return link === undefined ? undefined : withoutDeleted(link);
}

/** What Linux writes after the path of a file that was removed. */
const deleted = " (deleted)";

function withoutDeleted(link: string): string {
  return link.endsWith(deleted) ? link.slice(0, -deleted.length) : link;
}

function linkOf(file: number): string | undefined {
  try {
    return readlinkSync(`${held}${file}`);
  } catch (error) {
    if (isErrno(error, "ENOENT", "EACCES")) return undefined;
    throw error;
  }
}

/** What lies above a guarded folder is the user's own choice and may be reached through links. */
function isPlace(path: string, real: string): boolean {
  if (path === real) return true;
  const whole = resolve(path);
  const cut = guardedFrom(whole);
  if (cut === undefined) return true;
  return join(realpathSync.native(whole.slice(0, cut) || sep), whole.slice(cut)) === real;
}

/** Where in a path the part begins that must hold no link. */
function guardedFrom(path: string): number | undefined {
  const root = [...guarded].find((it) => `${path}${sep}`.startsWith(`${it}${sep}`));
  if (root !== undefined) return dirname(root).length;
  const cut = `${path}${sep}`.lastIndexOf(`${sep}.consulta${sep}`);
  return cut < 0 ? undefined : cut;
}
