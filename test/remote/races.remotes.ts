import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noEtcd } from "./etcd-cluster.ts";
import { git, makeBareRepository, setHook } from "./git-remote.ts";
import { byHttp } from "./git-server.ts";
import { sessionRef } from "./machine-at.ts";
import { race, raceInCluster } from "./races.ts";

const three = { machines: 3, writers: 8, eventsEach: 50 };

describe("8 writers of 3 machines append 400 events to one session", { timeout: 3_600_000 }, () => {
  it("and lose and double nothing while a writer more is killed again and again", async (t) => {
    const url = makeBareRepository();
    const { events, kills } = await race(url, { ...three, killAfterMs: 2_000 });
    assert(kills >= 20, `${kills} kills`);
    t.diagnostic(`${events} events, ${kills} writers killed`);
  });

  it("nor while the host is killed in pushes, and learn what became of those it did not answer", async (t) => {
    const host = makeBareRepository();
    // It has stored the push and not answered yet: the longer that takes, the more are killed there.
    setHook(host, "reference-transaction", 'if [ "$1" = committed ]; then sleep 0.05; fi');
    const way = await byHttp(host, { killEach: 4, killAfterMs: 150 });
    const killed: string[] = [];
    way.server?.stdout?.on("data", (part: Buffer) => {
      killed.push(...[...part.toString().matchAll(/^killed (\w+)$/gm)].map(([, id = ""]) => id));
    });
    try {
      const isEnough = () => killed.length >= 50;
      const { events, acknowledged } = await race(way.url, { ...three, isEnough });
      assert(killed.length >= 50, `${killed.length} killed`);
      const stored = new Set(git(host, "rev-list", sessionRef).split("\n"));
      const unanswered = killed.filter((commit) => stored.has(commit));
      assert(unanswered.length > 0, "none was stored and not answered");
      for (const commit of unanswered) {
        const { id } = JSON.parse(git(host, "log", "-1", "--format=%B", commit));
        assert.equal(acknowledged.filter((it) => it === id).length, 1, id);
      }
      const told = `${unanswered.length} of them stored and not answered`;
      t.diagnostic(`${events} events, ${killed.length} pushes killed at the host, ${told}`);
    } finally {
      way.stop();
    }
  });

  it("nor in a cluster while leaders and writers are killed", { skip: noEtcd }, async (t) => {
    const terms = { writers: 8, eventsEach: 50, killAfterMs: 1_000 };
    const end = await raceInCluster(terms, { killed: 20, cutOff: 5 });
    const killed = `${end.kills} writers and ${end.leadersKilled} leaders killed`;
    t.diagnostic(`${end.events} events, ${killed}, ${end.leadersCutOff} leaders cut off`);
  });
});
