import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";

/**
 * Appends `count` events to the log in `folder` and prints the id of each as soon as it is
 * acknowledged, then saves a checkpoint. Exits with 4 when the disk refuses.
 */
async function appendLoop(folder: string, name: string, count: number): Promise<void> {
  const log = new FileEventLog(folder);
  let cursor = log.start;
  for (let number = 1; number <= count; ) {
    const page = await log.read(cursor);
    cursor = page.cursor;
    if (page.more) continue;
    const id = `${name}-${number}`;
    const seq = cursor.seq + 1;
    const at = "2026-01-01T00:00:00.000Z";
    const event = { seq, id, from: "ana", event: "message", at, summary: "s".repeat(200) };
    const next = await log.append(cursor, event);
    if (next === undefined) {
      await sleep(Math.random() * 2);
      continue;
    }
    writeSync(1, `${id}\n`);
    cursor = next;
    number += 1;
  }
  await log.saveCheckpoint({ cursor, value: { name } });
}

const [, , folder = "", name = "", count = ""] = process.argv;
appendLoop(folder, name, Number(count)).catch((error: unknown) => {
  if (!(error instanceof ConsultaError) || error.code !== "UNAVAILABLE") throw error;
  writeSync(2, `error: ${error.message}\n`);
  process.exitCode = 4;
});
