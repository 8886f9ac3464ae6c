import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import { singleLine } from "../../base/visible-text.ts";
import { moveFile, textIfSound, writeFileAtomically } from "../../files/atomic-file.ts";
import { existsSync } from "../../files/disk.ts";
import { discard, syncFile, syncFolder } from "../../files/regular-file.ts";
import { ensureFolder } from "../../files/safe-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { reasonFile } from "./refused-mail.ts";

/** Says beside a letter that has to wait why it does: its sender reads no log of ours. */
export function explainWait(path: string, reason: string, clock: Clock): void {
  const beside = join(dirname(path), reasonFile(basename(path)));
  const text = `This letter waits: ${reason}\n`;
  if (textIfSound(beside, limits.messageBytes)?.startsWith(text)) return;
  writeFileAtomically(beside, `${text}seen ${clock.now()}\n`, { sync: "nothing" });
}

/** Moves a file to `errors/` with a `.reason.txt` beside it; several of one name are all kept. */
export function reject(workspace: Workspace, path: string, reason: string, clock: Clock): void {
  const errors = ensureFolder(workspace.root, "errors");
  const name = moveAside(path, errors, clock);
  if (name === undefined) return;
  const inbox = basename(dirname(path));
  const text = `${singleLine(reason)}\nreceived ${clock.now()} in ${inbox}\n`;
  writeFileAtomically(join(errors, reasonFile(name)), text);
  discard(join(dirname(path), reasonFile(basename(path))));
}

/** Moves a file into a folder, under a number where its name is taken; undefined when it is gone. */
function moveAside(path: string, folder: string, clock: Clock): string | undefined {
  // Room for a number in front and `.reason.txt` after.
  const bare = basename(path).slice(-200);
  let name = bare;
  for (let number = 2; existsSync(join(folder, name)); number += 1)
    // After so many of one name, which a peer can make at will, each finds its place at once.
    name = number > 9 ? `${clock.newId()}-${bare}` : `${number}-${bare}`;
  syncFile(path);
  const isMoved = moveFile(path, join(folder, name));
  syncFolder(folder);
  return isMoved ? name : undefined;
}
