import { readFileIfPresent, writeFileAtomically } from "./atomic-file.ts";
import { isSameText, keyedHash } from "./hash.ts";
import { readStateKey } from "./state-key.ts";

/**
 * Replaces a file that only this user may have written: its first line proves the rest for this path.
 * Writes nothing where the user has no key yet: the file is a convenience.
 */
export function writeProvedFile(path: string, text: string): void {
  const key = readStateKey();
  if (key !== undefined) writeFileAtomically(path, `${proofOf(key, path, text)}\n${text}`);
}

/** What `writeProvedFile` wrote there; undefined for every other file, and where there is none. */
export function readProvedFile(path: string, maxBytes: number): string | undefined {
  const file = readFileIfPresent(path, maxBytes) ?? "";
  const end = file.indexOf("\n");
  const key = end < 0 ? undefined : readStateKey();
  if (key === undefined) return undefined;
  const text = file.slice(end + 1);
  return isSameText(proofOf(key, path, text), file.slice(0, end)) ? text : undefined;
}

function proofOf(key: Uint8Array, path: string, text: string): string {
  return keyedHash(key, Buffer.from(`file ${path}\n${text}`));
}
