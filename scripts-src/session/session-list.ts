import type { Stats } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { lstatSync, orNothing } from "../files/disk.ts";
import { readSignedFile, writeSignedFile } from "../files/user-key.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import { kindWithoutLog } from "./kinds.ts";
import { placeIn } from "./place.ts";
import { type NamedStatus, readSession, sessionIds, standingOf } from "./session.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** A session that could not be read says why, and hides no other. */
export interface ListedSession {
  readonly id: string;
  readonly standing?: NamedStatus;
  readonly fault?: string;
}

/** Where those stand that could be read. */
export function standingsIn(listed: readonly ListedSession[]): NamedStatus[] {
  return listed.flatMap(({ standing }) => standing ?? []);
}

/** Which sessions are worth a look, in the order of their names. */
export interface OpenSessions {
  readonly ids: string[];
  /** How many have ended, as far as that is known without a look. */
  readonly endedCount: number;
  /** How many others were not looked at: too many. */
  readonly unseenCount: number;
  /** Remembers which of them have ended, for those who look next; absent where they are few. */
  noteEnded?(listed: readonly ListedSession[]): void;
}

/**
 * The sessions of a workspace that may be open. Of few sessions these are all. Of many, those are left out whose log
 * is as it was when somebody saw that they had ended; of the rest those begun here come first, then what changed last.
 */
export function openSessions(workspace: Workspace): OpenSessions {
  const all = sessionIds(workspace);
  if (all.length <= limits.sessionsFew) return { ids: all, endedCount: 0, unseenCount: 0 };
  const logs = logsOf(workspace, all);
  const known = notedSessions(workspace, endedFile);
  const left = all.filter((id) => known[id] !== logs.get(id)?.mark);
  const ids = newestOf(
    left,
    (id) => logs.get(id)?.changedMs ?? 0,
    (id) => isOurs(workspace, id),
  );
  return {
    ids,
    endedCount: all.length - left.length,
    unseenCount: left.length - ids.length,
    noteEnded(listed) {
      const ended = standingsIn(listed).flatMap((it) => {
        const mark = logs.get(it.id)?.mark;
        return mark && isOver(workspace, it) ? [[it.id, mark]] : [];
      });
      if (ended.length > 0) keepEnded(workspace, all, { ...known, ...Object.fromEntries(ended) });
    },
  };
}

/**
 * A board stays worth reading when everybody is ready, and what waits for the person waits on: not what others
 * began, of which a clone may bring any number.
 */
function isOver(workspace: Workspace, { id, ended, hasTurns, needsPerson }: NamedStatus): boolean {
  return ended && hasTurns && (needsPerson === undefined || !isOurs(workspace, id));
}

/** The sessions of a workspace whose logs changed last, or first, ended or not; of few, these are all, by name. */
export function sessionsByAge(
  workspace: Workspace,
  wanted: "newest" | "oldest" = "newest",
): string[] {
  const all = sessionIds(workspace);
  if (all.length <= limits.sessionsLooked) return all;
  const logs = logsOf(workspace, all);
  const sign = wanted === "newest" ? 1 : -1;
  return newestOf(all, (id) => sign * (logs.get(id)?.changedMs ?? 0));
}

function logsOf({ root }: Workspace, ids: readonly string[]): Map<string, LogMark> {
  const folder = join(root, "sessions");
  return new Map(ids.map((id) => [id, logOf(join(folder, id)) ?? { changedMs: 0, mark: "" }]));
}

/** The preferred ones, then those that changed last; as many as are looked at in one go, by name. */
function newestOf(
  ids: readonly string[],
  changedMs: (id: string) => number,
  isPreferred: (id: string) => boolean = () => false,
): string[] {
  if (ids.length <= limits.sessionsLooked) return [...ids];
  return ids
    .map((id) => ({ id, isPreferred: isPreferred(id), changedMs: changedMs(id) }))
    .sort(
      (one, other) =>
        Number(other.isPreferred) - Number(one.isPreferred) || other.changedMs - one.changedMs,
    )
    .slice(0, limits.sessionsLooked)
    .map(({ id }) => id)
    .sort();
}

/** Where each session stands that may be open. */
export async function listSessions(workspace: Workspace): Promise<ListedSession[]> {
  const worth = openSessions(workspace);
  const listed = await standingsOf(workspace, worth.ids);
  worth.noteEnded?.(listed);
  return listed;
}

/** Where those stand that changed last, are not among these, and are wanted. */
export function listOthers(
  workspace: Workspace,
  listed: readonly ListedSession[],
  isWanted: (id: string) => boolean = () => true,
): Promise<ListedSession[]> {
  const seen = new Set(listed.map(({ id }) => id));
  const ids = sessionsByAge(workspace).filter((id) => !seen.has(id) && isWanted(id));
  return standingsOf(workspace, ids);
}

/** The open sessions with turns that were begun here: what a clone brought takes no place from them. */
export async function listOwnOpen(workspace: Workspace): Promise<NamedStatus[]> {
  return standingsIn(await listSessions(workspace)).filter(
    ({ id, ended, hasTurns }) => !ended && hasTurns && isOurs(workspace, id),
  );
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

/** A view: which sessions had ended when somebody looked, by the mark of their logs then. */
const endedFile = ".ended.json";

function keepEnded(
  workspace: Workspace,
  ids: readonly string[],
  marks: Record<string, unknown>,
): void {
  const kept = ids.filter((id) => typeof marks[id] === "string");
  // A folder that cannot be written is looked through each time.
  orNothing(() => noteSessions(workspace, endedFile, new Map(kept.map((id) => [id, marks[id]]))));
}

/** What `noteSessions` wrote there. Damaged, forged, as by a clone, too large or no file: nothing. */
export function notedSessions({ root }: Workspace, file: string): Record<string, unknown> {
  const text = orNothing(() => readSignedFile(join(root, file), limits.endedFileBytes));
  return parseJsonObject(text ?? "") ?? {};
}

/** Keeps something of sessions, by their ids, in a file of the workspace that only its user can have written. */
export function noteSessions({ root }: Workspace, file: string, noted: Map<string, unknown>): void {
  const newest = [...noted].slice(-limits.endedSessions);
  writeSignedFile(join(root, file), `${JSON.stringify(Object.fromEntries(newest))}\n`);
}
