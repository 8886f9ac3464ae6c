import "../own-home.ts";
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readEndpoint } from "../../../scripts-src/brain/endpoint.ts";
import { ended, isGone } from "../../consult/consult-run.ts";
import { copyScripts } from "../../consult/copy-scripts.ts";
import { escalate } from "../../dialogue/finished.ts";
import { Project } from "../../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { type BrainNode, findBrainNode } from "../brain-node.ts";

let scripts: string;
let found: BrainNode;
let base: string;
let shop: string;
before(async () => {
  [found, scripts] = await Promise.all([findBrainNode(), copyScripts()]);
});
beforeEach(() => {
  base = makeScratchFolder();
  shop = join(base, "shop");
  mkdirSync(join(shop, ".consulta"), { recursive: true });
});
after(() => removeFolder(dirname(scripts)));

const brainIn = (folder: string) => join(folder, ".consulta", "brain");
const pidIn = (folder: string) => readEndpoint(brainIn(folder))?.pid;

async function run(
  folder: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  before: readonly string[] = [],
) {
  assert("path" in found);
  const script = join(scripts, "brain.cjs");
  const [program = "", ...words] = [...before, found.path, script, ...args];
  // The home of who begins sessions here: what others began is not learned.
  const own = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: homedir() };
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...own, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return ended(child);
}

async function store(folder: string, key: string): Promise<void> {
  const { exitCode, stderr } = await run(folder, ["store", key, `the value of ${key}`]);
  assert.deepEqual([exitCode, stderr], [0, ""]);
}

async function keysIn(folder: string): Promise<string[]> {
  const { exitCode, stdout, stderr } = await run(folder, ["list", "--json"]);
  assert.equal(exitCode, 0, stderr);
  const keys: { key: string }[] = JSON.parse(stdout).memories;
  return keys.map(({ key }) => key);
}

function itWithBrain(name: string, test: () => Promise<void>): void {
  it(name, { timeout: 60_000 }, async (t) => {
    if ("missing" in found) return t.skip(`NO BRAIN WAS TESTED: ${found.missing}`);
    const places = () => [shop, join(base, "fix"), join(base, "copy"), join(base, "moved")];
    try {
      await test();
    } finally {
      for (const pid of places().map(pidIn)) if (pid !== undefined) process.kill(pid, "SIGKILL");
      removeFolder(base);
    }
  });
}

function git(folder: string, ...words: string[]): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", [...who, ...words], { cwd: folder, stdio: "ignore" });
}

describe("the brain of a worktree", () => {
  itWithBrain("is that of the main checkout, and outlives the worktree", async () => {
    const fix = join(base, "fix");
    git(shop, "init", "-q");
    git(shop, "commit", "-q", "--allow-empty", "-m", "one");
    git(shop, "worktree", "add", "-q", fix);
    // The first who asks makes what is missing, in the main checkout.
    removeFolder(join(shop, ".consulta"));
    await store(fix, "from/fix");
    assert.equal(existsSync(join(fix, ".consulta")), false);
    await store(shop, "from/shop");
    escalate(new Project(shop), "queue", "Which queue library?");
    // A brain that looked for what has ended looks again after two seconds.
    await sleep(2_100);
    const keys = ["consulta/queue/decision", "from/fix", "from/shop"];
    assert.deepEqual(await keysIn(fix), keys);
    git(shop, "worktree", "remove", fix);
    assert.equal(existsSync(fix), false);
    assert.deepEqual(await keysIn(shop), keys);
  });

  itWithBrain("is switched off with that of the main checkout", async () => {
    const fix = join(base, "fix");
    git(shop, "init", "-q");
    git(shop, "commit", "-q", "--allow-empty", "-m", "one");
    git(shop, "worktree", "add", "-q", fix);
    writeFileSync(join(shop, ".consulta", "config.json"), '{"brain": false}');
    const { exitCode, stderr } = await run(fix, ["list"]);
    assert.equal(exitCode, 2);
    assert.match(stderr, /switched off by "brain": false in .*\/shop\/\.consulta\/config\.json/);
  });
});

describe("a project whose brain runs", () => {
  itWithBrain("that is copied has two brains, each with its own memories", async () => {
    await store(shop, "one");
    const copy = join(base, "copy");
    cpSync(shop, copy, { recursive: true });
    await store(copy, "two");
    assert.deepEqual(await keysIn(copy), ["one", "two"]);
    assert.deepEqual(await keysIn(shop), ["one"]);
    assert.notEqual(pidIn(copy), pidIn(shop));
  });

  itWithBrain("that is moved keeps what was stored before and what is stored then", async () => {
    await store(shop, "one");
    const first = pidIn(shop) ?? 0;
    const moved = join(base, "moved");
    renameSync(shop, moved);
    await store(moved, "two");
    assert.deepEqual(await keysIn(moved), ["one", "two"]);
    assert(await isGone(first));
    assert.equal(existsSync(shop), false);
    assert.deepEqual(await keysIn(moved), ["one", "two"]);
  });
});

describe("a sandbox", () => {
  /** What Codex's does by default, to every process below. */
  function withoutSockets(): Record<string, string> {
    const preload = join(base, "no-sockets.cjs");
    writeFileSync(
      preload,
      `const net = require("node:net");
      const refused = (syscall) => Object.assign(
        new Error(syscall + " EPERM: operation not permitted 127.0.0.1"),
        { errno: -1, code: "EPERM", syscall },
      );
      net.Server.prototype.listen = function () {
        process.nextTick(() => this.emit("error", refused("listen")));
        return this;
      };
      net.Socket.prototype.connect = function () {
        process.nextTick(() => this.destroy(refused("connect")));
        return this;
      };`,
    );
    return { NODE_OPTIONS: `--require=${preload}` };
  }
  const outside =
    /^error: this sandbox forbids sockets, which the brain needs; start it outside: node \S+brain\.cjs (retrieve one|serve)\n$/;

  itWithBrain("that forbids sockets harms no brain, and says what to run outside", async () => {
    await store(shop, "one");
    const pid = pidIn(shop);
    const environment = withoutSockets();
    for (const args of [["retrieve", "one"], ["serve"], ["retrieve", "one"]]) {
      const { exitCode, stderr } = await run(shop, args, environment);
      assert.equal(exitCode, 4);
      assert.match(stderr, outside);
    }
    // Longer than a brain needs to see that it was replaced.
    await sleep(2_500);
    assert.equal(pidIn(shop), pid);
    assert.deepEqual(await keysIn(shop), ["one"]);
  });

  itWithBrain("that forbids sockets says so where no brain runs, and at once", async () => {
    const { exitCode, stderr } = await run(shop, ["retrieve", "one"], withoutSockets());
    assert.equal(exitCode, 4);
    assert.match(stderr, outside);
    assert(!readdirSync(brainIn(shop)).includes("endpoint.json"));
  });

  itWithBrain("with a network of its own harms no brain", async () => {
    const apart = ["unshare", "--user", "--map-current-user", "--net"];
    if (spawnSync(apart[0] ?? "", [...apart.slice(1), "true"]).status !== 0) return;
    await store(shop, "one");
    const pid = pidIn(shop);
    for (const args of [["retrieve", "one"], ["serve"]]) {
      const { exitCode, stdout, stderr } = await run(shop, args, {}, apart);
      assert.equal(exitCode, 4, stderr);
      assert.match(stdout + stderr, /cannot be reached from here/);
    }
    await sleep(2_500);
    assert.equal(pidIn(shop), pid);
    assert.deepEqual(await keysIn(shop), ["one"]);
  });
});
