import { join } from "node:path";
import { createFileExclusively } from "./atomic-file.ts";
import { existsSync } from "./disk.ts";
import { keyedHash } from "./hash.ts";
import { syncFolder } from "./regular-file.ts";
import { makeStateKey, readStateKey } from "./state-key.ts";

/**
 * Marks in a folder that a script of this user is about to store a text: makes an empty file, whose name is a
 * hash of kind and text with the user's key. So scripts that mark different texts at once do not overwrite each
 * other's mark. One that dies before it stores its text leaves a mark that matches no text, which does no harm.
 * The mark is synced, so that no power cut leaves the text without it. Without a key nothing is marked.
 * Used by log/created-locally.ts and session/person-authorship.ts.
 */
export async function makeProvedMark(folder: string, kind: string, text: string): Promise<void> {
  const key = await makeStateKey();
  if (key === undefined) return;
  createFileExclusively(markPath(folder, kind, key, text), "", { sync: "nothing" });
  syncFolder(folder);
}

/** Whether such a mark is there: a script of this user, and nothing that came with a clone, made it. */
export function hasProvedMark(folder: string, kind: string, text: string): boolean {
  const key = readStateKey();
  return key !== undefined && existsSync(markPath(folder, kind, key, text));
}

function markPath(folder: string, kind: string, key: Uint8Array, text: string): string {
  return join(folder, `.${kind}-${keyedHash(key, Buffer.from(`${kind} ${text}`))}`);
}
