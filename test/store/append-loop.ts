import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { LogEvent } from "../../scripts-src/core/event.ts";
import { FileEventLog } from "../../scripts-src/store/file-event-log.ts";
import { readEvents } from "./check-event-log.ts";

/** Bundles the appender into one file, so that its system calls are the same in every run. */
export function buildAppendLoop(folder: string): string {
  const outfile = join(folder, "append-loop.cjs");
  buildSync({
    entryPoints: [fileURLToPath(new URL("append-loop.fixture.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["chokidar"],
    logLevel: "error",
  });
  return outfile;
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
