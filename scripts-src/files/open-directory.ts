import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { ConsultaError, tryAgain } from "../base/errors.ts";
import { diskFailure, isErrno } from "./errno.ts";

const { O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;
/** Opens a folder without the right to list it, only to use names in it; Node has no name for this flag. */
const O_PATH = 0o10000000;
/** Where Linux has a link for each open file, by its number. */
const openFiles = "/proc/self/fd/";

/**
 * A folder that stays the same while it is held: without this another process could put a link in the
 * place of any folder of a path between a look at it and its use. Only Linux can hold a folder;
 * elsewhere, and without /proc, its own path is used.
 */
export class HeldFolder {
  /** The path to use: it leads to this folder whatever happens to the folder's own path. */
  readonly at: string;
  readonly #folder: string;
  readonly #file: number | undefined;
  readonly #real: string | undefined;

  /**
   * @throws ConsultaError REFUSED when a link on the way leads elsewhere; UNAVAILABLE when there is no
   * such folder.
   */
  constructor(folder: string) {
    this.#folder = folder;
    this.#file = process.platform === "linux" ? this.#open() : undefined;
    this.#real = this.#target();
    this.at = this.#real === undefined ? folder : `${openFiles}${this.#file}`;
    if (this.#real === undefined || isReachedWithoutLink(folder, this.#real)) return;
    this.release();
    throw new ConsultaError(
      "REFUSED",
      `${folder} is reached through a link; Consulta does not follow links: replace it by a real file or folder`,
    );
  }

  #open(): number {
    try {
      return openSync(this.#folder, O_PATH | O_DIRECTORY);
    } catch (error) {
      throw isErrno(error, "ENOENT") ? this.moved(error) : error;
    }
  }

  /** What the system says that the open folder is; undefined without /proc. */
  #target(): string | undefined {
    try {
      return this.#file === undefined ? undefined : readlinkSync(`${openFiles}${this.#file}`);
    } catch (error) {
      if (isErrno(error, "ENOENT", "EACCES")) return undefined;
      throw error;
    }
  }

  /** Whether the folder still has its own path: another process may have moved or removed it. */
  isInPlace(): boolean {
    if (this.#file !== undefined) return this.#target() === this.#real;
    return lstatSync(this.#folder, { throwIfNoEntry: false }) !== undefined;
  }

  /** The failure for a folder that is not in place. */
  moved(cause?: unknown): ConsultaError {
    const reason = `${this.#folder} is gone: it was moved or removed while it was worked in`;
    return new ConsultaError("UNAVAILABLE", `busy: ${reason}; ${tryAgain}`, { cause });
  }

  /** What to throw for an error: a name may be missing because the folder is; no message shows `at`. */
  failure(error: unknown): unknown {
    if (!(error instanceof ConsultaError)) {
      return isErrno(error, "ENOENT") && !this.isInPlace() ? this.moved(error) : error;
    }
    const message = error.message.replaceAll(`${this.at}/`, `${this.#folder}/`);
    return message === error.message ? error : new ConsultaError(error.code, message, error);
  }

  release(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Works in a folder that is held meanwhile; `work` gets the path to use. Throws what `HeldFolder` does. */
export function inFolder<T>(folder: string, work: (at: string) => T): T {
  if (folder.startsWith(openFiles)) return work(folder);
  const hold = new HeldFolder(folder);
  try {
    return work(hold.at);
  } catch (error) {
    throw hold.failure(error);
  } finally {
    hold.release();
  }
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

const guarded = new Set<string>();

/** From here on nothing at or below this folder is used through a link; workspaces always are so. */
export function guardFolder(folder: string): void {
  guarded.add(folder);
}

/**
 * Whether a path that leads to the folder `real` has no link at or below a guarded folder. Links above
 * that are the user's own choice.
 */
function isReachedWithoutLink(path: string, real: string): boolean {
  // What Linux writes after the path of a folder that was removed.
  const place = real.replace(/ \(deleted\)$/, "");
  if (path === place) return true;
  const whole = resolve(path);
  const cut = guardedFrom(whole);
  if (cut === undefined) return true;
  return join(realpathSync.native(whole.slice(0, cut) || sep), whole.slice(cut)) === place;
}

/** Where in a path the part begins that must hold no link; undefined when none must. */
function guardedFrom(path: string): number | undefined {
  const root = [...guarded].find((it) => `${path}${sep}`.startsWith(`${it}${sep}`));
  if (root !== undefined) return dirname(root).length;
  const cut = `${path}${sep}`.lastIndexOf(`${sep}.consulta${sep}`);
  return cut < 0 ? undefined : cut;
}

/**
 * Removes what is at a path with all that it holds. On Linux each folder is held open while it is
 * emptied: one that is swapped for a link in between leads nowhere. `rmSync` goes by paths and would follow.
 * @throws ConsultaError UNAVAILABLE when the disk refuses.
 */
export function removeTree(path: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    if (process.platform === "linux") heldPath(path, removeHeld);
    else rmSync(path, { recursive: true, force: true });
  } catch (error) {
    throw diskFailure(error, `remove ${path}`);
  }
}

function removeHeld(path: string): void {
  let folder: number;
  try {
    folder = openSync(path, constants.O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (!isErrno(error, "ENOTDIR", "ELOOP")) throw error;
    unlinkSync(path);
    return;
  }
  try {
    const held = `${openFiles}${folder}`;
    for (const name of readdirSync(held)) removeHeld(`${held}/${name}`);
  } finally {
    closeSync(folder);
  }
  rmdirSync(path);
}
