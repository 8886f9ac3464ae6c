import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { refused, tryAgain, unavailable } from "../base/errors.ts";
import { createFileExclusively, readFileIfPresent, writeFileAtomically } from "./atomic-file.ts";
import { existsSync, orNothing } from "./disk.ts";
import { isSameText, keyedHash } from "./hash.ts";
import { homeOrNone } from "./home-folder.ts";
import { checkOwner, readOwnFile } from "./ownership.ts";
import { syncFolder } from "./safe-open.ts";
import { ensureFolder } from "./safe-path.ts";

/**
 * The secret of this user, which no repository can bring along. It tells what a script of theirs wrote
 * from what came with a clone: a forged state would name files to write and words to print.
 */
const why = "who has it can forge what your sessions have come to, and pass for your brain";
const keyDigits = 64;

/**
 * The key in hex; undefined before it was made, and where the user has no home folder.
 * @throws ConsultaError REFUSED when others may know or change it.
 */
export function readUserKey(home = homeOrNone()): string | undefined {
  if (home === undefined) return undefined;
  const path = pathIn(home);
  const key = readOwnFile(path, 2 * keyDigits, why, 0o077)?.trim();
  if (key === undefined || (key.length === keyDigits && /^[0-9a-f]+$/.test(key))) return key;
  throw refused(`${path} holds no key: remove it, the next run makes one`);
}

/** @throws ConsultaError as `readUserKey`, and UNAVAILABLE without a home folder or where the disk refuses. */
export function makeUserKey(home = homeOrNone()): string {
  const known = readUserKey(home);
  if (known !== undefined) return known;
  const folder = checkHome(home);
  ensureFolder(join(folder, ".consulta"));
  createFileExclusively(pathIn(folder), `${randomBytes(keyDigits / 2).toString("hex")}\n`);
  // Of two that made one at the same time, the one that has the name counts.
  const made = readUserKey(folder);
  if (made !== undefined) return made;
  throw unavailable(`busy: ${pathIn(folder)} was removed just now; ${tryAgain}`);
}

function pathIn(home: string): string {
  return join(home, ".consulta", "user.key");
}

/**
 * A home that is only named is made where homes are; no folder is left in somebody else's that its owner could
 * not use.
 */
function checkHome(home: string | undefined): string {
  if (home !== undefined && isHomeToMake(home)) ensureFolder(home);
  const status = home === undefined ? undefined : statSync(home, { throwIfNoEntry: false });
  if (home === undefined || !status?.isDirectory()) {
    throw unavailable("there is no home folder for user.key: set HOME");
  }
  checkOwner(home, status, why);
  return home;
}

/** In a folder of this user's or of the system's, and never at the top of the disk. */
function isHomeToMake(home: string): boolean {
  const parent = dirname(home);
  const status = statSync(parent, { throwIfNoEntry: false });
  const isPlace = status?.isDirectory() === true && dirname(parent) !== parent;
  return isPlace && !existsSync(home) && [0, process.getuid?.() ?? status.uid].includes(status.uid);
}

/** Read once for each home by a process. */
let known: { readonly home: string | undefined; readonly key: string } | undefined;

/**
 * Whether there is a key that only the user knows; makes one where it can. Without one nothing is
 * remembered, which is right, only slow.
 */
export function ensureUserKey(): boolean {
  return keyBy(makeUserKey) !== undefined;
}

function keyBy(read: (home: string | undefined) => string | undefined): string | undefined {
  const home = homeOrNone();
  if (known !== undefined && known.home === home) return known.key;
  const key = orNothing(() => read(home));
  known = key === undefined ? undefined : { home, key };
  return key;
}

/** The user's signature under bytes, which begin with what they are; undefined where no key can be made. */
export function sign(bytes: string | Uint8Array): string | undefined {
  const key = keyBy(makeUserKey);
  return key === undefined ? undefined : keyedHash(key, bytes);
}

export function isSigned(bytes: string | Uint8Array, signature: string): boolean {
  const key = keyBy(readUserKey);
  return key !== undefined && isSameText(keyedHash(key, bytes), signature);
}

/**
 * Replaces a file that only this user may have written: its first line signs the rest for this path.
 * Writes nothing where the user has no key: the file is a convenience.
 */
export function writeSignedFile(path: string, text: string): void {
  const signature = sign(`file ${path}\n${text}`);
  if (signature !== undefined) writeFileAtomically(path, `${signature}\n${text}`);
}

/** What `writeSignedFile` wrote there; undefined for every other file, and where there is none. */
export function readSignedFile(path: string, maxBytes: number): string | undefined {
  const file = readFileIfPresent(path, maxBytes) ?? "";
  const end = file.indexOf("\n");
  const text = file.slice(end + 1);
  return end > 0 && isSigned(`file ${path}\n${text}`, file.slice(0, end)) ? text : undefined;
}

/**
 * Marks in a folder that a script of this user is about to store a text: makes an empty file, whose name is the
 * signature of kind and text. So scripts that mark different texts at once do not overwrite each other's mark.
 * One that dies before it stores its text leaves a mark that matches no text, which does no harm. The mark is
 * synced, so that no power cut leaves the text without it. False without a key: then nothing is marked.
 */
export function signFlag(folder: string, kind: string, text: string): boolean {
  const path = flagPath(folder, kind, keyBy(makeUserKey), text);
  if (path === undefined) return false;
  createFileExclusively(path, "", { sync: "nothing" });
  syncFolder(folder);
  return true;
}

/** Whether such a mark is there: a script of this user, and nothing that came with a clone, made it. */
export function hasSignedFlag(folder: string, kind: string, text: string): boolean {
  const path = flagPath(folder, kind, keyBy(readUserKey), text);
  return path !== undefined && existsSync(path);
}

function flagPath(folder: string, kind: string, key: string | undefined, text: string) {
  return key === undefined
    ? undefined
    : join(folder, `.${kind}-${keyedHash(key, `${kind} ${text}`)}`);
}
