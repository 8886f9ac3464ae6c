import { mkdirSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { isSafeName } from "../base/names.ts";
import { diskFailure, isErrno, lstatSync } from "./disk.ts";
import { sha256 } from "./hash.ts";
import { realPath } from "./home-folder.ts";
import { followsLink, heldPath, syncFolder } from "./safe-open.ts";

/**
 * The path of `names` below `root`; nothing has to exist.
 * @throws ConsultaError REFUSED when a name is not a single path component, or when `root` or
 * anything below it on the way is a link.
 */
export function safeJoin(root: string, ...names: string[]): string {
  return walk(root, names, checkNoLink);
}

/**
 * The path of one name in a folder that is known to be ours: whatever came from a log, a config or a
 * disk goes through here or through `safeJoin` before it is part of a path.
 * @throws ConsultaError REFUSED when the name is not a single path component.
 */
export function nameIn(folder: string, name: string): string {
  checkComponent(name);
  return join(folder, name);
}

/**
 * Like `safeJoin`, and makes the folders that are missing, readable by the owner only.
 * @throws ConsultaError REFUSED also when something on the way is not a folder; UNAVAILABLE when
 * the disk is full or refuses.
 */
export function ensureFolder(root: string, ...names: string[]): string {
  return walk(root, names, makeFolder);
}

/**
 * The absolute path of a file that an agent named by a relative path with slashes.
 * @throws ConsultaError REFUSED when the path could lead out of the project.
 */
export function resolveProjectFile(projectRoot: string, relativePath: string): string {
  if (isAbsolute(relativePath) || relativePath.startsWith("/")) {
    const reason = `path ${quote(relativePath)} is absolute`;
    throw refused(`${reason}: give it relative to the project's root`);
  }
  const names = relativePath.split("/").filter((name) => name !== "" && name !== ".");
  if (names.length === 0) {
    throw refused(`path ${quote(relativePath)} names no file`);
  }
  return safeJoin(resolve(projectRoot), ...names);
}

/** Visits `root` and each place below it, in order. */
function walk(root: string, names: string[], visit: (path: string) => void): string {
  names.forEach(checkComponent);
  const places = names.map((_, index) => join(root, ...names.slice(0, index + 1)));
  for (const place of [root, ...places]) visit(place);
  return places.at(-1) ?? root;
}

function checkComponent(name: string): void {
  // On Windows a colon opens another drive or a hidden stream of a file.
  const forbidden = process.platform === "win32" ? /[/\\\0:]/ : /[/\\\0]/;
  if (name !== "" && name !== "." && name !== ".." && !forbidden.test(name)) return;
  const reason = `${quote(name)} cannot be part of a path`;
  throw refused(`${reason}: use a plain name without slashes, not . or ..`);
}

function checkNoLink(path: string): void {
  if (lstatSync(path)?.isSymbolicLink()) throw followsLink(path);
}

function makeFolder(path: string): void {
  let status = lstatSync(path);
  if (status === undefined) {
    createFolder(path);
    status = lstatSync(path);
  }
  if (status?.isSymbolicLink()) throw followsLink(path);
  if (status?.isDirectory() === false) {
    throw refused(`${path} is not a folder: move it away`);
  }
}

function createFolder(path: string, parentIsThere = false): void {
  try {
    // Not `recursive`: Node reports ENOENT there for a disk that fails.
    heldPath(path, (at) => {
      mkdirSync(at, { mode: 0o700 });
      syncFolder(dirname(at));
    });
  } catch (error) {
    // Somebody was faster; what they made is looked at next.
    if (isErrno(error, "EEXIST")) return;
    if (!isErrno(error, "ENOENT")) throw diskFailure(error, `create the folder ${path}`);
    if (parentIsThere) {
      throw refused(`${dirname(path)} cannot hold folders: use another one`);
    }
    createFolder(dirname(path));
    createFolder(path, true);
  }
}

/**
 * A name as a part of a path. Others may have chosen one that cannot be part of it: that is told by
 * its checksum, with a sign no safe name begins with.
 */
export function fileNameOf(name: string): string {
  return isSafeName(name) ? name : `~${sha256(name).slice(0, 8)}`;
}

/**
 * Whether a folder is another one, or below it: by its name, or where links lead. A name below it that leads
 * elsewhere counts too, since who may write there can make it lead anywhere. Neither need exist.
 */
export function isWithin(folder: string, outer: string): boolean {
  return isBelow(folder, outer) || isBelow(realPath(folder), realPath(outer));
}

function isBelow(folder: string, outer: string): boolean {
  return join(folder, "/").startsWith(join(outer, "/"));
}
