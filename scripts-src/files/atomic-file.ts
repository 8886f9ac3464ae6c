import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  linkSync,
  readdirSync,
  renameSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import { ConsultaError, refused } from "../base/errors.ts";
import { diskFailure, existsSync, isErrno, linkFailure, lstatSync, orNothing } from "./disk.ts";
import {
  discard,
  fileFault,
  heldPath,
  heldPaths,
  openRegularFile,
  readBytes,
  refuseOtherNames,
  syncFolder,
  withRegularFile,
  writeBytes,
} from "./safe-open.ts";

export interface WriteOptions {
  /**
   * What of it outlives a power cut, not only a crash of the process:
   * `all`, the default: its content and its name.
   * `content`: the old file or the new one, each whole; for what replaces a file that is not to be lost.
   * `nothing`: for what follows from the log and is made again where it is missing, empty or torn.
   */
  readonly sync?: "all" | "content" | "nothing";
  /** When it was last changed, as the file is to say: else now. */
  readonly changedMs?: number;
  /** Its rights, whatever the umask says. */
  readonly mode?: number;
}

const temporaryPrefix = ".tmp-";

/** Tells this file from every other that any process makes at the same time. */
export function uniqueSuffix(): string {
  const random = Math.random().toString(36).slice(2, 10);
  return `${process.pid}-${process.hrtime.bigint().toString(36)}-${random}`;
}

/**
 * Puts a file in place, whole: readers see the old content or the new, never a part.
 * @throws ConsultaError REFUSED when a folder has that name; UNAVAILABLE when the disk is full or
 * refuses; the old content stays.
 */
export function writeFileAtomically(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): void {
  try {
    place(path, data, options, (temporary, at) => {
      renameSync(temporary, at);
      return true;
    });
  } catch (error) {
    if (isErrno(error, "EISDIR")) {
      throw refused(`${path} is a folder: move it away`, { cause: error });
    }
    throw diskFailure(error, `write ${path}`);
  }
}

/**
 * Puts a file in place unless the name is taken; false when it is. The file is whole as soon as
 * it has its name.
 * @throws ConsultaError UNAVAILABLE when the disk is full or refuses.
 */
export function createFileExclusively(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): boolean {
  try {
    return place(path, data, options, (temporary, at) => {
      // link() fails when the name is taken; rename() would replace the other's file.
      const isMade = linkUnlessTaken(temporary, at);
      discard(temporary);
      return isMade;
    });
  } catch (error) {
    throw diskFailure(error, `create ${path}`);
  }
}

/** Writes a file under another name and has it `named`; says whether it got its name. */
function place(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions,
  named: (temporary: string, at: string) => boolean,
): boolean {
  return heldPath(path, (at) => {
    const temporary = join(dirname(at), `${temporaryPrefix}${uniqueSuffix()}`);
    try {
      writeNewFile(temporary, data, options);
      if (!named(temporary, at)) return false;
    } catch (error) {
      discard(temporary);
      throw error;
    }
    syncName(at, options);
    return true;
  });
}

function syncName(path: string, { sync = "all" }: WriteOptions): void {
  if (sync === "all") syncFolder(dirname(path));
}

/** Writes a file under a name that is not in use; the name itself is not synced. */
export function writeNewFile(
  path: string,
  data: string | Uint8Array,
  { sync = "all", changedMs, mode }: WriteOptions,
): void {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const file = openRegularFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  try {
    writeBytes(file, bytes, 0);
    if (mode !== undefined) fchmodSync(file, mode);
    if (changedMs !== undefined) futimesSync(file, changedMs / 1_000, changedMs / 1_000);
    if (sync !== "nothing") fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Appends to a file, made where it is missing, in one write at its end: what others append at the
 * same time stands before or after it.
 * @throws ConsultaError UNAVAILABLE when the disk is full or refuses.
 */
export function appendToFile(path: string, text: string, options: WriteOptions = {}): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;
  try {
    withRegularFile(path, flags, (file) => {
      const isNamed = !isBeingNamed(path);
      const status = fstatSync(file);
      if (isNamed) refuseOtherNames(path, status);
      writeBytes(file, Buffer.from(text), null);
      if (options.sync === "nothing") return;
      fsyncSync(file);
      if (status.size === 0) syncName(path, options);
    });
  } catch (error) {
    throw diskFailure(error, `append to ${path}`);
  }
}

/** Whether a file has its other name from the process that made it just now, or died over that. */
function isBeingNamed(path: string): boolean {
  const status = lstatSync(path);
  if (status?.nlink !== 2) return false;
  const names = namesIn(dirname(path)).filter((name) => name.startsWith(temporaryPrefix));
  return names.some((name) => lstatSync(join(dirname(path), name))?.ino === status.ino);
}

/** Gives a file one more name; false when that name is taken. */
export function linkUnlessTaken(from: string, to: string): boolean {
  try {
    heldPaths(from, to, linkSync);
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw linkFailure(error, `create ${to}`);
  }
}

/**
 * The text of a file, or undefined when there is none; a byte order mark is taken off.
 * @throws ConsultaError REFUSED for a link, folder, FIFO or device, above `maxBytes`, or when the
 * content is not UTF-8; UNAVAILABLE when the disk refuses.
 */
export function readFileIfPresent(path: string, maxBytes: number): string | undefined {
  const bytes = readBytesIfPresent(path, maxBytes);
  return bytes === undefined ? undefined : textIn(bytes, path);
}

/** What a file says; undefined when there is none, and for whatever `readFileIfPresent` refuses. */
export function textIfSound(path: string, maxBytes: number): string | undefined {
  try {
    return readFileIfPresent(path, maxBytes);
  } catch (error) {
    if (error instanceof ConsultaError && error.code === "REFUSED") return undefined;
    throw error;
  }
}

/** @throws ConsultaError REFUSED when the bytes of a file are not UTF-8. */
export function textIn(bytes: Buffer, path: string): string {
  // A TextDecoder would take a millisecond to make; the check is the same.
  if (isUtf8(bytes)) return withoutMark(bytes.toString("utf8"));
  throw fileFault(path, "is not UTF-8 text: save it as UTF-8", { reason: "not text" });
}

/** Whether a text has no content but the zeros that a power cut leaves. */
export function isHollow(text: string): boolean {
  return text.replaceAll("\0", "").trim() === "";
}

/** A text without the byte order mark that some editors put in front. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** The bytes of a file, or undefined when there is none; refuses what `readFileIfPresent` does. */
export function readBytesIfPresent(path: string, maxBytes: number): Buffer | undefined {
  try {
    return withRegularFile(path, constants.O_RDONLY, (file, status) =>
      readWhole(file, path, maxBytes, status),
    );
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw diskFailure(error, `read ${path}`);
  }
}

/** @throws ConsultaError REFUSED when the open file is larger than `maxBytes`. */
export function readWhole(
  file: number,
  path: string,
  maxBytes: number,
  { size }: Pick<Stats, "size"> = fstatSync(file),
): Buffer {
  if (size <= maxBytes) return readBytes(file, 0, size);
  throw fileFault(path, `has ${size} bytes; the limit is ${maxBytes}: make it shorter`);
}

/**
 * Renames a file and replaces `to`. Of several processes that move the same file one gets true;
 * false means that `from` is gone.
 */
export function moveFile(from: string, to: string): boolean {
  for (let tries = 1; ; tries += 1) {
    try {
      heldPaths(from, to, renameSync);
      return true;
    } catch (error) {
      const isMissing = isErrno(error, "ENOENT");
      if (isMissing && lstatSync(from) === undefined) return false;
      // It was gone and came again: another process delivered it again in between.
      const again = isMissing && tries < moveTries && existsSync(dirname(to));
      if (!again) throw diskFailure(error, `move ${from} to ${to}`);
    }
  }
}

const moveTries = 10;

/** No writer of ours takes so long to give a file its name. */
const longestWriteMs = 3_600_000;

/** Removes what dead writers left in a folder; never fails over a file it cannot remove. */
export function sweepTemporaryFiles(folder: string, names = namesIn(folder)): void {
  for (const name of names.filter((it) => it.startsWith(temporaryPrefix))) {
    discardIfOld(join(folder, name), longestWriteMs);
  }
}

export function discardIfOld(path: string, olderThanMs: number): void {
  orNothing(() => isOlderThan(path, olderThanMs) && discard(path));
}

/** Sets when a regular file was last written. */
export function touchFile(path: string, seconds: number): void {
  withRegularFile(path, constants.O_RDONLY, (file) => futimesSync(file, seconds, seconds));
}

/** Whether a regular file was last written longer ago than that. */
export function isOlderThan(path: string, olderThanMs: number): boolean {
  const status = lstatSync(path);
  return status?.isFile() === true && Date.now() - status.mtimeMs > olderThanMs;
}

/** The names in a folder; none when it is missing. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw diskFailure(error, `list ${folder}`);
  }
}
