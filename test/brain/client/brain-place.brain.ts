import "../own-home.ts";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isGone } from "../../consult/consult-run.ts";
import { decide, escalate } from "../../dialogue/finished.ts";
import { Project } from "../../dialogue/project.ts";
import { removeFolder } from "../../scratch-folder.ts";
import { BrainScript } from "../brain-script.ts";

let place: BrainScript;
let shop: string;
beforeEach(() => {
  // The home of who begins sessions here: what others began is not learned.
  place = new BrainScript({ home: homedir(), name: "shop" });
  shop = place.project;
});
afterEach(() => place.close());

async function store(folder: string, key: string): Promise<void> {
  const { exitCode, stderr } = await place.run(["store", key, `about ${key}`], { folder });
  assert.deepEqual([exitCode, stderr], [0, ""]);
}

async function keysIn(folder: string): Promise<string[]> {
  const { json } = await place.run(["list", "--json"], { folder });
  return json().memories.map(({ key }: { key: string }) => key);
}

describe("the brain of a worktree", () => {
  it("is that of the main checkout, outlives the worktree, and is switched off with it", async () => {
    const git = (...words: string[]) => {
      const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
      execFileSync("git", [...who, ...words], { cwd: shop, stdio: "ignore" });
    };
    const fix = place.beside("fix");
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "one");
    git("worktree", "add", "-q", fix);
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
    writeFileSync(join(shop, ".consulta", "config.json"), '{"brain": false}');
    const { exitCode, stderr } = await place.run(["list"], { folder: fix });
    assert.equal(exitCode, 2);
    assert.match(stderr, /switched off by "brain": false in .*\/shop\/\.consulta\/config\.json/);
    writeFileSync(join(shop, ".consulta", "config.json"), "{}");
    git("worktree", "remove", fix);
    assert.equal(existsSync(fix), false);
    assert.deepEqual(await keysIn(shop), keys);
  });
});

describe("what a session came to", () => {
  const found = (...args: string[]) => place.run(args);
  /** A brain looks every two seconds at most, and answers before it is through when that takes long. */
  async function learned(expected: string): Promise<void> {
    const keys = async () => (await keysIn(shop)).join();
    const deadline = performance.now() + 30_000;
    while ((await keys()) === "" && performance.now() < deadline) await sleep(200);
    assert.equal(await keys(), expected);
  }

  it("is in the brain when it is over, found by its words, and stays forgotten", async () => {
    const project = new Project(shop);
    decide(project, "tokens", "Which token library?", "Use jose 5 and rotate keys weekly.");
    await learned("consulta/tokens/decision");
    const { stdout } = await found("retrieve", "--query", "rotating keys of the token library");
    assert.match(stdout, /^<<< (\w+) memory "consulta\/tokens\/decision", .*session tokens/);
    assert.match(stdout, /\n\| Use jose 5 and rotate keys weekly\.\n>>> /);
    await found("forget", "consulta/tokens/*");
    await place.kill();
    decide(project, "queue", "Which queue?", "None.");
    await learned("consulta/queue/decision");
    assert.equal((await found("retrieve", "consulta/tokens/decision")).exitCode, 1);
  });

  it("is not learned where the brain is switched off, and no command works there", async () => {
    decide(new Project(shop), "tokens", "Which token library?", "Use jose 5.");
    const path = join(shop, ".consulta", "config.json");
    const config = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...config, brain: false }));
    for (const args of [["list"], ["status"], ["store", "a", "b"], ["serve"]]) {
      const { exitCode, stdout, stderr } = await found(...args);
      assert.deepEqual([exitCode, stdout], [2, ""]);
      assert.match(
        stderr,
        /this project's brain is switched off by "brain": false in .*config\.json/,
      );
    }
    assert.equal(existsSync(place.brainFolder()), false);
  });
});

describe("a project whose brain runs", () => {
  it("that is copied has two brains, each with its own memories", async () => {
    await store(shop, "one");
    const copy = place.beside("copy");
    cpSync(shop, copy, { recursive: true });
    await store(copy, "two");
    assert.deepEqual([await keysIn(copy), await keysIn(shop)], [["one", "two"], ["one"]]);
    assert.notEqual(place.pid(copy), place.pid());
  });

  it("that is moved keeps what was stored before and what is stored then", async () => {
    await store(shop, "one");
    const first = place.pid();
    const moved = place.beside("moved");
    renameSync(shop, moved);
    await store(moved, "two");
    assert(await isGone(first));
    assert.equal(existsSync(shop), false);
    assert.deepEqual(await keysIn(moved), ["one", "two"]);
  });
});

describe("a sandbox", () => {
  /** What Codex's does by default, to every process below. */
  function withoutSockets() {
    const preload = join(place.base, "no-sockets.cjs");
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
    return { environment: { NODE_OPTIONS: `--require=${preload}` } };
  }
  const outside =
    /^error: this sandbox forbids sockets, which the brain needs; start it outside: node \S+brain\.cjs (retrieve one|serve)\n$/;
  const commands = [["retrieve", "one"], ["serve"]];

  it("that forbids sockets says at once what to run outside, and harms no brain", async () => {
    const unstarted = await place.run(["retrieve", "one"], withoutSockets());
    assert.equal(unstarted.exitCode, 4);
    assert.match(unstarted.stderr, outside);
    assert(!readdirSync(place.brainFolder()).includes("endpoint.json"));
    await store(shop, "one");
    await staysAsItIs(async () => {
      for (const args of commands) {
        const { exitCode, stderr } = await place.run(args, withoutSockets());
        assert.equal(exitCode, 4);
        assert.match(stderr, outside);
      }
    });
  });

  it("with a network of its own harms no brain", async (t) => {
    const before = ["unshare", "--user", "--map-current-user", "--net"];
    if (spawnSync(before[0] ?? "", [...before.slice(1), "true"]).status !== 0)
      return t.skip("NO OTHER NETWORK WAS TESTED: it is not permitted here");
    await store(shop, "one");
    await staysAsItIs(async () => {
      for (const args of commands) {
        const { exitCode, stdout, stderr } = await place.run(args, { before });
        assert.equal(exitCode, 4, stderr);
        assert.match(stdout + stderr, /cannot be reached from here/);
      }
    });
  });

  it("with processes of its own does not write into the log of the brain that runs", async (t) => {
    const before = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
    const apart = [...before, "unshare", "--net"];
    if (spawnSync(apart[0] ?? "", [...apart.slice(1), "true"]).status !== 0)
      return t.skip("NO OTHER PROCESSES WERE TESTED: it is not permitted here");
    await store(shop, "one");
    const log = () => readFileSync(join(place.brainFolder(), "brain.log"), "utf8");
    const written = log();
    const { exitCode, stderr } = await place.run(["serve"], { before: apart });
    assert.equal(exitCode, 4, stderr);
    assert.match(stderr, /another process holds it/);
    assert.equal(log(), written);
  });
});

/** Whether one brain served all the time, longer than it needs to see that it was replaced. */
async function staysAsItIs(act: () => Promise<void>): Promise<void> {
  const pid = place.pid();
  await act();
  await sleep(2_500);
  assert.equal(place.pid(), pid);
  assert.deepEqual(await keysIn(shop), ["one"]);
}
