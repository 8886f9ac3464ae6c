import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { it } from "node:test";
import { noEtcd } from "./etcd-cluster.ts";
import { makeBareRepository } from "./git-remote.ts";
import { race, raceInCluster } from "./races.ts";

it("writers of two machines lose and double nothing", { timeout: 240_000 }, async (t) => {
  const two = { machines: 2, writers: 4, eventsEach: 5, killAfterMs: 1_000 };
  const { events, kills } = await race(makeBareRepository(), two);
  t.diagnostic(`${events} events, ${kills} writers killed`);
});

it("nor on a cluster whose leaders die", { skip: noEtcd, timeout: 300_000 }, async (t) => {
  const end = await raceInCluster({ writers: 4, eventsEach: 60 }, { killed: 1, cutOff: 0 });
  assert.equal(end.events % 240, 0);
  t.diagnostic(`${end.leadersKilled} leaders killed, ${end.leadersCutOff} cut off`);
});
