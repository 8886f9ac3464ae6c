import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { follow } from "../../../scripts-src/session/waiting/follow.ts";

const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
const listeners = () => signals.map((name) => process.listenerCount(name));

const quick = { folders: () => [], pollIntervalMs: 100, timeoutMs: 5_000, heartbeatMs: 60_000 };

describe("a wait", () => {
  it("begins once a signal can end it, so that its presence never stays behind", async () => {
    const [before, seen] = [listeners(), [] as number[][]];
    const end = await follow({
      ...quick,
      begin: () => {
        seen.push(listeners());
        process.emit("SIGTERM");
      },
      check: async () => undefined,
    });
    assert.deepEqual(end, { exitCode: 143 });
    assert.deepEqual(
      seen,
      [before.map((count) => count + 1)],
      "all three were listened to when it began",
    );
    assert.deepEqual(listeners(), before);
  });

  it("that cannot begin leaves no listener", async () => {
    const before = listeners();
    const begin = () => {
      throw new Error("the disk is full");
    };
    const waiting = {
      ...quick,
      begin,
      check: async () => "done" as const,
    };
    await assert.rejects(follow(waiting), /disk is full/);
    assert.deepEqual(listeners(), before);
  });
});
