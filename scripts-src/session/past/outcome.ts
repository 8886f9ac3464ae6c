import { basename } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { slugOf } from "../../base/names.ts";
import { sha256 } from "../../files/hash.ts";
import { pagesOf } from "../../log/event-log.ts";
import type { Conclusion, SeenBefore } from "../../protocol/protocol.ts";
import { openSession } from "../open.ts";
import { isUnproven, unprovenText } from "../person-words.ts";
import type { Place } from "../place.ts";
import { readFiles } from "../read-files.ts";
import { readStory } from "../replay.ts";
import { type Session, standingOf } from "../session.ts";

/** A session that has ended, with what it leaves. */
export interface EndedSession {
  /** Names it in keys and links. */
  readonly id: string;
  readonly kind: string;
  readonly topic: string;
  readonly participants: readonly string[];
  /** ISO date, or what the log has instead. */
  readonly date: string;
  /** Its folder where that is not the workspace's own. */
  readonly folder?: string | undefined;
  readonly conclusions: readonly Conclusion[];
}

/** A session that has ended, with the time of its last act as its log has it, and what it rests on. */
export interface SessionOutcome extends EndedSession {
  readonly lastAt: string;
  readonly restsOn: readonly SeenBefore[];
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
): Promise<SessionOutcome | undefined> {
  const session = await openSession(place, { changes: "preview", clock });
  const { kind, state } = session;
  const { topic, participants, lastAt, ended } = standingOf(session);
  if (!ended) return undefined;
  const events = from === "log" ? (await readStory(session)).events : [];
  const files = await readFiles(place.folder, kind.filesWanted(state, { for: "conclusion" }));
  const remark = (await isUnproven(place.folder)) ? `; ${unprovenText}` : "";
  const conclusions = kind
    .conclusions(state, events, files)
    .map((it) => ({ ...it, outcome: `${it.outcome}${remark}` }));
  const [date] = /^\d{4}-\d\d-\d\d/.exec(lastAt) ?? ["on an unknown day"];
  const folder = place.workspace === undefined ? place.folder : undefined;
  const rest = { folder, lastAt, conclusions, restsOn: kind.restsOn?.(state) ?? [] };
  return { id: idOf(place), kind: kind.name, topic, participants, date, ...rest };
}

/** A session elsewhere has no id of its own: its folder's name may be that of many. */
export function idOf({ id, folder, workspace }: Place): string {
  if (workspace !== undefined) return id;
  return `${slugOf(basename(folder))}-${sha256(folder).slice(0, 8)}`;
}

/**
 * Whether a session ended by a message that this participant was never shown. A user who had `consult`
 * run it has read its report, and the sender of the last message knows of the end.
 */
export async function endedUnread(session: Session, participant: string): Promise<boolean> {
  const { kind, state } = session;
  const mail = kind.standing(state).ended ? kind.mail?.pending(state, participant) : undefined;
  const unread = (mail ?? []).filter(({ inTurn }) => inTurn === undefined);
  if (unread.length === 0) return false;
  const others = new Set(unread.map(({ seq }) => seq));
  for await (const { events } of pagesOf(session.log)) {
    if (events.some(({ by }) => by === "consult")) return false;
    for (const { from, seq } of events) if (from === participant) others.delete(seq);
  }
  return others.size > 0;
}
