import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeBareRepository } from "./git-remote.ts";
import { byHttp } from "./git-server.ts";
import { race } from "./races.ts";

const three = { machines: 3, writers: 8, eventsEach: 50 };

describe("8 writers of 3 machines append 400 events to one session", { timeout: 3_600_000 }, () => {
  it("and lose and double nothing while a writer more is killed again and again", async (t) => {
    const url = makeBareRepository();
    const { events, kills } = await race({ url, ...three, killAfterMs: 2_000 });
    assert(kills >= 20, `${kills} kills`);
    t.diagnostic(`${events} events, ${kills} writers killed`);
  });

  it("nor while the host is killed in the middle of pushes", async (t) => {
    const way = await byHttp(makeBareRepository(), { killEach: 6, killAfterMs: 60 });
    let killed = 0;
    way.server?.stdout?.on("data", (part: Buffer) => {
      killed += part.toString().split("killed").length - 1;
    });
    try {
      const { events } = await race({ url: way.url, ...three });
      assert(killed >= 50, `${killed} killed`);
      t.diagnostic(`${events} events, ${killed} pushes killed at the host`);
    } finally {
      way.stop();
    }
  });
});
