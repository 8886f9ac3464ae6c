import { constants } from "node:fs";
import { join } from "node:path";
import { refused } from "../base/errors.ts";
import { isFolder, orNothing } from "../files/disk.ts";
import { homeOrNone } from "../files/home-folder.ts";
import { isSharingAllowed } from "../files/ownership.ts";
import { readBytes, withRegularFile } from "../files/safe-open.ts";
import { hasSignedFlag, signFlag } from "../files/user-key.ts";

/**
 * Marks a session's folder before its log gets this first line: a script of this user begins it here. False
 * without a key that only the user knows.
 */
export function markBegun(folder: string, line: string): boolean {
  return signFlag(folder, begun, Buffer.from(line).toString("utf8", 0, provedBytes).trimEnd());
}

/**
 * Whether a script of this user began the log in the folder, or the user adopted it: else it may have
 * come with a clone. With `--allow-shared` every log counts.
 */
export function isCreatedLocally(folder: string): boolean {
  if (isSharingAllowed()) return true;
  const line = orNothing(() => firstLine(folder)) || undefined;
  return line !== undefined && hasSignedFlag(folder, begun, line);
}

/** Why a log that was not begun here is told so. */
export function whyStray(): string {
  const home = homeOrNone();
  return home === undefined || !isFolder(home)
    ? "nothing tells whether it was begun here: HOME names no folder, where a script could keep what tells it"
    : "not begun here: no script of yours began it on this machine, it may have come with the project, and nothing shows who wrote it";
}

/**
 * Counts the log in the folder as this user's from now on; false where it has no event yet.
 * @throws ConsultaError REFUSED where there is no key that only the user knows.
 */
export function adoptLog(folder: string): boolean {
  const line = orNothing(() => firstLine(folder)) || undefined;
  if (line === undefined || markBegun(folder, line)) return line !== undefined;
  const reason = "~/.consulta/user.key cannot be made, or others may read it";
  throw refused(`${reason}: nothing can be adopted without it`);
}

const begun = "begun";
/** So much of a first line is read, and proved by the mark: it holds the longest topic. */
const provedBytes = 16_384;
/** So many bytes of a log are read for it at first. */
const mostLineBytes = 1_024;
const newline = 0x0a;

/**
 * The first line of a log, at most 16 KiB of it, without its newline and what pads it; "" where there is none
 * yet.
 * @throws ConsultaError when it cannot be read.
 */
export function firstLine(folder: string): string {
  return withRegularFile(join(folder, "events.jsonl"), constants.O_RDONLY, (log) => {
    let bytes = readBytes(log, 0, 0);
    for (const length of [mostLineBytes, provedBytes]) {
      bytes = readBytes(log, 0, length);
      if (bytes.includes(newline) || bytes.length < length) break;
    }
    const end = bytes.indexOf(newline);
    return bytes.toString("utf8", 0, end === -1 ? bytes.length : end).trimEnd();
  });
}
