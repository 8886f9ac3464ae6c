/**
 * Writes one message of the next participant for every line on standard input and prints the
 * monotonic clock's nanoseconds at the end of the durable write, before anything is delivered.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { EventLog } from "../scripts-src/log/event-log.ts";
import { systemClock } from "../scripts-src/script/clock.ts";
import { openSession } from "../scripts-src/session/open.ts";
import { placeIn } from "../scripts-src/session/place.ts";
import type { Session } from "../scripts-src/session/session.ts";
import { submit } from "../scripts-src/session/submit.ts";
import { findWorkspace, readOwnLimits } from "../scripts-src/session/workspace/workspace.ts";
import { draftFor, sessionId } from "./build-session.ts";

await readOwnLimits();
const project = process.argv[2] ?? ".";
const workspace = findWorkspace(project);
let written = 0n;

for await (const name of createInterface({ input: process.stdin })) {
  const session = await openSession(placeIn(workspace, sessionId));
  const { seq, waitingFor } = session.kind.standing(session.state);
  // A file that changed is progress, without which the session would end.
  writeFileSync(join(project, "run.txt"), `run ${name}\n`);
  const message = { ...draftFor(name), progress: [{ kind: "artifact", path: "run.txt" }] };
  const fields = { message: seq === 1 ? { ...message, type: "REQUEST" } : message };
  const by = { participant: waitingFor[0] ?? "", origin: "script", fields } as const;
  await submit(timed(session), by, systemClock);
  process.stdout.write(`${written}\n`);
}

function timed(session: Session): Session {
  const { log } = session;
  const watched: EventLog = {
    start: log.start,
    read: (after) => log.read(after),
    at: (seq) => log.at(seq),
    before: (seq) => log.before(seq),
    damage: () => log.damage(),
    chain: () => log.chain(),
    differences: () => log.differences(),
    fetch: () => log.fetch(),
    follow: (onFault) => log.follow(onFault),
    async append(after, event, documents) {
      const cursor = await log.append(after, event, documents);
      written = process.hrtime.bigint();
      return cursor;
    },
    loadCheckpoint: () => log.loadCheckpoint(),
    saveCheckpoint: (checkpoint) => log.saveCheckpoint(checkpoint),
  };
  return { ...session, log: watched };
}
