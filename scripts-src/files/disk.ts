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
} from "node:fs";
import { diskFailure, isErrno } from "./errno.ts";

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
export function lstatSync(path: string, _?: { throwIfNoEntry: false }): Stats | undefined {
  return ifThere(path, nodeLstat);
}

export function statSync(path: string, _?: { throwIfNoEntry: false }): Stats | undefined {
  return ifThere(path, nodeStat);
}

/** Whether a folder is there, links followed. */
export function isFolder(path: string): boolean {
  return statSync(path)?.isDirectory() === true;
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
