import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watchFolder } from "../../scripts-src/store/watch-folder.ts";
import { makeSignal } from "./check-event-log.ts";
import { makeScratchFolder, removeFolder } from "./scratch-folder.ts";

describe("watching a folder", { timeout: 20_000 }, () => {
  let folder: string;
  beforeEach(() => {
    folder = makeScratchFolder();
  });
  afterEach(() => removeFolder(folder));

  it("tells of new files and of files that grow, until it is stopped", async () => {
    let calls = 0;
    let wake = makeSignal();
    const stop = await watchFolder(folder, () => {
      calls += 1;
      wake.resolve();
    });
    writeFileSync(join(folder, "file"), "a");
    await wake.promise;
    await sleep(50);
    wake = makeSignal();
    appendFileSync(join(folder, "file"), "b");
    await wake.promise;
    await stop();
    await sleep(50);
    const before = calls;
    appendFileSync(join(folder, "file"), "c");
    await sleep(100);
    assert.equal(calls, before);
  });

  it("tells that the folder vanished", async () => {
    const wake = makeSignal();
    const stop = await watchFolder(folder, wake.resolve);
    removeFolder(folder);
    await wake.promise;
    await stop();
  });

  it("polls for a folder that the system cannot watch, such as one that comes later", async () => {
    const wake = makeSignal();
    const later = join(folder, "later");
    const stop = await watchFolder(later, wake.resolve, { pollIntervalMs: 20 });
    mkdirSync(later);
    writeFileSync(join(later, "file"), "a");
    await wake.promise;
    await stop();
  });
});
