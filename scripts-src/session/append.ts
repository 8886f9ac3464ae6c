import type { Clock } from "../base/clock.ts";
import { tryAgain, unavailable } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { LogEvent } from "../log/event.ts";
import type { Stage } from "../protocol/person-step.ts";
import type { Delivery } from "../protocol/protocol.ts";
import { readSession, type Session, standingOf, withEvent } from "./session.ts";
import { repairViews } from "./write-views.ts";

/**
 * Lets `attempt` decide and append, again on the new state each time that another writer is faster:
 * it then returns undefined.
 * @throws ConsultaError UNAVAILABLE when others are faster every time.
 */
export async function appendDecided<Result>(
  session: Session,
  attempt: (current: Session) => Promise<Result | undefined>,
  readOn: (current: Session) => Promise<Session> = readSession,
): Promise<Result> {
  let current = session;
  for (let tries = 0; tries < limits.appendTries; tries += 1) {
    const result = await attempt(current);
    if (result !== undefined) return result;
    current = await readOn(current);
  }
  throw unavailable(
    `session ${session.place.id} is busy: ${limits.appendTries} others wrote first; ${tryAgain}`,
  );
}

/** Appends the event that `noted` makes of the newest state, if any, and returns the session with it. */
export function appendNote(
  session: Session,
  noted: (current: Session) => Promise<LogEvent | undefined>,
): Promise<Session> {
  return appendDecided(session, async (current) => {
    const event = await noted(current);
    if (event === undefined) return current;
    const cursor = await current.log.append(current.cursor, event);
    return cursor && withEvent(current, cursor, event);
  });
}

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
  const shown = session.kind.mail?.pending(session.state, participant).filter(which) ?? [];
  const messages = shown.map(({ seq }) => seq);
  const note = () => ({ participant, stage, messages, by, at: clock.now(), id: clock.newId() });
  return appendNote(session, async (current) => {
    const event = current.kind.mail?.note(current.state, note());
    // Views are repaired now: after this note the event that they belong to is no longer the newest.
    if (event !== undefined && standingOf(current).ended) await repairViews(current);
    return event;
  });
}
