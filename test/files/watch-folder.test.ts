import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pollFolder, watchFolder } from "../../scripts-src/files/watch-folder.ts";
import { makeSignal } from "../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

describe("watching a folder", { timeout: 120_000 }, () => {
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

  it("tells once that the folder is missing", async () => {
    const wake = makeSignal();
    const stop = await watchFolder(join(folder, "none"), wake.resolve);
    await wake.promise;
    await stop();
  });

  it("can poll instead", async () => {
    let wake = makeSignal();
    const stop = await pollFolder(folder, () => wake.resolve(), 20);
    writeFileSync(join(folder, "file"), "a");
    await wake.promise;
    await sleep(100);
    wake = makeSignal();
    appendFileSync(join(folder, "file"), "b");
    await wake.promise;
    await stop();
  });
});
