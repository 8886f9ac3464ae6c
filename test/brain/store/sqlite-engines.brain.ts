import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ConsultaError } from "../../../scripts-src/base/errors.ts";
import { openStore } from "../../../scripts-src/brain/store/brain-store.ts";
import { bundledFixture } from "../../bundled-fixture.ts";
import { plainEnvironment } from "../../log/append-loop.ts";
import { findOtherNode } from "../../other-node.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { draft, time } from "../given.ts";

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = join(makeScratchFolder(), "brain");
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  removeFolder(join(folder, ".."));
});

/** A process that stores, which has acknowledged its first memory. */
async function startStoring(node: string, name: string): Promise<ChildProcess> {
  const words = ["--no-warnings", bundledFixture("test/brain/store-loop.fixture.ts")];
  const child = spawn(node, [...words, folder, name], {
    env: plainEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  assert(child.stdout);
  await once(child.stdout, "data");
  child.stdout.resume();
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "close");
}

const nodes: [which: string, node: string][] = [
  ["the same SQLite", process.execPath],
  ["the other SQLite", await findOtherNode()],
];

describe("a brain's database", () => {
  for (const [which, node] of nodes)
    it(`is left to a living process with ${which}, and taken over from a dead one`, async () => {
      const child = await startStoring(node, "a");
      await assert.rejects(openStore(folder), (error) => {
        assert(error instanceof ConsultaError && error.reason === "held", String(error));
        assert.match(error.message, /^cannot use .*brain\.(?:db|lock): another process holds it/);
        return true;
      });
      await kill(child);
      const store = await openStore(folder);
      assert(store.memories.retrieve("a/1"));
      assert.deepEqual(store.stats().setAside, []);
      store.memories.store(draft("b", 1), time(1));
      store.close();
      const left = readdirSync(folder).filter((name) => /\.lock$|-wal$/.test(name));
      assert.deepEqual(
        left.filter((name) => name !== "brain.lock"),
        [],
      );
      await kill(await startStoring(node, "c"));
      const again = await openStore(folder);
      for (const key of ["a/1", "b", "c/1"]) assert(again.memories.retrieve(key), key);
      again.close();
    });

  it("has one process at a time, however many come when one was killed", async () => {
    await kill(await startStoring(process.execPath, "first"));
    for (let round = 0; round < 5; round += 1) {
      const racers = await Promise.all(
        Array.from({ length: 6 }, async (_, number) => {
          const node = nodes[number % nodes.length]?.[1] ?? "";
          const child = startStoring(node, `race${round}-${number}`);
          const started = await Promise.race([child, once(children.at(-1) ?? process, "close")]);
          return Array.isArray(started) ? undefined : started;
        }),
      );
      const winners = racers.filter((it) => it !== undefined);
      assert.equal(winners.length, 1);
      for (const child of children.splice(0)) child.kill("SIGKILL");
      assert(existsSync(join(folder, "brain.db")));
    }
  });
});
