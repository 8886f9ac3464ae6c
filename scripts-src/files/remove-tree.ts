import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { diskFailure, isErrno } from "./errno.ts";
import { heldPath } from "./open-directory.ts";

const { O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

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
  const folder = openFolder(path);
  if (folder === undefined) {
    unlinkSync(path);
    return;
  }
  try {
    const held = `/proc/self/fd/${folder}`;
    for (const name of readdirSync(held)) removeHeld(`${held}/${name}`);
  } finally {
    closeSync(folder);
  }
  rmdirSync(path);
}

/** Undefined for what is no folder, such as a link to one. */
function openFolder(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (isErrno(error, "ENOTDIR", "ELOOP")) return undefined;
    throw error;
  }
}
