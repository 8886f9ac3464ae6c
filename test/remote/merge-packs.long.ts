/** What fetches leave in a repository of ours is merged, while others read there and whoever merges is killed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { draftCommit } from "../../scripts-src/remote/git/draft-commit.ts";
import { mergePacks } from "../../scripts-src/remote/git/merge-packs.ts";
import { Git } from "../../scripts-src/remote/git/run-git.ts";
import { remoteLimits } from "../../scripts-src/remote/limits.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { makeEvent } from "../log/check-event-log.ts";
import { git, type Machine, makeBareRepository, makeMachine, sessionRef } from "./git-remote.ts";

const folderOf = ({ repository }: Machine) => join(repository, "objects", "pack");
const namesIn = (machine: Machine) => readdirSync(folderOf(machine));
const packsOf = (machine: Machine) => namesIn(machine).filter((name) => name.endsWith(".pack"));
const gitOf = ({ repository }: Machine) =>
  new Git({ folder: repository, repository, projects: [] });

/** Appends an event with a document from one machine, and fetches it on another. */
async function passOn(from: Machine, to: Machine): Promise<void> {
  const log = from.open();
  const { cursor } = await log.read(log.start);
  const bytes = Buffer.from(`version ${cursor.seq}\n`);
  const documents = [{ path: `part-${cursor.seq % 7}.md`, bytes }];
  assert(await log.append(cursor, makeEvent(cursor.seq + 1), async () => documents));
  await to.open().fetch();
}

async function withLimits(limits: object, work: () => Promise<unknown>): Promise<void> {
  const before = { ...remoteLimits };
  Object.assign(remoteLimits, limits);
  try {
    await work();
  } finally {
    Object.assign(remoteLimits, before);
  }
}

/** Commits that no ref leads to yet: one that was fetched, and one that is about to be pushed. */
async function makeUnnamed(machine: Machine): Promise<string[]> {
  const draft = (seq: number) => {
    const line = JSON.stringify(makeEvent(seq));
    const documents = [{ path: "draft.md", bytes: Buffer.from(`draft ${seq}\n`) }];
    return draftCommit(gitOf(machine), {
      parent: undefined,
      line,
      documents,
      signatures: undefined,
    });
  };
  const [packed, loose] = [await draft(1), await draft(2)];
  const { repository } = machine;
  const prefix = join(folderOf(machine), "pack");
  const named = git(repository, "rev-list", "--objects", "--no-object-names", packed);
  const input = `${named}\n`;
  await gitOf(machine).ask(["pack-objects", "-q", prefix], input);
  git(repository, "prune-packed", "-q");
  return [packed, loose];
}

describe("packs of a session's repository", { timeout: 300_000 }, () => {
  it("are merged by the fetch that has left too many", async () => {
    const host = makeBareRepository();
    const [ana, bo] = [makeMachine(host), makeMachine(host)];
    await withLimits({ packs: 4 }, async () => {
      const counts: number[] = [];
      for (let event = 1; event <= 7; event += 1) {
        await passOn(ana, bo);
        counts.push(packsOf(bo).length);
      }
      assert.deepEqual(counts, [1, 2, 3, 1, 2, 3, 1]);
    });
    assert.deepEqual(await bo.open().differences(), []);
  });

  it("lose nothing, whoever reads, fetches or is killed meanwhile", async (t) => {
    const host = makeBareRepository();
    const [ana, bo] = [makeMachine(host), makeMachine(host)];
    await passOn(ana, bo);
    const unnamed = await makeUnnamed(bo);
    const program = bundledFixture("test/remote/pack-reader.fixture.ts");
    const readers = [1, 2].map(() => spawn(process.execPath, [program, bo.home, host]));
    const ends = readers.map(async (reader) => {
      let printed = "";
      for (const stream of [reader.stdout, reader.stderr])
        stream.on("data", (part: Buffer) => {
          printed += part;
        });
      const code = await new Promise((resolve) => reader.on("close", resolve));
      assert.equal(code, 0, printed);
      return Number(printed);
    });
    const from = performance.now();
    await withLimits({ packs: 1 }, () => mergePacks(gitOf(bo)));
    const wholeMs = Math.ceil(performance.now() - from);
    let cut = 0;
    for (let round = 0; round < 12; round += 1) {
      // Every second one before it can have done anything.
      const mergeMs = randomInt(1, round % 2 === 0 ? Math.max(2, wholeMs) : 3);
      await withLimits({ packs: 1, mergeMs }, () => mergePacks(gitOf(bo)));
      if (packsOf(bo).length > 1) cut += 1;
      // One goes on while another process fetches.
      const merging =
        round % 3 === 0 ? withLimits({ packs: 1 }, () => mergePacks(gitOf(bo))) : undefined;
      await passOn(ana, bo);
      await merging;
    }
    for (const reader of readers) reader.stdin.end();
    const reads = await Promise.all(ends);
    assert(Math.min(...reads) > 10, `${reads} reads`);
    assert(cut > 0, `${cut} merges killed in the middle`);
    t.diagnostic(`${reads} reads, ${cut} merges killed in the middle`);

    for (const name of namesIn(bo)) utimesSync(join(folderOf(bo), name), 1, 1);
    await passOn(ana, bo);
    await withLimits({ packs: 1 }, () => mergePacks(gitOf(bo)));
    const [name = "", ...others] = packsOf(bo);
    assert.deepEqual(others, []);
    const parts = ["idx", "pack"].map((end) => name.replace(/pack$/, end));
    assert.deepEqual(namesIn(bo).sort(), parts, "nothing of the killed is left");
    assert.deepEqual(await bo.open().differences(), []);
    git(bo.repository, "fsck", "--full", "--strict");
    assert.equal(git(bo.repository, "rev-parse", sessionRef), git(host, "rev-parse", sessionRef));
    for (const commit of unnamed) {
      assert.equal(git(bo.repository, "show", `${commit}:draft.md`).slice(0, 5), "draft");
      git(bo.repository, "push", "--quiet", host, `${commit}:refs/drafts/${commit}`);
    }
  });
});
