import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { uniqueSuffix, writeNewFile } from "./atomic-file.ts";
import { lstatSync } from "./disk.ts";
import { diskFailure, isErrno } from "./errno.ts";
import { heldPath } from "./held-folder.ts";
import { discard, syncFolder } from "./regular-file.ts";

/**
 * Why a file below a project cannot be written, or undefined when it can: a link on the way, a
 * folder in its place, no permission. Nothing is touched.
 */
export function writeFault(project: string, path: string): string | undefined {
  const names = path.split("/");
  let place = project;
  for (const [index, name] of names.entries()) {
    const parent = place;
    place = join(place, name);
    const status = fileStatus(place);
    if (status === undefined) return mayWrite(parent) ? undefined : notWritable(parent);
    const shown = names.slice(0, index + 1).join("/");
    if (status.isSymbolicLink()) return `${shown} is a link, and links are not followed`;
    const isLast = index === names.length - 1;
    if (!isLast && !status.isDirectory()) return `${shown} is not a folder`;
    if (isLast && !status.isFile()) return `${shown} is not a regular file`;
    if (isLast && !(mayWrite(place) && mayWrite(parent))) return notWritable(place);
  }
  return undefined;
}

function notWritable(place: string): string {
  return `${place} is not writable for you`;
}

/** What is at a path, links not followed; undefined when nothing is. */
export function fileStatus(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes a file of a project, whole or not at all. It keeps the rights it had; a new one gets the
 * rights that the user's umask allows, because unlike our own files it may be shared.
 */
export function writeProjectFile(
  path: string,
  data: string | Uint8Array,
  isProgram: boolean,
): void {
  const fresh = (isProgram ? 0o777 : 0o666) & ~process.umask();
  try {
    makeFolders(dirname(path));
    heldPath(path, (at) => {
      const temporary = join(dirname(at), `.tmp-${uniqueSuffix()}`);
      try {
        writeNewFile(temporary, data, { sync: "content" });
        chmodSync(temporary, (fileStatus(at)?.mode ?? fresh) & 0o777);
        renameSync(temporary, at);
        syncFolder(dirname(at));
      } catch (error) {
        discard(temporary);
        throw error;
      }
    });
  } catch (error) {
    throw diskFailure(error, `write ${path}`);
  }
}

/** Makes a folder and all that are missing above it, with the rights that new folders get here. */
function makeFolders(folder: string): void {
  if (fileStatus(folder) !== undefined) return;
  makeFolders(dirname(folder));
  try {
    heldPath(folder, (at) => {
      mkdirSync(at);
      // A power cut must not lose the folder of a file that it does not lose.
      syncFolder(dirname(at));
    });
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
}

/** Removes a file of a project, if it is there. */
export function removeProjectFile(path: string): void {
  if (fileStatus(path) !== undefined) heldPath(path, (at) => rmSync(at, { force: true }));
}

/** Removes a folder of a project, if it is there; fails unless it is empty. */
export function removeProjectFolder(path: string): void {
  if (fileStatus(path) !== undefined) heldPath(path, (at) => rmdirSync(at));
}
