import { ConsultaError } from "../base/errors.ts";
import type { LogEvent } from "../log/event.ts";
import type { Machine } from "../protocol/machine.ts";
import type { Place } from "../session/place.ts";
import { eventsBetween, pagesOf, readStory } from "../session/replay.ts";
import { catchUp, loadSession, type Session } from "../session/session.ts";
import { LogWalk } from "./log-fold-cache.ts";

/** A session as of one event: its state then, and the newest events before that. */
export interface StoryPoint {
  readonly session: Session;
  readonly machine: Machine;
  readonly seq: number;
  /** The machine before the first of the events; undefined of a long log, of which only the end was read. */
  readonly before: Machine | undefined;
  readonly events: readonly LogEvent[];
  /** How many events came before. */
  readonly untold: number;
  /** What the person's own log holds, where the session's cannot. */
  readonly aside: readonly LogEvent[];
}

/** A point that is not known yet: so far the log has been folded. */
export interface StoryAhead {
  readonly folded: number;
}

/** A log of more events is told from its checkpoint and so many of its newest. */
const wholeMax = 1_000;
const newestMax = 400;

/** Who asks for a point of a long log hears after so long how far its fold has come. */
const patienceMs = 250;

/**
 * The story of one session that is looked at: read once, then only what was appended. What was read
 * never changes, for a log is only appended to; where that is not so the story begins again.
 */
export class LiveStory {
  readonly place: Place;
  #now: StoryPoint | undefined;
  #beginning: Promise<StoryPoint> | undefined;
  #walk: LogWalk | undefined;

  constructor(place: Place) {
    this.place = place;
  }

  /** @throws ConsultaError when the session is gone or cannot be read. */
  async now(): Promise<StoryPoint> {
    try {
      this.#now = this.#now && (await next(this.#now));
    } catch (cause) {
      if (!(cause instanceof ConsultaError)) throw cause;
      // Another log may lie there now; what is wrong with it its first reader says.
      this.#now = undefined;
    }
    this.#now ??= await this.#begin();
    return this.#now;
  }

  /** Who comes while it is read gets the same. */
  #begin(): Promise<StoryPoint> {
    this.#walk = undefined;
    this.#beginning ??= begin(this.place).finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  /** The same as it was after an event: a fold of the log up to there. */
  async asOf(seq: number): Promise<StoryPoint | StoryAhead> {
    const point = await this.now();
    if (seq >= point.seq) return point;
    const wanted = Math.max(1, seq);
    const isKept = point.before !== undefined && wanted > point.untold;
    const story = isKept ? point : await this.#walkTo(point, wanted);
    if (story === undefined) return { folded: this.#walk?.seq ?? 0 };
    const events = story.events.slice(0, wanted - story.untold);
    const aside = point.aside.filter(({ after }) => Number(after ?? 0) <= wanted);
    const folded = events.reduce((it, event) => it.evolve(event), story.before ?? point.machine);
    const machine = aside.reduce((it, event) => it.evolveAside(event), folded);
    const session = { ...point.session, machine };
    return { ...story, events, aside, machine, session, seq: wanted };
  }

  /** Undefined where the fold has not come so far yet. */
  async #walkTo({ session }: StoryPoint, seq: number) {
    const walk = this.#walk ?? new LogWalk(session);
    this.#walk = walk;
    if (!(await walk.reach(seq, patienceMs))) return undefined;
    const untold = Math.max(0, seq - newestMax);
    const mark = walk.nearest(untold);
    const all = await eventsBetween(session, mark.seq + 1, seq);
    const early = all.slice(0, untold - mark.seq);
    const before = early.reduce((it, event) => it.evolve(event), mark.machine);
    return { before, events: all.slice(early.length), untold };
  }
}

/** A point with older events in place of its newest: those before `seq`, where it does not hold them. */
export async function withOlder(point: StoryPoint, seq: number): Promise<StoryPoint> {
  if (point.untold === 0 || seq > point.untold + newestMax / 2) return point;
  const first = Math.max(1, seq - newestMax);
  const events = await eventsBetween(point.session, first, seq - 1);
  return { ...point, before: undefined, events, untold: first - 1 };
}

/** The whole story, as far as a report tells one: for a file. */
export async function wholeStory(place: Place): Promise<StoryPoint> {
  return pointOf(await loadSession(place), true);
}

async function begin(place: Place): Promise<StoryPoint> {
  const session = await loadSession(place);
  return pointOf(session, session.cursor.seq <= wholeMax);
}

async function pointOf(session: Session, isWhole: boolean): Promise<StoryPoint> {
  const { machine, cursor } = session;
  const { seq } = cursor;
  const known = { session, machine, seq, aside: await asideOf(session) };
  if (!isWhole) {
    const events = await eventsBetween(session, Math.max(1, seq - newestMax + 1), seq);
    return { ...known, before: undefined, events, untold: seq - events.length };
  }
  const { before, events, untold } = await readStory(session);
  // Others may have gone on writing since the session was loaded.
  return { ...known, before, events: events.slice(0, Math.max(0, seq - untold)), untold };
}

/** What is known with what came since, itself where nothing did; undefined where it does not follow. */
async function next(known: StoryPoint): Promise<StoryPoint | undefined> {
  const { log, settings, cursor } = known.session;
  const last = known.events.at(-1);
  // Not of another log that took its place.
  const isSame =
    last === undefined || JSON.stringify(await log.at(known.seq)) === JSON.stringify(last);
  const session = await catchUp(known.session);
  if (!isSame || session.settings.key !== settings.key) return undefined;
  // What is folded, also beside the log, makes another machine.
  if (session.machine === known.machine) return known;
  const fresh: LogEvent[] = [];
  if (session.cursor.seq > cursor.seq)
    for await (const page of pagesOf({ log }, cursor)) fresh.push(...page.events);
  const { machine } = session;
  const { seq } = session.cursor;
  const events = [...known.events, ...fresh.slice(0, seq - cursor.seq)];
  const isLong = events.length > 2 * wholeMax;
  return {
    ...{ session, machine, seq, aside: await asideOf(session, known) },
    before: isLong ? undefined : known.before,
    events: isLong ? events.slice(-newestMax) : events,
    untold: isLong ? seq - newestMax : known.untold,
  };
}

async function asideOf({ aside }: Session, known?: StoryPoint): Promise<readonly LogEvent[]> {
  if (aside === undefined) return [];
  if (known?.session.aside?.cursor.seq === aside.cursor.seq) return known.aside;
  const events: LogEvent[] = [];
  for await (const page of pagesOf(aside)) events.push(...page.events);
  return events;
}
