import { moveFile, namesIn } from "../../files/atomic-file.ts";
import { existsSync } from "../../files/disk.ts";
import { syncFile, syncFolder } from "../../files/regular-file.ts";
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
