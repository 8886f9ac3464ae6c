import { basename } from "node:path";
import type { EndedSession } from "../core/brain/session-memories.ts";
import { slugOf } from "../core/names.ts";
import { checksum } from "../store/checksum.ts";
import type { Clock } from "./foreign-mail.ts";
import { withChanges } from "./notice-changes.ts";
import type { Place } from "./place.ts";
import { readFiles } from "./read-files.ts";
import { readStory } from "./replay.ts";
import { loadSession, standingOf } from "./session.ts";

/** A session that has ended, with the time of its last act as its log has it. */
export interface Ended extends EndedSession {
  readonly lastAt: string;
}

/**
 * How a session ended and what it leaves; undefined while it is open. From its state alone, which
 * costs little, or from the whole log, which tells more.
 * @throws ConsultaError when it cannot be read.
 */
export async function endedSession(
  place: Place,
  clock: Clock,
  from: "state" | "log",
): Promise<Ended | undefined> {
  const session = await withChanges(await loadSession(place), clock);
  const { machine } = session;
  const { kind, topic, participants, lastAt, ended } = standingOf(session);
  if (!ended) return undefined;
  const events = from === "log" ? (await readStory(session)).events : [];
  const files = await readFiles(place.folder, machine.filesWanted({ for: "conclusion" }));
  const conclusions = machine.conclusions(events, files);
  const [date] = /^\d{4}-\d\d-\d\d/.exec(lastAt) ?? ["on an unknown day"];
  const folder = place.workspace === undefined ? place.folder : undefined;
  return { id: nameOf(place), kind, topic, participants, date, folder, lastAt, conclusions };
}

/** A session elsewhere has no id of its own: its folder's name may be that of many. */
function nameOf({ id, folder, workspace }: Place): string {
  if (workspace !== undefined) return id;
  return `${slugOf(basename(folder))}-${checksum(Buffer.from(folder))}`;
}
