import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { EtcdCluster } from "./etcd-cluster.ts";
import { inEtcd } from "./machine-at.ts";
import { type RaceEnd, race } from "./races.ts";

interface ClusterRace {
  readonly eventsEach: number;
  readonly writers: number;
  readonly killAfterMs?: number;
  /** How often a leader has to be killed, and cut off, before it may end. */
  readonly least?: { readonly killed: number; readonly cutOff: number };
}

export interface ClusterRaceEnd extends RaceEnd {
  readonly leadersKilled: number;
  readonly leadersCutOff: number;
}

/**
 * Writers of three machines append to one session of a cluster of three, whose leader is killed, and
 * every fourth time stopped for longer than an election takes, until all are done.
 */
export async function raceInCluster({
  least = { killed: 1, cutOff: 0 },
  ...wanted
}: ClusterRace): Promise<ClusterRaceEnd> {
  const cluster = await EtcdCluster.start({ members: 3 });
  let [leadersKilled, leadersCutOff, isRunning] = [0, 0, true];
  const disturb = async () => {
    for (let round = 1; isRunning; round += 1) {
      await sleep(300);
      const leader = cluster.leader();
      if (leader < 0) continue;
      if (round % 4 === 0) {
        cluster.pause(leader);
        await sleep(1_500);
        cluster.resume(leader);
        leadersCutOff += 1;
      } else {
        await cluster.killMember(leader);
        leadersKilled += 1;
        await sleep(700);
        cluster.startMember(leader);
      }
      await sleep(1_000);
    }
  };
  const disturbing = disturb();
  const calm = async () => {
    isRunning = false;
    await disturbing;
  };
  try {
    const url = inEtcd(cluster.endpoints, "race");
    const isEnough = () => leadersKilled >= least.killed && leadersCutOff >= least.cutOff;
    const end = await race({ url, machines: 3, calm, isEnough, ...wanted });
    assert(leadersKilled > 0, "no leader was killed");
    return { ...end, leadersKilled, leadersCutOff };
  } finally {
    await calm();
    await cluster.stop();
  }
}
