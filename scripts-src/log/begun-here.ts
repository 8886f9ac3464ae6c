import { constants } from "node:fs";
import { ConsultaError } from "../base/errors.ts";
import { createFileExclusively } from "../files/atomic-file.ts";
import { childPath } from "../files/child-path.ts";
import { existsSync } from "../files/disk.ts";
import { orNothing } from "../files/errno.ts";
import { isSharingAllowed } from "../files/own-folder.ts";
import { readBytes, syncFolder, withRegularFile } from "../files/regular-file.ts";
import { sipHash } from "../files/sip-hash.ts";
import { makeStateKey, readStateKey } from "../files/state-key.ts";

/**
 * Marks a session's folder before its log gets this first line: a script of this user begins it
 * here. The mark is an empty file whose name proves the line under the user's key, so two that begin
 * at once keep one each, and a process that dies before the line is stored leaves one that fits nothing.
 * Synced, so that no power cut leaves the line without its mark. Without a key nothing is marked.
 */
export async function markBegun(folder: string, line: string): Promise<void> {
  const key = await makeStateKey();
  if (key === undefined) return;
  createFileExclusively(markPath(folder, key, line), "", { sync: "nothing" });
  syncFolder(folder);
}

/**
 * Whether a script of this user began the log in the folder, or the user adopted it: else it may have
 * come with a clone. With `--allow-shared` every log counts.
 */
export function isBegunHere(folder: string): boolean {
  if (isSharingAllowed()) return true;
  const [key, line] = [readStateKey(), firstLineIfSound(folder)];
  if (key === undefined || line === undefined) return false;
  return existsSync(markPath(folder, key, line));
}

/**
 * Counts the log in the folder as this user's from now on; false where it has no event yet.
 * @throws ConsultaError REFUSED where there is no key that only the user knows.
 */
export async function adoptLog(folder: string): Promise<boolean> {
  const line = firstLineIfSound(folder);
  if (line === undefined) return false;
  if ((await makeStateKey()) === undefined) {
    const reason = "~/.consulta/state.key cannot be made, or others may read it";
    throw new ConsultaError("REFUSED", `${reason}: nothing can be adopted without it`);
  }
  await markBegun(folder, line);
  return true;
}

/** Most first events fit into the first look, one with a topic of the largest size into the second. */
const firstEventBytes = [1_024, 16_384];
const newline = 0x0a;

/**
 * The first line of a log, without its newline and what pads it; "" where there is none yet.
 * @throws ConsultaError when it cannot be read.
 */
export function firstLine(folder: string): string {
  return withRegularFile(childPath(folder, "events.jsonl"), constants.O_RDONLY, (log) => {
    let bytes = readBytes(log, 0, 0);
    for (const length of firstEventBytes) {
      bytes = readBytes(log, 0, length);
      if (bytes.includes(newline) || bytes.length < length) break;
    }
    const end = bytes.indexOf(newline);
    return bytes.toString("utf8", 0, end === -1 ? bytes.length : end).trimEnd();
  });
}

function firstLineIfSound(folder: string): string | undefined {
  return orNothing(() => firstLine(folder)) || undefined;
}

function markPath(folder: string, key: Uint8Array, line: string): string {
  return childPath(folder, `.begun-${sipHash(key, Buffer.from(`begun ${line}`))}`);
}
