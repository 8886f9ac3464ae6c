import { plainWord } from "../../base/escape-untrusted-text.ts";
import { durationText } from "../../base/time.ts";
import { type SessionStatus, shownName } from "../../protocol/protocol.ts";
import { hasStore } from "../../remote/store-mark.ts";
import type { SentMessage } from "../inbox/sent-messages.ts";
import type { Place } from "../place.ts";
import type { PeerStatus } from "../waiting/peer-status.ts";
import type { DeadWaiter } from "../waiting/presence.ts";

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
