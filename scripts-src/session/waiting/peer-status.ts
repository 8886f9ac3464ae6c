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
import type { Pending, SessionStatus } from "../../protocol/protocol.ts";
import type { Place } from "../place.ts";
import { type Session, standingOf } from "../session.ts";
import { isWaiterGone, secondsSince } from "./presence.ts";

/** Whether a participant waits right now, and when it last gave a sign of life. */
export interface Presence {
  readonly present: boolean;
  readonly secondsAgo: number | undefined;
  /** Its waiter ended without taking its presence back, and it gave no sign since. */
  readonly died?: DeadWaiter;
}

export interface DeadWaiter {
  /** Its process is gone; else only its heartbeat has stopped. */
  readonly isGone: boolean;
  readonly secondsAgo: number;
}

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
 * gave.
 */
export function peerStatusOf(
  place: Place,
  name: string,
  standing: SessionStatus,
  players: readonly RegisteredCli[],
  now: string,
): PeerStatus {
  const sign = standing.signs?.[name] ?? "";
  const seen = secondsSince(place, name, "seen", now);
  const presence = presenceOf(place, name, now, sign, seen);
  const unknown = { name, presence, isRunning: false, ended: undefined, silentSeconds: undefined };
  const seats = players
    .flatMap((of) => of.seats.filter((it) => it.participant === name).map((seat) => ({ seat, of })))
    .sort((one, other) => (one.seat.at < other.seat.at ? 1 : -1));
  const [latest] = seats;
  const holder = latest && ownerOf(players, latest.seat);
  if (holder?.isAlive === true) return { ...unknown, isRunning: true };
  // On another host nobody can tell; it was at work within a day.
  if (presence.present || holder !== undefined) return unknown;
  const isLeft = latest?.of.isAlive === false && !hasActedAfter(latest.seat.at, sign, seen, now);
  if (isLeft && !standing.ended && standing.hasTurns)
    return { ...unknown, ended: latest.of.process };
  return { ...unknown, silentSeconds: silence(place, name, standing, presence, now) };
}

/** Presence counts while its heartbeat is fresh and its process lives. */
function presenceOf(
  place: Place,
  name: string,
  now: string,
  sign: string,
  seen: number | undefined,
): Presence {
  const heartbeat = secondsSince(place, name, "ready", now);
  const nearest = Math.min(heartbeat ?? Number.POSITIVE_INFINITY, seen ?? Number.POSITIVE_INFINITY);
  const secondsAgo = Number.isFinite(nearest) ? Math.round(nearest) : undefined;
  if (heartbeat === undefined) return { present: false, secondsAgo };
  const isGone = isWaiterGone(place, name);
  if (heartbeat < place.config.presence_timeout_seconds && !isGone)
    return { present: true, secondsAgo };
  const signAgo = (millisecondsOf(now) - millisecondsOf(sign)) / 1_000;
  if (seen !== undefined && seen < heartbeat) return { present: false, secondsAgo };
  if (signAgo < heartbeat) return { present: false, secondsAgo };
  return { present: false, secondsAgo, died: { isGone, secondsAgo: Math.round(heartbeat) } };
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
  const silent = Math.round(Math.min(sinceTurn, presence.secondsAgo ?? sinceTurn));
  // 0 is without limit.
  return waitingFor.includes(name) && limit > 0 && silent > limit ? silent : undefined;
}

/** A message that its recipient has not acted on, with the words that people are shown. */
export interface SentMessage extends Pending {
  readonly state: "stored" | "rung" | "in turn";
  /** How long it has been in that state. */
  readonly secondsAgo: number;
  /** Its recipient waits for it right now. */
  readonly isAwaited: boolean;
  /** Its recipient has read it and the process that plays it runs: it is at work. */
  readonly isAtWork: boolean;
  /**
   * Unread or unanswered for longer than `message_timeout_seconds`, which this then is; never while its
   * recipient is at work, or the session paused.
   */
  readonly overdueAfterSeconds?: number;
}

/** What became of the messages of a session that nobody acted on yet, oldest first. */
export function sentMessages(
  { kind, state, place }: Session,
  players: readonly RegisteredCli[],
  now: string,
): SentMessage[] {
  const { mail } = kind;
  if (mail === undefined) return [];
  const limit = place.config.message_timeout_seconds;
  const secondsSince = (time: string) =>
    Math.max(0, Math.round((millisecondsOf(now) - millisecondsOf(time)) / 1_000) || 0);
  const standing = kind.standing(state);
  return standing.participants.flatMap((name) => {
    const messages = mail.pending(state, name);
    if (messages.length === 0) return [];
    const { presence, isRunning } = peerStatusOf(place, name, standing, players, now);
    const isAwaited = presence.present;
    return messages.map((it): SentMessage => {
      const { storedAt, rung, inTurn } = it;
      const reached = inTurn !== undefined ? "in turn" : rung !== undefined ? "rung" : "stored";
      const secondsAgo = secondsSince((inTurn ?? rung)?.at ?? storedAt);
      // 0 is without limit. Who was rung has not read: that counts from the sending.
      const isLate =
        standing.paused === undefined && limit > 0 && secondsSince(inTurn?.at ?? storedAt) > limit;
      const isAtWork = isRunning && reached === "in turn";
      const isOverdue = isLate && !isAtWork;
      const about = { ...it, state: reached, secondsAgo, isAwaited, isAtWork } as const;
      return isOverdue ? { ...about, overdueAfterSeconds: limit } : about;
    });
  });
}

/** How the others of a session fare, and what became of what a participant sent and nobody acted on yet. */
export function peersOf(
  session: Session,
  participant: string,
  now: string,
): { readonly colleagues: PeerStatus[]; readonly sent: SentMessage[] } {
  const { place } = session;
  const standing = standingOf(session);
  const players = standing.ended ? [] : registeredClis(place);
  const sent = standing.ended ? [] : sentMessages(session, players, now);
  const others = standing.participants.filter((name) => name !== participant);
  return {
    colleagues: others.map((name) => peerStatusOf(place, name, standing, players, now)),
    sent: sent.filter(({ from }) => from === participant),
  };
}
