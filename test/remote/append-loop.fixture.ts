/**
 * Appends events to a session on a git remote, or in etcd, from one machine and prints the id of each as soon as
 * it is acknowledged. Where the outcome of one is not known it looks for its id before it goes on.
 *
 *   node append-loop.mjs <place> <home of the machine> <name> <count>
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import type { Cursor } from "../../scripts-src/log/event-log.ts";
import type { RemoteEventLog } from "../../scripts-src/remote/remote-event-log.ts";
import { machineAt } from "./machine-at.ts";

const [url = "", home = "", name = "", count = ""] = process.argv.slice(2);
const log = machineAt(home, url).open();

/** Whether an event came in after a place, and the place after what is there now. */
async function lookFor(id: string, after: Cursor): Promise<{ isThere: boolean; cursor: Cursor }> {
  await whenReached(() => log.fetch());
  let [cursor, isThere] = [after, false];
  for (let more = true; more; ) {
    const page = await log.read(cursor);
    isThere ||= page.events.some((event) => event["id"] === id);
    ({ cursor, more } = page);
  }
  return { isThere, cursor };
}

async function whenReached<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") throw cause;
      await sleep(Math.random() * 50);
    }
  }
}

async function append(it: RemoteEventLog, id: string, from: Cursor): Promise<Cursor> {
  const at = "2026-01-01T00:00:00.000Z";
  for (let place = from; ; ) {
    const found = await lookFor(id, place);
    place = found.cursor;
    if (found.isThere) return place;
    const event = { seq: place.seq + 1, id, from: "ana", event: "message", at, summary: id };
    try {
      const next = await it.append(place, event);
      if (next !== undefined) return next;
    } catch (cause) {
      if (!(cause instanceof ConsultaError) || cause.code !== "UNAVAILABLE") throw cause;
    }
  }
}

let cursor = log.start;
for (let number = 1; number <= Number(count); number += 1) {
  const id = `${name}-${number}`;
  cursor = await append(log, id, cursor);
  writeSync(1, `${id}\n`);
}
