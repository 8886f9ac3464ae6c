import { closeSync, constants, openSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { isErrno } from "./errno.ts";

const { O_DIRECTORY = 0 } = constants;
/** Opens a folder to name files in it, also where its list may not be read; Node has no name for it. */
const O_PATH = 0o10000000;
const held = "/proc/self/fd/";

/**
 * Works in a folder that stays the same while the work lasts, under the path that `work` gets: between
 * a look at a path and its use somebody may put a link in the place of any folder on it. Linux alone
 * can hold a folder so; elsewhere the path is used as it is.
 * @throws ConsultaError REFUSED when a link on the way leads elsewhere.
 */
export function inFolder<T>(folder: string, work: (at: string) => T): T {
  if (process.platform !== "linux" || folder.startsWith(held)) return work(folder);
  const file = openSync(folder, O_PATH | O_DIRECTORY);
  try {
    const real = realPathOf(file);
    if (real === undefined) return work(folder);
    if (!isPlace(folder, real)) throw ledElsewhere(folder);
    return work(`${held}${file}`);
  } finally {
    closeSync(file);
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

/** Whether an open file is the one at this path, reached without a link; true where nobody can tell. */
export function isFileAt(path: string, file: number): boolean {
  if (process.platform !== "linux" || path.startsWith(held)) return true;
  const real = realPathOf(file);
  return real === undefined || isPlace(path, real);
}

export function ledElsewhere(path: string): ConsultaError {
  return new ConsultaError(
    "REFUSED",
    `${path} is reached through a link; Consulta does not follow links: replace it by a real file or folder`,
  );
}

/** The parts of a script each hold a copy of this module: what one guards is guarded for all. */
declare global {
  var consultaGuardedFolders: Set<string> | undefined;
}

globalThis.consultaGuardedFolders ??= new Set();
const guarded = globalThis.consultaGuardedFolders;

/** From here on nothing at or below this folder is used through a link; workspaces always are so. */
export function guardFolder(folder: string): void {
  guarded.add(folder);
}

/** Where an open file lies by the system's own word; undefined without /proc. */
function realPathOf(file: number): string | undefined {
  try {
    return readlinkSync(`${held}${file}`).replace(/ \(deleted\)$/, "");
  } catch (error) {
    if (isErrno(error, "ENOENT", "EACCES")) return undefined;
    throw error;
  }
}

/** What lies above a guarded folder is the user's own choice and may be reached through links. */
function isPlace(path: string, real: string): boolean {
  if (path === real) return true;
  const whole = resolve(path);
  const cut = guardedFrom(whole);
  if (cut === undefined) return true;
  return join(realpathSync.native(whole.slice(0, cut) || sep), whole.slice(cut)) === real;
}

/** Where in a path the part begins that must hold no link. */
function guardedFrom(path: string): number | undefined {
  const root = [...guarded].find((it) => `${path}${sep}`.startsWith(`${it}${sep}`));
  if (root !== undefined) return dirname(root).length;
  const cut = `${path}${sep}`.lastIndexOf(`${sep}.consulta${sep}`);
  return cut < 0 ? undefined : cut;
}
