import { millisecondsOf } from "../../base/time.ts";
import type { RegisteredCli } from "../../clis/cli-registry.ts";
import type { Pending } from "../../protocol/protocol.ts";
import type { Session } from "../session.ts";
import { peerStatusOf } from "../waiting/peer-status.ts";

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

/** Those of them that a participant sent. */
export function sentBy(
  participant: string,
  session: Session,
  players: readonly RegisteredCli[],
  now: string,
): SentMessage[] {
  return sentMessages(session, players, now).filter(({ from }) => from === participant);
}
