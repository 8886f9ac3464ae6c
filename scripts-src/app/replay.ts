import { type Machine, machineFor } from "../core/machine.ts";
import type { EventLog } from "../store/event-log.ts";

/** A log from its beginning, each event with the machine before and after it. */
export async function* replay(log: EventLog) {
  let cursor = log.start;
  let before: Machine | undefined;
  for (let more = true; more; ) {
    const page = await log.read(cursor);
    for (const event of page.events) {
      const from = before ?? machineFor(event);
      if (from === undefined) return;
      const after = from.evolve(event);
      yield { before: from, after, event };
      before = after;
    }
    ({ cursor, more } = page);
  }
}
