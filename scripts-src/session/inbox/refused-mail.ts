import { join } from "node:path";
import { limits } from "../../base/limits.ts";
import { millisecondsOf } from "../../base/time.ts";
import { singleLine } from "../../base/visible-text.ts";
import { namesIn, textIfSound } from "../../files/atomic-file.ts";
import { lstatSync } from "../../files/disk.ts";
import { safeJoin } from "../../files/safe-path.ts";
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
