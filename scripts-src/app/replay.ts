import type { LogEvent } from "../core/event.ts";
import type { Session } from "./session.ts";

/** A log from its beginning, each event with the machine before and after it. */
export async function* replay({ log, kind, settings }: Session) {
  let cursor = log.start;
  let before = kind.start(settings.value);
  for (let more = true; more; ) {
    const page = await log.read(cursor);
    for (const event of page.events) {
      const after = before.evolve(event);
      yield { before, after, event };
      before = after;
    }
    ({ cursor, more } = page);
  }
}

/** All events of a log, and what is wrong with them. */
export async function readEvents({ log }: Pick<Session, "log">, after = log.start) {
  const [events, faults]: [LogEvent[], string[]] = [[], []];
  let cursor = after;
  for (let more = true; more; ) {
    const page = await log.read(cursor);
    events.push(...page.events);
    faults.push(...page.faults);
    ({ cursor, more } = page);
  }
  return { events, faults, cursor };
}
