import type { Clock } from "../base/clock.ts";
import type { Stage } from "../protocol/delivery-note.ts";
import type { Delivery } from "../protocol/protocol.ts";
import { appendNote } from "./append-with-retry.ts";
import { repairViews } from "./repair-views.ts";
import type { Session } from "./session.ts";

/**
 * Enters that the messages which await an act of `participant` were announced to it (`rung`) or put
 * before it (`in_turn`), where they had not come so far yet, and returns the session with that. Appends
 * nothing where there is nothing to enter. `which` leaves messages out; what came after `session` was
 * read is left out anyway: nobody has shown it.
 * @throws ConsultaError UNAVAILABLE when the log cannot be written; the message stays as it was.
 */
export async function noteDelivery(
  session: Session,
  participant: string,
  stage: Stage,
  by: string,
  clock: Clock,
  which: (delivery: Delivery) => boolean = () => true,
): Promise<Session> {
  const shown = session.machine.mail?.pending(participant).filter(which) ?? [];
  const messages = shown.map(({ seq }) => seq);
  const note = () => ({ participant, stage, messages, by, at: clock.now(), id: clock.newId() });
  return appendNote(session, async (current) => {
    const event = current.machine.mail?.note(note());
    // Views are repaired now: after this note the event that they belong to is no longer the newest.
    if (event !== undefined && current.machine.standing().ended) await repairViews(current);
    return event;
  });
}
