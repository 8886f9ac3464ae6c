import { ConsultaError } from "../../base/errors.ts";
import { plainWord } from "../../base/quote-text.ts";
import { durationText } from "../../base/time.ts";
import { type SessionStatus, shownName } from "../../protocol/protocol.ts";
import { systemClock } from "../../script/clock.ts";
import { printErrorLines } from "../../script/output.ts";
import { openSession } from "../open.ts";
import { hasStore, type Place, placeIn } from "../place.ts";
import { type Session, standingOf } from "../session.ts";
import { isOurs, openSessions } from "../session-list.ts";
import {
  type DeadWaiter,
  type PeerStatus,
  peersOf,
  type SentMessage,
} from "../waiting/peer-status.ts";

/** What became of a message that nobody answered yet: `stored 12 min ago, not notified: ...`. */
export function stateText({
  state,
  secondsAgo,
  to,
  rung,
  isAwaited,
  isAtWork,
}: SentMessage): string {
  const age = durationText(secondsAgo);
  switch (state) {
    case "stored":
      return isAwaited
        ? `stored ${age} ago, not notified yet; ${to} waits for it`
        : `stored ${age} ago, not notified: nobody listens for ${to}`;
    case "rung":
      return `notified ${age} ago by ${bells.get(rung?.by ?? "") ?? rung?.by}, not seen yet`;
    case "in turn":
      return `seen ${age} ago, no answer yet${isAtWork ? `; ${to}'s CLI is running` : ""}`;
  }
}

const bells = new Map([
  ["hook", "a hook"],
  ["follow", "wait-for-turn --follow"],
]);

/**
 * What the sender of messages reads about them; loud about one that is past its time, where the user has to be
 * told whose CLI it shall open. `headless` is the line that runs the session without its colleague's window.
 */
export function sentText(
  sent: readonly SentMessage[],
  standing: SessionStatus,
  place: Pick<Place, "folder">,
  headless: string,
): string[] {
  return sent.map((it) => {
    const isLate = it.overdueAfterSeconds !== undefined;
    const to = isLate ? it.to : shownName(standing, it.to);
    const line = `your message ${it.seq} to ${to}: ${stateText({ ...it, to })}`;
    if (!isLate) return line;
    const way = hasStore(place.folder)
      ? `or ${askElsewhere(to)}`
      : `ask the user to open ${to}'s CLI here or to type "listen" in it, or run the session headless: ${headless}`;
    return `OVERDUE (more than ${it.overdueAfterSeconds} s): ${line}. Wait on, send ESCALATE, ${way}`;
  });
}

/** In a session that machines share nobody knows which of its participants are on this one. */
export function askElsewhere(names: string): string {
  return `tell your user to ask ${names}, who may be on another machine`;
}

/** Loud about a colleague that has ended, or whose waiter is gone without a word. */
export function waiterText(
  { name, presence: { died }, ended }: PeerStatus,
  headless: string,
): string | undefined {
  if (ended !== undefined) {
    const what = ended.cli === "consult" ? "the consult that ran it" : "its CLI";
    return (
      `${plainWord(name)}: ${what} has ended (pid ${ended.pid} is gone): ask the user to open its CLI ` +
      `here again and to go on there, or run the session headless: ${headless}`
    );
  }
  if (died === undefined) return undefined;
  return (
    `${plainWord(name)}'s waiter died (${causeText(died)}): nothing wakes it; ask the user to open ` +
    `its CLI or to type "listen" in it, or run the session headless: ${headless}`
  );
}

function causeText({ isGone, secondsAgo }: DeadWaiter): string {
  return `${isGone ? "pid gone, " : ""}last heartbeat ${durationText(secondsAgo)} ago`;
}

/**
 * Says what became of what a participant sent, and which colleagues nothing wakes any more: in one
 * session, or in all of a workspace where the place names none. `headless` gives the line that runs
 * a session without its windows; a session that is `known` is not loaded again.
 */
export async function printOverdue(
  { id, workspace, ...rest }: Place,
  participant: string,
  headless: (place: Place) => string,
  known?: Session,
): Promise<void> {
  const places =
    id === "" && workspace !== undefined
      ? openSessions(workspace)
          .ids.filter((it) => isOurs(workspace, it))
          .map((it) => placeIn(workspace, it))
      : [{ id, workspace, ...rest }];
  for (const place of places) {
    printErrorLines(...(await colleagueLines(place, participant, headless(place), known)));
  }
}

async function colleagueLines(
  place: Place,
  participant: string,
  headless: string,
  known: Session | undefined,
): Promise<string[]> {
  try {
    const session = await openSession(known ?? place);
    const standing = standingOf(session);
    const { ended, paused, hasTurns, participants } = standing;
    if (ended || paused !== undefined || !hasTurns || !participants.includes(participant))
      return [];
    const { sent, colleagues } = peersOf(session, participant, systemClock.now());
    return [
      ...sentText(sent, standing, place, headless),
      ...colleagues.flatMap((it) => waiterText(it, headless) ?? []),
    ];
  } catch (cause) {
    // That the time is up has been said; what else is wrong the next script tells.
    if (cause instanceof ConsultaError) return [];
    throw cause;
  }
}
