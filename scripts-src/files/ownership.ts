import { chmodSync, constants, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { refused, tryAgain, unavailable } from "../base/errors.ts";
import { shellWord } from "../base/quote-text.ts";
import { namesIn, readWhole, textIn } from "./atomic-file.ts";
import { diskFailure, isErrno, lstatSync, orNothing } from "./disk.ts";
import { followsLink, withRegularFile } from "./safe-open.ts";
import { ensureFolder } from "./safe-path.ts";

export interface SharingFault {
  readonly reason: string;
  readonly remedy: string;
}

/** Set by `--allow-shared` and inherited by what a script starts; hooks have no options at all. */
export const sharedVariable = "CONSULTA_ALLOW_SHARED";

export function isSharingAllowed(): boolean {
  return process.env[sharedVariable] === "1";
}

export function allowSharing(): void {
  process.env[sharedVariable] = "1";
}

/**
 * Checks that nobody else can put anything into a workspace. What is below counts where others may
 * enter: what is directly in it, and the session that is `named`.
 * @throws ConsultaError REFUSED with the line that makes it the caller's own; never with
 * `--allow-shared`.
 */
export function checkOwnWorkspace(root: string, named?: string): void {
  const fault = sharingFault(root, named);
  if (fault === undefined) return;
  const { reason, remedy } = fault;
  const unless = "if it is shared on purpose: --allow-shared";
  throw refused(`${reason}: ${remedy}; ${unless}`);
}

/** What lets others put something into a workspace, and what ends that; undefined with `--allow-shared`. */
export function sharingFault(root: string, session?: string): SharingFault | undefined {
  // Windows has neither owner nor mode.
  if (process.geteuid === undefined || isSharingAllowed()) return undefined;
  const status = statusOf(root);
  // Who opens what is no folder says what is wrong with it.
  if (status?.isDirectory() !== true) return undefined;
  const fault = faultOf(root, root, status) ?? replacing(root);
  const mayOthersEnter = (status.mode & 0o011) !== 0;
  if (fault !== undefined || !mayOthersEnter) return fault;
  const places = [join("sessions", session ?? ""), join("sessions", session ?? "", "events.jsonl")];
  for (const path of (session === undefined ? namesIn(root) : places).map((it) => join(root, it))) {
    const below = statusOf(path);
    const found = below && faultOf(path, root, below);
    if (found !== undefined) return found;
  }
  return undefined;
}

function faultOf(path: string, root: string, { uid, mode }: Stats): SharingFault | undefined {
  if (!isMine(uid)) {
    const reason = `${shellWord(path)} belongs to user ${uid}, you are ${process.geteuid?.()}`;
    return {
      reason: `${reason}; in your project make one of your own`,
      remedy: "mkdir -m 700 .consulta",
    };
  }
  if ((mode & 0o022) === 0) return undefined;
  const rights = (mode & 0o777).toString(8);
  const reason = `${shellWord(path)} can be written by others (mode ${rights})`;
  return { reason, remedy: `chmod -R go-w ${shellWord(root)}` };
}

/** Whether something is the caller's, and nobody else may write to it; so on Windows, which cannot tell. */
export function isOwnAlone({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean {
  return process.geteuid === undefined || (isMine(uid) && (mode & 0o022) === 0);
}

/** Whether a folder is the caller's, with `name` in it; each is with `--allow-shared`. */
export function isOwnWith(folder: string, name: string): boolean {
  if (process.geteuid === undefined || isSharingAllowed()) return true;
  return [folder, join(folder, name)].every((path) => isMine(statusOf(path)?.uid ?? -1));
}

/** Whether anybody may put something into a folder, as into the one for temporary files. */
export function isOpenToAll(folder: string): boolean {
  if (process.geteuid === undefined || isSharingAllowed()) return false;
  return ((statusOf(folder)?.mode ?? 0) & 0o002) !== 0;
}

/** Anyone who may rename a folder puts another in its place; a sticky folder keeps them from it. */
function replacing(folder: string): SharingFault | undefined {
  const parent = dirname(folder);
  const { mode = 0 } = statusOf(parent) ?? {};
  if ((mode & 0o002) === 0 || (mode & 0o1000) !== 0) return undefined;
  return {
    reason: `anybody can replace ${shellWord(folder)}`,
    remedy: `chmod o-w ${shellWord(parent)}`,
  };
}

/** With sudo one works in one's own files, as git sees it as well. */
function isMine(uid: number): boolean {
  const user = process.geteuid?.();
  return uid === user || (user === 0 && String(uid) === process.env["SUDO_UID"]);
}

function statusOf(path: string): Stats | undefined {
  // Who opens it says what is wrong with it.
  return orNothing(() => lstatSync(path));
}

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
    const folder = lstatSync(dirname(path));
    const found = folder && lstatSync(path);
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
    if (status === undefined) throw unavailable(`busy: ${path} was removed just now; ${tryAgain}`);
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
  throw refused(`${reason}: ${why}; make it yours: chown ${user} ${shellWord(path)}`);
}

function checkMode(path: string, { mode }: Stats, why: string, forbidden: number): void {
  if (process.getuid === undefined || (mode & forbidden) === 0) return;
  const may = (mode & 0o022) === 0 ? "read" : "written";
  const rights = (mode & 0o777).toString(8);
  const remedy = forbidden === 0o022 ? "go-w" : "go-rwx";
  throw refused(
    `${path} may be ${may} by others (mode ${rights}), and ${why}: chmod ${remedy} ${shellWord(path)}`,
  );
}
