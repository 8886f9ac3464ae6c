import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { visibleText } from "../base/visible-text.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { hasStore } from "../remote/store-mark.ts";
import { logAt, printErrorLines } from "../script/output.ts";
import { mailFor } from "../session/inbox/deliver.ts";
import { takeMailAloud, tellMail } from "../session/inbox/import-inbox.ts";
import { unreadFiles } from "../session/inbox/mailbox.ts";
import { openSession } from "../session/open.ts";
import { endedUnread } from "../session/past/ended-unread.ts";
import { pausedBy } from "../session/person-words.ts";
import { type Place, placeIn } from "../session/place.ts";
import { repairViews } from "../session/repair-views.ts";
import { type NamedStatus, type Session, sessionIds, standingOf } from "../session/session.ts";
import {
  isOurs,
  type ListedSession,
  latestSessions,
  listOpen,
  listSessions,
} from "../session/session-list.ts";
import type { Workspace } from "../session/workspace/workspace.ts";

/** A session in which a participant waits, as it is now. */
export interface AwaitedSession {
  readonly place: Place;
  readonly standing: SessionStatus;
}

/** What a participant waits in: one session, or those of a workspace. */
export interface TurnLook {
  readonly folder: string;
  /** Sessions that other machines may share. */
  readonly followed: readonly Session[];
  /** The sessions as they are now; why they cannot be read, where somebody may just be writing them. */
  list(): Promise<readonly AwaitedSession[] | string>;
  /** Whether the end of a session is news. */
  isNews(ended: AwaitedSession): Promise<boolean>;
  /** Whether mail was rejected when the wait began. */
  readonly hasRejected: boolean;
  /** The session, where it is one, as it was read last. */
  session(): Session | undefined;
  /** The session that the person holds, if one is. */
  held(): Promise<Session | undefined>;
}

/** What is here may be old, and the turn that it gives be taken: then its store is asked. */
async function askedOf(session: Session, participant: string): Promise<Session> {
  const hasTurn = standingOf(session).waitingFor.includes(participant);
  return hasTurn ? openSession(session, { fetch: "unless-offline" }) : session;
}

/** Looks at one session. */
export async function lookAtSession(loaded: Session, participant: string): Promise<TurnLook> {
  const known = await askedOf(loaded, participant);
  const { place } = known;
  const opened = await openSession(known, { changes: "enter", participant });
  let session: Session = opened;
  if (place.workspace !== undefined) tellMail(place.workspace, participant, opened.entered);
  return {
    folder: place.folder,
    followed: [known],
    hasRejected: opened.entered.rejected.length > 0,
    isNews: async () => true,
    session: () => session,
    held: async () => (standingOf(session).paused === undefined ? undefined : session),
    async list() {
      try {
        session = await openSession(session);
        if (session.kind.sharedLog) session = await repairViews(session);
      } catch (cause) {
        const isTorn = cause instanceof ConsultaError && cause.code === "REFUSED";
        if (!isTorn || !session.kind.sharedLog) throw cause;
        return cause.message;
      }
      return [{ place, standing: standingOf(session) }];
    },
  };
}

/** Looks at all sessions of a workspace that were begun here. */
export async function lookAtWorkspace(
  workspace: Workspace,
  participant: string,
): Promise<TurnLook> {
  const shared = await sharedSessions(workspace);
  await Promise.all(shared.map((session) => askedOf(session, participant)));
  const seenOpen = new Set<string>();
  const seenEnded = new Set<string>();
  const unreadable = new Set<string>();
  let open: readonly NamedStatus[] = [];
  let isFirst = true;
  return {
    folder: ensureFolder(workspace.root, "sessions"),
    followed: shared,
    hasRejected: false,
    session: () => undefined,
    async isNews({ place }) {
      if (seenEnded.has(place.id)) return false;
      seenEnded.add(place.id);
      return seenOpen.has(place.id) || endedUnread(await openSession(place), participant);
    },
    async held() {
      const paused = open.find((it) => it.paused && it.participants.includes(participant));
      return paused && openSession(placeIn(workspace, paused.id));
    },
    async list() {
      const listed = isFirst ? await listOpen(workspace) : [];
      // What changes while this waits is among those that changed last.
      const seen = new Set(listed.map(({ id }) => id));
      const others = latestSessions(workspace).filter((id) => !seen.has(id));
      listed.push(...(await listSessions(workspace, others)));
      logUnreadable(workspace, listed, unreadable);
      const standings = listed.flatMap((it) => ("standing" in it ? [it.standing] : []));
      const withTurns = standings.filter(({ hasTurns }) => hasTurns);
      const begunHere = withTurns.filter(({ id }) => isOurs(workspace, id));
      open = begunHere.filter(({ ended }) => !ended);
      const withMe = begunHere.filter((it) => it.participants.includes(participant));
      const withMeOpen = withMe.filter(({ ended }) => !ended);
      for (const { id } of withMeOpen) seenOpen.add(id);
      if (isFirst && withMeOpen.length === 0) {
        const strays = withTurns.filter((it) => !it.ended && !begunHere.includes(it));
        printErrorLines(listeningText(workspace, participant, open, strays));
      }
      isFirst = false;
      return withMe.map((standing) => ({ place: placeIn(workspace, standing.id), standing }));
    },
  };
}

/** The sessions of a workspace that other machines share, and that go on. */
async function sharedSessions(workspace: Workspace): Promise<Session[]> {
  const ids = sessionIds(workspace).filter((id) => hasStore(join(workspace.root, "sessions", id)));
  const sessions = await Promise.all(ids.map((id) => openSession(placeIn(workspace, id))));
  return sessions.filter(({ kind, state }) => !kind.standing(state).ended);
}

/** Says of each session once why it cannot be read. */
function logUnreadable(
  workspace: Workspace,
  listed: readonly ListedSession[],
  known: Set<string>,
): void {
  for (const it of listed) {
    if (!("fault" in it) || known.has(it.id)) continue;
    known.add(it.id);
    logAt(workspace, "error", `session ${it.id} cannot be read: ${inline(it.fault)}`);
  }
}

const openShownMax = 5;

/**
 * What a person sees who listens in the wrong folder, under a wrong name, or for a session that another
 * user of a shared project began.
 */
function listeningText(
  { project }: Workspace,
  participant: string,
  open: readonly NamedStatus[],
  strays: readonly NamedStatus[],
): string {
  const shown = (all: readonly NamedStatus[]) =>
    all
      .slice(0, openShownMax)
      .map(({ id, participants }) => `${id} (${participants.join(", ")})`)
      .join(", ");
  const others = open.length === 0 ? "" : `; open: ${shown(open)}`;
  const foreign =
    strays.length === 0
      ? ""
      : `; not begun here, so waited for by --session only: ${shown(strays)}`;
  const text = `no open session of ${participant} in ${visibleText(project)}: waiting for one`;
  return `${text}${others}${foreign}`;
}

/** Why nobody has the turn, where that is the doing of the user, or of somebody as the user. */
export async function pauseReason(session: Session): Promise<string | undefined> {
  const { id, paused } = session.kind.standing(session.state);
  if (paused === undefined) return undefined;
  const named = id === undefined ? "the session" : `session ${id}`;
  const who = await pausedBy(session, "the user");
  return `${named} is paused by ${who} since ${paused.at}: nobody is given a turn until they resume`;
}

/** Enters mail of foreign colleagues; returns when to look again, or that some of it was refused. */
export async function enterNewMail(
  workspace: Workspace,
  participant: string,
  open: readonly AwaitedSession[],
): Promise<{ readonly lookAgainMs?: number; readonly isRefused?: boolean }> {
  if (unreadFiles(workspace, participant).length === 0) return {};
  const sessions = await Promise.all(open.map(({ place }) => openSession(place)));
  const received = sessions.flatMap((session) => mailFor(session, participant));
  const known = new Set(received.map(({ file }) => file));
  const isNew = (file: string) => !known.has(file);
  if (!unreadFiles(workspace, participant).some(isNew)) return {};
  const isRefused = await takeMailAloud(workspace, participant, known);
  const lookAgainMs = unreadFiles(workspace, participant).some(isNew) ? limits.tornLookMs : 1;
  return { lookAgainMs, isRefused };
}
