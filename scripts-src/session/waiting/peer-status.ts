import { millisecondsOf, notBefore } from "../../base/time.ts";
import type { CliProcess } from "../../clis/cli-process.ts";
import {
  ownerOf,
  type RegisteredCli,
  type Registration,
  registeredIn,
  registeredInSession,
} from "../../clis/cli-registry.ts";
import { existsSync, realpathSync } from "../../files/disk.ts";
import { homeOrNone } from "../../files/home-folder.ts";
import type { SessionStatus } from "../../protocol/protocol.ts";
import type { Place } from "../place.ts";
import { type Presence, presenceOf, secondsSinceHook, secondsSinceSeen } from "./presence.ts";

/** Another participant: whether it lives, and how long it has owed a sign of life. */
export interface PeerStatus {
  readonly name: string;
  readonly presence: Presence;
  /** The process that plays it runs, on this machine. */
  readonly isRunning: boolean;
  /** The process that played it last has ended, and nobody has played it since. */
  readonly ended: CliProcess | undefined;
  /**
   * Seconds without a sign while it has the turn, once they pass `message_timeout_seconds`; never of
   * one whose process is known.
   */
  readonly silentSeconds: number | undefined;
}

/** How much earlier a seat may be noted than what its CLI did then. */
const slackMs = 2_000;

/** Who plays in a session, as the user's CLIs have registered; nobody where there is no home. */
export async function registeredClis({ folder }: Place): Promise<RegisteredCli[]> {
  const home = homeOrNone();
  if (home === undefined || !existsSync(folder)) return [];
  return registeredIn(home, realpathSync.native(folder));
}

/** The same for many sessions: the registrations are read once, for the first that asks. */
export function registrationsOnce(): (place: Place) => Promise<RegisteredCli[]> {
  let all: Promise<RegisteredCli[]> | undefined;
  return async ({ folder }) => {
    const home = homeOrNone();
    if (home === undefined || !existsSync(folder)) return [];
    all ??= registeredIn(home);
    return registeredInSession(await all, realpathSync.native(folder));
  };
}

/**
 * How a colleague fares: by the process that plays it; where that cannot be told, by the signs that it
 * gave, those of its CLI's hooks among them.
 */
export function peerStatusOf(
  place: Place,
  name: string,
  standing: SessionStatus,
  players: readonly RegisteredCli[],
  now: string,
): PeerStatus {
  const sign = standing.signs?.[name] ?? "";
  const presence = presenceOf(place, name, now, sign);
  const about = { name, presence, silentSeconds: undefined };
  const seats = seatsOf(players, name);
  const holder = seats[0] && ownerOf(players, seats[0].seat);
  if (holder?.isAlive === true) return { ...about, isRunning: true, ended: undefined };
  // On another host nobody can tell; it was at work within a day.
  if (presence.present || holder !== undefined)
    return { ...about, isRunning: false, ended: undefined };
  const isOver = standing.ended || !standing.hasTurns;
  const isLeft = !isOver && !hasActedAfter(place, name, sign, seats, now);
  const ended = isLeft ? lastEnded(seats) : undefined;
  const silentSeconds =
    ended === undefined ? silence(place, name, standing, presence, now) : undefined;
  return { ...about, isRunning: false, ended, silentSeconds };
}

interface SeatOf {
  readonly seat: Registration;
  readonly of: RegisteredCli;
}

/** The seats of one participant, the latest first. */
function seatsOf(players: readonly RegisteredCli[], name: string): SeatOf[] {
  return players
    .flatMap((of) => of.seats.filter((it) => it.participant === name).map((seat) => ({ seat, of })))
    .sort((one, other) => (one.seat.at < other.seat.at ? 1 : -1));
}

/** The process of the latest seat, where it is known to have ended. */
function lastEnded([latest]: readonly SeatOf[]): CliProcess | undefined {
  return latest?.of.isAlive === false ? latest.of.process : undefined;
}

/** Whether somebody without a seat has played it since: a person at a terminal, a CLI without hooks. */
function hasActedAfter(
  place: Place,
  name: string,
  sign: string,
  [latest]: readonly SeatOf[],
  now: string,
): boolean {
  if (latest === undefined) return true;
  const seen = secondsSinceSeen(place, name, now);
  const seenMs = seen === undefined ? Number.NaN : millisecondsOf(now) - seen * 1_000;
  const sinceMs = millisecondsOf(latest.seat.at) + slackMs;
  return millisecondsOf(sign) > sinceMs || seenMs > sinceMs;
}

function silence(
  place: Place,
  name: string,
  { waitingFor, lastAt, signs = {} }: SessionStatus,
  presence: Presence,
  now: string,
): number | undefined {
  const limit = place.config.message_timeout_seconds;
  // A peer that has read and does not answer is silent since it read.
  const sinceTurn =
    (millisecondsOf(now) - millisecondsOf(notBefore(lastAt, signs[name] ?? ""))) / 1_000;
  const silent = Math.round(
    Math.min(
      sinceTurn,
      presence.secondsAgo ?? sinceTurn,
      secondsSinceHook(place, name, now) ?? sinceTurn,
    ),
  );
  // 0 is without limit.
  const isLong = waitingFor.includes(name) && limit > 0 && silent > limit;
  return isLong ? silent : undefined;
}
