import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledFixture } from "../bundled-fixture.ts";
import { readEvents } from "../log/check-event-log.ts";
import { EtcdCluster } from "./etcd-cluster.ts";
import { inEtcd, newMachineAt, type SharedMachine } from "./machine-at.ts";

interface Writer {
  readonly child: ChildProcess;
  readonly done: Promise<{ acknowledged: string[]; code: number | null; errors: string }>;
}

function startWriter({ home }: SharedMachine, url: string, name: string, count: number): Writer {
  const program = bundledFixture("test/remote/append-loop.fixture.ts");
  const child = spawn(process.execPath, [program, url, home, name, String(count)]);
  let [output, errors] = ["", ""];
  child.stdout.on("data", (part: Buffer) => {
    output += part;
  });
  child.stderr.on("data", (part: Buffer) => {
    errors += part;
  });
  const done = new Promise<Awaited<Writer["done"]>>((resolve) => {
    child.on("close", (code) =>
      resolve({ acknowledged: output.split("\n").slice(0, -1), code, errors }),
    );
  });
  return { child, done };
}

export interface Race {
  readonly machines: number;
  readonly writers: number;
  readonly eventsEach: number;
  /** A writer more is killed after at most so long, and another one begins, until all others are done. */
  readonly killAfterMs?: number;
  /** The writers append as many once more until this is so. */
  readonly isEnough?: () => boolean;
  /** Ends what disturbs the writers; called when they are done, before what is there is looked at. */
  readonly calm?: () => Promise<void>;
}

export interface RaceEnd {
  readonly events: number;
  /** The ids that writers printed, each when it knew that its event is stored. */
  readonly acknowledged: readonly string[];
  readonly kills: number;
}

/**
 * Lets writers of several machines append at once to what is at a place, and checks what is then there: nothing
 * lost, nothing doubled, no gap, the same bytes on every machine.
 */
export async function race(place: string, terms: Race): Promise<RaceEnd> {
  const { machines, writers, eventsEach, killAfterMs, isEnough = () => true, calm } = terms;
  const laptops = Array.from({ length: machines }, () => newMachineAt(place));
  const write = (index: number, name: string, count: number) =>
    startWriter(laptops[index % machines] ?? assert.fail(), place, name, count);
  const racing = async () => {
    const ends: Awaited<Writer["done"]>[] = [];
    for (let number = 1; number === 1 || !isEnough(); number += 1) {
      const lap = Array.from({ length: writers }, (_, index) =>
        write(index, `w${index}-${number}`, eventsEach),
      );
      ends.push(...(await Promise.all(lap.map(({ done }) => done))));
    }
    return ends;
  };
  let isRunning = true;
  const ended = racing().finally(() => {
    isRunning = false;
  });
  const acknowledged: string[] = [];
  let kills = 0;
  while (killAfterMs !== undefined && isRunning) {
    const victim = write(kills, `victim${kills}`, 1_000);
    await sleep(Math.random() * killAfterMs);
    victim.child.kill("SIGKILL");
    acknowledged.push(...(await victim.done).acknowledged);
    kills += 1;
  }
  for (const { code, errors, acknowledged: own } of await ended) {
    assert.deepEqual([code, own.length], [0, eventsEach], errors);
    acknowledged.push(...own);
  }
  await calm?.();
  return { events: await checkHistory(laptops, acknowledged), acknowledged, kills };
}

/** A push that its killed writer had begun may end after it. */
const afterlifeMs = 3_000;

async function checkHistory(laptops: readonly SharedMachine[], acknowledged: readonly string[]) {
  await sleep(afterlifeMs);
  const copies = new Set<string>();
  for (const laptop of laptops) {
    await laptop.open().fetch();
    assert.deepEqual(await laptop.open().differences(), []);
    copies.add(readFileSync(join(laptop.folder, "events.jsonl"), "utf8"));
  }
  assert.equal(copies.size, 1, "machines differ");
  const events = await readEvents((laptops[0] ?? assert.fail()).open());
  const stored = new Set(events.map(({ id }) => String(id)));
  assert(events.every(({ seq }, index) => seq === index + 1));
  assert.equal(stored.size, events.length, "an event is stored twice");
  const lost = acknowledged.filter((id) => !stored.has(id));
  assert.deepEqual(lost, [], "acknowledged events are lost");
  return events.length;
}

export interface ClusterRaceEnd extends RaceEnd {
  readonly leadersKilled: number;
  readonly leadersCutOff: number;
}

/**
 * The same in a cluster of three, whose leader is killed, and every fourth time stopped for longer than an
 * election takes, until all are done and each was as often as that.
 */
export async function raceInCluster(
  terms: Omit<Race, "machines">,
  least: { readonly killed: number; readonly cutOff: number },
): Promise<ClusterRaceEnd> {
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
    const isEnough = () => leadersKilled >= least.killed && leadersCutOff >= least.cutOff;
    const place = inEtcd(cluster.endpoints, "race");
    const end = await race(place, { machines: 3, calm, isEnough, ...terms });
    assert(isEnough(), `${leadersKilled} leaders killed, ${leadersCutOff} cut off`);
    return { ...end, leadersKilled, leadersCutOff };
  } finally {
    await calm();
    await cluster.stop();
  }
}
