import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ConsultaError } from "../../../scripts-src/base/errors.ts";
import { brainLimits } from "../../../scripts-src/brain/rules/limits.ts";
import { bundledFixture } from "../../bundled-fixture.ts";
import { plainEnvironment } from "../../log/append-loop.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { mount, mountWorks, unmount } from "../../small-disk.ts";
import { draft, time } from "../given.ts";

/** Of each kind. */
const kills = Number(process.env["CONSULTA_KILLS"] ?? 40);
const lifeMsMax = 60;

import { openStore } from "../../../scripts-src/brain/store/brain-store.ts";
import { findOtherNode } from "../../other-node.ts";
import { openRaw } from "../raw-database.ts";

/** Throws when anything in the database does not fit together; what a killed process left stays as it is. */
function checkIntegrity(folder: string): void {
  const copy = makeScratchFolder();
  cpSync(folder, copy, { recursive: true });
  const database = openRaw(join(copy, "brain.db"));
  assert.equal(database.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
  database.exec("insert into memory_index (memory_index, rank) values ('integrity-check', 1)");
  const counted = database.prepare("select count(*) as count from memory").get()?.["count"];
  assert.equal(database.prepare("select memories from tally").get()?.["memories"], counted);
  database.close();
  removeFolder(copy);
}

describe("a brain that is killed while it stores", { timeout: kills * 15_000 }, () => {
  let scratch: string;
  before(() => {
    scratch = makeScratchFolder();
  });
  after(() => removeFolder(scratch));

  /** Each by the next of these Nodes; what one leaves, the next one opens. */
  async function checkKills(t: TestContext, name: string, nodes: readonly string[]) {
    const program = bundledFixture("test/brain/store-loop.fixture.ts");
    const folder = join(scratch, name);
    const [there, gone] = [new Set<string>(), new Set<string>()];
    for (let round = 1; round <= kills; round += 1) {
      const node = nodes[round % nodes.length] ?? "";
      for (const line of await runAndKill(node, [program, folder, `round${round}`])) {
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
  }

  it(`loses nothing that it acknowledged, ${kills} times`, (t) =>
    checkKills(t, "killed", [process.execPath]));

  it(`loses nothing either where each other one uses another SQLite, ${kills} times`, async (t) =>
    checkKills(t, "mixed", [process.execPath, await findOtherNode()]));
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
      unmount(disk);
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
      unmount(disk);
      removeFolder(join(disk, ".."));
    }
  });
});

/** Kills a process somewhere in its work; gives the lines that it wrote whole. */
async function runAndKill(node: string, argv: string[]): Promise<string[]> {
  const child = spawn(node, ["--no-warnings", ...argv], {
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
