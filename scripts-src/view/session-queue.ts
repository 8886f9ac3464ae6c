import { basename, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { ConsultaError, refused } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { millisecondsOf } from "../base/time.ts";
import { diskFailure, lstatSync } from "../files/disk.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import { openSession } from "../session/open.ts";
import { needText, pausedText } from "../session/person-words.ts";
import { type Place, placeIn } from "../session/place.ts";
import { type NamedStatus, type Session, sessionIds, standingOf } from "../session/session.ts";
import { fileMark, logOf, notedSessions, noteSessions } from "../session/session-list.ts";
import { peerStatusOf, registrationsOnce } from "../session/waiting/peer-status.ts";
import { knownSessions } from "../session/workspace/sessions-elsewhere.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { type Queue, type QueueRow, queueGroups } from "./page/model.ts";
import { turnSince } from "./session-model.ts";

/** A session of one of the workspaces: nobody has looked yet whether it can be used. */
export interface Entry {
  readonly key: string;
  readonly id: string;
  readonly folder: string;
  readonly workspace: Workspace;
  readonly project: string;
  /** @throws ConsultaError where the folder is reached through a link or is not the user's alone. */
  place(): Place;
}

/** What was read of a session, by the mark of its files then. */
interface Known {
  readonly mark: string;
  readonly session: Session;
  /** Of a session that has ended: nothing that it shows changes while the mark is the same. */
  readonly row?: QueueRow | undefined;
}

/** Others are answered after so many. */
const rowsAtOnce = 20;

/** All sessions of some workspaces, in the order in which they want the person. */
export class SessionQueue {
  readonly workspaces: readonly Workspace[];
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(workspaces: readonly Workspace[], clock: Clock) {
    this.workspaces = workspaces;
    this.#clock = clock;
  }

  /** @throws ConsultaError where a workspace cannot be listed. */
  list(): Entry[] {
    return this.workspaces.flatMap((_, place) => this.#listedIn(place));
  }

  /** @throws ConsultaError REFUSED where nothing has that key. */
  entry(key: string): Entry {
    const place = Number.parseInt(key, 10);
    const listed = place in this.workspaces ? this.#listedIn(place) : [];
    const found = listed.find((it) => it.key === key);
    if (found !== undefined) return found;
    throw refused(
      `there is no session ${inline(key, 200)} here any more; it may have been removed`,
    );
  }

  /** The sessions that have not ended, as of the last time that all were read. */
  ongoing(): (readonly [key: string, session: Session])[] {
    const all = [...this.#known].map(([key, { session }]) => [key, session] as const);
    return all.filter(([, session]) => !standingOf(session).ended);
  }

  /** A session or a workspace that cannot be read says why, and hides no other. */
  async read(): Promise<Queue> {
    const registered = registrationsOnce();
    const rows: QueueRow[] = [];
    for (const [place, workspace] of this.workspaces.entries()) {
      const project = basename(workspace.project);
      try {
        const seen = notedSessions(workspace, seenFile);
        for (const entry of this.#listedIn(place)) {
          const row = await this.#row(entry, Number(seen[entry.id] ?? 0), registered).catch(
            (cause) => unreadableRow(entry, failureText(cause, `read session ${entry.id}`)),
          );
          if (rows.push(row) % rowsAtOnce === 0) await nextTurn();
        }
      } catch (cause) {
        const fault = failureText(cause, `list the sessions of ${workspace.root}`);
        rows.push(unreadableRow({ key: `${place}:`, id: project, project }, fault));
      }
    }
    const keys = new Set(rows.map(({ key }) => key));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    const projects = this.workspaces.map((it) => basename(it.project));
    return { rows: rows.sort(inQueueOrder), projects };
  }

  #listedIn(at: number): Entry[] {
    const workspace = this.workspaces[at];
    if (workspace === undefined) return [];
    const project = basename(workspace.project);
    const listed = (id: string, folder: string, place: () => Place) => ({
      ...{ key: `${at}:${id}`, id, folder, workspace, project },
      place,
    });
    return [
      ...sessionIds(workspace).map((id) =>
        listed(id, join(workspace.root, "sessions", id), () => placeIn(workspace, id)),
      ),
      ...knownSessions(workspace).map((place) => listed(place.id, place.folder, () => place)),
    ];
  }

  async #row(entry: Entry, seenSeq: number, registered: Registrations): Promise<QueueRow> {
    const { key, folder } = entry;
    const place = entry.place();
    const known = this.#known.get(key);
    const markOf = (it: Session | undefined) => `${seenSeq} ${filesMark(folder, it)}`;
    const isSame = known !== undefined && known.mark === markOf(known.session);
    if (isSame && known.row !== undefined) return known.row;
    const session = await openSession(isSame ? known.session : place);
    const isOurs = isCreatedLocally(folder) || place.workspace === undefined;
    const seen = await openSession(session, { changes: "preview", clock: this.#clock });
    const row = await this.#rowOf(entry, seen, { isOurs, seenSeq, registered });
    const { ended, hasTurns } = standingOf(seen);
    // Without turns, as on a board, files beside the log tell who is ready; and a session can be adopted.
    const isFinal = ended && hasTurns && isOurs;
    this.#known.set(key, { mark: markOf(session), session, row: isFinal ? row : undefined });
    return row;
  }

  async #rowOf(
    { key, id, project }: Entry,
    session: Session,
    { isOurs, seenSeq, registered }: RowFacts,
  ): Promise<QueueRow> {
    const { place } = session;
    const status = standingOf(session);
    const { kind, topic, lastAt, participants, ended, waitingFor, confidence = {} } = status;
    const life = ended ? noLife : await this.#lifeOf(place, status, registered);
    const since = waitingFor.map((name) => turnSince(session, status, name)).sort();
    return {
      ...{ key, id, project, kind, topic, lastAt, participants, confidence },
      ...groupOf(status, { isOurs, seenSeq, ...life }),
      turn: ended ? [] : waitingFor,
      turnAt: since[0] ?? "",
    };
  }

  async #lifeOf(place: Place, status: NamedStatus, registered: Registrations): Promise<Life> {
    const [players, now] = [await registered(place), this.#clock.now()];
    const peers = status.participants.map((it) => peerStatusOf(place, it, status, players, now));
    // Silence says nothing: only a process that is known to have ended cannot go on.
    const isGone = peers.find((it) => status.waitingFor.includes(it.name) && it.ended);
    return {
      lost: isGone ? `the process of ${isGone.name}, who has the turn, has ended` : "",
      isLive: peers.some(({ isRunning, presence }) => isRunning || presence.present),
    };
  }
}

type Registrations = ReturnType<typeof registrationsOnce>;

interface RowFacts {
  readonly isOurs: boolean;
  /** How far the person has seen its end. */
  readonly seenSeq: number;
  readonly registered: Registrations;
}

/** Whether those who play a session live. */
interface Life {
  /** Who has the turn and is gone; "" for nobody. */
  readonly lost: string;
  readonly isLive: boolean;
}

const noLife: Life = { lost: "", isLive: false };

/** Where a session is in the list, and the line that says why. */
function groupOf(
  { ended, verdict, phase, waitingFor, seq, paused, needsPerson }: NamedStatus,
  { isOurs, seenSeq, lost, isLive }: Life & Omit<RowFacts, "registered">,
): Pick<QueueRow, "group" | "why"> {
  const phaseText = phase.replaceAll("_", " ");
  if (!isOurs)
    return { group: "earlier", why: "not begun here: it may have come with the project" };
  if (needsPerson !== undefined) return { group: "waits", why: needText(needsPerson) };
  if (ended) return { group: seenSeq >= seq ? "earlier" : "finished", why: verdict ?? phaseText };
  if (paused !== undefined) return { group: "idle", why: pausedText(paused) };
  if (lost !== "") return { group: "failed", why: lost };
  return { group: isLive ? "running" : "idle", why: waitingFor.length === 0 ? phaseText : "" };
}

/** A row that says why it cannot say more. */
export function unreadableRow(
  { key, id, project }: Pick<QueueRow, "key" | "id" | "project">,
  fault: string,
): QueueRow {
  return {
    ...{ key, id, project, kind: "", topic: id, group: "failed", why: fault },
    ...{ turn: [], turnAt: "", lastAt: "", participants: [], confidence: {} },
  };
}

/** The newest first, but what waits for the person the longest comes before all. */
function inQueueOrder(one: QueueRow, other: QueueRow): number {
  const rank = queueGroups.indexOf(one.group) - queueGroups.indexOf(other.group);
  const later = (millisecondsOf(other.lastAt) || 0) - (millisecondsOf(one.lastAt) || 0);
  return rank || (one.group === "waits" ? -later : later);
}

/** The log, and the settings beside it, by the size, time and file that they have now. */
function filesMark(folder: string, session: Session | undefined): string {
  const settings = session?.kind.settings;
  const path = settings && join(folder, settings.file);
  const status = path === undefined ? undefined : lstatSync(path);
  return `${logOf(folder)?.mark ?? ""} ${status === undefined ? "" : fileMark(status)}`;
}

/**
 * What the page says of something that failed beside it, `task` as in "cannot read ...": a page that goes
 * on shows a bug, where a script would end with it.
 */
export function failureText(cause: unknown, task: string): string {
  const failure = diskFailure(cause, task);
  return failure instanceof ConsultaError ? failure.message : `bug: ${String(cause)}`;
}

/** Which ends the person has seen in this page: the seq that each session had then. */
const seenFile = ".seen-ends.json";

/** Remembers that the person has seen how a session ended. */
export async function noteSeenEnd({ workspace, id, place }: Entry): Promise<void> {
  const { seq } = standingOf(await openSession(place()));
  const { [id]: _, ...others } = notedSessions(workspace, seenFile);
  noteSessions(workspace, seenFile, new Map([...Object.entries(others), [id, seq]]));
}
