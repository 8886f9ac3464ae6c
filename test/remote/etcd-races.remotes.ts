import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noEtcd } from "./etcd-cluster.ts";
import { raceInCluster } from "./etcd-races.ts";

describe("8 writers of 3 machines on a cluster", { skip: noEtcd, timeout: 3_600_000 }, () => {
  it("lose and double nothing while leaders and writers are killed", async (t) => {
    const least = { killed: 20, cutOff: 5 };
    const end = await raceInCluster({ writers: 8, eventsEach: 50, killAfterMs: 1_000, least });
    assert(end.leadersKilled >= 20, `${end.leadersKilled} leaders killed`);
    assert(end.leadersCutOff >= 5, `${end.leadersCutOff} leaders cut off`);
    const killed = `${end.kills} writers and ${end.leadersKilled} leaders killed`;
    t.diagnostic(`${end.events} events, ${killed}, ${end.leadersCutOff} leaders cut off`);
  });
});
