import { ConsultaError } from "../base/errors.ts";
import type { LogEvent } from "../log/event.ts";
import type { Machine } from "../protocol/machine.ts";
import type { Place } from "../session/place.ts";
import { pagesOf, readStory } from "../session/replay.ts";
import { catchUp, loadSession, type Session } from "../session/session.ts";

/** A session as of one event: its state then, and the newest events before that. */
export interface Told {
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

/** A log of more events is told from its checkpoint and so many of its newest. */
const wholeMax = 1_000;
const newestMax = 400;

/**
 * The story of one session that is looked at: read once, then only what was appended. What was read
 * never changes, for a log is only appended to; where that is not so the story begins anew.
 */
export class LiveStory {
  readonly place: Place;
  #told: Told | undefined;

  constructor(place: Place) {
    this.place = place;
  }

  /** @throws ConsultaError when the session is gone or cannot be read. */
  async now(): Promise<Told> {
    try {
      this.#told = this.#told && (await next(this.#told));
    } catch (cause) {
      if (!(cause instanceof ConsultaError)) throw cause;
      // Another log may lie there now; what is wrong with it its first reader says.
      this.#told = undefined;
    }
    this.#told ??= await begin(this.place);
    return this.#told;
  }

  /** The same as it was after an event: a fold of the log up to there. */
  async asOf(seq: number): Promise<Told> {
    const told = await this.now();
    if (seq >= told.seq) return told;
    const wanted = Math.max(1, seq);
    const story = told.before === undefined ? await readUntil(told.session, wanted) : told;
    const events = story.events.slice(0, wanted - story.untold);
    const aside = told.aside.filter(({ after }) => Number(after ?? 0) <= wanted);
    const folded = events.reduce((it, event) => it.evolve(event), story.before ?? told.machine);
    const machine = aside.reduce((it, event) => it.evolveAside(event), folded);
    const session = { ...told.session, machine };
    return { ...story, events, aside, machine, session, seq: wanted };
  }
}

/** The whole story, as far as a report tells one: for a file. */
export async function wholeStory(place: Place): Promise<Told> {
  return tell(await loadSession(place), true);
}

async function begin(place: Place): Promise<Told> {
  const session = await loadSession(place);
  return tell(session, session.cursor.seq <= wholeMax);
}

async function tell(session: Session, isWhole: boolean): Promise<Told> {
  const { machine, cursor } = session;
  const { seq } = cursor;
  const known = { session, machine, seq, aside: await asideOf(session) };
  if (!isWhole) {
    const events = await newestOf(session);
    return { ...known, before: undefined, events, untold: seq - events.length };
  }
  const { before, events, untold } = await readStory(session);
  // Others may have gone on writing since the session was loaded.
  return { ...known, before, events: events.slice(0, Math.max(0, seq - untold)), untold };
}

async function newestOf({ log, cursor }: Session): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  for (let seq = Math.max(1, cursor.seq - newestMax + 1); seq <= cursor.seq; seq += 1) {
    const event = await log.at(seq);
    if (event !== undefined) events.push(event);
  }
  return events;
}

/** What is known with what came since; undefined where it does not follow. */
async function next(known: Told): Promise<Told | undefined> {
  const { log, settings, cursor } = known.session;
  const last = known.events.at(-1);
  // Not of another log that took its place.
  const isSame =
    last === undefined || JSON.stringify(await log.at(known.seq)) === JSON.stringify(last);
  const session = await catchUp(known.session);
  if (!isSame || session.settings.key !== settings.key) return undefined;
  const fresh: LogEvent[] = [];
  if (session.cursor.seq > cursor.seq)
    for await (const page of pagesOf({ log }, cursor)) fresh.push(...page.events);
  const { machine } = session;
  const { seq } = session.cursor;
  const events = [...known.events, ...fresh.slice(0, seq - cursor.seq)];
  const isLong = events.length > 2 * wholeMax;
  return {
    ...{ session, machine, seq, aside: await asideOf(session) },
    before: isLong ? undefined : known.before,
    events: isLong ? events.slice(-newestMax) : events,
    untold: isLong ? seq - newestMax : known.untold,
  };
}

/** The log up to an event, as far as one can be told. */
async function readUntil({ log, kind, settings }: Session, seq: number) {
  let before = kind.start(settings.value);
  let events: LogEvent[] = [];
  let untold = 0;
  for await (const page of pagesOf({ log })) {
    events.push(...page.events.slice(0, seq - untold - events.length));
    const dropped = events.slice(0, Math.max(0, events.length - newestMax));
    before = dropped.reduce((it, event) => it.evolve(event), before);
    events = events.slice(dropped.length);
    untold += dropped.length;
    if (untold + events.length >= seq) break;
  }
  return { before, events, untold };
}

async function asideOf({ aside }: Session): Promise<LogEvent[]> {
  if (aside === undefined) return [];
  const events: LogEvent[] = [];
  for await (const page of pagesOf(aside)) events.push(...page.events);
  return events;
}
