import { realpathSync, statSync } from "./disk.ts";

/** Tells a folder from a copy of it, which has another number, and from where it was moved to. */
export interface FolderIdentity {
  /** Its path without links. */
  readonly folder: string;
  /** Of its device, and on it. */
  readonly inode: string;
}

/** Which folder a path leads to; undefined where there is none. */
export function folderIdentity(path: string): FolderIdentity | undefined {
  const status = statSync(path);
  if (status?.isDirectory() !== true) return undefined;
  return { folder: realpathSync.native(path), inode: `${status.dev}:${status.ino}` };
}

/** Whether what was written in a folder was written in this very one, and not in what it was copied from. */
export function isWrittenIn(path: string, written: Readonly<Record<string, unknown>>): boolean {
  const here = folderIdentity(path);
  if (here === undefined) return false;
  return written["folder"] === here.folder && written["inode"] === here.inode;
}
