import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noEtcd } from "./etcd-cluster.ts";
import { raceInCluster } from "./etcd-races.ts";

describe("writers of 3 machines on a cluster whose leaders die", {
  skip: noEtcd,
  timeout: 300_000,
}, () => {
  it("lose and double nothing", async (t) => {
    const end = await raceInCluster({ writers: 4, eventsEach: 60 });
    assert.equal(end.events, 240);
    t.diagnostic(`${end.leadersKilled} leaders killed, ${end.leadersCutOff} cut off`);
  });
});
