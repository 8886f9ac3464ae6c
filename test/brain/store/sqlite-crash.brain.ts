import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ConsultaError } from "../../../scripts-src/base/errors.ts";
import { brainLimits } from "../../../scripts-src/brain/rules/limits.ts";
import { bundledFixture } from "../../bundled-fixture.ts";
import { plainEnvironment } from "../../log/append-loop.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { mount, mountWorks } from "../../small-disk.ts";
import { draft, time } from "../given.ts";
import { underBrainNode } from "../under-brain-node.ts";

const kills = 40;
const lifeMsMax = 60;

await underBrainNode(import.meta.url, async () => {
  const { loadSqlite } = await import("../../../scripts-src/brain/store/sqlite.ts");
  const { openStore } = await import("../../../scripts-src/brain/store/brain-store.ts");
  const { DatabaseSync } = await loadSqlite();

  /** Throws when anything in the database does not fit together. */
  function checkIntegrity(folder: string): void {
    const database = new DatabaseSync(join(folder, "brain.db"));
    assert.equal(database.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
    database.exec("insert into memory_index (memory_index, rank) values ('integrity-check', 1)");
    const counted = database.prepare("select count(*) as count from memory").get()?.["count"];
    assert.equal(database.prepare("select memories from tally").get()?.["memories"], counted);
    database.close();
  }

  describe("a brain that is killed while it stores", { timeout: 300_000 }, () => {
    let scratch: string;
    before(() => {
      scratch = makeScratchFolder();
    });
    after(() => removeFolder(scratch));

    it(`loses nothing that it acknowledged, ${kills} times`, async (t) => {
      const program = bundledFixture("test/brain/store-loop.fixture.ts");
      const folder = join(scratch, "killed");
      const [there, gone] = [new Set<string>(), new Set<string>()];
      for (let round = 1; round <= kills; round += 1) {
        for (const line of await runAndKill([program, folder, `round${round}`])) {
          const key = line.slice(2);
          if (line.startsWith("+ ")) there.add(key);
          else there.delete(key);
          if (line.startsWith("- ")) gone.add(key);
        }
        checkIntegrity(folder);
      }
      const store = await openStore(folder);
      const lost = [...there].filter((key) => store.memories.retrieve(key) === undefined);
      const back = [...gone].filter((key) => store.memories.retrieve(key) !== undefined);
      assert.deepEqual([lost, back, store.stats().setAside], [[], [], []]);
      assert(there.size > kills, "hardly anything was stored");
      store.close();
      t.diagnostic(`${there.size} stored and ${gone.size} removed, none lost`);
    });
  });

  const skip = !mountWorks() && "NO FULL DISK WAS TESTED: mounting a tmpfs is not permitted here";
  describe("a brain on a full disk", { skip }, () => {
    it("says so in one line, keeps what it has, and goes on when there is room", async () => {
      const disk = join(makeScratchFolder(), "disk");
      mkdirSync(disk);
      mount("-t", "tmpfs", "-o", "size=2m", "tmpfs", disk);
      try {
        const ballast = join(disk, "ballast");
        writeFileSync(ballast, Buffer.alloc(1_048_576, "x"));
        const store = await openStore(join(disk, "brain"));
        const keys: string[] = [];
        const fillUp = () => {
          for (let number = keys.length; ; number += 1) {
            const key = `k${number}`;
            store.memories.store(draft(key, `${number} `.repeat(1_500)), time(number));
            keys.push(key);
          }
        };
        assert.throws(fillUp, hasCode("UNAVAILABLE", /cannot use .+brain\.db: .+/));
        assert(keys.length > 3);
        assert.throws(() => store.forget({ keys: "k0" }), hasCode("UNAVAILABLE"));
        rmSync(ballast);
        for (const key of keys.slice(1)) assert(store.memories.retrieve(key), `${key} is lost`);
        assert.equal(store.memories.store(draft("after", 1), time(99)).stored, true);
        store.forget({ keys: "k*" });
        assert.deepEqual(
          store.memories.list("", brainLimits.memoriesListed).map(({ key }) => key),
          ["after"],
        );
        assert.deepEqual(store.stats().setAside, []);
        store.close();
        checkIntegrity(join(disk, "brain"));
      } finally {
        spawnSync("umount", ["-l", disk]);
        removeFolder(join(disk, ".."));
      }
    });

    it("says so when there is no room for a brain at all", async () => {
      const disk = join(makeScratchFolder(), "disk");
      mkdirSync(disk);
      mount("-t", "tmpfs", "-o", "size=16k", "tmpfs", disk);
      try {
        await assert.rejects(openStore(join(disk, "brain")), (error) => {
          assert(error instanceof ConsultaError, String(error));
          assert.equal(error.code, "UNAVAILABLE");
          return true;
        });
      } finally {
        spawnSync("umount", ["-l", disk]);
        removeFolder(join(disk, ".."));
      }
    });
  });
});

/** Kills a process somewhere in its work; gives the lines that it wrote whole. */
async function runAndKill(argv: string[]): Promise<string[]> {
  const child = spawn(process.execPath, ["--no-warnings", ...argv], {
    env: plainEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const lines: string[] = [];
  let [began, begin] = [Promise.resolve(), () => {}];
  began = new Promise((resolve) => {
    begin = resolve;
  });
  createInterface(child.stdout).on("line", (line) => {
    lines.push(line);
    begin();
  });
  await Promise.race([began, ended]);
  await sleep(Math.random() * lifeMsMax);
  child.kill("SIGKILL");
  await ended;
  return lines;
}
