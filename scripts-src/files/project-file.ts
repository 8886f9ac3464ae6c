import { accessSync, constants, mkdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { writeFileAtomically } from "./atomic-file.ts";
import {
  diskFailure,
  existsSync,
  isErrno,
  isFolder,
  lstatSync,
  orNothing,
  realpathSync,
} from "./disk.ts";
import { heldPath, syncFolder } from "./safe-open.ts";

/**
 * Why a file below a project cannot be written, or undefined when it can: a link on the way that is not
 * followed, a folder in its place, no permission. Nothing is touched.
 */
export function writeFault(project: string, path: string): string | undefined {
  const names = relative(project, realPlace(project, path)).split(sep);
  let place = project;
  for (const [index, name] of names.entries()) {
    const parent = place;
    place = join(place, name);
    const status = lstatSync(place);
    if (status === undefined) return mayWrite(parent) ? undefined : notWritable(parent);
    const shown = names.slice(0, index + 1).join("/");
    if (status.isSymbolicLink()) return `${shown} ${isNotFollowed}`;
    const isLast = index === names.length - 1;
    if (!isLast && !status.isDirectory()) return `${shown} is not a folder`;
    if (isLast && !status.isFile()) return `${shown} is not a regular file`;
    if (isLast && !(mayWrite(place) && mayWrite(parent))) return notWritable(place);
  }
  return undefined;
}

const isNotFollowed =
  "is a link; followed are only those in place of a folder such as .claude/skills that lead to another folder of " +
  "this project: put the real file or folder in its place";

/**
 * How many of the first folders of a path may be links to other folders of the project: people keep
 * `.claude`, or `.claude/skills`, with those of another CLI.
 */
const linkedDepth = 2;

/** Where a file of a project is written: its path without the links that are followed. */
export function realPlace(project: string, path: string): string {
  const names = path.split("/");
  const linked = Math.min(linkedDepth, names.length - 1);
  const start = names.slice(0, linked).reduce((folder, name) => {
    const place = join(folder, name);
    return (lstatSync(place)?.isSymbolicLink() && folderWithin(project, place)) || place;
  }, project);
  return join(start, ...names.slice(linked));
}

/** The folder of a project that a link leads to; git's own is none. */
function folderWithin(project: string, link: string): string | undefined {
  if (!existsSync(link)) return undefined;
  const real = realpathSync(link);
  const near = relative(project, real).split(sep);
  const isInside = near[0] !== ".." && !isAbsolute(near.join(sep)) && !near.includes(".git");
  return isInside && isFolder(real) ? real : undefined;
}

function notWritable(place: string): string {
  return `${place} is not writable for you`;
}

function mayWrite(path: string): boolean {
  return orNothing(() => accessSync(path, constants.W_OK) ?? true) === true;
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
  makeFolders(dirname(path));
  writeFileAtomically(path, data, { mode: (lstatSync(path)?.mode ?? fresh) & 0o777 });
}

/** Makes a folder and all that are missing above it, with the rights that new folders get here. */
function makeFolders(folder: string): void {
  if (lstatSync(folder) !== undefined) return;
  makeFolders(dirname(folder));
  try {
    heldPath(folder, (at) => {
      mkdirSync(at);
      // A power cut must not lose the folder of a file that it does not lose.
      syncFolder(dirname(at));
    });
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw diskFailure(error, `make ${folder}`);
  }
}

/** Removes a file of a project, if it is there. */
export function removeProjectFile(path: string): void {
  if (lstatSync(path) !== undefined) heldPath(path, (at) => rmSync(at, { force: true }));
}

/** Removes a folder of a project, if it is there; fails unless it is empty. */
export function removeProjectFolder(path: string): void {
  if (lstatSync(path) !== undefined) heldPath(path, (at) => rmdirSync(at));
}
