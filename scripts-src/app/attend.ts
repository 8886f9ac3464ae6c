import { ConsultaError } from "../core/errors.ts";
import { pythonRepr } from "../core/python-text.ts";
import { finishAdditions } from "./additions.ts";
import { deliverMail, mailFor } from "./deliver.ts";
import { type Clock, type EnteredMail, takeForeignMail } from "./foreign-mail.ts";
import { noticeChanges } from "./notice-changes.ts";
import type { Place } from "./place.ts";
import { catchUp, loadSession, type Session } from "./session.ts";

/**
 * Loads a session for a participant after entering what foreign colleagues left in its inbox.
 * @throws ConsultaError REFUSED when the participant is not in the session.
 */
export async function attend(
  place: Place,
  participant: string,
  clock: Clock,
): Promise<{ session: Session } & EnteredMail> {
  const session = await noticeChanges(await loadSession(place), clock);
  const { participants } = session.machine.standing();
  if (!session.kind.isOpen && !participants.includes(participant)) {
    const who = session.kind.sharedLog
      ? `participant ${pythonRepr(participant)} is not listed in protocol.json`
      : `${participant} is not in session ${place.id}`;
    const names = participants.join(", ");
    throw new ConsultaError("REFUSED", `${who}; its participants are ${names}`);
  }
  if (session.machine.mail === undefined || place.workspace === undefined) {
    await finishAdditions(session);
    return { session, ...nothing };
  }
  const received = mailFor(session, participant);
  await deliverMail(session, received);
  const known = new Set(received.map(({ file }) => file));
  const entered = await takeForeignMail(place.workspace, participant, clock, known);
  if (entered === undefined) return { session, ...nothing };
  return { session: await catchUp(session), ...entered };
}

const nothing: EnteredMail = { rejected: [], waiting: undefined };
