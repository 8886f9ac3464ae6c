import { dirname, join } from "node:path";
import { parseJsonObject } from "../../base/json.ts";
import { millisecondsOf } from "../../base/time.ts";
import { isRunning, type ProcessName, processIn, thisProcess } from "../../clis/is-running.ts";
import { readFileIfPresent, touchFile, writeFileAtomically } from "../../files/atomic-file.ts";
import { existsSync, lstatSync, orNothing } from "../../files/disk.ts";
import { discard } from "../../files/safe-open.ts";
import { ensureFolder, fileNameOf } from "../../files/safe-path.ts";
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

const presenceBytes = 4_096;

/** Where agents that wait say so: in the workspace, or in the session's own folder. */
type Home = Pick<Place, "folder" | "workspace">;

function folderOf({ folder, workspace }: Home): [root: string, name: string] {
  return workspace === undefined ? [folder, ".presence"] : [workspace.root, "presence"];
}

type Sign = "ready" | "seen";

function signPath(home: Home, agent: string, sign: Sign): string {
  return join(...folderOf(home), `${fileNameOf(agent)}.${sign}`);
}

/** Where a participant's presence file is. */
export function presencePath(home: Home, agent: string): string {
  return signPath(home, agent, "ready");
}

/** Notes that a participant did something just now, for those who wonder whether it has vanished. */
export function markSeen(home: Home, agent: string, now: string): void {
  mark(folderOf(home), `${fileNameOf(agent)}.seen`, now);
}

function mark(folder: readonly [root: string, name: string], name: string, now: string): void {
  const path = join(...folder, name);
  if (lstatSync(path)?.isFile()) touchFile(path, millisecondsOf(now) / 1_000);
  else writeFileAtomically(join(ensureFolder(...folder), name), "", { sync: "nothing" });
}

/** Whether a participant ever ran a script of ours here. */
export function hasBeenSeen(home: Home, agent: string): boolean {
  return existsSync(signPath(home, agent, "seen")) || existsSync(signPath(home, agent, "ready"));
}

/** Seconds since a sign of a participant: its heartbeat, its last script; undefined for none. */
export function secondsSince(
  home: Home,
  agent: string,
  sign: Sign,
  now: string,
): number | undefined {
  const found = lstatSync(signPath(home, agent, sign));
  return found?.isFile() ? Math.max(0, (millisecondsOf(now) - found.mtimeMs) / 1_000) : undefined;
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
  if (ownerOf(path)?.pid === process.pid) touchFile(path, millisecondsOf(now) / 1_000);
  else announcePresence(path, agent, now);
}

/** Removes the presence of this process, not that of another one waiting for the same agent. */
export function leave(path: string): void {
  if (ownerOf(path)?.pid === process.pid) discard(path);
}

/** Whether the process that waits for a participant is gone; a foreign colleague's file names none. */
export function isWaiterGone(home: Home, agent: string): boolean {
  const owner = ownerOf(presencePath(home, agent));
  return owner !== undefined && isRunning(owner) === false;
}

function ownerOf(path: string): ProcessName | undefined {
  // One that is missing, or being rewritten by the original scripts, has no owner.
  const record = parseJsonObject(orNothing(() => readFileIfPresent(path, presenceBytes)) ?? "");
  return typeof record?.["pid"] === "number" ? processIn(record) : undefined;
}
