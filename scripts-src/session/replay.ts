import { limits } from "../base/limits.ts";
import type { LogEvent } from "../log/event.ts";
import { pagesOf } from "../log/event-log.ts";
import type { SessionState } from "../protocol/protocol.ts";
import { stateAfter, stateAtStart } from "../protocol/session-state.ts";
import type { Session } from "./session.ts";

/**
 * A log from its beginning to where the session stood when it was loaded, each event with the state
 * before and after it: others may go on writing. Passes what is wrong with the lines to `onFaults`.
 */
export async function* replay(
  { log, kind, settings, cursor: end }: Session,
  onFaults: (faults: readonly string[]) => void = () => undefined,
) {
  let before = stateAtStart(kind, settings.value);
  for await (const page of pagesOf(log)) {
    onFaults(page.faults);
    for (const event of page.events) {
      if (event.seq > end.seq) return;
      const after = stateAfter(before, event);
      yield { before, after, event };
      before = after;
    }
    if (page.cursor.seq >= end.seq) return;
  }
}

/** The newest events of a log, and the state before the first of them. */
export interface Story {
  readonly before: SessionState;
  readonly events: readonly LogEvent[];
  /** How many events came before. */
  readonly untold: number;
}

/** Reads a whole log and keeps of it what a report can tell: bounded in events and in bytes. */
export async function readStory({ log, kind, settings }: Session): Promise<Story> {
  const pages: LogEvent[][] = [];
  let before = stateAtStart(kind, settings.value);
  let [kept, untold] = [0, 0];
  const drop = (events: readonly LogEvent[]) => {
    before = events.reduce(stateAfter, before);
    kept -= events.length;
    untold += events.length;
  };
  for await (const page of pagesOf(log)) {
    pages.push(page.events);
    kept += page.events.length;
    while (
      kept - (pages[0]?.length ?? kept) >= limits.storyEvents ||
      pages.length > limits.storyPages
    )
      drop(pages.shift() ?? []);
  }
  drop(pages[0]?.splice(0, Math.max(0, kept - limits.storyEvents)) ?? []);
  return { before, events: pages.flat(), untold };
}

/** The events of a log from one to another, both of them with it; fewer where the log has no more. */
export async function eventsBetween(
  { log }: Pick<Session, "log">,
  first: number,
  last: number,
): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  if (first > last) return events;
  for await (const page of pagesOf(log, (await log.before(first)) ?? log.start)) {
    for (const event of page.events)
      if (event.seq >= first && event.seq <= last) events.push(event);
    if (page.cursor.seq >= last) break;
  }
  return events;
}
