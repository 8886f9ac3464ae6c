import { readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { isRecord } from "../core/json.ts";
import { writeFileAtomically } from "../store/atomic-file.ts";
import { ensureFolder } from "../store/safe-path.ts";
import type { Workspace } from "./workspace.ts";

/** What the presence file of a waiting agent says (originals.md 1.4), with the host beside it. */
interface PresenceFile {
  agent: string;
  pid: number;
  started_at: string;
  session_mode: "active";
  listening_inbox: string;
  host: string;
}

/** Whether a participant waits right now, and when it was last seen. */
export interface Presence {
  readonly present: boolean;
  readonly secondsAgo: number | undefined;
}

/** Where a participant's presence file lies. */
export function presencePath(workspace: Workspace, agent: string): string {
  return join(ensureFolder(workspace.root, "presence"), `${agent}.ready`);
}

/** Says that this process waits for `agent`; `touchPresence` keeps it fresh, `leave` takes it back. */
export function announcePresence(path: string, agent: string, now: string): void {
  const presence: PresenceFile = {
    agent,
    pid: process.pid,
    started_at: now,
    session_mode: "active",
    listening_inbox: `inbox-${agent}`,
    host: hostname(),
  };
  ensureFolder(dirname(path));
  writeFileAtomically(path, `${JSON.stringify(presence)}\n`);
}

/** Renews the heartbeat; a file that somebody removed is written anew. */
export function touchPresence(path: string, agent: string, now: string): void {
  const seconds = Date.parse(now) / 1_000;
  if (ownerOf(path)?.pid === process.pid) utimesSync(path, seconds, seconds);
  else announcePresence(path, agent, now);
}

/** Removes the presence of this process, not that of another one waiting for the same agent. */
export function leave(path: string): void {
  if (ownerOf(path)?.pid === process.pid) rmSync(path, { force: true });
}

/** Presence counts while its heartbeat is fresh and its process lives. */
export function presenceOf(workspace: Workspace, agent: string, now: string): Presence {
  const path = join(workspace.root, "presence", `${agent}.ready`);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { present: false, secondsAgo: undefined };
  const secondsAgo = Math.max(0, (Date.parse(now) - found.mtimeMs) / 1_000);
  const fresh = secondsAgo < workspace.config.presence_timeout_seconds;
  return { present: fresh && lives(ownerOf(path)), secondsAgo: Math.round(secondsAgo) };
}

function lives(owner: { pid: number; host: string | undefined } | undefined): boolean {
  // A foreign colleague's file names no host, and its pid is often that of a finished shell.
  if (owner?.host !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}

function ownerOf(path: string): { pid: number; host: string | undefined } | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isRecord(value) || typeof value["pid"] !== "number") return undefined;
    return {
      pid: value["pid"],
      host: typeof value["host"] === "string" ? value["host"] : undefined,
    };
  } catch {
    // Missing, or being rewritten by a colleague with the original files: nobody's.
    return undefined;
  }
}
