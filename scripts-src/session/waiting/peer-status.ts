import { millisecondsOf, notBefore } from "../../base/time.ts";
import type { CliProcess } from "../../clis/cli-process.ts";
import {
  ownerOf,
  type RegisteredCli,
  readRegistry,
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

/** Who plays in a session, as the user's CLIs have registered; nobody where there is no home. */
export function registeredClis(place: Place): RegisteredCli[] {
  return registrationsOnce()(place);
}

/** The same for many sessions: the registrations are read once, for the first that asks. */
export function registrationsOnce(): (place: Place) => RegisteredCli[] {
  const home = homeOrNone();
  let all: RegisteredCli[] | undefined;
  return ({ folder }) => {
    if (home === undefined || !existsSync(folder)) return [];
    all ??= readRegistry(home);
    return registeredInSession(all, realpathSync.native(folder));
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
  const seats = players
    .flatMap((of) => of.seats.filter((it) => it.participant === name).map((seat) => ({ seat, of })))
    .sort((one, other) => (one.seat.at < other.seat.at ? 1 : -1));
  const [latest] = seats;
  const holder = latest && ownerOf(players, latest.seat);
  if (holder?.isAlive === true) return { ...about, isRunning: true, ended: undefined };
  // On another host nobody can tell; it was at work within a day.
  if (presence.present || holder !== undefined)
    return { ...about, isRunning: false, ended: undefined };
  const isOver = standing.ended || !standing.hasTurns;
  const seen = secondsSinceSeen(place, name, now);
  const isLeft = latest?.of.isAlive === false && !hasActedAfter(latest.seat.at, sign, seen, now);
  const ended = !isOver && isLeft ? latest.of.process : undefined;
  const silentSeconds =
    ended === undefined ? silence(place, name, standing, presence, now) : undefined;
  return { ...about, isRunning: false, ended, silentSeconds };
}

/** How much earlier a registration may be noted than what its CLI did then. */
const slackMs = 2_000;

/** Whether somebody without a registration has played it since: a person at a terminal, a CLI without hooks. */
function hasActedAfter(seatAt: string, sign: string, seenSeconds: number | undefined, now: string) {
  const sinceMs = millisecondsOf(seatAt) + slackMs;
  const seenMs = seenSeconds === undefined ? 0 : millisecondsOf(now) - seenSeconds * 1_000;
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
  const since = millisecondsOf(notBefore(lastAt, signs[name] ?? ""));
  const sinceTurn = (millisecondsOf(now) - since) / 1_000;
  const hook = secondsSinceHook(place, name, now) ?? sinceTurn;
  const silent = Math.round(Math.min(sinceTurn, presence.secondsAgo ?? sinceTurn, hook));
  // 0 is without limit.
  return waitingFor.includes(name) && limit > 0 && silent > limit ? silent : undefined;
}
