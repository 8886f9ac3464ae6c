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
import type { HookedCli } from "../clis/hook-entries.ts";
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
import type { WakeState } from "./rules/wake-policy.ts";

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
export function ownRegistrations(all: readonly RegisteredCli[], cli: CliProcess): Registration[] {
  const own = all.find(({ process, isAlive }) => isSame(process, cli) && isAlive !== false);
  return own?.seats.filter((seat) => isPrintable(seat.folder) && ownerOf(all, seat) === own) ?? [];
}

/** Loads the session of a registration as its participant finds it now. */
export async function loadRole(seat: Registration): Promise<Role> {
  const { folder, participant } = seat;
  // A hook answers at once: what comes from other machines it has from those that wait for it.
  const known = await openSession(placeAt(folder));
  const session = await openSession(known, { changes: "enter", participant, clock: systemClock });
  return { session, folder, participant, seat, refused: session.entered.rejected.length };
}

/**
 * The roles in open sessions that this CLI may play: its own registrations, else the name that the
 * user gave it, else the registrations of CLIs of its kind that have ended, else its default name; none
 * that another living window plays. A session that was not begun here counts only where a CLI is, or
 * was, registered: it ran a script there because it was told to.
 */
export async function openRoles(
  call: HookCall,
  registered: readonly RegisteredCli[],
): Promise<Role[]> {
  const search = { ...call, registered };
  const roles: Role[] = [];
  const worth = search.workspace === undefined ? undefined : openSessions(search.workspace);
  for (const [folder, place] of placesOf(search, worth?.ids ?? [])) {
    try {
      const found = await openSession(place);
      const standing = standingOf(found);
      if (place.workspace === search.workspace) worth?.noteEnded(place.id, standing);
      roles.push(...(await rolesIn(search, folder, found)));
    } catch (cause) {
      logFailure(search, cause);
    }
  }
  worth?.keep();
  return roles;
}

type RoleSearch = HookCall & { readonly registered: readonly RegisteredCli[] };

/** The sessions of the workspace, and those elsewhere in which the CLI, or one before it, has a registration. */
function placesOf(search: RoleSearch, ids: readonly string[]): Map<string, Place> {
  const { workspace, project, registered, process, cli } = search;
  const places = new Map<string, Place>();
  const add = (make: () => Place) => {
    try {
      const place = make();
      const folder = realpathSync.native(place.folder);
      if (isPrintable(folder)) places.set(folder, place);
    } catch (cause) {
      logFailure(search, cause);
    }
  };
  if (workspace !== undefined) for (const id of ids) add(() => placeIn(workspace, id));
  const own = process === undefined ? [] : ownRegistrations(registered, process);
  const left = registrationsLeft(registered, cli).filter(({ folder }) =>
    folder.startsWith(project + sep),
  );
  for (const { folder } of [...own, ...left]) if (!places.has(folder)) add(() => placeAt(folder));
  return places;
}

async function rolesIn(search: RoleSearch, folder: string, found: Session): Promise<Role[]> {
  const { registered, process, cli } = search;
  const { place } = found;
  const { ended, hasTurns, participants } = standingOf(found);
  if (ended || !hasTurns) return [];
  const isHere = (seat: Registration) => seat.folder === folder;
  const own = (process === undefined ? [] : ownRegistrations(registered, process)).filter(isHere);
  const left = registrationsLeft(registered, cli).filter(isHere);
  if (own.length === 0 && left.length === 0 && !isCreatedLocally(place.folder)) return [];
  const given = globalThis.process.env["CONSULTA_PARTICIPANT"];
  const seats = own.length > 0 || given !== undefined ? own : left;
  const played = new Set(seats.map(({ participant }) => participant));
  const names = played.size > 0 ? [...played] : [given ?? cli];
  const roles: Role[] = [];
  for (const participant of names) {
    if (!participants.includes(participant)) continue;
    const seat = own.find((it) => it.participant === participant);
    if (seat === undefined && ownerOf(registered, { folder, participant })?.isAlive === true)
      continue;
    const session = await openSession(found, { changes: "enter", participant, clock: systemClock });
    const heir = seat === undefined ? left.find((it) => it.participant === participant) : undefined;
    roles.push({
      session,
      folder,
      participant,
      seat,
      left: heir,
      refused: session.entered.rejected.length,
    });
  }
  return roles;
}

/** The registrations of CLIs of one kind that have ended. */
function registrationsLeft(registered: readonly RegisteredCli[], name: HookedCli): Registration[] {
  return registered.flatMap(({ process, seats, isAlive }) =>
    process.cli === name && isAlive === false ? seats : [],
  );
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
  const hasMail = kind.mail !== undefined;
  // The log of a collaboration has whole seconds; that of a dialogue also says who was told what.
  const isKnown =
    seat !== undefined &&
    (hasMail ? millisecondsOf(seat.at) >= millisecondsOf(lastAt) : seat.seq >= seq);
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
  const moved = session.kind.mail === undefined ? seq : mail;
  return JSON.stringify([phase, waitingFor, summary, moved]);
}
