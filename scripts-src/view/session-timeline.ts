import { setImmediate as nextTurn } from "node:timers/promises";
import { ConsultaError } from "../base/errors.ts";
import type { LogEvent } from "../log/event.ts";
import { pagesOf } from "../log/event-log.ts";
import type { SessionState } from "../protocol/protocol.ts";
import { stateAfterPerson } from "../protocol/with-person.ts";
import { openSession } from "../session/open.ts";
import type { Place } from "../session/place.ts";
import { eventsBetween, replay } from "../session/replay.ts";
import type { Session } from "../session/session.ts";

/** A session as of one event: its state then, and the newest events before that. */
export interface StoryPoint {
  readonly session: Session;
  readonly seq: number;
  /** Nothing came after it. */
  readonly isNow: boolean;
  readonly events: readonly LogEvent[];
  /** How many events came before. */
  readonly untold: number;
  /** What the person's own log holds, where the session's cannot. */
  readonly aside: readonly LogEvent[];
}

/** So many events of a log are told on a screen. */
const newestMax = 400;
/** Others are answered after so many. */
const foldedAtOnce = 500;

/** The story of one session that is looked at. */
export class LiveStory {
  readonly place: Place;
  #now: StoryPoint | undefined;

  constructor(place: Place) {
    this.place = place;
  }

  /** @throws ConsultaError when the session is gone or cannot be read. */
  async now(): Promise<StoryPoint> {
    const known = this.#now;
    const session = (known && (await caughtUp(known))) ?? (await openSession(this.place));
    if (known !== undefined && known.session.state === session.state) return known;
    this.#now = await newestOf(session, newestMax);
    return this.#now;
  }

  /** The same as it was after an event: a fold of the log up to there. */
  async asOf(seq: number): Promise<StoryPoint> {
    const point = await this.now();
    if (seq >= point.seq) return point;
    const wanted = Math.max(1, seq);
    const aside = point.aside.filter(({ after }) => Number(after ?? 0) <= wanted);
    const folded = await stateAt(point.session, wanted);
    const { state } = aside.reduce(stateAfterPerson, folded);
    const events = await eventsBetween(point.session, wanted - newestMax + 1, wanted);
    const told = { events, untold: wanted - events.length, aside };
    return { ...told, session: { ...point.session, state }, seq: wanted, isNow: false };
  }
}

/** The newest events of a session as it is, as far as a file of it tells them. */
export async function storyOf(place: Place, eventsMax: number): Promise<StoryPoint> {
  return newestOf(await openSession(place), eventsMax);
}

/** Undefined where it does not follow on what is known; what is wrong with it its next reader says. */
async function caughtUp({ session, seq, events }: StoryPoint): Promise<Session | undefined> {
  try {
    // Another log may lie there now.
    const last = await session.log.at(seq);
    const isSame = events.length === 0 || JSON.stringify(last) === JSON.stringify(events.at(-1));
    return isSame ? await openSession(session) : undefined;
  } catch (cause) {
    if (cause instanceof ConsultaError) return undefined;
    throw cause;
  }
}

async function newestOf(session: Session, eventsMax: number): Promise<StoryPoint> {
  const { cursor, aside } = session;
  const { seq } = cursor;
  const events = await eventsBetween(session, Math.max(1, seq - eventsMax + 1), seq);
  const told = { events, untold: seq - events.length, aside: await eventsOf(aside) };
  return { ...told, session, seq, isNow: true };
}

async function stateAt(session: Session, seq: number): Promise<SessionState> {
  for await (const { after, event } of replay(session)) {
    if (event.seq >= seq) return after;
    if (event.seq % foldedAtOnce === 0) await nextTurn();
  }
  return session;
}

async function eventsOf(aside: Session["aside"]): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  if (aside !== undefined) for await (const page of pagesOf(aside.log)) events.push(...page.events);
  return events;
}
