import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { importChanges } from "./import-changes.ts";
import { deliverMail, mailFor } from "./inbox/deliver.ts";
import { importInbox } from "./inbox/import-inbox.ts";
import type { EnteredMail } from "./inbox/import-messages.ts";
import type { Place } from "./place.ts";
import { catchUp, loadSession, type Session } from "./session.ts";
import { finishStagedWrites } from "./staged-writes.ts";

/**
 * Loads a session for a participant, or reads on in the one that is known, after entering what foreign colleagues left in its inbox.
 * @throws ConsultaError REFUSED when the participant is not in the session.
 */
export async function openForParticipant(
  place: Place,
  participant: string,
  clock: Clock,
  known?: Session,
): Promise<{ session: Session } & EnteredMail> {
  const session = await importChanges(
    known === undefined ? await loadSession(place) : await catchUp(known),
    clock,
  );
  const { participants } = session.machine.standing();
  if (!session.kind.isOpen && !participants.includes(participant)) {
    const who = session.kind.sharedLog
      ? `participant ${quote(participant)} is not listed in protocol.json`
      : `${participant} is not in session ${place.id}`;
    const names = participants.join(", ");
    throw new ConsultaError("REFUSED", `${who}; its participants are ${names}`);
  }
  if (session.machine.mail === undefined || place.workspace === undefined) {
    await finishStagedWrites(session);
    return { session, ...nothing };
  }
  const received = mailFor(session, participant);
  await deliverMail(session, received);
  const files = new Set(received.map(({ file }) => file));
  const entered = await importInbox(place.workspace, participant, clock, files);
  if (entered === undefined) return { session, ...nothing };
  return { session: await catchUp(session), ...entered };
}

const nothing: EnteredMail = { rejected: [], waiting: undefined };
