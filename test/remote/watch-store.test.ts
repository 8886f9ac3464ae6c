/** How often a store is looked at, by a clock that the test turns. */
import assert from "node:assert/strict";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import type { RemoteStore } from "../../scripts-src/remote/remote-store.ts";
import { StoreWatch } from "../../scripts-src/remote/watch-store.ts";
import { makeSignal } from "../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

const stepMs = 100;

describe("who waits for a store", () => {
  let folder: string;
  /** When it was looked at, in milliseconds since the beginning. */
  let looks: number[];
  let count: number;
  let fault: Error | undefined;
  let told: (Error | undefined)[];
  let lost: Error[];
  let watch: StoreWatch;
  let nowMs: number;
  let file: string;
  /** What a look waits for. */
  let slow: Promise<void>;
  /** The store has news. */
  let call: () => void;

  function begin(): void {
    const store: Pick<RemoteStore, "count" | "ring"> = {
      count: async () => count,
      ring(onNews) {
        call = onNews;
        return () => undefined;
      },
    };
    const onFault = (it: Error | undefined) => told.push(it);
    const onLost = (it: Error) => lost.push(it);
    const all = { onFault, onLost };
    const look = async () => {
      looks.push(nowMs);
      if (fault !== undefined) throw fault;
      await slow;
    };
    watch = new StoreWatch(file, async () => store as RemoteStore, look, all);
  }

  /** Turns the clock, and lets each look come to its end. */
  async function pass(ms: number): Promise<void> {
    for (const endMs = nowMs + ms; nowMs < endMs; ) {
      nowMs += stepMs;
      mock.timers.tick(stepMs);
      for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const gapsFrom = (fromMs: number) => {
    const seen = looks.filter((it) => it >= fromMs);
    return seen.slice(1).map((it, index) => it - (seen[index] ?? 0));
  };

  function checkGaps(gaps: readonly number[], least: number, most: number): void {
    assert(gaps.length >= 5, `${gaps.length} gaps`);
    for (const gap of gaps) assert(gap >= least && gap <= most + stepMs, `${gap} ms`);
    assert(new Set(gaps).size > 1, "all at equal times");
  }

  beforeEach(() => {
    folder = makeScratchFolder();
    file = join(folder, "watch.json");
    slow = Promise.resolve();
    [looks, count, fault, told, lost, nowMs] = [[], 1, undefined, [], [], 0];
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
  });
  afterEach(async () => {
    await watch.end();
    mock.timers.reset();
    removeFolder(folder);
  });

  it("looks every 2 s for two minutes after a change, then every 30 s, never by an exact beat", async () => {
    begin();
    await pass(115_000);
    checkGaps(gapsFrom(0), 1_600, 2_400);
    await pass(300_000);
    checkGaps(gapsFrom(130_000), 24_000, 36_000);
    count += 1;
    await pass(40_000);
    const changedMs = looks.find((it) => it > 415_000) ?? 0;
    await pass(20_000);
    checkGaps(gapsFrom(changedMs), 1_600, 2_400);
  });

  it("says what is wrong with the log, goes on to look, and says when it is put right", async () => {
    begin();
    await pass(1_000);
    fault = new ConsultaError("REFUSED", "history was rewritten");
    await pass(3_000);
    assert.deepEqual(told, [fault]);
    const { length } = looks;
    await pass(20_000);
    assert.equal(looks.length, length);
    await pass(20_000);
    assert.equal(looks.length, length + 1);
    fault = undefined;
    await pass(40_000);
    assert.deepEqual([told.at(-1), told.length], [undefined, 3]);
    await pass(10_000);
    assert.equal(told.length, 3);
  });

  it("waits for a store that is out of reach twice as long each time, at most two minutes", async () => {
    fault = new ConsultaError("UNAVAILABLE", "out of reach");
    begin();
    await pass(1_200_000);
    const gaps = gapsFrom(0);
    for (const [index, gap] of gaps.entries()) {
      const meantMs = Math.min(120_000, 2_000 * 2 ** index);
      assert(gap >= 0.8 * meantMs && gap <= 1.2 * meantMs + stepMs, `${index}: ${gap} ms`);
    }
    assert(gaps.length > 8);
    assert.deepEqual([told, lost], [[], [fault]]);
  });

  it("looks once more at once where the store called while it looked", async () => {
    begin();
    await pass(150_000);
    const signal = makeSignal();
    slow = signal.promise;
    const { length } = looks;
    for (const _ of [1, 2]) {
      call();
      await pass(1_000);
    }
    assert.equal(looks.length, length + 1);
    signal.resolve();
    await pass(5_000);
    assert.equal(looks.length, length + 2);
  });

  it("ends when its look has ended, and leaves the looking to others", async () => {
    const signal = makeSignal();
    slow = signal.promise;
    begin();
    await pass(1_000);
    assert(existsSync(file));
    let hasEnded = false;
    const ended = watch.end().then(() => {
      hasEnded = true;
    });
    await pass(1_000);
    assert(!hasEnded);
    signal.resolve();
    await ended;
    assert(!existsSync(file));
    await pass(60_000);
    assert.equal(looks.length, 1);
  });

  it("leaves it to a process of another host, also of its own number, as long as that one lives", async () => {
    writeFileSync(file, JSON.stringify({ pid: process.pid, host: "another" }));
    const seconds = Date.now() / 1_000;
    utimesSync(file, seconds, seconds);
    begin();
    await pass(60_000);
    assert.deepEqual(looks, []);
    await pass(60_000);
    assert(looks.length > 0);
  });
});
