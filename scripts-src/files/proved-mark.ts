import { createFileExclusively } from "./atomic-file.ts";
import { childPath } from "./child-path.ts";
import { existsSync } from "./disk.ts";
import { syncFolder } from "./regular-file.ts";
import { sipHash } from "./sip-hash.ts";
import { makeStateKey, readStateKey } from "./state-key.ts";

/**
 * Marks in a folder that a script of this user is about to store a text: an empty file, whose name
 * proves the text under the user's key. Two that mark at once keep one each, and one that dies before
 * it stores the text leaves a mark that fits nothing. Synced, so that no power cut leaves the text
 * without its mark. Without a key nothing is marked.
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
  return childPath(folder, `.${kind}-${sipHash(key, Buffer.from(`${kind} ${text}`))}`);
}
