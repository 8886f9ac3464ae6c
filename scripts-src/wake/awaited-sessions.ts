import { join } from "node:path";
import { ConsultaError } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { visibleText } from "../base/visible-text.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { logAt, printErrorLines } from "../script/output.ts";
import { mailFor } from "../session/inbox/deliver.ts";
import { takeMailAloud, tellMail } from "../session/inbox/import-inbox.ts";
import { unreadFiles } from "../session/inbox/mailbox.ts";
import { openSession } from "../session/open.ts";
import { endedUnread } from "../session/past/outcome.ts";
import { pausedBy } from "../session/person-words.ts";
import { hasStore, type Place, placeIn } from "../session/place.ts";
import { type NamedStatus, type Session, sessionIds, standingOf } from "../session/session.ts";
import { isOurs, listOthers, listSessions, standingsIn } from "../session/session-list.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { repairViews } from "../session/write-views.ts";

/** A session in which a participant waits, as it is now. */
export interface AwaitedSession {
  readonly place: Place;
  readonly standing: SessionStatus;
}

/** What a participant waits in: one session, or those of a workspace. */
export interface AwaitedSessions {
  readonly folder: string;
  /** Sessions that other machines may share. */
  readonly followed: readonly Session[];
  /** Whether mail was rejected when the wait began. */
  readonly hasRejected: boolean;
  /**
   * The sessions as they are now; why they cannot be read, where somebody may just be writing them.
   * @throws ConsultaError where none is left to wait for.
   */
  list(): Promise<readonly AwaitedSession[] | string>;
  /** Whether a session that gives the turn goes on from what was seen, as its store says; else it is waited for no longer. */
  goesOn(place: Place): Promise<boolean>;
  /** In a workspace a session that is not what it was ends no wait for the others: `list` tells of it. */
  readonly note?: (fault: Error) => void;
  /** Whether the end of a session is news. */
  isNews(ended: AwaitedSession): Promise<boolean>;
  /** The session, where it is one, as it was read last. */
  session(): Session | undefined;
  /** Why nobody has the turn, where that is the doing of the user, or of somebody as the user. */
  pauseReason(): Promise<string | undefined>;
}

/** What is here may be old, and the turn that it gives be taken: then its store is asked. */
function askedOf(session: Session, participant: string): Promise<Session> {
  const hasTurn = standingOf(session).waitingFor.includes(participant);
  return hasTurn ? openSession(session, { fetch: "unless-offline" }) : Promise.resolve(session);
}

/** A session alone. */
export async function awaitSession(loaded: Session, participant: string): Promise<AwaitedSessions> {
  const known = await askedOf(loaded, participant);
  const { place } = known;
  const opened = await openSession(known, { changes: "enter", participant });
  let session: Session = opened;
  if (place.workspace !== undefined) tellMail(place.workspace, participant, opened.entered);
  return {
    folder: place.folder,
    followed: [known],
    hasRejected: opened.entered.rejected.length > 0,
    goesOn: async () => true,
    isNews: async () => true,
    session: () => session,
    pauseReason: () => pauseReason(session),
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

/** All sessions of a workspace that were begun here. */
export async function awaitWorkspace(
  workspace: Workspace,
  participant: string,
): Promise<AwaitedSessions> {
  const stores = new AskedStores(participant);
  const shared = await sharedSessions(workspace);
  const answers = await Promise.all(shared.map((it) => stores.goesOn(it)));
  const seenOpen = new Set<string>();
  const seenEnded = new Set<string>();
  const listAll = listerOf(workspace);
  let mine: readonly NamedStatus[] | undefined;
  return {
    folder: ensureFolder(workspace.root, "sessions"),
    followed: shared.filter((_, index) => answers[index]),
    hasRejected: false,
    session: () => undefined,
    goesOn: async (place) => !hasStore(place.folder) || stores.goesOn(await openSession(place)),
    note: (fault) => stores.note(fault),
    async isNews({ place }) {
      if (seenEnded.has(place.id)) return false;
      seenEnded.add(place.id);
      return seenOpen.has(place.id) || endedUnread(await openSession(place), participant);
    },
    async pauseReason() {
      const paused = mine?.find((it) => it.paused && !it.ended);
      return paused && pauseReason(await openSession(placeIn(workspace, paused.id)));
    },
    async list() {
      const all = await listAll();
      const ours = all.filter(({ id }) => isOurs(workspace, id));
      const isFirst = mine === undefined;
      mine = ours.filter(
        (it) => it.participants.includes(participant) && !stores.leftOut.has(it.id),
      );
      stores.tell(mine.filter(({ ended }) => !ended).length);
      for (const { id, ended } of mine) if (!ended) seenOpen.add(id);
      if (isFirst && seenOpen.size === 0)
        printErrorLines(listeningText(workspace, participant, ours, all));
      return mine.map((standing) => ({ place: placeIn(workspace, standing.id), standing }));
    },
  };
}

/** Asks the stores of sessions whether they go on from what was seen of them, and tells what is wrong with them. */
class AskedStores {
  readonly #participant: string;
  readonly leftOut = new Set<string>();
  readonly #faults = new Map<string, ConsultaError>();
  readonly #told = new Set<string>();

  constructor(participant: string) {
    this.#participant = participant;
  }

  async goesOn(session: Session): Promise<boolean> {
    try {
      await askedOf(session, this.#participant);
      return true;
    } catch (cause) {
      if (!(cause instanceof ConsultaError) || cause.code !== "REFUSED") throw cause;
      this.leftOut.add(session.place.id);
      this.note(cause);
      return false;
    }
  }

  note(fault: Error): void {
    if (!(fault instanceof ConsultaError)) throw fault;
    this.#faults.set(fault.message, fault);
  }

  /** Tells each fault once; @throws ConsultaError where so many open sessions leave nothing else to wait for. */
  tell(openCount: number): void {
    const [first] = this.#faults.values();
    if (first !== undefined && this.#faults.size >= openCount + this.leftOut.size) throw first;
    for (const message of this.#faults.keys()) {
      if (!this.#told.has(message)) printErrorLines(`note: ${message}`);
      this.#told.add(message);
    }
  }
}

/** The sessions of a workspace that other machines share, and that go on. */
async function sharedSessions(workspace: Workspace): Promise<Session[]> {
  const ids = sessionIds(workspace).filter((id) => hasStore(join(workspace.root, "sessions", id)));
  const sessions = await Promise.all(ids.map((id) => openSession(placeIn(workspace, id))));
  return sessions.filter((session) => !standingOf(session).ended);
}

/** Lists the sessions with turns; says once what is unreadable. */
function listerOf(workspace: Workspace): () => Promise<NamedStatus[]> {
  const unreadable = new Set<string>();
  let isFirst = true;
  return async () => {
    const listed = await listSessions(workspace);
    // What ended before the wait may not have been read.
    if (isFirst)
      listed.push(...(await listOthers(workspace, listed, (id) => isOurs(workspace, id))));
    isFirst = false;
    for (const { id, fault } of listed) {
      if (fault === undefined || unreadable.has(id)) continue;
      unreadable.add(id);
      logAt(workspace, "error", `session ${id} cannot be read: ${inline(fault)}`);
    }
    return standingsIn(listed).filter(({ hasTurns }) => hasTurns);
  };
}

/**
 * What a person sees who listens in the wrong folder, under a wrong name, or for a session that another
 * user of a shared project began.
 */
function listeningText(
  { project }: Workspace,
  participant: string,
  ours: readonly NamedStatus[],
  all: readonly NamedStatus[],
): string {
  const told = (what: string, of: readonly NamedStatus[]) => {
    const open = of.filter(({ ended }) => !ended).slice(0, 5);
    const names = open.map(({ id, participants }) => `${id} (${participants.join(", ")})`);
    return names.length === 0 ? "" : `; ${what}: ${names.join(", ")}`;
  };
  const strays = all.filter((it) => !ours.includes(it));
  const text = `no open session of ${participant} in ${visibleText(project)}: waiting for one`;
  return `${text}${told("open", ours)}${told("not begun here, so waited for by --session only", strays)}`;
}

async function pauseReason(session: Session): Promise<string | undefined> {
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
  const hasNew = () => unreadFiles(workspace, participant).some((file) => !known.has(file));
  if (!hasNew()) return {};
  const isRefused = await takeMailAloud(workspace, participant, known);
  return { lookAgainMs: hasNew() ? limits.tornLookMs : 1, isRefused };
}
