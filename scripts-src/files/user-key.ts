import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConsultaError, tryAgain } from "../base/errors.ts";
import {
  createFileExclusively,
  isHollow,
  linkUnlessTaken,
  moveFile,
  textIfSound,
  uniqueSuffix,
} from "./atomic-file.ts";
import { existsSync } from "./disk.ts";
import { homeOrNone } from "./home-folder.ts";
import { checkOwner, readOwnFile } from "./private-file.ts";
import { discard } from "./regular-file.ts";
import { ensureFolder } from "./safe-path.ts";

/** A secret of this user in `~/.consulta`, which no repository can bring along. */
export interface OwnKey {
  /** The name of its file. */
  readonly file: string;
  readonly bytes: number;
  /** What would follow if others knew it. */
  readonly why: string;
}

const fileBytesMax = 256;

/**
 * The key in hex; undefined before it was made, for a file that a power cut emptied, and where the
 * user has no home folder.
 * @throws ConsultaError REFUSED when others may know or change it.
 */
export function readOwnKey(key: OwnKey, home = homeOrNone()): string | undefined {
  if (home === undefined) return undefined;
  const path = pathOf(key, home);
  const text = readOwnFile(path, fileBytesMax, key.why, 0o077)?.trim();
  if (text !== undefined && isHollow(text)) return undefined;
  if (text === undefined || (text.length === 2 * key.bytes && /^[0-9a-f]+$/.test(text))) {
    return text;
  }
  throw new ConsultaError("REFUSED", `${path} holds no key: remove it, the next run makes one`);
}

/**
 * The key in hex, made of `fresh` bytes where there is none.
 * @throws ConsultaError as `readOwnKey`, and UNAVAILABLE when there is no home folder or the disk
 * refuses.
 */
export function makeOwnKey(
  key: OwnKey,
  fresh: (bytes: number) => Uint8Array,
  home = homeOrNone(),
): string {
  if (home === undefined) throw homeless(key);
  const known = readOwnKey(key, home);
  if (known !== undefined) return known;
  checkHome(home, key);
  const path = pathOf(key, home);
  ensureFolder(dirname(path));
  removeIfHollow(path);
  const text = Buffer.from(fresh(key.bytes)).toString("hex");
  createFileExclusively(path, `${text}\n`);
  // Of two that made one at the same time, the one that has the name counts.
  const made = readOwnKey(key, home);
  if (made !== undefined) return made;
  throw new ConsultaError("UNAVAILABLE", `busy: ${path} was removed just now; ${tryAgain}`);
}

/** It is moved before it is looked at: another process may have put a key in its place meanwhile. */
function removeIfHollow(path: string): void {
  const aside = `${path}.${uniqueSuffix()}`;
  if (!isHollowAt(path) || !moveFile(path, aside)) return;
  if (!isHollowAt(aside)) linkUnlessTaken(aside, path);
  discard(aside);
}

function isHollowAt(path: string): boolean {
  const text = textIfSound(path, fileBytesMax);
  return text !== undefined && isHollow(text);
}

/**
 * A home that is only named is made where homes are; no folder is left in somebody else's that its owner could
 * not use.
 */
function checkHome(home: string, key: OwnKey): void {
  if (isHomeToMake(home)) ensureFolder(home);
  const status = statSync(home, { throwIfNoEntry: false });
  if (!status?.isDirectory()) throw homeless(key);
  checkOwner(home, status, key.why);
}

/** In a folder of this user's or of the system's, and never at the top of the disk. */
function isHomeToMake(home: string): boolean {
  const parent = dirname(home);
  const status = statSync(parent, { throwIfNoEntry: false });
  const isPlace = status?.isDirectory() === true && dirname(parent) !== parent;
  return isPlace && !existsSync(home) && [0, process.getuid?.() ?? status.uid].includes(status.uid);
}

function homeless({ file }: OwnKey): ConsultaError {
  return new ConsultaError("UNAVAILABLE", `there is no home folder for ${file}: set HOME`);
}

function pathOf({ file }: OwnKey, home: string): string {
  return join(home, ".consulta", file);
}
