import { dirname, join } from "node:path";
import { parseJsonObject } from "../../base/json.ts";
import { millisecondsOf } from "../../base/time.ts";
import { isRunning, type ProcessName, processIn, thisProcess } from "../../clis/is-running.ts";
import { readFileIfPresent, touchFile, writeFileAtomically } from "../../files/atomic-file.ts";
import { existsSync, lstatSync } from "../../files/disk.ts";
import { orNothing } from "../../files/errno.ts";
import { fileNameOf } from "../../files/file-name-of.ts";
import { discard } from "../../files/regular-file.ts";
import { ensureFolder } from "../../files/safe-path.ts";
import type { Place } from "../place.ts";

/** What the presence file of a waiting agent says (originals.md 1.4), with the host beside it. */
interface PresenceFile {
  agent: string;
  pid: number;
  started_at: string;
  session_mode: "active";
  listening_inbox: string;
  host: string | undefined;
}

/** Whether a participant waits right now, and when it last gave a sign of life. */
export interface Presence {
  readonly present: boolean;
  readonly secondsAgo: number | undefined;
  /** Its waiter ended without taking its presence back, and it gave no sign since. */
  readonly died?: DeadWaiter;
}

export interface DeadWaiter {
  /** Its process is gone; else only its heartbeat has stopped. */
  readonly isGone: boolean;
  readonly secondsAgo: number;
}

const presenceBytes = 4_096;

/** Where agents that wait say so: in the workspace, or in the session's own folder. */
type Home = Pick<Place, "folder" | "workspace">;

/** Where a participant's presence file is. */
export function presencePath(home: Home, agent: string): string {
  return join(...folderOf(home), `${fileNameOf(agent)}.ready`);
}

/** Notes that a participant did something just now, for those who wonder whether it has vanished. */
export function markSeen(home: Home, agent: string, now: string): void {
  mark(folderOf(home), `${fileNameOf(agent)}.seen`, now);
}

/** Notes that a hook of a participant's CLI ran just now; nothing where nobody ever waited. */
export function markHookRun(root: string, agent: string, now: string): void {
  if (existsSync(join(root, "presence"))) mark([root, "presence"], hookName(agent), now);
}

function hookName(agent: string): string {
  return `${fileNameOf(agent)}.hook`;
}

function mark(folder: readonly [root: string, name: string], name: string, now: string): void {
  const path = join(...folder, name);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile())
    touchFile(path, millisecondsOf(now) / 1_000);
  else writeFileAtomically(join(ensureFolder(...folder), name), "", { sync: "nothing" });
}

/** Whether a participant ever ran a script of ours here. */
export function hasBeenSeen(home: Home, agent: string): boolean {
  const path = join(...folderOf(home), fileNameOf(agent));
  return existsSync(`${path}.seen`) || existsSync(`${path}.ready`);
}

function folderOf({ folder, workspace }: Home): [root: string, name: string] {
  return workspace === undefined ? [folder, ".presence"] : [workspace.root, "presence"];
}

/** Says that this process waits for `agent`; `touchPresence` keeps it fresh, `leave` takes it back. */
export function announcePresence(path: string, agent: string, now: string): void {
  const presence: PresenceFile = {
    agent,
    started_at: now,
    session_mode: "active",
    listening_inbox: `inbox-${agent}`,
    ...thisProcess(),
  };
  ensureFolder(dirname(path));
  writeFileAtomically(path, `${JSON.stringify(presence)}\n`, { sync: "nothing" });
}

/** Renews the heartbeat; a file that somebody removed is written again. */
export function touchPresence(path: string, agent: string, now: string): void {
  const seconds = millisecondsOf(now) / 1_000;
  if (ownerOf(path)?.pid === process.pid) touchFile(path, seconds);
  else announcePresence(path, agent, now);
}

/** Removes the presence of this process, not that of another one waiting for the same agent. */
export function leave(path: string): void {
  if (ownerOf(path)?.pid === process.pid) discard(path);
}

/**
 * Presence counts while its heartbeat is fresh and its process lives. `sign` is when the participant
 * was last heard of otherwise.
 */
export function presenceOf(
  home: Home & Pick<Place, "config">,
  agent: string,
  now: string,
  sign?: string,
): Presence {
  const name = join(...folderOf(home), fileNameOf(agent));
  const path = `${name}.ready`;
  const heartbeat = secondsSince(path, now);
  const seen = secondsSince(`${name}.seen`, now);
  if (heartbeat === undefined && seen === undefined)
    return { present: false, secondsAgo: undefined };
  const secondsAgo = Math.round(Math.min(heartbeat ?? seen ?? 0, seen ?? heartbeat ?? 0));
  if (heartbeat === undefined) return { present: false, secondsAgo };
  const isGone = !mayLive(ownerOf(path));
  const isFresh = heartbeat < home.config.presence_timeout_seconds;
  if (isFresh && !isGone) return { present: true, secondsAgo };
  const signAgo = Math.min(seen ?? Number.POSITIVE_INFINITY, secondsBetween(sign, now));
  if (signAgo < heartbeat) return { present: false, secondsAgo };
  return { present: false, secondsAgo, died: { isGone, secondsAgo: Math.round(heartbeat) } };
}

/** Seconds since a participant last ran a script that says so; undefined where it ran none. */
export function secondsSinceSeen(home: Home, agent: string, now: string): number | undefined {
  return secondsSince(join(...folderOf(home), `${fileNameOf(agent)}.seen`), now);
}

/** Seconds since a hook of its CLI ran; undefined where none did, or none can be told. */
export function secondsSinceHook(home: Home, agent: string, now: string): number | undefined {
  return secondsSince(join(...folderOf(home), hookName(agent)), now);
}

function secondsBetween(time: string | undefined, now: string): number {
  const seconds = (millisecondsOf(now) - millisecondsOf(time ?? "")) / 1_000;
  return Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : seconds;
}

function secondsSince(path: string, now: string): number | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? Math.max(0, (millisecondsOf(now) - found.mtimeMs) / 1_000) : undefined;
}

/** A foreign colleague's file names no host, and its pid is often that of a finished shell. */
function mayLive(owner: ProcessName | undefined): boolean {
  return owner === undefined || isRunning(owner) !== false;
}

function ownerOf(path: string): ProcessName | undefined {
  // One that is missing, or being rewritten by the original scripts, has no owner.
  const text = orNothing(() => readFileIfPresent(path, presenceBytes)) ?? "";
  const record = parseJsonObject(text);
  return typeof record?.["pid"] === "number" ? processIn(record) : undefined;
}
