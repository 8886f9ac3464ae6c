import { sep } from "node:path";
import { millisecondsOf } from "../base/time.ts";
import { hasHidden } from "../base/visible-text.ts";
import type { CliProcess } from "../clis/cli-process.ts";
import {
  isSame,
  ownerOf,
  type RegisteredCli,
  type Registration,
  registeredInSession,
} from "../clis/cli-registry.ts";
import { realpathSync } from "../files/disk.ts";
import { isCreatedLocally } from "../log/created-locally.ts";
import { systemClock } from "../script/clock.ts";
import { mailFor } from "../session/inbox/deliver.ts";
import { openSession } from "../session/open.ts";
import { type Place, placeAt, placeIn } from "../session/place.ts";
import { type Session, standingOf } from "../session/session.ts";
import { openSessions } from "../session/session-list.ts";
import { type PeerStatus, peerStatusOf } from "../session/waiting/peer-status.ts";
import { type HookCall, logFailure } from "./hook-call.ts";
import { type HookMemory, readMemory, toldOf } from "./hook-state.ts";
import { type WakeState, wakeReasonOf } from "./rules/wake-policy.ts";

/** A role that a CLI plays, or may play: a participant in a session. */
export interface Role {
  readonly session: Session;
  /** The session's folder by its real path. */
  readonly folder: string;
  readonly participant: string;
  /** Absent where this CLI has not taken it yet. */
  readonly seat?: Registration | undefined;
  /** Then the registration that a CLI of its kind left, which has ended. */
  readonly left?: Registration | undefined;
  /** How many files of its inbox were moved to `errors/` just now: nobody is told of them again. */
  readonly refused: number;
}

/** The registrations that a CLI holds: those of them that no other window took over. */
export function ownRegistrations(
  all: readonly RegisteredCli[],
  cli: CliProcess | undefined,
): Registration[] {
  const own = all.find((it) => cli && isSame(it.process, cli) && it.isAlive !== false);
  return own?.seats.filter((seat) => isPrintable(seat.folder) && ownerOf(all, seat) === own) ?? [];
}

/** Loads the session of a registration as its participant finds it now. */
export async function loadRole(seat: Registration): Promise<Role> {
  const { folder, participant } = seat;
  // A hook answers at once: what comes from other machines it has from those that wait for it.
  return roleIn(await openSession(placeAt(folder)), folder, participant, { seat });
}

async function roleIn(
  known: Session,
  folder: string,
  participant: string,
  by: Pick<Role, "seat" | "left">,
): Promise<Role> {
  const session = await openSession(known, { changes: "enter", participant, clock: systemClock });
  return { session, folder, participant, ...by, refused: session.entered.rejected.length };
}

/** Who may play what, as far as the registrations tell. */
interface Registered {
  readonly all: readonly RegisteredCli[];
  /** Those that this CLI holds. */
  readonly own: readonly Registration[];
  /** Those of CLIs of its kind that have ended. */
  readonly left: readonly Registration[];
  /** Those of the other windows of the same CLI. */
  readonly rivals: readonly Registration[];
  /** What this CLI was told by its hooks. */
  readonly memory: HookMemory | undefined;
}

/** What was looked at for roles, and what was found. */
export interface RolesFound {
  readonly roles: Role[];
  /** The folders of all sessions that were looked at. */
  readonly folders: string[];
  /** Whether nothing failed that was to be looked at. */
  isWhole: boolean;
  /** Whether its stop waits: it takes part in an open session, or was not told yet of the end of one. */
  takesPart: boolean;
  /** Whether another window of its kind that lives takes part in one of the project's open sessions. */
  hasRival: boolean;
}

/**
 * The roles in open sessions that this CLI may play: its own registrations, else the name that the
 * user gave it, else the registrations of CLIs of its kind that have ended, else its default name; none
 * that another living window plays. A session that was not begun here counts only where a CLI is, or
 * was, registered: it ran a script there because it was told to.
 */
export async function openRoles(
  call: HookCall,
  all: readonly RegisteredCli[],
): Promise<RolesFound> {
  const registered = registeredFor(call, all);
  const found: RolesFound = {
    ...{ roles: [], folders: [], isWhole: true, takesPart: false, hasRival: false },
  };
  const places = placesOf(call, registered, found);
  found.folders.push(...places.keys());
  // Of a session elsewhere in the project it is not looked whether it is open.
  found.hasRival = registered.rivals.some(
    ({ folder }) => !places.has(folder) && folder.startsWith(call.project + sep),
  );
  for (const [folder, place] of places) {
    try {
      await addRoles(found, await openSession(place), folder, registered, call.cli);
    } catch (cause) {
      logFailure(call, cause);
      found.isWhole = false;
    }
  }
  return found;
}

function registeredFor(
  { cli, home, process }: HookCall,
  all: readonly RegisteredCli[],
): Registered {
  const ofKind = all.filter((it) => it.process.cli === cli);
  const seatsOf = (some: readonly RegisteredCli[]) => some.flatMap(({ seats }) => seats);
  return {
    all,
    own: ownRegistrations(all, process),
    left: seatsOf(ofKind.filter(({ isAlive }) => isAlive === false)),
    rivals: seatsOf(
      ofKind.filter((it) => it.isAlive !== false && !(process && isSame(it.process, process))),
    ),
    memory: process && readMemory(home, process),
  };
}

/** The sessions of the workspace, and those elsewhere in which the CLI, or one before it, has a registration. */
function placesOf(
  call: HookCall,
  { own, left }: Registered,
  found: RolesFound,
): Map<string, Place> {
  const { workspace, project } = call;
  const places = new Map<string, Place>();
  const add = (make: () => Place) => {
    try {
      const place = make();
      const folder = realpathSync.native(place.folder);
      if (isPrintable(folder) && !places.has(folder)) places.set(folder, place);
    } catch (cause) {
      logFailure(call, cause);
      found.isWhole = false;
    }
  };
  if (workspace !== undefined)
    for (const id of openSessions(workspace).ids) add(() => placeIn(workspace, id));
  const leftHere = left.filter(({ folder }) => folder.startsWith(project + sep));
  for (const { folder } of [...own, ...leftHere])
    if (!places.has(folder)) add(() => placeAt(folder));
  return places;
}

async function addRoles(
  found: RolesFound,
  session: Session,
  folder: string,
  registered: Registered,
  cli: string,
): Promise<void> {
  const { ended, hasTurns, participants } = standingOf(session);
  const isHere = (seat: Registration) => seat.folder === folder;
  found.takesPart ||= registered.own
    .filter(isHere)
    .some((seat) => isNewsAtStop(session, seat, registered));
  if (ended || !hasTurns) return;
  found.hasRival ||= registered.rivals.some(isHere);
  const [own, left] = [registered.own.filter(isHere), registered.left.filter(isHere)];
  if (own.length === 0 && left.length === 0 && !isCreatedLocally(session.place.folder)) return;
  const given = process.env["CONSULTA_PARTICIPANT"];
  const seats = own.length > 0 || given !== undefined ? own : left;
  const played = new Set(seats.map(({ participant }) => participant));
  const names = played.size > 0 ? [...played] : [given ?? cli];
  for (const participant of names.filter((name) => participants.includes(name))) {
    const isFor = (it: Registration) => it.participant === participant;
    const seat = own.find(isFor);
    const owner = ownerOf(registered.all, { folder, participant });
    if (seat === undefined && owner?.isAlive === true) continue;
    const by = seat === undefined ? { left: left.find(isFor) } : { seat };
    found.roles.push(await roleIn(session, folder, participant, by));
  }
}

/** Whether a stop would wait for a session, or tell of its end. */
function isNewsAtStop(session: Session, seat: Registration, { all, memory }: Registered): boolean {
  if (!standingOf(session).ended) return true;
  const { folder, participant } = seat;
  const state = wakeStateOf({ session, folder, participant, seat, refused: 0 }, all, "", 0);
  return wakeReasonOf(state, memory && toldOf(memory, seat), true) !== "rest";
}

/** A folder whose name would break a line, or turn its letters round, is nothing to put before a model. */
function isPrintable(folder: string): boolean {
  return !/[\t\n]/.test(folder) && !hasHidden(folder);
}

/** How a role stands; `waitedMs` is how long its CLI has waited for it by now. */
export function wakeStateOf(
  { session, folder, participant, seat }: Role,
  registered: readonly RegisteredCli[],
  now: string,
  waitedMs: number,
): WakeState {
  const { place, kind, state } = session;
  const standing = kind.standing(state);
  const { ended, waitingFor, seq, lastAt } = standing;
  const others = waitingFor.filter((name) => name !== participant);
  const players = registeredInSession(registered, folder);
  const awaited = others.map((name) => peerStatusOf(place, name, standing, players, now));
  // The log of a collaboration has whole seconds; that of a dialogue also says who was told what.
  const isKnown =
    seat !== undefined &&
    (kind.mail === undefined ? seat.seq >= seq : millisecondsOf(seat.at) >= millisecondsOf(lastAt));
  return {
    key: wakeKey({ session, participant }),
    ended,
    hasTurn: waitingFor.includes(participant),
    isKnown,
    absence: absenceOf(awaited),
    waitedMs,
    waitMsMax: place.config.hook_wait_seconds * 1_000,
    isPaused: standing.paused !== undefined,
  };
}

/** Why nobody of those who have the turn may act; undefined where one of them may. */
export function absenceOf(awaited: readonly PeerStatus[]): WakeState["absence"] {
  const mayAct = awaited.some((it) => it.ended === undefined && it.silentSeconds === undefined);
  if (awaited.length === 0 || mayAct) return undefined;
  return awaited.every(({ ended }) => ended !== undefined) ? "gone" : "silent";
}

/** What is the case: where the session stands without who was told of it. */
export function wakeKey({ session, participant }: Pick<Role, "session" | "participant">): string {
  const { phase, waitingFor, summary, seq } = standingOf(session);
  const mail = mailFor(session, participant).map((it) => it.seq);
  return JSON.stringify([phase, waitingFor, summary, session.kind.mail === undefined ? seq : mail]);
}
