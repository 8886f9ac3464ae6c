import { rmSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../core/limits.ts";
import { millisecondsOf } from "../core/time.ts";
import { namesIn, sweepTemporaryFiles } from "../store/atomic-file.ts";
import { safeJoin } from "../store/safe-path.ts";
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
    rmSync(join(safeJoin(workspace.root, "sessions"), `${id}.json`), { force: true });
    // The log goes last: a sweep that dies halfway is taken up by the next.
    rmSync(safeJoin(workspace.root, "sessions", id), { recursive: true, force: true });
  }
  return removed.map(({ id }) => id);
}

/** Removes what writers that died left behind: files that never got their names. */
export function sweepTemporaries(workspace: Workspace, participants: readonly string[]): void {
  const inboxes = participants.map((name) => `inbox-${name}`);
  for (const folder of ["archive", "errors", "presence", "sessions", ...inboxes]) {
    sweepTemporaryFiles(safeJoin(workspace.root, folder));
  }
}

function removeMessages(workspace: Workspace, folder: string, id: string): void {
  const place = safeJoin(workspace.root, folder);
  for (const name of namesIn(place)) {
    if (name.startsWith(`${id}-`) && /^\d{8}T\d{6}Z-/.test(name.slice(id.length + 1))) {
      rmSync(join(place, name), { force: true });
    }
  }
}
