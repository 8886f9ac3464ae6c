import { spawnSync } from "node:child_process";
import { makeScratchFolder, removeFolder } from "./scratch-folder.ts";

export function unmount(folder: string): void {
  spawnSync("umount", ["-l", folder]);
}

export function mount(...words: string[]): void {
  const { status, stderr } = spawnSync("mount", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`mount ${words.join(" ")}: ${stderr}`);
}

/** Whether this user may mount a disk that is soon full. */
export function mountWorks(): boolean {
  const folder = makeScratchFolder();
  try {
    const done = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
    if (done.status === 0) spawnSync("umount", [folder]);
    return done.status === 0;
  } finally {
    removeFolder(folder);
  }
}
