import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FileEventLog } from "../../scripts-src/log/file-event-log.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { appendLoop, checkHistory, plainEnvironment } from "./append-loop.ts";
import { appendAll } from "./check-event-log.ts";

const writers = 8;
const eventsEach = 100;

let scratch: string;
before(() => {
  scratch = makeScratchFolder();
});
after(() => removeFolder(scratch));

interface Writer {
  readonly child: ChildProcess;
  readonly done: Promise<{ acknowledged: string[]; code: number | null; errors: string }>;
}

function startWriter(folder: string, name: string, count: number): Writer {
  const child = spawn(process.execPath, [appendLoop(), folder, name, String(count)], {
    env: plainEnvironment(),
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const done = new Promise<Awaited<Writer["done"]>>((resolve) => {
    child.on("close", (code) => {
      resolve({ acknowledged: output.split("\n").slice(0, -1), code, errors });
    });
  });
  return { child, done };
}

it("loses nothing when one of them is killed again and again", { timeout: 240_000 }, async (t) => {
  const folder = join(scratch, "kill");
  const racing = Array.from({ length: writers - 1 }, (_, n) =>
    startWriter(folder, `w${n}`, eventsEach),
  );
  let running = true;
  const others = Promise.all(racing.map(({ done }) => done)).then((results) => {
    running = false;
    return results;
  });
  const acknowledged: string[] = [];
  let kills = 0;
  for (let life = 0; running || life < 5; life += 1) {
    const victim = startWriter(folder, `victim${life}`, 100_000);
    await new Promise((resolve) => victim.child.stdout?.once("data", resolve));
    await sleep(Math.random() * 30);
    victim.child.kill("SIGKILL");
    acknowledged.push(...(await victim.done).acknowledged);
    kills += 1;
  }
  for (const { code, errors, ...result } of await others) {
    assert.equal(code, 0, errors);
    acknowledged.push(...result.acknowledged);
  }
  const log = new FileEventLog(folder);
  const { length } = await checkHistory(folder, acknowledged);
  t.diagnostic(
    `${kills} kills, ${length} events, ${length - acknowledged.length} not acknowledged`,
  );
  let cursor = log.start;
  for (let more = true; more; ) ({ cursor, more } = await log.read(cursor));
  while (
    (await log.append(cursor, {
      seq: cursor.seq + 1,
      id: "last",
      from: "a",
      event: "m",
      at: "2026-11-22T09:00:00Z",
      summary: "",
    })) === undefined
  ) {
    ({ cursor } = await log.read(cursor));
  }
  ({ cursor } = await log.read(cursor));
  await appendAll(log, [{}], cursor);
  await checkHistory(folder, [...acknowledged, "last"]);
  const left = readdirSync(join(folder, ".commits"));
  assert.deepEqual(
    left.filter((name) => !name.startsWith("tmp-")),
    [],
  );
});
