import { attend } from "../app/attend.ts";
import { takeForeignMail } from "../app/foreign-mail.ts";
import { inboxOf, unreadFiles } from "../app/mailbox.ts";
import { nextAction } from "../app/next-action.ts";
import { announcePresence, leave, presencePath, touchPresence } from "../app/presence.ts";
import { catchUp, listSessions, loadSession, type Session } from "../app/session.ts";
import type { Workspace } from "../app/workspace.ts";
import { exitCodes } from "../core/errors.ts";
import { inline } from "../core/json.ts";
import type { Standing } from "../core/protocol.ts";
import { ensureFolder, safeJoin } from "../store/safe-path.ts";
import type { Arguments } from "./arguments.ts";
import { systemClock } from "./clock.ts";
import { log, say, talk } from "./output.ts";
import { sayNextAction } from "./say-next-action.ts";
import { type WaitEnd, waitUntil } from "./wait-until.ts";

/** Looks again soon when a foreign file may still be being written. */
const tornRecheckMs = 500;

/**
 * Blocks until the participant has the turn, or the session has ended, then prints what
 * `next-action` prints. Without a session: until any session gives it the turn.
 */
export async function waitForTurn(
  args: Arguments,
  workspace: Workspace,
  participant: string,
  timeoutMs: number | undefined,
): Promise<number> {
  const id = args.one("session");
  const look =
    id === undefined
      ? anySession(workspace, participant)
      : await oneSession(workspace, id, participant);
  let found: string | undefined;
  const end = await withPresence(workspace, participant, {
    folders: [look.folder, inboxOf(workspace, participant)],
    timeoutMs,
    async check() {
      const state = await look.check();
      found = state.ready;
      if (found !== undefined && !args.has("json")) say(`ready: ${state.why}\n`);
      return found === undefined ? state.again : "done";
    },
  });
  if (found !== undefined) {
    sayNextAction(args, await nextAction(workspace, found, participant, systemClock));
    return exitCodes.OK;
  }
  return endedEarly(
    end,
    `${participant} has no turn yet${id === undefined ? "" : ` in ${id}`}`,
    timeoutMs,
  );
}

interface Look {
  readonly folder: string;
  check(): Promise<{ ready?: string; why?: string; again?: number | undefined }>;
}

async function oneSession(workspace: Workspace, id: string, participant: string): Promise<Look> {
  let session: Session = (await attend(workspace, id, participant, systemClock)).session;
  return {
    folder: safeJoin(workspace.root, "sessions", id),
    async check() {
      session = (await catchUp(session)) ?? session;
      const found = readyIn(session, participant);
      if (found !== undefined) return found;
      const received = session.machine.nextAction(participant).received;
      const known = new Set(received.map(({ file }) => file));
      const unread = unreadFiles(workspace, participant).filter((file) => !known.has(file));
      if (unread.length === 0) return {};
      await takeMailAloud(workspace, participant, known);
      session = (await catchUp(session)) ?? session;
      return readyIn(session, participant) ?? { again: tornRecheckMs };
    },
  };
}

/** Why the wait for this session is over, if it is. */
function readyIn({ id, machine }: Session, participant: string) {
  const { ended, phase, waitingFor } = machine.standing();
  if (ended) return { ready: id, why: `session ${id} has ended (${phase})` };
  if (waitingFor.includes(participant))
    return { ready: id, why: `${participant} has the turn in ${id}` };
  return undefined;
}

function anySession(workspace: Workspace, participant: string): Look {
  const seenOpen = new Set<string>();
  const unreadable = new Set<string>();
  return {
    folder: ensureFolder(workspace.root, "sessions"),
    async check() {
      const listed = await listSessions(workspace);
      for (const it of listed) {
        if (!("fault" in it) || unreadable.has(it.id)) continue;
        unreadable.add(it.id);
        log(workspace, "error", `session ${it.id} cannot be read: ${inline(it.fault)}`);
      }
      const own = listed.flatMap((it) =>
        "standing" in it && it.standing.participants.includes(participant) ? [it.standing] : [],
      );
      const mine = own.find(({ waitingFor }) => waitingFor.includes(participant));
      if (mine !== undefined)
        return { ready: mine.id, why: `${participant} has the turn in ${mine.id}` };
      const over = own.find(({ id, ended }) => ended && seenOpen.has(id));
      if (over !== undefined)
        return { ready: over.id, why: `session ${over.id} has ended (${over.phase})` };
      const open = own.filter(({ ended }) => !ended);
      for (const { id } of open) seenOpen.add(id);
      return { again: await enterNewMail(workspace, participant, open) };
    },
  };
}

/** Enters mail of foreign colleagues; gives when to look again. */
async function enterNewMail(workspace: Workspace, participant: string, open: Standing[]) {
  const sessions = await Promise.all(open.map(({ id }) => loadSession(workspace, id)));
  const received = sessions.flatMap(({ machine }) => machine.nextAction(participant).received);
  const known = new Set(received.map(({ file }) => file));
  const isNew = (file: string) => !known.has(file);
  if (!unreadFiles(workspace, participant).some(isNew)) return undefined;
  await takeMailAloud(workspace, participant, known);
  return unreadFiles(workspace, participant).some(isNew) ? tornRecheckMs : 1;
}

async function takeMailAloud(
  workspace: Workspace,
  participant: string,
  known: ReadonlySet<string>,
) {
  const rejected = await takeForeignMail(workspace, participant, systemClock, known);
  for (const { file, reason } of rejected ?? []) {
    log(workspace, "warn", `refused mail, now in errors/: ${inline(file)}: ${inline(reason)}`);
  }
}

interface Watch {
  readonly folders: string[];
  readonly timeoutMs: number | undefined;
  check(): Promise<"done" | number | undefined>;
}

/** Waits while the presence file says so; the file goes when the wait ends, however it ends. */
async function withPresence(
  workspace: Workspace,
  participant: string,
  watch: Watch,
): Promise<WaitEnd> {
  const { heartbeat_seconds, polling_interval_seconds } = workspace.config;
  const path = presencePath(workspace, participant);
  announcePresence(path, participant, systemClock.now());
  try {
    return await waitUntil({
      ...watch,
      pollIntervalMs: polling_interval_seconds * 1_000,
      heartbeatMs: heartbeat_seconds * 1_000,
      heartbeat: () => touchPresence(path, participant, systemClock.now()),
    });
  } finally {
    leave(path);
  }
}

function endedEarly(end: WaitEnd, what: string, timeoutMs: number | undefined): number {
  if (typeof end === "object") return 128 + end.signal;
  talk(
    `timeout: ${what} after ${(timeoutMs ?? 0) / 1_000} s; run the same command again to wait on\n`,
  );
  return exitCodes.NOT_YET;
}
