import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { nameHint } from "../base/nearest-name.ts";
import { importChanges } from "./import-changes.ts";
import { deliverMail, mailFor } from "./inbox/deliver.ts";
import { importInbox } from "./inbox/import-inbox.ts";
import type { EnteredMail } from "./inbox/import-messages.ts";
import { loadToAppend, loadWithNews } from "./news.ts";
import type { Place } from "./place.ts";
import { catchUp, type Session } from "./session.ts";
import { finishStagedWrites } from "./staged-writes.ts";

/** Where a session that somebody acts in comes from: the one that is known, else what is stored. */
export interface Opening {
  readonly known?: Session | undefined;
  /** An event of the caller's follows, which the store has to take. */
  readonly isAppending?: boolean;
}

/**
 * Loads a session to act in it, with what other machines have sent, or reads on in the one that is known:
 * finishes what writers that died left, and enters what others did to its files without our scripts.
 * @throws ConsultaError REFUSED for a damaged session; UNAVAILABLE when the disk refuses, or the store
 * cannot be reached by who appends.
 */
export async function openToAct(
  place: Place,
  clock: Clock,
  { known, isAppending = false }: Opening = {},
): Promise<Session> {
  const load = isAppending ? loadToAppend : loadWithNews;
  const session = known === undefined ? await load(place) : await catchUp(known);
  // Only documents are finished so: messages are delivered by every script that looks for them.
  if (session.machine.mail === undefined) await finishStagedWrites(session);
  return importChanges(session, clock);
}

/**
 * Opens a session for a participant, and enters what the original scripts left in its inbox.
 * @throws ConsultaError REFUSED when the participant is not in the session.
 */
export async function openForParticipant(
  place: Place,
  participant: string,
  clock: Clock,
  opening: Opening = {},
): Promise<{ session: Session } & EnteredMail> {
  const session = await openToAct(place, clock, opening);
  const { participants } = session.machine.standing();
  if (!session.kind.isOpen && !participants.includes(participant)) {
    const who = session.kind.sharedLog
      ? `participant ${quote(participant)} is not listed in protocol.json`
      : `${participant} is not in session ${place.id}`;
    const hint = nameHint(participant, participants, "its participants are");
    throw new ConsultaError("REFUSED", `${who}; ${hint}`);
  }
  if (session.machine.mail === undefined || place.workspace === undefined)
    return { session, ...nothing };
  const received = mailFor(session, participant);
  await deliverMail(session, received);
  const files = new Set(received.map(({ file }) => file));
  const entered = await importInbox(place.workspace, participant, clock, files);
  if (entered === undefined) return { session, ...nothing };
  return { session: await catchUp(session), ...entered };
}

const nothing: EnteredMail = { rejected: [], waiting: undefined, opened: [] };
