import { join } from "node:path";
import { ConsultaError, refused } from "../base/errors.ts";
import { isRecord, quote } from "../base/json.ts";
import { isSafeName } from "../base/names.ts";
import { nameHint } from "../base/nearest-name.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync, readdirSync } from "../files/disk.ts";
import { safeJoin } from "../files/safe-path.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import type { LogEvent } from "../log/event.ts";
import { type Checkpoint, type Cursor, type EventLog, pagesOf } from "../log/event-log.ts";
import { FileEventLog } from "../log/file-event-log.ts";
import type { Kind, SessionState, SessionStatus } from "../protocol/protocol.ts";
import {
  snapshotOf,
  stateAfter,
  stateAtStart,
  stateInSnapshot,
} from "../protocol/session-state.ts";
import { stateAfterPerson } from "../protocol/with-person.ts";
import { noteForeignWriters } from "./inbox/foreign-writer.ts";
import { kindBegunBy, kindBegunByOthers, kindNamed, kindWithoutLog } from "./kinds.ts";
import { hasStore, type Place } from "./place.ts";
import { type SharedLogOptions, sharedStores, wayBack } from "./shared-stores.ts";
import { isLogInMaking, lookWhileMade } from "./wait-for-creation.ts";
import { readSettings, type SettingsFile } from "./workspace/session-settings.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** A session as its log has it, folded up to the cursor. */
export interface Session extends SessionState {
  readonly place: Place;
  readonly log: EventLog;
  /** The file of settings as it was when the fold began. */
  readonly settings: SettingsFile;
  readonly cursor: Cursor;
  /** The person's own log, where the session's cannot take what the person says and does. */
  readonly aside?: { readonly log: EventLog; readonly cursor: Cursor };
}

/** Where a session stands, with the name that people know it by. */
export type NamedStatus = SessionStatus & { readonly id: string };

export function standingOf({
  place,
  kind,
  state,
}: SessionState & Pick<Session, "place">): NamedStatus {
  return { ...kind.standing(state), id: place.id };
}

/** After so many events beyond the checkpoint a reader saves a newer one for those who follow. */
const tailEventsMax = 64;
const foldedAtOnce = 1_000;

/** How a session is read. */
export interface Reading {
  /** Its settings may be unreadable: for those who look for faults. */
  readonly mayBeFaulty?: true | undefined;
}

/**
 * Reads a session as it is here, in constant time: checkpoint, then the tail of the log. One that was read before
 * is read on, or begun again where its settings have changed.
 * @throws ConsultaError REFUSED when there is no such session, its log is damaged or its settings
 * cannot be read.
 */
export async function readSession(
  from: Place | Session,
  { mayBeFaulty }: Reading = {},
): Promise<Session> {
  const place = "place" in from ? from.place : from;
  if ("place" in from) {
    if (from.kind.settings === undefined) return foldTail(from);
    const settings = await readSettings(place, from.kind);
    if (settings.key === from.settings.key) return foldTail({ ...from, settings });
  }
  const session = await readAnew(place);
  if (mayBeFaulty === true) return session;
  const fault = faultOf(session);
  if (fault !== undefined) throw refused(fault);
  const named = session.kind.standing(session.state).id;
  if (named !== undefined && named !== place.id) {
    throw refused(`the log of session ${place.id} says that it is ${quote(named)}; run validate`);
  }
  return session;
}

/** Why a session that lives beside others' scripts cannot be worked with. */
function faultOf({ kind, place, settings }: Session): string | undefined {
  if (kind.settings === undefined) return undefined;
  const { file, fault } = kind.settings;
  const mayLackLog = kind.notice !== undefined;
  const way = mayLackLog
    ? "run init there"
    : "run init there, or init --resume where it died halfway";
  if (settings.fault !== undefined) return settings.fault;
  if (settings.text === undefined) return `missing ${file} in ${place.folder}; ${way}`;
  const reason = fault(settings.value);
  if (reason !== undefined) return `${reason} (in ${place.folder})`;
  const hasLog = mayLackLog || existsSync(join(place.folder, "events.jsonl"));
  return hasLog ? undefined : `missing events.jsonl in ${place.folder}; ${way}`;
}

async function readAnew(place: Place): Promise<Session> {
  const strict = await sessionLog(place);
  const checkpoint = await strict.loadCheckpoint();
  const kind = await kindOfSession(place, strict, checkpoint);
  const { sharedLog: shared, takesPersonSteps = false } = kind;
  const log =
    shared || !takesPersonSteps
      ? await sessionLog(place, { shared, hasAside: !takesPersonSteps })
      : strict;
  const settings = await readSettings(place, kind);
  const restored = stateInSnapshot(kind, checkpoint?.value, settings.value);
  const start =
    checkpoint === undefined || restored === undefined
      ? { cursor: log.start, ...stateAtStart(kind, settings.value) }
      : { cursor: checkpoint.cursor, ...restored };
  return foldTail({ place, log, settings, ...start });
}

/**
 * A session that has no event yet, to append the first: it becomes the user's own, unless its settings
 * are not what the user asked for (`isOwn`).
 */
export async function newSession(
  place: Place,
  kindName: string,
  isOwn: (settings: SettingsFile) => boolean = () => true,
): Promise<Session> {
  const kind = await kindNamed(kindName);
  if (kind === undefined) throw new Error(`nothing loads the kind ${kindName}`);
  const settings = await readSettings(place, kind);
  const options = { shared: kind.sharedLog, begins: isOwn(settings) };
  const log = await sessionLog(place, options);
  return { place, log, settings, cursor: log.start, ...stateAtStart(kind, settings.value) };
}

/** A folder with a log, or with the settings of one that has no event yet. */
async function kindOfSession(
  place: Place,
  log: EventLog,
  checkpoint: Checkpoint | undefined,
): Promise<Kind> {
  const value = checkpoint?.value;
  const remembered = isRecord(value) ? await kindNamed(value["kind"]) : undefined;
  if (remembered !== undefined) return remembered;
  const foreign = kindBegunByOthers(place.folder, place.workspace === undefined);
  const first = await firstEventName(place, log, foreign !== undefined);
  const begun = first === undefined ? undefined : await kindBegunBy(first);
  const kind = begun ?? (await kindNamed(foreign));
  if (kind !== undefined) return kind;
  throw refused(first === undefined ? await noSession(place) : unknownKind(place, first));
}

/** What the log begins with; undefined when it is empty, or damaged where that may be. */
async function firstEventName(
  { folder }: Place,
  log: EventLog,
  isForeign: boolean,
): Promise<string | undefined> {
  const read = async () => (await log.read(log.start)).events[0]?.event;
  try {
    const first = await read();
    const path = join(folder, "events.jsonl");
    if (first !== undefined || isForeign || !existsSync(path)) return first;
    return await lookWhileMade(() => isLogInMaking(path), read);
  } catch (cause) {
    if (isForeign && cause instanceof ConsultaError) return undefined;
    throw cause;
  }
}

async function noSession({ id, folder, workspace }: Place): Promise<string> {
  const known = workspace === undefined ? [] : sessionIds(workspace);
  if (known.includes(id)) {
    const log = join(folder, "events.jsonl");
    return `${log} is empty: nothing of session ${id} can be read; restore it from a copy, or remove ${folder}`;
  }
  const back = workspace && (await wayBack(id, workspace.project));
  const hint =
    known.length > 0 ? nameHint(id, known.toReversed(), "there are:") : "open one with init";
  return `no session ${id}${workspace === undefined ? "" : ` in ${workspace.root}`}; ${back ?? hint}`;
}

function unknownKind({ id }: Place, event: string): string {
  return `session ${id} begins with the event ${event}, which no protocol here knows; update Consulta`;
}

/** The session after this event, which was appended to its log. */
export function withEvent<Known extends Session>(
  known: Known,
  cursor: Cursor,
  event: LogEvent,
): Known {
  return { ...known, cursor, ...stateAfter(known, event) };
}

/** Keeps the state for those who read the session next. */
export function saveCheckpoint({ log, cursor, settings, ...at }: Session): Promise<void> {
  return log.saveCheckpoint({ cursor, value: snapshotOf(at, settings.value) });
}

async function foldTail(known: Session): Promise<Session> {
  let { cursor } = known;
  let at: SessionState = known;
  for await (const page of pagesOf(known.log, cursor)) {
    for (const [index, event] of page.events.entries()) {
      at = stateAfter(at, event);
      // A server that folds a long log answers others meanwhile.
      if (index % foldedAtOnce === foldedAtOnce - 1) await new Promise(setImmediate);
    }
    if (known.kind.sharedLog) noteForeignWriters(known.place, page.events);
    ({ cursor } = page);
  }
  const heard = await foldPersonLog({ ...known, cursor, state: at.state });
  // What the checkpoint, or this process, remembers of a person's log that is gone counts for nothing.
  if (heard.state.user.own.seq > (heard.aside?.cursor.seq ?? 0)) return foldAnew(known);
  // Settings that nobody can work with must not replace those that are remembered.
  const usable = known.kind.settings?.fault(known.settings.value) === undefined;
  if (usable && cursor.seq - known.cursor.seq > tailEventsMax) await saveCheckpoint(heard);
  return heard;
}

/** Folds the whole log, with nothing that was remembered. */
function foldAnew({ aside: _, ...known }: Session): Promise<Session> {
  const start = stateAtStart(known.kind, known.settings.value);
  return foldTail({ ...known, cursor: known.log.start, ...start });
}

/** The log of the session in a folder: a file there, and the store beside it where it has one. */
async function sessionLog(place: Place, options: SharedLogOptions = {}): Promise<EventLog> {
  const { hasAside: _, ...ofFile } = options;
  if (!hasStore(place.folder)) return new FileEventLog(place.folder, ofFile);
  return (await sharedStores()).openLog(place, options);
}

/** The folder of the person's own log: hidden, so that others who share the session pass over it. */
export const personLogName = ".person";

export function personLogFolder({ folder }: Pick<Place, "folder">): string {
  return join(folder, personLogName);
}

/** The person's own log beside that of a session: kept where the session's is. */
export async function personLogOf(place: Place): Promise<EventLog> {
  if (!hasStore(place.folder)) return new FileEventLog(personLogFolder(place), { begins: true });
  return (await sharedStores()).openPersonLog(place);
}

/** Who waits watches the session's own folder. */
export function tellPersonLogWatchers({ folder }: Pick<Place, "folder">, seq: number): void {
  writeFileAtomically(join(folder, `${personLogName}-seq`), `${seq}\n`, { sync: "nothing" });
}

/** Folds what the person said beside the log; nothing that came with a clone. */
async function foldPersonLog(known: Session): Promise<Session> {
  if (known.kind.takesPersonSteps === true) return known;
  const folder = personLogFolder(known.place);
  if (!existsSync(join(folder, "events.jsonl")) || !isCreatedLocally(folder)) {
    const { aside: _, ...alone } = known;
    return alone;
  }
  const log = known.aside?.log ?? (await personLogOf(known.place));
  let cursor = known.aside?.cursor ?? log.start;
  let at: SessionState = known;
  for await (const page of pagesOf(log, cursor)) {
    for (const event of page.events) at = stateAfterPerson(at, event);
    ({ cursor } = page);
  }
  return { ...known, state: at.state, aside: { log, cursor } };
}

/** The ids of all sessions that have a log, in order. */
export function sessionIds(workspace: Workspace): string[] {
  const folder = safeJoin(workspace.root, "sessions");
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  return entries
    .filter((it) => (it.isDirectory() || it.isSymbolicLink()) && isSafeName(it.name))
    .flatMap(({ name }) => (isSessionFolder(join(folder, name)) ? [name] : []))
    .sort();
}

/** Whether a folder holds a log, or a session that needs none yet. */
export function isSessionFolder(folder: string): boolean {
  return existsSync(join(folder, "events.jsonl")) || kindWithoutLog(folder) !== undefined;
}
