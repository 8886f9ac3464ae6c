import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { ConsultaError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { isSafeName } from "../../base/names.ts";
import { plural } from "../../base/plural.ts";
import { millisecondsOf } from "../../base/time.ts";
import { singleLine } from "../../base/visible-text.ts";
import { moveFile, namesIn, textIfSound, writeFileAtomically } from "../../files/atomic-file.ts";
import { diskFailure, existsSync, isErrno, lstatSync } from "../../files/disk.ts";
import {
  discard,
  readBytes,
  syncFile,
  syncFolder,
  withRegularFile,
} from "../../files/safe-open.ts";
import { ensureFolder, nameIn, safeJoin } from "../../files/safe-path.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Takes messages: one atomic rename each, so that exactly one process wins. Returns what it won. */
export function claimMessages(
  workspace: Workspace,
  participant: string,
  files: string[],
): string[] {
  const inbox = safeJoin(workspace.root, `inbox-${participant}`);
  const present = files.filter((file) => existsSync(nameIn(inbox, file)));
  if (present.length === 0) return [];
  const archive = ensureFolder(workspace.root, "archive");
  // An archived copy is not looked at again: from here on it has to last by itself.
  for (const file of present) syncFile(nameIn(inbox, file));
  const taken = present.filter((file) => moveFile(nameIn(inbox, file), nameIn(archive, file)));
  syncFolder(archive);
  return taken;
}

export function inboxOf(workspace: Workspace, participant: string): string {
  return ensureFolder(workspace.root, `inbox-${participant}`);
}

/** Where the inbox of a participant is, or would be. */
export function inboxPath({ root }: Workspace, participant: string): string {
  return safeJoin(root, `inbox-${participant}`);
}

/** The names of the messages in an inbox, oldest first by the stamp that each name carries. */
export function unreadFiles(workspace: Workspace, participant: string): string[] {
  return messageFiles(inboxPath(workspace, participant));
}

/** The names of the messages in a folder, oldest first; none when there is no such folder. */
export function messageFiles(folder: string): string[] {
  return (
    namesIn(folder)
      // A name with control characters could pass for lines of ours wherever it is printed.
      .filter((name) =>
        /^[^.\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*\.json$/.test(name),
      )
      .sort((one, other) => compare(stampIn(one), stampIn(other)) || compare(one, other))
  );
}

function stampIn(name: string): string {
  return /-(\d{8}T\d{6}Z)-/.exec(name)?.[1] ?? "";
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** So many bytes hold the last line of a message, and the brace that closes it. */
const endBytes = 256;

/** The seq that the last line of a delivered message says; 0 where it says none, or is gone. */
export function seqIn(path: string): number {
  try {
    return withRegularFile(path, constants.O_RDONLY, (file, { size }) => {
      const from = Math.max(0, size - endBytes);
      const end = readBytes(file, from, endBytes).toString();
      return Number(/"seq": (\d{1,15})\s*\}\s*$/.exec(end)?.[1] ?? 0);
    });
  } catch (error) {
    // What is no copy at all is told where it is compared with its message.
    const isNone = error instanceof ConsultaError && error.code === "REFUSED";
    if (isNone || isErrno(error, "ENOENT")) return 0;
    throw diskFailure(error, `read ${path}`);
  }
}

/** What waits in each inbox without a seq, because a colleague put it there by hand, and who enters it. */
export function lettersByHand({ root }: Workspace): string[] {
  const inboxes = namesIn(root).filter(
    (name) => name.startsWith("inbox-") && isSafeName(name.slice("inbox-".length)),
  );
  return inboxes.sort().flatMap((inbox) => {
    const folder = safeJoin(root, inbox);
    const files = messageFiles(folder).slice(0, limits.inboxFiles);
    const letters = files.filter((file) => seqIn(join(folder, file)) === 0).length;
    if (letters === 0) return [];
    const name = inbox.slice("inbox-".length);
    return [
      `${plural(letters, "letter")} in ${inbox} not entered yet: next-action as ${name} enters mail, or says why it waits`,
    ];
  });
}

/** The messages in folders by their session: each folder is listed once for all sessions. */
export class DeliveredMail {
  readonly #folders = new Map<string, Map<string, string[]>>();

  filesOf(folder: string, session: string): readonly string[] {
    const known = this.#folders.get(folder) ?? listMail(folder);
    this.#folders.set(folder, known);
    return known.get(session) ?? [];
  }
}

function listMail(folder: string): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const file of messageFiles(folder)) {
    // A session's own name may hold what looks like a stamp.
    for (const { index } of file.matchAll(/-(?=\d{8}T\d{6}Z-)/g)) {
      const session = file.slice(0, index);
      const known = files.get(session);
      if (known === undefined) files.set(session, [file]);
      else known.push(file);
    }
  }
  return files;
}

/** A file that could not be entered and now is in `errors/` with its reason. */
export interface RejectedMail {
  readonly file: string;
  readonly reason: string;
}

const reasonEnd = ".reason.txt";

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
    .filter((name) => name.endsWith(reasonEnd))
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
  return lstatSync(path)?.mtimeMs ?? 0;
}

function readReason(path: string, name: string): RefusedLetter | undefined {
  const found = /^([\s\S]*)\nreceived \S+ in (\S+)\s*$/.exec(textIfSound(path, reasonBytes) ?? "");
  if (found === null) return undefined;
  const [, reason = "", inbox = ""] = found;
  return { file: name.slice(0, -reasonEnd.length), reason: singleLine(reason), inbox };
}

/** Says beside a letter that has to wait why it does: its sender reads no log of ours. */
export function explainWait(path: string, reason: string, clock: Clock): void {
  const beside = `${path}${reasonEnd}`;
  const text = `This letter waits: ${reason}\n`;
  if (textIfSound(beside, reasonBytes)?.startsWith(text)) return;
  writeFileAtomically(beside, `${text}seen ${clock.now()}\n`, { sync: "nothing" });
}

/** Removes what `explainWait` wrote beside a letter that waits no longer. */
export function forgetWait(path: string): void {
  discard(`${path}${reasonEnd}`);
}

/** Moves a file to `errors/` with a `.reason.txt` beside it; several of one name are all kept. */
export function reject(workspace: Workspace, path: string, reason: string, clock: Clock): void {
  const errors = ensureFolder(workspace.root, "errors");
  const name = moveAside(path, errors, clock);
  if (name === undefined) return;
  const inbox = basename(dirname(path));
  const text = `${singleLine(reason)}\nreceived ${clock.now()} in ${inbox}\n`;
  writeFileAtomically(join(errors, `${name}${reasonEnd}`), text);
  forgetWait(path);
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
