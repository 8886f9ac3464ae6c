import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import {
  ConsultaError,
  type FailureDetails,
  refused,
  tryAgain,
  unavailable,
} from "../base/errors.ts";
import { diskFailure, errnoOf, isErrno, orNothing, readSync } from "./disk.ts";

// Windows knows none of these flags: there the look before opening has to do.
const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Opens a file of our own and nothing else; `flags` are those of open(2), a new file gets 0600.
 * @throws ConsultaError REFUSED for a link, folder, FIFO or device; never waits for a FIFO.
 */
export function openRegularFile(path: string, flags: number): number {
  const file = openWithoutFollowing(path, flags);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw notRegular(path);
}

function openWithoutFollowing(path: string, flags: number): number {
  try {
    if (O_NOFOLLOW === 0 && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw followsLink(path);
    }
    return heldPath(path, (at) => openSync(at, flags | O_NOFOLLOW | O_NONBLOCK, 0o600));
  } catch (error) {
    if (isErrno(error, "ELOOP", "EMLINK")) throw followsLink(path, error);
    if (isErrno(error, "EISDIR", "ENXIO", "ENODEV")) throw notRegular(path, error);
    // Whoever reads asks whether the file is there: it is not where its folder is missing either.
    const isMissing = (flags & constants.O_CREAT) === 0 && isErrno(error, "ENOENT");
    throw isMissing && error instanceof ConsultaError ? error.cause : error;
  }
}

/** The one sentence for every link that Consulta meets. */
export function followsLink(path: string, cause?: unknown): ConsultaError {
  const fault = "is a link; Consulta does not follow links: replace it by a real file or folder";
  return fileFault(path, fault, { cause, reason: "link" });
}

function notRegular(path: string, cause?: unknown): ConsultaError {
  return fileFault(path, "is not a regular file: move it away", { cause });
}

/** The refusal of a file, `fault` after its path. */
export function fileFault(
  path: string,
  fault: string,
  details: FailureDetails = {},
): ConsultaError {
  return refused(`${path} ${fault}`, { ...details, fault });
}

/**
 * For a file that is written in place: a second name of it may be anything of the user's.
 * @throws ConsultaError REFUSED when it has one.
 */
export function refuseOtherNames(path: string, { nlink }: Stats): void {
  if (nlink <= 1) return;
  throw fileFault(path, "has another name as well (a hard link): replace it by a copy of its own");
}

/** Opens, works and closes, also when the work throws; `status` is how the file was when it was opened. */
export function withRegularFile<T>(
  path: string,
  flags: number,
  work: (file: number, status: Stats) => T,
): T {
  const file = openRegularFile(path, flags);
  try {
    return work(file, fstatSync(file));
  } finally {
    closeSync(file);
  }
}

/** Reads `length` bytes from `offset`; fewer only when the file ends before. */
export function readBytes(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/**
 * Writes all of `bytes` at `offset`, or where the file is open at for null: one call may write
 * less than it was given.
 */
export function writeBytes(file: number, bytes: Uint8Array, offset: number | null): void {
  let done = 0;
  while (done < bytes.length) {
    const at = offset === null ? null : offset + done;
    done += writeSync(file, bytes, done, bytes.length - done, at);
  }
}

/**
 * Makes last what others have written into a file; nothing for one that is gone, is no regular file or
 * may not be opened.
 */
export function syncFile(path: string): void {
  try {
    // Windows syncs only what may be written.
    const flags = process.platform === "win32" ? constants.O_RDWR : constants.O_RDONLY;
    withRegularFile(path, flags, (file) => fsyncSync(file));
  } catch (error) {
    const isOthers = isErrno(error, "ENOENT", "EACCES", "EPERM", "EROFS", "EINVAL");
    if (!isOthers && !(error instanceof ConsultaError)) throw error;
  }
}

/** Makes the names in a folder durable, where the system can do that (Windows cannot). */
export function syncFolder(folder: string): void {
  let file: number | undefined;
  try {
    file = openSync(folder, constants.O_RDONLY);
    fsyncSync(file);
  } catch (error) {
    const code = errnoOf(error) ?? "";
    const unsupported = ["EISDIR", "EINVAL", "ENOTSUP", "EBADF"].includes(code);
    if (!unsupported && !(process.platform === "win32" && code !== "")) throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Removes a file nobody needs; one that cannot be removed is left for the next sweep. */
export function discard(path: string): void {
  // What a link leads to is nobody's to remove either.
  orNothing(() => heldPath(path, unlinkSync));
}

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
    throw refused(
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
    return unavailable(`busy: ${reason}; ${tryAgain}`, { cause });
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
