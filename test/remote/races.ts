import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledFixture } from "../bundled-fixture.ts";
import { readEvents } from "../log/check-event-log.ts";
import { newMachineAt, type SharedMachine } from "./machine-at.ts";

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
  readonly url: string;
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
 * Lets writers of several machines append at once, and checks what is then there: nothing lost, nothing
 * doubled, no gap, the same bytes on every machine.
 */
export async function race({
  url,
  machines,
  writers,
  eventsEach,
  killAfterMs,
  isEnough = () => true,
  calm,
}: Race): Promise<RaceEnd> {
  const laptops = Array.from({ length: machines }, () => newMachineAt(url));
  const laptop = (index: number) => laptops[index % machines] ?? assert.fail();
  const lap = (number: number) =>
    Promise.all(
      Array.from(
        { length: writers },
        (_, index) => startWriter(laptop(index), url, `w${index}-${number}`, eventsEach).done,
      ),
    );
  const racing = async () => {
    const ends = await lap(1);
    for (let number = 2; !isEnough(); number += 1) ends.push(...(await lap(number)));
    return ends;
  };
  let isRunning = true;
  const ended = racing().finally(() => {
    isRunning = false;
  });
  const acknowledged: string[] = [];
  let kills = 0;
  while (killAfterMs !== undefined && isRunning) {
    const victim = startWriter(laptop(kills), url, `victim${kills}`, 1_000);
    await sleep(Math.random() * killAfterMs);
    victim.child.kill("SIGKILL");
    acknowledged.push(...(await victim.done).acknowledged);
    kills += 1;
  }
  for (const { code, errors, acknowledged: own } of await ended) {
    assert.equal(code, 0, errors);
    assert.equal(own.length, eventsEach);
    acknowledged.push(...own);
  }
  await calm?.();
  return { events: await checkHistory(laptops, acknowledged), acknowledged, kills };
}

/** A push that its killed writer had begun may end after it. */
const afterlifeMs = 3_000;

async function checkHistory(laptops: readonly SharedMachine[], acknowledged: readonly string[]) {
  await sleep(afterlifeMs);
  const copies: string[] = [];
  for (const laptop of laptops) {
    await laptop.open().fetch();
    assert.deepEqual(await laptop.open().differences(), []);
    copies.push(readFileSync(join(laptop.folder, "events.jsonl"), "utf8"));
  }
  for (const copy of copies) assert.equal(copy, copies[0]);
  const events = await readEvents((laptops[0] ?? assert.fail()).open());
  const ids = events.map(({ id }) => String(id));
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  assert.equal(new Set(ids).size, ids.length, "an event is stored twice");
  const stored = new Set(ids);
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
    "acknowledged events are lost",
  );
  return events.length;
}
