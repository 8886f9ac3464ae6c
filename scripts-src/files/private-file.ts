import { chmodSync, constants, lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { shellWord } from "../base/escape-untrusted-text.ts";
import { readWhole, textIn } from "./atomic-file.ts";
import { diskFailure, isErrno } from "./errno.ts";
import { followsLink, withRegularFile } from "./regular-file.ts";
import { ensureFolder } from "./safe-path.ts";

/**
 * Reads a file that nobody but the user may have written. `why` is the reason in the error; `forbidden` is the
 * mask of mode bits that the file must not have.
 * @throws ConsultaError REFUSED when it, or its folder, is a link, somebody else's, or others may write
 * to it, and as `readFileIfPresent` does.
 */
export function readOwnFile(
  path: string,
  maxBytes: number,
  why = "it names programs",
  forbidden = 0o022,
): string | undefined {
  try {
    // Most often there is none, and an error for it would cost each start half a millisecond.
    const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
    const found = folder && lstatSync(path, { throwIfNoEntry: false });
    if (folder === undefined || found === undefined) return undefined;
    if (folder.isSymbolicLink()) throw followsLink(dirname(path));
    checkOwner(dirname(path), folder, why);
    checkMode(dirname(path), folder, why, 0o022);
    // What is read is what was looked at: no name is followed twice.
    return withRegularFile(path, constants.O_RDONLY, (file, status) => {
      checkOwner(path, status, why);
      checkMode(path, status, why, forbidden);
      return textIn(readWhole(file, path, maxBytes, status), path);
    });
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw diskFailure(error, `read ${path}`);
  }
}

/**
 * Makes a folder below `root` for the user alone, and closes one that others may look into.
 * @throws ConsultaError REFUSED when it is somebody else's, and as `ensureFolder` does.
 */
export function ensureOwnFolder(root: string, name: string, why: string): string {
  const path = ensureFolder(root, name);
  try {
    const status = lstatSync(path);
    checkOwner(path, status, why);
    // Only where others have a right: a file system without modes of its own may refuse every chmod.
    if ((status.mode & 0o077) !== 0) chmodSync(path, 0o700);
  } catch (error) {
    throw diskFailure(error, `close ${path} to others`);
  }
  return path;
}

/** @throws ConsultaError REFUSED for what is somebody else's. */
export function checkOwner(path: string, { uid }: Stats, why: string): void {
  // Windows has neither owner nor mode: there the home folder itself keeps others out.
  const user = process.getuid?.();
  if (user === undefined || uid === user) return;
  const reason = `${path} belongs to user ${uid}, expected ${user}, who runs this`;
  throw new ConsultaError(
    "REFUSED",
    `${reason}: ${why}; make it yours: chown ${user} ${shellWord(path)}`,
  );
}

function checkMode(path: string, { mode }: Stats, why: string, forbidden: number): void {
  if (process.getuid === undefined || (mode & forbidden) === 0) return;
  const may = (mode & 0o022) === 0 ? "read" : "written";
  const rights = (mode & 0o777).toString(8);
  const remedy = forbidden === 0o022 ? "go-w" : "go-rwx";
  throw new ConsultaError(
    "REFUSED",
    `${path} may be ${may} by others (mode ${rights}), and ${why}: chmod ${remedy} ${shellWord(path)}`,
  );
}
