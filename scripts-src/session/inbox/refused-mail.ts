import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { limits } from "../../base/limits.ts";
import { millisecondsOf } from "../../base/time.ts";
import { singleLine } from "../../base/visible-text.ts";
import { moveFile, namesIn, textIfSound, writeFileAtomically } from "../../files/atomic-file.ts";
import { existsSync, lstatSync } from "../../files/disk.ts";
import { discard, syncFile, syncFolder } from "../../files/regular-file.ts";
import { ensureFolder, safeJoin } from "../../files/safe-path.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** A file that could not be entered and now is in `errors/` with its reason. */
export interface RejectedMail {
  readonly file: string;
  readonly reason: string;
}

/** The name of the file that says, beside a letter, why that was not entered. */
export function reasonFile(letter: string): string {
  return `${letter}.reason.txt`;
}

/** A letter that was refused, with the inbox that it lay in. */
export interface RefusedLetter extends RejectedMail {
  readonly inbox: string;
}

const reasonBytes = 16_384;

/**
 * The letters that were refused since a time, the newest first, at most `limits.rejectedTold` of them:
 * the script that moved them to `errors/` was perhaps a hook, which told no agent.
 */
export function refusedSince({ root }: Workspace, since: string, inbox?: string): RefusedLetter[] {
  const folder = safeJoin(root, "errors");
  const after = millisecondsOf(since);
  const reasons = namesIn(folder)
    .filter((name) => name.endsWith(reasonFile("")))
    .map((name) => ({ name, changedMs: changedMs(join(folder, name)) }))
    .filter((it) => !(it.changedMs < after))
    .sort((one, other) => other.changedMs - one.changedMs);
  const letters: RefusedLetter[] = [];
  for (const { name } of reasons) {
    if (letters.length >= limits.rejectedTold) break;
    const letter = readReason(join(folder, name), name);
    if (letter !== undefined && (inbox === undefined || letter.inbox === inbox))
      letters.push(letter);
  }
  return letters;
}

function changedMs(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function readReason(path: string, name: string): RefusedLetter | undefined {
  const found = /^([\s\S]*)\nreceived \S+ in (\S+)\s*$/.exec(textIfSound(path, reasonBytes) ?? "");
  if (found === null) return undefined;
  const [, reason = "", inbox = ""] = found;
  return { file: name.slice(0, -reasonFile("").length), reason: singleLine(reason), inbox };
}

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
