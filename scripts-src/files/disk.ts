import {
  constants,
  type Dirent,
  copyFileSync as nodeCopyFile,
  lstatSync as nodeLstat,
  readSync as nodeRead,
  readdirSync as nodeReaddir,
  readFileSync as nodeReadFile,
  realpathSync as nodeRealpath,
  renameSync as nodeRename,
  statSync as nodeStat,
  type Stats,
  statfsSync,
} from "node:fs";
import { constants as system } from "node:os";
import { ConsultaError, unavailable } from "../base/errors.ts";

/**
 * The calls of `node:fs` that the other rooms use, by their own names. A disk that refuses is
 * UNAVAILABLE in one line, and never taken for "nothing is there"; what a path may simply be, such
 * as missing or not a folder, is left to the caller.
 */

/** Codes that say what is at a path, or that nothing can. */
const nothingThere = ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EINVAL"];
const aboutThePath = [...nothingThere, "EEXIST", "ENOTEMPTY", "EISDIR"];

/** Whether something is there that this user may see, links followed. */
export function existsSync(path: string): boolean {
  try {
    return nodeStat(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isErrno(error, ...nothingThere, "EACCES", "EPERM")) return false;
    throw diskFailure(error, `look at ${path}`);
  }
}

/** What is at a path, a link itself and not what it leads to. */
export function lstatSync(path: string): Stats | undefined {
  return ifThere(path, nodeLstat);
}

export function statSync(path: string): Stats | undefined {
  return ifThere(path, nodeStat);
}

/** Whether a folder is there, links followed. */
export function isFolder(path: string): boolean {
  return statSync(path)?.isDirectory() === true;
}

/** Whether the disk of a folder has no room left for this user; false where the system does not tell. */
export function isDiskFull(folder: string): boolean {
  return orNothing(() => statfsSync(folder))?.bavail === 0;
}

/** Whether a folder is there and no link to one, which may lead to files that are not ours. */
export function isRealFolder(path: string): boolean {
  return lstatSync(path)?.isDirectory() === true;
}

type Look = (path: string, options: { throwIfNoEntry: false }) => Stats | undefined;

function ifThere(path: string, look: Look): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isErrno(error, ...nothingThere)) return undefined;
    throw diskFailure(error, `look at ${path}`);
  }
}

/** Linux finds the same path in one call; elsewhere the two spell some paths in different ways. */
const realpath = process.platform === "linux" ? nodeRealpath.native : nodeRealpath;

export const realpathSync = Object.assign(
  (path: string) => asked(`look at ${path}`, () => realpath(path)),
  { native: (path: string) => asked(`look at ${path}`, () => nodeRealpath.native(path)) },
);

export function readdirSync(path: string): string[];
export function readdirSync(
  path: string,
  options: { withFileTypes: true; recursive?: boolean },
): Dirent[];
export function readdirSync(
  path: string,
  options?: { withFileTypes: true; recursive?: boolean },
): string[] | Dirent[] {
  return asked(`list ${path}`, () =>
    options === undefined ? nodeReaddir(path) : nodeReaddir(path, options),
  );
}

export function readFileSync(path: string): Buffer {
  return asked(`read ${path}`, () => untilDone(() => nodeReadFile(path)));
}

/** Copies a file to a name that is free. */
export function copyFileExclusively(from: string, to: string): void {
  asked(`copy ${from} to ${to}`, () => nodeCopyFile(from, to, constants.COPYFILE_EXCL));
}

export function renameSync(from: string, to: string): void {
  asked(`move ${from} to ${to}`, () => nodeRename(from, to));
}

function asked<T>(task: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw isErrno(error, ...aboutThePath) ? error : diskFailure(error, task);
  }
}

/** Like `readSync` of Node, which does not read again when a signal interrupts it. */
export function readSync(...args: [number, Uint8Array, number, number, number | null]): number {
  return untilDone(() => nodeRead(...args));
}

const interruptionsMax = 100;

/** Makes a call again that a signal interrupted: nothing came of it. */
function untilDone<T>(call: () => T): T {
  for (let tries = 1; ; tries += 1) {
    try {
      return call();
    } catch (error) {
      if (!isErrno(error, "EINTR") || tries >= interruptionsMax) throw error;
    }
  }
}

const again = "and run this again";
const owner = "check who owns the file and its folder";
const full = `the disk is full or its quota used up; free some space ${again}`;
const exhausted = `the machine has no room for it; close some programs ${again}`;
const lost = `the network share was lost; mount it again ${again}`;

/** What a person can do about each failure of a disk. */
const advice: Readonly<Record<string, string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: `the file may not grow further; raise the file size limit ${again}`,
  EIO: "the disk reports an error; check the disk, then run this again",
  EROFS: "the file system is read-only; make it writable or use another folder",
  EACCES: `permission is denied; ${owner}`,
  EPERM: `it is not permitted; ${owner}`,
  EBUSY: "another program holds it; close that program or run this again",
  EMFILE: exhausted,
  ENFILE: exhausted,
  ENOMEM: exhausted,
  ENOTDIR: `a file is where a folder has to be; move it away ${again}`,
  ENAMETOOLONG: "the name is too long; choose a shorter one",
  ESTALE: lost,
  ENOTCONN: lost,
  EHOSTDOWN: lost,
  EINTR: "it was interrupted; run this again",
};

/** The code of a failed system call, also where a sentence tells of it; undefined for other errors. */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof ConsultaError) return errnoOf(error.cause);
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return undefined;
  if (typeof error.code !== "string") return undefined;
  const isNamed = !error.code.startsWith("Unknown system error");
  return isNamed || !("errno" in error) ? error.code : nameOf(Number(error.errno));
}

/** Node has no names for some codes, such as those of a quota and of a lost share. */
function nameOf(errno: number): string {
  const named = Object.entries(system.errno).find(([, number]) => number === -errno);
  return named?.[0] ?? `error ${errno}`;
}

/** What a look finds; undefined where the disk or what is on it forbids the look. A bug is thrown on. */
export function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (cause) {
    return unlessBug(cause);
  }
}

/** As `orNothing`, for a look that is a promise. */
export async function orNothingAsync<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (cause) {
    return unlessBug(cause);
  }
}

function unlessBug(cause: unknown): undefined {
  if (!(cause instanceof ConsultaError) && errnoOf(cause) === undefined) throw cause;
}

export function isErrno(error: unknown, ...codes: string[]): boolean {
  const code = errnoOf(error);
  return code !== undefined && codes.includes(code);
}

/**
 * Turns what the disk refused into UNAVAILABLE, or REFUSED for a path that cannot be, one line with a
 * way out; any other error comes back as it is. `task` completes "cannot ...", such as "write /a/b".
 */
export function diskFailure(error: unknown, task: string): unknown {
  if (error instanceof ConsultaError) return error;
  const code = errnoOf(error) ?? "";
  const help = advice[code];
  if (help === undefined) return error;
  const kind = code === "ENAMETOOLONG" ? "REFUSED" : "UNAVAILABLE";
  return new ConsultaError(kind, `cannot ${task}: ${help} (${code})`, { cause: error });
}

/** Turns a refused link() into UNAVAILABLE: file systems without hard links cannot hold a log. */
export function linkFailure(error: unknown, task: string): unknown {
  const isUnsupported = isErrno(
    error,
    ...["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EMLINK"],
  );
  if (!isUnsupported) return diskFailure(error, task);
  const help = "this file system has no hard links; put the workspace on a local disk";
  return unavailable(`cannot ${task}: ${help} (${errnoOf(error)})`, {
    cause: error,
  });
}
