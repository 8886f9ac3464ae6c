import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";
import { describeCrash, type Ground, type Scene } from "../crash/sweep.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { appendLoop, checkHistory } from "./append-loop.ts";
import { makeEvent } from "./check-event-log.ts";

/** Stops a program that appends so many events at each of its system calls, once with each fault. */
export function sweepLog(appends: number, errors: readonly string[]): void {
  const scene: Scene<Ground> = {
    make() {
      const folder = makeScratchFolder();
      return { folder: join(folder, "session"), project: { folder } };
    },
    command: ({ folder }) => [appendLoop(), folder, "w", String(appends)],
    async goesOn({ folder }, { code, output }, point) {
      if (code === 0) assert.equal(output.length, appends, point);
      const stored = await checkHistory(folder, output);
      assert(stored.length <= appends, point);
      await goOn(folder, output);
    },
  };
  // The folders, the log's first opening, and about eight calls for each append.
  describeCrash(`a program that appends ${appends} events`, scene, 3 + 8 * appends, errors);
}

/** The next writer needs no help: at most one commit is in its way, and that one it finishes. */
async function goOn(folder: string, acknowledged: string[]): Promise<void> {
  const log = new FileEventLog(folder);
  let lost = 0;
  for (let stored = 0, cursor = log.start; stored < 2; ) {
    ({ cursor } = await log.read(cursor));
    const next = await log.append(cursor, makeEvent(cursor.seq + 1));
    if (next === undefined) lost += 1;
    else stored += 1;
    assert(lost <= 1, "a writer that died stands in the way");
  }
  await checkHistory(folder, acknowledged);
  const left = readdirSync(join(folder, ".commits")).filter((name) => !name.startsWith("tmp-"));
  assert.deepEqual(left, []);
}
