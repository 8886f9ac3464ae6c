import { pagesOf } from "../replay.ts";
import type { Session } from "../session.ts";

/**
 * Whether a session ended by a message that this participant was never shown. A user who had `consult`
 * run it has read its report, and the sender of the last message knows of the end.
 */
export async function endedUnread(session: Session, participant: string): Promise<boolean> {
  const { kind, state } = session;
  const mail = kind.standing(state).ended ? kind.mail?.pending(state, participant) : undefined;
  const unread = (mail ?? []).filter(({ inTurn }) => inTurn === undefined);
  if (unread.length === 0) return false;
  const others = new Set(unread.map(({ seq }) => seq));
  for await (const { events } of pagesOf(session)) {
    if (events.some(({ by }) => by === "consult")) return false;
    for (const { from, seq } of events) if (from === participant) others.delete(seq);
  }
  return others.size > 0;
}
