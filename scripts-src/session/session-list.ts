import type { Stats } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { isSafeName } from "../base/names.ts";
import { namesIn } from "../files/atomic-file.ts";
import { lstatSync, readdirSync } from "../files/disk.ts";
import { diskFailure, orNothing } from "../files/errno.ts";
import { safeJoin } from "../files/safe-path.ts";
import { readSignedFile, writeSignedFile } from "../files/user-key.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { kindWithoutLog } from "./kinds.ts";
import { placeIn } from "./place.ts";
import { type NamedStatus, readSession, sessionIds, standingOf } from "./session.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** A session that could not be read says why, and hides no other. */
export type ListedSession = { id: string; standing: NamedStatus } | { id: string; fault: string };

/** Which sessions are worth a look, in the order of their names. */
export interface OpenSessions {
  readonly ids: string[];
  /** How many have ended, as far as that is known without a look. */
  readonly ended: number;
  /** How many others were not looked at: too many, and others changed later. */
  readonly unseen: number;
  /** Remembers that a session has ended, for those who look next. */
  noteEnded(id: string, standing: SessionStatus): void;
  /** Keeps what was noted. */
  keep(): void;
}

/**
 * The sessions of a workspace that may be open. Of few sessions these are all; of many, those are left
 * out whose log is, to its size and time, as it was when somebody saw that they had ended, and of the
 * rest those are taken that changed last.
 */
export function openSessions(workspace: Workspace): OpenSessions {
  if (isFew(workspace)) return few(sessionIds(workspace));
  const logs = logsIn(workspace);
  const known = readEnded(workspace);
  const fresh = new Map<string, string>();
  const left = [...logs].filter(([id, log]) => known[id] !== log.mark);
  const taken = newest(left, limits.sessionsLooked);
  return {
    ids: taken,
    ended: logs.size - left.length,
    unseen: left.length - taken.length,
    noteEnded(id, { ended, hasTurns, needsPerson }) {
      const mark = logs.get(id)?.mark;
      // A board stays worth reading when everybody is ready, and what waits for the person waits on:
      // not what others began, of which a clone may bring any number.
      const isOver = ended && hasTurns && (needsPerson === undefined || !isOurs(workspace, id));
      if (isOver && mark !== undefined) fresh.set(id, mark);
    },
    keep() {
      if (fresh.size > 0)
        keepEnded(workspace, [...logs.keys()], { ...known, ...Object.fromEntries(fresh) });
    },
  };
}

/** The sessions that changed last, whether they have ended or not; of few, these are all. */
export function latestSessions(workspace: Workspace): string[] {
  if (isFew(workspace)) return sessionIds(workspace);
  return newest([...logsIn(workspace)], limits.sessionsLooked);
}

/** The sessions that nobody has written for the longest time; of few, these are all. */
export function oldestSessions(workspace: Workspace): string[] {
  if (isFew(workspace)) return sessionIds(workspace);
  const logs = [...logsIn(workspace)].map(
    ([id, log]) => [id, { changedMs: -log.changedMs }] as const,
  );
  return newest(logs, limits.sessionsLooked);
}

/** Where each session stands that may be open. */
export async function listOpen(workspace: Workspace): Promise<ListedSession[]> {
  const worth = openSessions(workspace);
  const listed = await listSessions(workspace, worth.ids);
  for (const it of listed) if ("standing" in it) worth.noteEnded(it.id, it.standing);
  worth.keep();
  return listed;
}

/** The open sessions with turns that were begun here: what a clone brought takes no place from them. */
export async function listOwnOpen(workspace: Workspace): Promise<NamedStatus[]> {
  const open = (await listOpen(workspace)).flatMap((it) =>
    "standing" in it && !it.standing.ended && it.standing.hasTurns ? [it.standing] : [],
  );
  return open.filter(({ id }) => isOurs(workspace, id));
}

/** Whether a session of the workspace was begun here by this user; see `isCreatedLocally`. */
export function isOurs({ root }: Workspace, id: string): boolean {
  return isCreatedLocally(join(root, "sessions", id));
}

/** Where each of these sessions stands. */
export async function listSessions(
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

/** The names lie in the folder twice: as a folder and as an entry. */
function isFew(workspace: Workspace): boolean {
  return namesIn(safeJoin(workspace.root, "sessions")).length <= 2 * limits.sessionsFew;
}

function few(ids: string[]): OpenSessions {
  return { ids, ended: 0, unseen: 0, noteEnded: () => undefined, keep: () => undefined };
}

interface LogMark {
  readonly changedMs: number;
  /** Differs as soon as somebody has written. */
  readonly mark: string;
}

/** The log of each session; a board that has none yet is one that changed just now. */
function logsIn(workspace: Workspace): Map<string, LogMark> {
  const folder = safeJoin(workspace.root, "sessions");
  const logs = new Map<string, LogMark>();
  for (const id of foldersIn(folder).sort()) {
    if (!isSafeName(id)) continue;
    const log = logOf(join(folder, id));
    if (log !== undefined) logs.set(id, log);
  }
  return logs;
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((it) => it.isDirectory()).map(({ name }) => name);
  } catch (error) {
    throw diskFailure(error, `list ${folder}`);
  }
}

/** The log of a session by its folder; undefined for a folder that is none. */
export function logOf(folder: string): LogMark | undefined {
  const status = lstatSync(join(folder, "events.jsonl"));
  if (status === undefined) {
    return kindWithoutLog(folder) !== undefined
      ? { changedMs: Number.POSITIVE_INFINITY, mark: "" }
      : undefined;
  }
  return { changedMs: status.mtimeMs, mark: fileMark(status) };
}

/** A file as it is now: another text as soon as somebody has written it. */
export function fileMark({ size, mtimeMs, ino }: Pick<Stats, "size" | "mtimeMs" | "ino">): string {
  return `${size} ${mtimeMs} ${ino}`;
}

function newest(
  logs: (readonly [id: string, log: Pick<LogMark, "changedMs">])[],
  max: number,
): string[] {
  if (logs.length <= max) return logs.map(([id]) => id);
  const sorted = logs.sort(([, one], [, other]) => (one.changedMs < other.changedMs ? 1 : -1));
  return sorted
    .slice(0, max)
    .map(([id]) => id)
    .sort();
}

/** A view: which sessions had ended when somebody looked, by the mark of their logs then. A clone may bring one. */
const endedFile = ".ended.json";

function readEnded({ root }: Workspace): Record<string, unknown> {
  const path = join(root, endedFile);
  // Damaged, forged, too large or no file: the sessions are looked at again.
  return parseJsonObject(orNothing(() => readSignedFile(path, limits.endedFileBytes)) ?? "") ?? {};
}

function keepEnded(
  { root }: Workspace,
  ids: readonly string[],
  marks: Record<string, unknown>,
): void {
  const kept = ids.filter((id) => typeof marks[id] === "string").slice(-limits.endedSessions);
  const text = JSON.stringify(Object.fromEntries(kept.map((id) => [id, marks[id]])));
  try {
    writeSignedFile(join(root, endedFile), `${text}\n`);
  } catch (cause) {
    // A folder that cannot be written is looked through each time.
    if (!(cause instanceof ConsultaError)) throw cause;
  }
}
