import { join } from "node:path";
import { limits } from "../base/limits.ts";
import { millisecondsOf } from "../base/time.ts";
import { namesIn, sweepTemporaryFiles } from "../files/atomic-file.ts";
import { isRealFolder } from "../files/disk.ts";
import { discard, removeTree } from "../files/safe-open.ts";
import { safeJoin } from "../files/safe-path.ts";
import { kindNamed } from "./kinds.ts";
import { type Place, placeIn } from "./place.ts";
import { keepEvidence } from "./recorded-evidence.ts";
import type { NamedStatus } from "./session.ts";
import { isOurs, type ListedSession, standingsIn } from "./session-list.ts";
import type { Workspace } from "./workspace/workspace.ts";

const dayMs = 86_400_000;

/**
 * Removes sessions that ended longer ago than `cleanup_completed_sessions_after_days` (0: never) and
 * wait for nobody: log, view and messages. Their artifacts stay: report, solution and evidence outlive the talk.
 */
export async function sweepEndedSessions(
  workspace: Workspace,
  sessions: ListedSession[],
  now: string,
): Promise<string[]> {
  const days = workspace.config.cleanup_completed_sessions_after_days;
  if (days === 0) return [];
  const removed: NamedStatus[] = [];
  for (const it of standingsIn(sessions)) {
    if (removed.length >= limits.sweptSessions) break;
    const isOld =
      it.ended &&
      (it.needsPerson === undefined || !isOurs(workspace, it.id)) &&
      millisecondsOf(it.lastAt) < millisecondsOf(now) - days * dayMs;
    // Some keep their documents beside the log, and the user wants those.
    if (isOld && (await kindNamed(it.kind))?.traits.isRemovedWhenOld) removed.push(it);
  }
  for (const { id, participants } of removed) {
    await keepEvidence(placeIn(workspace, id));
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
  if (isRealFolder(path)) sweepTemporaryFiles(path);
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
