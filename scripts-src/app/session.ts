import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { quote } from "../core/json.ts";
import { type Machine, machineFor, restoreMachine } from "../core/machine.ts";
import { isSafeName, parseSessionId } from "../core/names.ts";
import type { Standing } from "../core/protocol.ts";
import { namesIn } from "../store/atomic-file.ts";
import type { Cursor, EventLog } from "../store/event-log.ts";
import { FileEventLog } from "../store/file-event-log.ts";
import { safeJoin } from "../store/safe-path.ts";
import type { Workspace } from "./workspace.ts";

/** A session as its log has it: the machine folded up to the cursor. */
export interface Session {
  readonly workspace: Workspace;
  readonly id: string;
  readonly log: EventLog;
  readonly cursor: Cursor;
  readonly machine: Machine;
}

/** After so many events beyond the checkpoint a reader saves a newer one for those who follow. */
const tailEventsMax = 64;

/**
 * Loads a session in constant time: checkpoint, then the tail of the log.
 * @throws ConsultaError REFUSED when there is no such session, or its log is damaged.
 */
export async function loadSession(workspace: Workspace, id: string): Promise<Session> {
  const log = logOf(workspace, id);
  const session = await catchUp({ workspace, id, log, ...(await fromCheckpoint(log)) });
  if (session !== undefined) {
    const named = session.machine.standing().id;
    if (named === id) return session;
    throw new ConsultaError(
      "REFUSED",
      `the log of session ${id} says that it is ${quote(named)}; run validate`,
    );
  }
  const known = sessionIds(workspace);
  throw new ConsultaError(
    "REFUSED",
    `no session ${id} in ${workspace.root}; ` +
      (known.length > 0 ? `there are: ${known.slice(-20).join(", ")}` : "open one with init"),
  );
}

/** Folds what came since; undefined while the log has no first event. */
export async function catchUp(
  known: Omit<Session, "machine"> & { machine: Machine | undefined },
): Promise<Session | undefined> {
  let { cursor, machine } = known;
  for (let more = true; more; ) {
    const page = await known.log.read(cursor);
    for (const event of page.events) machine = (machine ?? machineFor(event))?.evolve(event);
    if (page.events.length > 0 && machine === undefined) {
      throw new ConsultaError(
        "REFUSED",
        `session ${known.id} begins with the event ${page.events[0]?.event}, which no protocol here knows; ` +
          "update Consulta",
      );
    }
    ({ cursor, more } = page);
  }
  if (machine === undefined) return undefined;
  if (cursor.seq - known.cursor.seq > tailEventsMax) {
    await known.log.saveCheckpoint({ cursor, value: machine.snapshot() });
  }
  return { workspace: known.workspace, id: known.id, log: known.log, cursor, machine };
}

async function fromCheckpoint(
  log: EventLog,
): Promise<{ cursor: Cursor; machine: Machine | undefined }> {
  const checkpoint = await log.loadCheckpoint();
  const machine = checkpoint === undefined ? undefined : restoreMachine(checkpoint.value);
  if (checkpoint === undefined || machine === undefined)
    return { cursor: log.start, machine: undefined };
  return { cursor: checkpoint.cursor, machine };
}

/** The log of a session that may not exist yet. */
export function logOf(workspace: Workspace, id: string): FileEventLog {
  return new FileEventLog(safeJoin(workspace.root, "sessions", parseSessionId(id)));
}

/** The ids of all sessions that have a log, in order. */
export function sessionIds(workspace: Workspace): string[] {
  const folder = safeJoin(workspace.root, "sessions");
  if (!existsSync(folder)) return [];
  return namesIn(folder)
    .filter((name) => isSafeName(name) && existsSync(join(folder, name, "events.jsonl")))
    .sort();
}

/** A session that could not be read says why, and hides no other. */
export type Listed = { id: string; standing: Standing } | { id: string; fault: string };

/** Where every session of the workspace stands. */
export async function listSessions(workspace: Workspace): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (const id of sessionIds(workspace)) {
    try {
      listed.push({ id, standing: (await loadSession(workspace, id)).machine.standing() });
    } catch (cause) {
      if (!(cause instanceof ConsultaError)) throw cause;
      listed.push({ id, fault: cause.message });
    }
  }
  return listed;
}
