import { basename, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { fileStatus } from "../files/project-file.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { Machine } from "../protocol/machine.ts";
import { previewChanges } from "../session/import-changes.ts";
import { type Place, placeIn } from "../session/place.ts";
import {
  catchUp,
  loadSession,
  type NamedStatus,
  type Session,
  sessionIds,
  standingOf,
} from "../session/session.ts";
import { fileMark, logOf } from "../session/session-list.ts";
import { peerStatusOf, registrationsOnce } from "../session/waiting/peer-status.ts";
import { knownSessions } from "../session/workspace/known-sessions.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import { failureText } from "./failure.ts";
import type { Project, Queue, QueueRow } from "./page/model.ts";
import type { Ongoing } from "./poll-remote-stores.ts";
import {
  groupOf,
  inQueueOrder,
  type Life,
  noLife,
  type RowState,
  unreadableRow,
} from "./queue-row.ts";
import { readSeenEnds } from "./seen-session-ends.ts";
import { pageOf } from "./session-model.ts";
import { turnSince } from "./turn-began.ts";

/** A session of one of the workspaces. */
export interface Entry {
  readonly key: string;
  readonly place: Place;
  readonly workspace: Workspace;
}

/** A session that is in a folder: nobody has looked yet whether it can be used. */
interface Listed {
  readonly key: string;
  readonly id: string;
  readonly folder: string;
  readonly workspace: Workspace;
  /** @throws ConsultaError where the folder is reached through a link or is not the user's alone. */
  place(): Place;
}

/** One session at one look. */
interface SessionLook {
  readonly listed: Listed;
  /** The log by the size, time and file that it has now. */
  readonly mark: string;
  readonly changedMs: number;
  /** How far the person has seen its end. */
  readonly seenSeq: number;
}

/** What was read of a session, by its mark then. */
interface SessionMemory {
  readonly mark: string;
  readonly session: Session;
  /** Of a session that has ended: the row, as long as nothing that it shows can change. */
  readonly row?: { readonly mark: string; readonly row: QueueRow };
}

/** All sessions of some workspaces, in the order in which they want the person. */
export class SessionQueue {
  readonly workspaces: readonly Workspace[];
  readonly #clock: Clock;
  readonly #known = new Map<string, SessionMemory>();

  constructor(workspaces: readonly Workspace[], clock: Clock) {
    this.workspaces = workspaces;
    this.#clock = clock;
  }

  /** @throws ConsultaError where a workspace cannot be listed. */
  list(): Listed[] {
    return this.workspaces.flatMap((it) => this.#listedIn(it));
  }

  /** @throws ConsultaError REFUSED where nothing has that key. */
  entry(key: string): Entry {
    const workspace = this.workspaces[Number.parseInt(key, 10)];
    const found = workspace && this.#listedIn(workspace).find((it) => it.key === key);
    if (found !== undefined) return { key, place: found.place(), workspace: found.workspace };
    throw new ConsultaError(
      "REFUSED",
      `there is no session ${inline(key, 200)} here any more; it may have been removed`,
    );
  }

  /** The sessions that have not ended, as of the last time that all were read. */
  ongoing(): Ongoing[] {
    return [...this.#known].flatMap(([key, { session }]) =>
      session.machine.standing().ended ? [] : [{ key, session }],
    );
  }

  projectOf(workspace: Workspace): Project {
    const key = String(this.workspaces.indexOf(workspace));
    return { key, name: basename(workspace.project) };
  }

  /** Reads the sessions that are told early; returns the key of the one whose log changed last. */
  async prepare(): Promise<string | undefined> {
    const { looked } = this.#lookAtAll();
    const registered = registrationsOnce();
    for (const it of looked.slice(0, earlyRows)) {
      await this.#row(it, registered);
      await nextTurn();
    }
    return looked[0]?.listed.key;
  }

  /** The whole list; of very many sessions the newest are told `early`, while the rest is read. */
  async read(early: (queue: Queue) => void = () => undefined): Promise<Queue> {
    const { looked, rows } = this.#lookAtAll();
    const registered = registrationsOnce();
    for (const it of looked) {
      rows.push(await this.#row(it, registered));
      if (rows.length === earlyRows && looked.length > earlyRows) early(this.#queueOf(rows));
      // Others want answers meanwhile.
      if (rows.length % earlyRows === 0) await nextTurn();
    }
    const keys = new Set(looked.map(({ listed }) => listed.key));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    return this.#queueOf(rows);
  }

  #listedIn(workspace: Workspace): Listed[] {
    const { key: project } = this.projectOf(workspace);
    const listed = (id: string, folder: string, place: () => Place) => ({
      ...{ key: `${project}:${id}`, id, folder, workspace },
      place,
    });
    return [
      ...sessionIds(workspace).map((id) =>
        listed(id, join(workspace.root, "sessions", id), () => placeIn(workspace, id)),
      ),
      ...knownSessions(workspace).map((place) => listed(place.id, place.folder, () => place)),
    ];
  }

  /** The newest first; a workspace that cannot be listed says why, and hides no other. */
  #lookAtAll(): { looked: SessionLook[]; rows: QueueRow[] } {
    const looked: SessionLook[] = [];
    const rows: QueueRow[] = [];
    for (const workspace of this.workspaces) {
      try {
        const seen = readSeenEnds(workspace);
        for (const listed of this.#listedIn(workspace))
          looked.push({ listed, seenSeq: seen.get(listed.id) ?? 0, ...logMark(listed) });
      } catch (cause) {
        const { key, name: project } = this.projectOf(workspace);
        const fault = failureText(cause, `list the sessions of ${workspace.root}`);
        rows.push(unreadableRow({ key: `${key}:`, id: project, project }, fault));
      }
    }
    looked.sort((one, other) => other.changedMs - one.changedMs);
    return { looked, rows };
  }

  #queueOf(rows: readonly QueueRow[]): Queue {
    const projects = this.workspaces.map((it) => this.projectOf(it));
    return { rows: [...rows].sort(inQueueOrder), projects };
  }

  async #row(looked: SessionLook, registered: Registrations): Promise<QueueRow> {
    const { key, id, workspace } = looked.listed;
    try {
      return await this.#readable(looked, registered);
    } catch (cause) {
      // A session that cannot be read says why, and hides no other.
      const fault = failureText(cause, `read session ${id}`);
      const { name: project } = this.projectOf(workspace);
      return unreadableRow({ key, id, project }, fault);
    }
  }

  async #readable(looked: SessionLook, registered: Registrations): Promise<QueueRow> {
    const { listed, mark, seenSeq } = looked;
    const { key } = listed;
    const place = listed.place();
    const known = this.#known.get(key);
    const markNow = (of: Session) => `${mark} ${seenSeq} ${settingsMark(of)}`;
    if (known?.row !== undefined && known.row.mark === markNow(known.session)) return known.row.row;
    const session = await this.#load(key, place, mark);
    const seen = await previewChanges(session, this.#clock);
    const standing = standingOf(seen);
    const life = standing.ended ? noLife : await this.#life(place, standing, registered);
    const isOurs = isCreatedLocally(place.folder) || place.workspace === undefined;
    const row = await this.#rowOf(looked, seen, { standing, isOurs, ...life });
    // Without turns, as on a board, files beside the log tell who is ready; and a session can be adopted.
    if (standing.ended && standing.hasTurns && isOurs)
      this.#known.set(key, { mark, session, row: { mark: markNow(session), row } });
    return row;
  }

  async #rowOf(
    { listed: { key, workspace }, seenSeq }: SessionLook,
    { machine, place }: Session,
    of: Omit<RowState, "seenSeq">,
  ): Promise<QueueRow> {
    const page = await pageOf(machine.kind);
    const { topic, kind, lastAt, participants, ended, waitingFor } = of.standing;
    return {
      ...{ key, id: place.id, project: this.projectOf(workspace).name },
      ...{ kind, topic, lastAt, participants },
      ...groupOf({ ...of, seenSeq }),
      turn: ended ? [] : waitingFor,
      turnAt: turnOf(machine, of.standing),
      confidence: page.confidence({ machine }),
    };
  }

  /** A log that is as it was tells nothing new; settings beside it may. */
  async #load(key: string, place: Place, mark: string): Promise<Session> {
    const known = this.#known.get(key);
    const isSame = known?.mark === mark;
    if (isSame && known.session.kind.settings === undefined) return known.session;
    const session = isSame ? await catchUp(known.session) : await loadSession(place);
    this.#known.set(key, { mark, session });
    return session;
  }

  async #life(place: Place, standing: NamedStatus, registered: Registrations): Promise<Life> {
    const [players, now] = [await registered(place), this.#clock.now()];
    const peers = standing.participants.map((name) =>
      peerStatusOf(place, name, standing, players, now),
    );
    // Silence says nothing: only a process that is known to have ended cannot go on.
    const gone = peers.find(
      ({ name, ended }) => standing.waitingFor.includes(name) && ended !== undefined,
    );
    const lost = gone && `the process of ${gone.name}, who has the turn, has ended`;
    return {
      lost: lost ?? "",
      isLive: peers.some(({ isRunning, presence }) => isRunning || presence.present),
    };
  }
}

/** Since when somebody has had the turn, of several who have it the longest. */
function turnOf(machine: Machine, standing: NamedStatus): string {
  if (standing.ended) return "";
  const all = standing.waitingFor.map((name) => turnSince(machine, standing, name));
  return all.includes("") ? "" : (all.sort()[0] ?? "");
}

type Registrations = ReturnType<typeof registrationsOnce>;

/** So many fill a screen, and are done at a stretch. */
const earlyRows = 20;

/** A log that is not there yet changed just now. */
function logMark({ folder }: Listed): Pick<SessionLook, "mark" | "changedMs"> {
  return logOf(folder) ?? { mark: "", changedMs: Number.POSITIVE_INFINITY };
}

/** The file of settings beside a log by the size, time and file that it has now; "" where there is none. */
function settingsMark({ kind, place }: Session): string {
  if (kind.settings === undefined) return "";
  const status = fileStatus(join(place.folder, kind.settings.file));
  return status === undefined ? "" : fileMark(status);
}
