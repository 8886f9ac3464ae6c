import { constants, fstatSync, lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { readFileIfPresent } from "./atomic-file.ts";
import { diskFailure, isErrno } from "./errno.ts";
import { followsLink, withRegularFile } from "./regular-file.ts";

/**
 * Reads a file that nobody but the user may have written: what it names is run.
 * @throws ConsultaError REFUSED when it, or its folder, is a link, somebody else's, or others may write
 * to it, and as `readFileIfPresent` does.
 */
export function readOwnFile(path: string, maxBytes: number): string | undefined {
  try {
    withRegularFile(path, constants.O_RDONLY, (file) => checkOwn(path, fstatSync(file)));
    const folder = lstatSync(dirname(path));
    if (folder.isSymbolicLink()) throw followsLink(dirname(path));
    checkOwn(dirname(path), folder);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw diskFailure(error, `read ${path}`);
  }
  return readFileIfPresent(path, maxBytes);
}

function checkOwn(path: string, { uid, mode }: Stats): void {
  // Windows has neither: there the home folder itself keeps others out.
  const user = process.getuid?.();
  if (user === undefined) return;
  if (uid !== user) {
    const reason = `${path} belongs to user ${uid}, expected ${user}, who runs this`;
    throw new ConsultaError("REFUSED", `${reason}: it names programs; make it yours: chown`);
  }
  if ((mode & 0o022) === 0) return;
  const rights = (mode & 0o777).toString(8);
  throw new ConsultaError(
    "REFUSED",
    `${path} may be written by others (mode ${rights}), and it names programs: chmod go-w ${path}`,
  );
}
