import { ConsultaError, tryAgain } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import type { LogEvent } from "../log/event.ts";
import { catchUp, type Session } from "./session.ts";

/**
 * Lets `attempt` decide and append, again on the new state each time that another writer is faster:
 * it then returns undefined.
 * @throws ConsultaError UNAVAILABLE when others are faster every time.
 */
export async function appendDecided<Result>(
  session: Session,
  attempt: (current: Session) => Promise<Result | undefined>,
  readOn: (current: Session) => Promise<Session> = catchUp,
): Promise<Result> {
  let current = session;
  for (let tries = 0; tries < limits.appendTries; tries += 1) {
    const result = await attempt(current);
    if (result !== undefined) return result;
    current = await readOn(current);
  }
  throw new ConsultaError(
    "UNAVAILABLE",
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
    return cursor && { ...current, cursor, machine: current.machine.evolve(event) };
  });
}
