import { isRecord } from "../core/json.ts";
import type { Session } from "./session.ts";
import { writeNewestViews, writeViews } from "./submit.ts";

/**
 * Writes the views anew where a writer died between its event and them, and gives the session as it
 * then stands. Where nobody takes the views for the truth, the next event writes them; behind the
 * last one none comes.
 */
export async function mendViews(session: Session): Promise<Session> {
  const { kind, settings, machine, log, cursor, place } = session;
  if (!kind.sharedLog) {
    if (machine.standing().ended) writeViews(place, machine, await log.at(cursor.seq));
    return session;
  }
  const isCurrent = machine.views(undefined).every(({ text }) => isSame(text, settings.text));
  return isCurrent ? session : writeNewestViews(session, undefined);
}

/** Says the same, however it is laid out: what somebody else wrote is left as it is. */
function isSame(text: string, found: string | undefined): boolean {
  if (found === undefined || text === found) return text === found;
  const values = [text, found].map((it) => JSON.stringify(JSON.parse(it), sortedKeys));
  return values[0] === values[1];
}

/** `updatedAt` is each writer's own clock. */
function sortedKeys(key: string, value: unknown): unknown {
  if (key === "updatedAt") return undefined;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
