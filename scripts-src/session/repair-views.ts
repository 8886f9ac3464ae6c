import { join } from "node:path";
import { isRecord } from "../base/json.ts";
import { existsSync } from "../files/disk.ts";
import type { LogEvent } from "../log/event.ts";
import { isDeliveryNote } from "../protocol/delivery-note.ts";
import type { Session } from "./session.ts";
import { writeNewestViews, writeSessionFile, writeViews } from "./write-views.ts";

/**
 * Writes the views again where a writer died between its event and them, and returns the session as it
 * then stands, and where a power cut took what they held.
 */
export async function repairViews(session: Session): Promise<Session> {
  const { kind, settings, state } = session;
  if (!kind.sharedLog) {
    for (const event of await unmended(session)) writeViews(session, event);
    if (kind.mail === undefined) writeSessionFile(session);
    return session;
  }
  const isCurrent = kind.views(state, undefined).every(({ text }) => isSame(text, settings.text));
  if (!isCurrent) return writeNewestViews(session, undefined);
  writeSessionFile(session);
  return session;
}

/** The events whose views may have been lost: the first, the last acts of one that ended, else none. */
async function unmended({
  place,
  kind,
  state,
  log,
  cursor,
}: Session): Promise<(LogEvent | undefined)[]> {
  const isFresh = !kind.standing(state).ended && existsSync(join(place.folder, "protocol.json"));
  if (isFresh || kind.views(state, undefined).length === 0) return [undefined];
  const first = await log.at(1);
  if (!kind.standing(state).ended) return [first];
  // The last act may only confirm what the one before it closed.
  const acts: LogEvent[] = [];
  for (let seq = cursor.seq; seq > 1 && acts.length < 2; seq -= 1) {
    const event = await log.at(seq);
    if (event !== undefined && !isDeliveryNote(event)) acts.unshift(event);
  }
  return [first, ...acts];
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
