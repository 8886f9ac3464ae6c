import type { Clock } from "../base/clock.ts";
import { ConsultaError } from "../base/errors.ts";
import { quote } from "../base/json.ts";
import { nameHint } from "../base/nearest-name.ts";
import { printErrorLines } from "../script/output.ts";
import { importChanges } from "./import-changes.ts";
import { deliverMail, mailFor, mailOf } from "./inbox/deliver.ts";
import { importInbox } from "./inbox/import-inbox.ts";
import type { EnteredMail } from "./inbox/import-messages.ts";
import { isNewsForPerson } from "./news-for-person.ts";
import type { Place } from "./place.ts";
import { repairViews } from "./repair-views.ts";
import { catchUp, loadSession, type Session } from "./session.ts";
import { callPerson } from "./spawn-notify.ts";
import { finishStagedWrites } from "./staged-writes.ts";
import { keepUntracked } from "./workspace/workspace.ts";

/** What a session is opened for. */
export type Purpose = "read" | "act" | "append";

/**
 * Loads a session with what the other machines that share it have sent, as `withNews` does. Who reads can read what
 * is here whatever keeps the store from being looked at, unless its history was rewritten; who appends decides on
 * nothing that may be old.
 * @throws ConsultaError REFUSED as `loadSession` and `withNews`; UNAVAILABLE where the store is out of reach of who
 * appends.
 */
export async function openSession(place: Place, purpose: Purpose): Promise<Session> {
  const session = await loadSession(place);
  // Who goes on in a session keeps it out of the project's history, also where somebody removed what does.
  if (purpose !== "read" && place.workspace !== undefined)
    await keepUntracked(place.workspace.root);
  return withNews(session, mayBeOldFor[purpose]);
}

const mayBeOldFor: Record<Purpose, (cause: ConsultaError) => boolean> = {
  read: ({ reason }) => reason !== "rewritten",
  act: isOutOfReach,
  append: () => false,
};

/**
 * The session as all machines have it that share it, with what follows from that here: deliveries,
 * views, a call to the person. Where its store is out of reach that is told, and the session stays as
 * it is here.
 * @throws ConsultaError REFUSED when the store is not what it was.
 */
export async function withNews(known: Session, mayBeOld = isOutOfReach): Promise<Session> {
  try {
    if (!(await known.log.fetch())) return known;
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || !mayBeOld(cause)) throw cause;
    // What is out of reach is no reason to run this again: it goes on from here.
    const told = isOutOfReach(cause) ? (cause.fault ?? cause.message) : cause.message;
    printErrorLines(`note: ${told}; here it stands at event ${known.cursor.seq}`);
    return known;
  }
  const session = await catchUp(known);
  await deliverMail(session, mailOf(session));
  const newest = await repairViews(session);
  const [was, is] = [known.machine.standing(), newest.machine.standing()];
  if (isNewsForPerson(was, is)) {
    callPerson(newest.place, is.seq);
  }
  return newest;
}

function isOutOfReach({ code }: ConsultaError): boolean {
  return code === "UNAVAILABLE";
}

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
  const session =
    known === undefined
      ? await openSession(place, isAppending ? "append" : "act")
      : await catchUp(known);
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
