import { constants } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { isSafeName } from "../../base/names.ts";
import { plural } from "../../base/plural.ts";
import { moveFile, namesIn } from "../../files/atomic-file.ts";
import { existsSync } from "../../files/disk.ts";
import { diskFailure, isErrno } from "../../files/errno.ts";
import { readBytes, syncFile, syncFolder, withRegularFile } from "../../files/regular-file.ts";
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

/** The names of the messages in an inbox, oldest first by the stamp that each name carries. */
export function unreadFiles(workspace: Workspace, participant: string): string[] {
  return messageFiles(safeJoin(workspace.root, `inbox-${participant}`));
}

/** The names of the messages in a folder, oldest first; none when there is no such folder. */
export function messageFiles(folder: string): string[] {
  return messagesAmong(namesIn(folder));
}

export function messagesAmong(names: readonly string[]): string[] {
  return (
    names
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
