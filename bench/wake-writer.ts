/**
 * Writes one message of the next participant for every line on standard input and prints the
 * monotonic clock's nanoseconds at the end of the durable write, before anything is delivered.
 */
import { createInterface } from "node:readline";
import { placeIn } from "../scripts-src/app/place.ts";
import { loadSession, type Session } from "../scripts-src/app/session.ts";
import { submit } from "../scripts-src/app/submit.ts";
import { findWorkspace } from "../scripts-src/app/workspace.ts";
import type { EventLog } from "../scripts-src/store/event-log.ts";
import { draftFor, sessionId } from "./build-session.ts";

const workspace = findWorkspace(process.argv[2] ?? ".");
let written = 0n;

for await (const name of createInterface({ input: process.stdin })) {
  const session = await loadSession(placeIn(workspace, sessionId));
  const { seq, waitingFor } = session.machine.standing();
  const message = draftFor(name);
  await submit(timed(session), {
    participant: waitingFor[0] ?? "",
    origin: "script",
    fields: { message: seq === 1 ? { ...message, type: "REQUEST" } : message },
    at: new Date().toISOString(),
    id: `wake-${seq}`,
  });
  process.stdout.write(`${written}\n`);
}

function timed(session: Session): Session {
  const { log } = session;
  const watched: EventLog = {
    start: log.start,
    read: (after) => log.read(after),
    at: (seq) => log.at(seq),
    damage: () => log.damage(),
    async append(after, event) {
      const cursor = await log.append(after, event);
      written = process.hrtime.bigint();
      return cursor;
    },
    loadCheckpoint: () => log.loadCheckpoint(),
    saveCheckpoint: (checkpoint) => log.saveCheckpoint(checkpoint),
    watch: (onChange) => log.watch(onChange),
  };
  return { ...session, log: watched };
}
