import { isUtf8 } from "node:buffer";
import { constants, fstatSync, type Stats } from "node:fs";
import { ConsultaError, refused } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { readBytesIfPresent, readWhole, textIn } from "../files/atomic-file.ts";
import { diskFailure, isErrno, lstatSync, orNothing, realpathSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { guardFolder, readBytes, withRegularFile } from "../files/safe-open.ts";
import { resolveProjectFile } from "../files/safe-path.ts";
import { checkLimits } from "./check-limits.ts";

/**
 * Names that no citation may go through: secrets, and `.consulta` and `.git`, whose files a participant could
 * write itself and then cite as proof.
 */
const keptFromEvidence =
  /^(?:\.git|\.consulta|\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.env(?:\..*)?|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|keystore))$/i;

/** Whether this one name in a path forbids to cite what lies there. */
export function isKeptFromEvidence(name: string): boolean {
  return keptFromEvidence.test(name);
}

/**
 * Where a path below the project leads, through no link. `project` is made real: what is above it is
 * the user's own choice.
 * @throws ConsultaError REFUSED for a path that leads out, through a link, or to what is kept from evidence.
 */
export function placeBelow(project: string, path: string): string {
  const root = realpathSync(project);
  const kept = path.split("/").find(isKeptFromEvidence);
  if (kept !== undefined) {
    const reason = `${quote(path)} may hold secrets or a session's own files (${quote(kept)})`;
    throw refused(`${reason}: cite the project's code or documents`);
  }
  guardFolder(root);
  const isRoot = path.split("/").every((name) => name === "" || name === ".");
  return isRoot ? root : withCitationErrors(path, () => resolveProjectFile(root, path));
}

/** `SHA-256 path` of a file below the project as it is now, or `gone path`; undefined for what nobody may look at. */
export function fileNow(project: string, path: string): string | undefined {
  const read = () => readBytesIfPresent(placeBelow(project, path), checkLimits.fileBytes) ?? "";
  const bytes = orNothing(read);
  return bytes === undefined ? undefined : `${bytes === "" ? "gone" : sha256(bytes)} ${path}`;
}

/**
 * The lines of a text file below the project, as they are at one moment; a line feed ends the last one.
 * Undefined where nothing is there.
 * @throws ConsultaError REFUSED in one line for anything else: a link, a folder, a device, binary, too large,
 * no rights, changed while it was read.
 */
export function readCitedLines(project: string, path: string): string[] | undefined {
  const place = placeBelow(project, path);
  const text = withCitationErrors(path, () => readStill(place, path));
  return text?.replace(/\r?\n$/, "").split(/\r?\n/);
}

/**
 * Runs `look`; turns its errors into refusals that name the path as the author wrote it, but for a failing disk:
 * see `diskFailure`.
 */
function withCitationErrors<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (cause) {
    const refused = (fault: string) => wrong(path, fault, cause);
    if (isErrno(cause, "ENOENT")) throw refused("it was taken away while it was read");
    if (isErrno(cause, "ENOTDIR", "ENAMETOOLONG")) throw refused("it is no path of a file");
    if (isErrno(cause, "EACCES", "EPERM")) throw refused("you may not read it");
    const failure = diskFailure(cause, `read ${path}`);
    if (!(failure instanceof ConsultaError) || failure.code === "UNAVAILABLE") throw failure;
    throw failure.reason === "not to be cited" ? failure : refused(failure.message);
  }
}

function readStill(place: string, path: string): string | undefined {
  // A FIFO or a device is told apart before it is opened: opening one may have effects.
  const found = lstatSync(place);
  if (found === undefined) return undefined;
  if (found.isDirectory()) throw wrong(path, "it is a folder; name a file in it");
  if (found.isSymbolicLink()) throw wrong(path, "it is a link; name the file that it leads to");
  if (!found.isFile()) throw wrong(path, "it is no regular file");
  return withRegularFile(place, constants.O_RDONLY, (file, before) => {
    if (before.size > checkLimits.fileBytes) {
      throw wrong(path, `it has ${before.size} bytes, the limit is ${checkLimits.fileBytes}`);
    }
    const bytes = readWhole(file, place, checkLimits.fileBytes, before);
    if (!isSame(before, fstatSync(file)) || bytes.length !== before.size || isTorn(file, bytes)) {
      throw wrong(path, "it changed while it was read; try again when nobody writes to it");
    }
    if (bytes.includes(0)) throw wrong(path, "it is binary");
    return textOf(bytes, path);
  });
}

/** Times of files tick slowly: what was written just now is read a second time. */
function isTorn(file: number, bytes: Buffer): boolean {
  if (Date.now() - fstatSync(file).mtimeMs > checkLimits.freshMs) return false;
  return !readBytes(file, 0, bytes.length + 1).equals(bytes);
}

function textOf(bytes: Buffer, path: string): string {
  if (!isUtf8(bytes)) throw wrong(path, "it is not UTF-8 text");
  return textIn(bytes, path);
}

function isSame(one: Stats, other: Stats): boolean {
  return one.size === other.size && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs;
}

export function notThere(path: string): ConsultaError {
  return wrong(path, "there is no such file");
}

function wrong(path: string, fault: string, cause?: unknown): ConsultaError {
  const message = `${quote(path)} cannot be cited: ${fault}`;
  return refused(message, { cause, reason: "not to be cited" });
}

/** Whether an error means that this one file cannot be read; false for a failing disk, which is thrown on. */
export function isUnreadable(cause: unknown): boolean {
  const isRefused = cause instanceof ConsultaError && cause.code === "REFUSED";
  return isRefused || isErrno(cause, "EACCES", "EPERM", "ENOENT", "ENOTDIR");
}
