import { join } from "node:path";
import { limits } from "../core/limits.ts";
import { millisecondsOf } from "../core/time.ts";
import { namesIn, sweepTemporaryFiles } from "../store/atomic-file.ts";
import { lstatSync } from "../store/disk.ts";
import { discard } from "../store/regular-file.ts";
import { removeTree } from "../store/remove-tree.ts";
import { safeJoin } from "../store/safe-path.ts";
import type { Place } from "./place.ts";
import type { Listed } from "./session-list.ts";
import type { Workspace } from "./workspace.ts";

const dayMs = 86_400_000;

/**
 * Removes sessions that ended longer ago than `cleanup_completed_sessions_after_days` (0: never):
 * log, view and messages. Their artifacts stay: the report and the solution outlive the talk.
 */
export function sweepEndedSessions(
  workspace: Workspace,
  sessions: Listed[],
  now: string,
): string[] {
  const days = workspace.config.cleanup_completed_sessions_after_days;
  if (days === 0) return [];
  const removed = sessions.flatMap((it) =>
    "standing" in it &&
    it.standing.ended &&
    // Others keep their documents beside the log, and the user wants those.
    it.standing.kind === "dialogue" &&
    millisecondsOf(it.standing.lastAt) < millisecondsOf(now) - days * dayMs
      ? [it.standing]
      : [],
  );
  removed.splice(limits.sweptSessions);
  for (const { id, participants } of removed) {
    const inboxes = participants.map((name) => `inbox-${name}`);
    for (const folder of ["archive", ...inboxes]) removeMessages(workspace, folder, id);
    discard(join(safeJoin(workspace.root, "sessions"), `${id}.json`));
    // The log goes last: a sweep that dies halfway is taken up by the next.
    const folder = safeJoin(workspace.root, "sessions", id);
    removeTree(folder);
  }
  return removed.map(({ id }) => id);
}

/** The folders of a workspace that scripts write to, but for those of single sessions. */
const written =
  /^(?:inbox-.*|archive|errors|presence|sessions|boards|journal|profiles|drafts|brain)$/;

/** Removes what writers that died left behind: files that never got their names. */
export function sweepTemporaries({ root }: Workspace): void {
  const names = namesIn(root);
  sweepTemporaryFiles(root, names);
  for (const name of names.filter((it) => written.test(it))) sweepFolder(join(root, name));
}

/** A link leads to files that are not ours to remove. */
function sweepFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) sweepTemporaryFiles(path);
}

/** The same for one session: its own folder, its artifacts, and all that its workspace shares. */
export function sweepSession({ folder, workspace, config, id }: Place): void {
  for (const own of [folder, join(folder, ".presence")]) sweepFolder(own);
  if (workspace === undefined) return;
  sweepFolder(join(safeJoin(workspace.root, config.artifacts_dir), id));
  sweepTemporaries(workspace);
}

function removeMessages(workspace: Workspace, folder: string, id: string): void {
  const place = safeJoin(workspace.root, folder);
  for (const name of namesIn(place)) {
    if (name.startsWith(`${id}-`) && /^\d{8}T\d{6}Z-/.test(name.slice(id.length + 1))) {
      discard(join(place, name));
    }
  }
}
