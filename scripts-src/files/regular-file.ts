import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { ConsultaError, type FailureDetails } from "../base/errors.ts";
import { readSync } from "./disk.ts";
import { errnoOf, isErrno, orNothing } from "./errno.ts";
import { heldPath } from "./open-directory.ts";

// Windows knows neither flag: there the look before opening has to do.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

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
  return new ConsultaError("REFUSED", `${path} ${fault}`, { ...details, fault });
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
