import { accessSync, chmodSync, constants, lstatSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { uniqueSuffix, writeNewFile } from "./atomic-file.ts";
import { diskFailure, errnoOf } from "./errno.ts";
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
    const status = statusOf(place);
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

/** What lies at a path, links not followed; undefined where nothing does, whatever is above it. */
export function statusOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return undefined;
    throw diskFailure(error, `look at ${path}`);
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Each new folder's name outlives a power cut, as the file in it does. */
function makeFolders(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    syncFolder(dirname(made));
  }
}

/**
 * Puts a file of a project in place, whole, with the rights it had or those that new files get
 * here: unlike our own files it is the user's and may be shared.
 */
export function writeProjectFile(path: string, data: string | Uint8Array, runs: boolean): void {
  const folder = dirname(path);
  const temporary = join(folder, `.tmp-${uniqueSuffix()}`);
  const fresh = (runs ? 0o777 : 0o666) & ~process.umask();
  try {
    makeFolders(folder);
    writeNewFile(temporary, data, { sync: "content" });
    chmodSync(temporary, (statusOf(path)?.mode ?? fresh) & 0o777);
    renameSync(temporary, path);
    syncFolder(folder);
  } catch (error) {
    discard(temporary);
    throw diskFailure(error, `write ${path}`);
  }
}
