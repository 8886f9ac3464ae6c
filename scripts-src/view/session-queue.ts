import { basename, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { millisecondsOf } from "../base/time.ts";
import { statusOf } from "../files/project-file.ts";
import { isBegunHere } from "../log/begun-here.ts";
import type { Paused } from "../protocol/protocol.ts";
import { previewChanges } from "../session/import-changes.ts";
import { isRehearsed } from "../session/past/rehearsed.ts";
import { type Place, placeIn } from "../session/place.ts";
import {
  loadSession,
  type NamedStatus,
  type Session,
  sessionIds,
  standingOf,
} from "../session/session.ts";
import { peerStatusOf, registeredClis } from "../session/waiting/peer-status.ts";
import { knownSessions } from "../session/workspace/known-sessions.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import type { Queue, QueueGroup, QueueRow } from "./page/model.ts";
import { queueGroups } from "./page/model.ts";
import { readSeenEnds } from "./seen-ends.ts";
import { pageOf } from "./session-model.ts";

/** A session of one of the workspaces. */
export interface Entry {
  readonly key: string;
  readonly place: Place;
  readonly workspace: Workspace;
}

/** All sessions of some workspaces, in the order in which they want the person. */
export class SessionQueue {
  readonly workspaces: readonly Workspace[];
  readonly #clock: Clock;
  /** What was read of a log, by the size, time and file that it had then. */
  readonly #known = new Map<string, { readonly mark: string; readonly session: Session }>();

  constructor(workspaces: readonly Workspace[], clock: Clock) {
    this.workspaces = workspaces;
    this.#clock = clock;
  }

  entries(): Entry[] {
    return this.workspaces.flatMap((workspace, index) => [
      ...sessionIds(workspace).map((id) => entryOf(index, workspace, placeIn(workspace, id))),
      ...knownSessions(workspace).map((place) => entryOf(index, workspace, place)),
    ]);
  }

  /** @throws ConsultaError REFUSED where nothing has that key. */
  entry(key: string): Entry {
    const found = this.entries().find((it) => it.key === key);
    if (found !== undefined) return found;
    throw new ConsultaError(
      "REFUSED",
      `there is no session ${inline(key, 200)} here any more; it may have been removed`,
    );
  }

  /** The whole list; of very many sessions the newest are told `early`, while the rest is read. */
  async read(early: (queue: Queue) => void = () => undefined): Promise<Queue> {
    const seen = new Map(this.workspaces.map((it) => [it, readSeenEnds(it)]));
    const entries = this.entries().map((entry) => ({ entry, ...markOf(entry) }));
    entries.sort((one, other) => other.changedMs - one.changedMs);
    const rows: QueueRow[] = [];
    for (const { entry, mark } of entries) {
      const { id } = entry.place;
      rows.push(await this.#row(entry, mark, seen.get(entry.workspace)?.get(id) ?? 0));
      if (rows.length === earlyRows && entries.length > earlyRows) early(this.#queueOf(rows));
      // Others want answers meanwhile.
      if (rows.length % earlyRows === 0) await nextTurn();
    }
    const keys = new Set(entries.map(({ entry }) => entry.key));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    return this.#queueOf(rows);
  }

  #queueOf(rows: readonly QueueRow[]): Queue {
    return { rows: [...rows].sort(inQueueOrder), projects: this.workspaces.map(projectOf) };
  }

  async #row(entry: Entry, mark: string, seenSeq: number): Promise<QueueRow> {
    try {
      return await this.#readable(entry, mark, seenSeq);
    } catch (cause) {
      // A session that cannot be read says why, and hides no other.
      if (!(cause instanceof ConsultaError)) throw cause;
      return unreadableRow(entry, cause.message);
    }
  }

  async #readable(entry: Entry, mark: string, seenSeq: number): Promise<QueueRow> {
    const { key, place, workspace } = entry;
    const session = await this.#load(entry, mark);
    const standing = standingOf(session);
    const page = await pageOf(session.kind.name);
    const isOurs = isBegunHere(place.folder) || place.workspace === undefined;
    const isDryRun = isRehearsed(place.folder);
    const wanted = isDryRun ? "" : wantedText(standing);
    const life = standing.ended ? noLife : await this.#life(session, standing);
    const state = { standing, wanted, seenSeq, isOurs, isDryRun, ...life };
    const { topic, kind, lastAt, participants } = standing;
    return {
      ...{
        key,
        id: place.id,
        project: projectOf(workspace, this.workspaces.indexOf(workspace)).name,
      },
      ...{ kind, topic, lastAt, participants, isOurs },
      ...groupOf(state),
      turn: standing.ended ? [] : standing.waitingFor,
      since: standing.lastAt,
      confidence: page.confidence({ machine: session.machine }),
    };
  }

  /** Of a kind that has no settings beside its log, the log tells all. */
  async #load({ key, place }: Entry, mark: string): Promise<Session> {
    const known = this.#known.get(key);
    if (known?.mark === mark && known.session.kind.settings === undefined) return known.session;
    const session = await previewChanges(await loadSession(place), this.#clock);
    this.#known.set(key, { mark, session });
    return session;
  }

  async #life({ place }: Session, standing: NamedStatus): Promise<Life> {
    const [players, now] = [await registeredClis(place), this.#clock.now()];
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

/** What it waits for from the person; "" for nothing. */
function wantedText({ needsPerson }: NamedStatus): string {
  if (needsPerson === undefined) return "";
  const { wants, text } = needsPerson;
  const what = {
    answer: "asks you",
    decision: "yours to decide",
    "way out": "is blocked and waits for you",
  };
  return `${what[wants]}: ${inline(text, 300)}`;
}

/** So many are enough to begin with, and to do at a stretch. */
const earlyRows = 40;

/** A log by the size, time and file that it has now. */
function markOf({ place }: Entry): { mark: string; changedMs: number } {
  const status = statusOf(join(place.folder, "events.jsonl"));
  if (status === undefined) return { mark: "", changedMs: Number.POSITIVE_INFINITY };
  const { size, mtimeMs, ino } = status;
  return { mark: `${size} ${mtimeMs} ${ino}`, changedMs: mtimeMs };
}

interface Life {
  /** Who has the turn and is gone; "" for nobody. */
  readonly lost: string;
  readonly isLive: boolean;
}

const noLife: Life = { lost: "", isLive: false };

interface RowState extends Life {
  readonly standing: NamedStatus;
  readonly wanted: string;
  readonly seenSeq: number;
  readonly isOurs: boolean;
  readonly isDryRun: boolean;
}

function groupOf({ standing, wanted, seenSeq, isOurs, isDryRun, lost, isLive }: RowState): {
  group: QueueGroup;
  why: string;
} {
  const { ended, verdict, phase, waitingFor, seq, paused } = standing;
  const outcome = isDryRun ? "DRY RUN" : (verdict ?? phase.replaceAll("_", " "));
  if (!isOurs)
    return { group: "earlier", why: "not begun here: it may have come with the project" };
  if (wanted !== "") return { group: "waits", why: wanted };
  if (ended) return { group: seenSeq >= seq ? "earlier" : "finished", why: outcome };
  if (paused !== undefined) return { group: "idle", why: pauseText(paused) };
  if (lost !== "") return { group: "failed", why: lost };
  const why = waitingFor.length === 0 ? phase.replaceAll("_", " ") : "";
  return { group: isLive ? "running" : "idle", why };
}

function pauseText({ stillBusy }: Paused): string {
  const busy = stillBusy.length === 0 ? "" : `; not reached yet by ${stillBusy.join(" and ")}`;
  return `paused by you${busy}`;
}

function entryOf(index: number, workspace: Workspace, place: Place): Entry {
  return { key: `${index}:${place.id}`, place, workspace };
}

export function projectOf({ project }: Workspace, index: number) {
  return { key: String(index), name: basename(project), path: project };
}

function unreadableRow({ key, place, workspace }: Entry, fault: string): QueueRow {
  return {
    ...{ key, id: place.id, project: basename(workspace.project), kind: "", topic: place.id },
    ...{ group: "failed", why: fault, turn: [], since: "", lastAt: "", participants: [] },
    ...{ confidence: [], isOurs: true },
  };
}

/** The newest first, but what waits for the person the longest comes before all. */
function inQueueOrder(one: QueueRow, other: QueueRow): number {
  const rank = queueGroups.indexOf(one.group) - queueGroups.indexOf(other.group);
  if (rank !== 0) return rank;
  const later = (millisecondsOf(other.lastAt) || 0) - (millisecondsOf(one.lastAt) || 0);
  return one.group === "waits" ? -later : later;
}
