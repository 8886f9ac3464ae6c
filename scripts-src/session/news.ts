import { ConsultaError } from "../base/errors.ts";
import { printErrorLines } from "../script/output.ts";
import { callPerson } from "./call-person.ts";
import { deliverMail, mailOf } from "./inbox/deliver.ts";
import { isNewsForPerson } from "./news-for-person.ts";
import type { Place } from "./place.ts";
import { repairViews } from "./repair-views.ts";
import { catchUp, loadSession, type Session } from "./session.ts";
import { keepUntracked } from "./workspace/workspace.ts";

/** Loads a session with what the other machines that share it have sent, as `withNews` does. */
export async function loadWithNews(place: Place): Promise<Session> {
  return withNews(await loadToAct(place));
}

/**
 * The same for who appends: what cannot be stored now is not decided on what may be old.
 * @throws ConsultaError UNAVAILABLE where the store is out of reach; REFUSED as `withNews`.
 */
export async function loadToAppend(place: Place): Promise<Session> {
  return withNews(await loadToAct(place), () => false);
}

/** Who goes on in a session keeps it out of the project's history, also where somebody removed what does. */
async function loadToAct(place: Place): Promise<Session> {
  const session = await loadSession(place);
  if (place.workspace !== undefined) await keepUntracked(place.workspace.root);
  return session;
}

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

/**
 * Loads it for a script that only reads: what is here can be read, whatever keeps the store from being
 * looked at, or what it has from being taken. Rewritten history stops readers too.
 */
export async function loadWithNewsToRead(place: Place): Promise<Session> {
  return withNews(await loadSession(place), ({ reason }) => reason !== "rewritten");
}

function isOutOfReach({ code }: ConsultaError): boolean {
  return code === "UNAVAILABLE";
}
