import { sep } from "node:path";
import type { Clock } from "../base/clock.ts";
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
import { mailFor } from "../session/inbox/deliver.ts";
import { openForParticipant } from "../session/open.ts";
import { type Place, placeAt, placeIn } from "../session/place.ts";
import { loadSession, type Session } from "../session/session.ts";
import { openSessions } from "../session/session-list.ts";
import { type PeerStatus, peerStatusOf } from "../session/waiting/peer-status.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
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
export async function loadRole(seat: Registration, clock: Clock): Promise<Role> {
  const { folder, participant } = seat;
  // A hook answers at once: what comes from other machines it has from those that wait for it.
  const known = await loadSession(placeAt(folder));
  const { session, rejected } = await openForParticipant(known.place, participant, clock, {
    known,
  });
  return { session, folder, participant, seat, refused: rejected.length };
}

/** Where to look for roles that a CLI may play. */
export interface RoleSearch {
  readonly cli: CliProcess | undefined;
  readonly workspace: Workspace | undefined;
  /** The project's folder. */
  readonly project: string;
  /** The name that the user gave the CLI for all sessions. */
  readonly givenName: string | undefined;
  readonly registered: readonly RegisteredCli[];
  readonly clock: Clock;
  onFault(cause: unknown): void;
}

/**
 * The roles in open sessions that this CLI may play: its own registrations, else the name that the
 * user gave it, else the registrations of CLIs of its kind that have ended, else its default name; none
 * that another living window plays. A session that was not begun here counts only where a CLI is, or
 * was, registered: it ran a script there because it was told to.
 */
export async function openRoles(search: RoleSearch, name: HookedCli): Promise<Role[]> {
  const roles: Role[] = [];
  const worth = search.workspace === undefined ? undefined : openSessions(search.workspace);
  for (const [folder, place] of placesOf(search, name, worth?.ids ?? [])) {
    try {
      const found = await loadSession(place);
      const standing = found.machine.standing();
      if (place.workspace === search.workspace) worth?.noteEnded(place.id, standing);
      roles.push(...(await rolesIn(search, name, folder, found)));
    } catch (cause) {
      search.onFault(cause);
    }
  }
  worth?.keep();
  return roles;
}

/** The sessions of the workspace, and those elsewhere in which the CLI, or one before it, has a registration. */
function placesOf(search: RoleSearch, name: HookedCli, ids: readonly string[]): Map<string, Place> {
  const { workspace, project, registered, cli } = search;
  const places = new Map<string, Place>();
  const add = (make: () => Place) => {
    try {
      const place = make();
      const folder = realpathSync.native(place.folder);
      if (isPrintable(folder)) places.set(folder, place);
    } catch (cause) {
      search.onFault(cause);
    }
  };
  if (workspace !== undefined) for (const id of ids) add(() => placeIn(workspace, id));
  const own = cli === undefined ? [] : ownRegistrations(registered, cli);
  const left = registrationsLeft(registered, name).filter(({ folder }) =>
    folder.startsWith(project + sep),
  );
  for (const { folder } of [...own, ...left]) if (!places.has(folder)) add(() => placeAt(folder));
  return places;
}

async function rolesIn(
  search: RoleSearch,
  name: HookedCli,
  folder: string,
  found: Session,
): Promise<Role[]> {
  const { registered, cli, clock, givenName } = search;
  const { place } = found;
  const { ended, hasTurns, participants } = found.machine.standing();
  if (ended || !hasTurns) return [];
  const own = (cli === undefined ? [] : ownRegistrations(registered, cli)).filter(isOf(folder));
  const left = registrationsLeft(registered, name).filter(isOf(folder));
  if (own.length === 0 && left.length === 0 && !isCreatedLocally(place.folder)) return [];
  const names = namesFor(own, left, givenName, name);
  const roles: Role[] = [];
  for (const participant of names) {
    if (!participants.includes(participant)) continue;
    const seat = own.find((it) => it.participant === participant);
    if (seat === undefined && ownerOf(registered, { folder, participant })?.isAlive === true)
      continue;
    const { session, rejected } = await openForParticipant(place, participant, clock, {
      known: found,
    });
    const heir = seat === undefined ? left.find((it) => it.participant === participant) : undefined;
    roles.push({ session, folder, participant, seat, left: heir, refused: rejected.length });
  }
  return roles;
}

function namesFor(
  own: readonly Registration[],
  left: readonly Registration[],
  given: string | undefined,
  usual: string,
): string[] {
  const seats = own.length > 0 || given !== undefined ? own : left;
  const names = new Set(seats.map(({ participant }) => participant));
  return names.size > 0 ? [...names] : [given ?? usual];
}

function isOf(folder: string): (seat: Registration) => boolean {
  return (seat) => seat.folder === folder;
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
  const { place, machine } = session;
  const standing = machine.standing();
  const { ended, waitingFor, seq, lastAt } = standing;
  const others = waitingFor.filter((name) => name !== participant);
  const players = registeredInSession(registered, folder);
  const awaited = others.map((name) => peerStatusOf(place, name, standing, players, now));
  const hasMail = machine.mail !== undefined;
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
  const { phase, waitingFor, summary, seq } = session.machine.standing();
  const mail = mailFor(session, participant).map((it) => it.seq);
  const moved = session.machine.mail === undefined ? seq : mail;
  return JSON.stringify([phase, waitingFor, summary, moved]);
}
