import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnGuarded } from "../../scripts-src/clis/spawn-guarded.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";

describe("a guarded program", {
  skip: process.platform === "win32" && "has no guard there",
}, () => {
  let folder: string;
  before(() => {
    folder = makeScratchFolder();
  });
  after(() => removeFolder(folder));

  const stdio = ["ignore", "pipe", "pipe"] as const;
  const env = { PATH: process.env["PATH"], TOLD: "by us" };
  const printed = async (program: string, words: string[], shell: boolean) => {
    const { child, callOff } = spawnGuarded(spawn, program, words, { env, shell, stdio });
    const parts: Buffer[] = [];
    child.stdout?.on("data", (part: Buffer) => parts.push(part));
    const [code] = await once(child, "close");
    callOff();
    return [code, Buffer.concat(parts).toString()];
  };

  it("gets its words as they are, its environment, and no more open files", async () => {
    const words = ["-c", 'printf "%s|" "$@" "$TOLD"; ls /dev/fd', "sh", "a b", "$HOME", ""];
    const direct = spawnSync("/bin/sh", words, { env, stdio: [...stdio], encoding: "utf8" });
    assert.match(direct.stdout, /^a b\|\$HOME\|\|by us\|0\n/);
    assert.deepEqual(await printed("/bin/sh", words, false), [0, direct.stdout]);
  });

  it("is a line for the shell where one is given", async () => {
    assert.deepEqual(await printed('echo "$TOLD"; exit 7', [], true), [7, "by us\n"]);
  });

  it("is missed as by spawn", async () => {
    const { child, callOff } = spawnGuarded(spawn, join(folder, "absent"), [], {
      ...{ env: {}, shell: false, stdio },
    });
    const [error] = await once(child, "error");
    callOff();
    assert.equal(error.code, "ENOENT");
  });

  it("does not start when its starter is killed before its guard knows of it", async () => {
    const started = join(folder, "started");
    const runner = bundledFixture("test/clis/spawn-guarded.fixture.ts");
    const words = ["/bin/sh", "-c", `echo > '${started}'`];
    const parent = spawn(process.execPath, [runner, ...words], { stdio: "ignore" });
    const [, signal] = await once(parent, "close");
    assert.equal(signal, "SIGKILL");
    // Far longer than it takes to start; what is killed by its guard after that is another test's.
    await sleep(1_000);
    assert(!existsSync(started));
  });
});
