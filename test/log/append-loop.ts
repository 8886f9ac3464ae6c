import assert from "node:assert/strict";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { readEvents } from "./check-event-log.ts";

/** The program that appends until it is stopped. */
export function appendLoop(): string {
  return bundledFixture("test/log/append-loop.fixture.ts");
}

/** The environment without what makes Node start slowly or differently. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_EXTRA_CA_CERTS: __, NODE_V8_COVERAGE: ___, ...rest } = process.env;
  return rest;
}

/** Reading proves that seqs go on without a gap; ids prove that nothing is lost or doubled. */
export async function checkHistory(folder: string, acknowledged: string[]): Promise<LogEvent[]> {
  const events = await readEvents(new FileEventLog(folder));
  const ids = events.map(({ id }) => String(id));
  const stored = new Set(ids);
  assert.equal(stored.size, ids.length, "an event is stored twice");
  const lost = acknowledged.filter((id) => !stored.has(id));
  assert.deepEqual(lost, [], "acknowledged events are lost");
  return events;
}
