import type { Stats } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { lstatSync } from "../files/disk.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import { kindWithoutLog } from "./kinds.ts";
import { placeIn } from "./place.ts";
import { type NamedStatus, readSession, sessionIds, standingOf } from "./session.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** A session that could not be read says why, and hides no other. */
export type ListedSession = { id: string; standing: NamedStatus } | { id: string; fault: string };

/** The sessions of a workspace whose logs changed last, or first; of few, these are all, by name. */
export function sessionsByAge(
  workspace: Workspace,
  wanted: "newest" | "oldest" = "newest",
): string[] {
  const ids = sessionIds(workspace);
  if (ids.length <= limits.sessionsLooked) return ids;
  const sign = wanted === "newest" ? -1 : 1;
  const changed = ids.map((id) => [logOf(join(workspace.root, "sessions", id)), id] as const);
  return changed
    .sort(([one], [other]) => sign * ((one?.changedMs ?? 0) - (other?.changedMs ?? 0)))
    .slice(0, limits.sessionsLooked)
    .map(([, id]) => id)
    .sort();
}

/** Where each session stands that changed lately. */
export function listSessions(workspace: Workspace): Promise<ListedSession[]> {
  return standingsOf(workspace, sessionsByAge(workspace));
}

/** The open sessions with turns that were begun here: what a clone brought takes no place from them. */
export async function listOwnOpen(workspace: Workspace): Promise<NamedStatus[]> {
  const open = (await listSessions(workspace)).flatMap((it) =>
    "standing" in it && !it.standing.ended && it.standing.hasTurns ? [it.standing] : [],
  );
  return open.filter(({ id }) => isOurs(workspace, id));
}

/** Whether a session of the workspace was begun here by this user; see `isCreatedLocally`. */
export function isOurs({ root }: Workspace, id: string): boolean {
  return isCreatedLocally(join(root, "sessions", id));
}

/** Where each of these sessions stands. */
export async function standingsOf(
  workspace: Workspace,
  ids: readonly string[],
): Promise<ListedSession[]> {
  const listed: ListedSession[] = [];
  for (const id of ids) {
    try {
      listed.push({ id, standing: standingOf(await readSession(placeIn(workspace, id))) });
    } catch (cause) {
      if (!(cause instanceof ConsultaError)) throw cause;
      listed.push({ id, fault: cause.message });
    }
  }
  return listed;
}

interface LogMark {
  readonly changedMs: number;
  /** Differs as soon as somebody has written. */
  readonly mark: string;
}

/** The log of a session by its folder; undefined for a folder that is none. A board without one changed just now. */
export function logOf(folder: string): LogMark | undefined {
  const status = lstatSync(join(folder, "events.jsonl"));
  if (status !== undefined) return { changedMs: status.mtimeMs, mark: fileMark(status) };
  if (kindWithoutLog(folder) === undefined) return undefined;
  return { changedMs: Number.MAX_SAFE_INTEGER, mark: "" };
}

/** A file as it is now: another text as soon as somebody has written it. */
export function fileMark({ size, mtimeMs, ino }: Pick<Stats, "size" | "mtimeMs" | "ino">): string {
  return `${size} ${mtimeMs} ${ino}`;
}
