import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  askPs,
  isRunning,
  lookAtProcesses,
  processIn,
  thisProcess,
} from "../../scripts-src/clis/is-running.ts";

const host = hostname();

async function until(isSo: () => boolean): Promise<void> {
  for (const endMs = performance.now() + 30_000; !isSo(); await sleep(20))
    assert(performance.now() < endMs, "it did not come so");
}

describe("processes", { skip: process.platform === "win32" }, () => {
  it("are the same to ps and to what the system itself keeps", async () => {
    const [look, table] = [await lookAtProcesses(), await askPs()];
    for (const pid of [process.pid, process.ppid]) {
      const [one, other] = [look(pid), table.get(pid)];
      assert.deepEqual([one?.parent, one?.name], [other?.parent, other?.name]);
      assert.match(other?.started ?? "", /^\S+ \S+ +\d+ \d\d:\d\d:\d\d \d{4}$/);
    }
  });

  it("are none to a ps that fails, as one may in a sandbox, or that is missing", () => {
    for (const ps of ["/bin/false", "/nowhere/ps"]) assert.equal(askPs(ps).size, 0, ps);
  });

  it("live under their pid and start, not under the pid alone, and nobody knows of other hosts", async () => {
    const look = await lookAtProcesses();
    const { started } = look(process.pid) ?? { started: "" };
    assert.notEqual(started, "");
    const cases: [started: string, host: string, expected: boolean | undefined][] = [
      [started, host, true],
      ["", host, true],
      ["1", host, false],
      [started, "elsewhere", undefined],
    ];
    for (const [start, where, expected] of cases)
      assert.equal(isRunning({ pid: process.pid, host: where, started: start }, look), expected);
  });

  it("are read from what they noted of themselves, and are dead where it names none", () => {
    assert.equal(isRunning(processIn({ ...thisProcess(), tries: [] })), true);
    // Of a process group, and of all processes of the user, somebody always lives.
    for (const pid of [undefined, null, "1", 0, -1, -process.pid, 1.5, Number.NaN, 1e12])
      assert.equal(isRunning(processIn({ pid, host })), false, String(pid));
    for (const elsewhere of [undefined, 7, "elsewhere"])
      assert.equal(isRunning(processIn({ pid: process.pid, host: elsewhere })), undefined);
  });

  it("of a sandbox that counts its own are unknown outside of it, and those outside in it", (t) => {
    const names = JSON.stringify(resolve("scripts-src/clis/is-running.ts"));
    const code = `import(${names}).then(({ isRunning, thisProcess }) => console.log(JSON.stringify([thisProcess(), String(isRunning({ pid: ${process.pid}, host: ${JSON.stringify(host)} }))])))`;
    const words = [
      "--pid",
      "--fork",
      "--mount-proc",
      process.execPath,
      "--import",
      "tsx",
      "-e",
      code,
    ];
    const { status, stdout } = spawnSync("unshare", words, { encoding: "utf8" });
    if (status !== 0) return t.skip("no namespace of processes can be had here");
    const [inside, seenInside] = JSON.parse(stdout);
    assert.deepEqual([isRunning(inside), seenInside], [undefined, "undefined"]);
  });

  it("have no start of their own when they have ended and nobody noticed", {
    skip: process.platform !== "linux",
  }, async () => {
    // Its parent is a program that looks after no child before the child ends.
    const script = "exec 3<&0; (read line <&3) & echo $!; exec sleep 60";
    const parent = spawn("sh", ["-c", script]);
    try {
      const [text] = await once(parent.stdout, "data");
      const pid = Number(String(text));
      const look = await lookAtProcesses();
      await until(() => look(parent.pid ?? 0)?.name === "sleep");
      assert.notEqual(look(pid)?.started ?? "", "");
      parent.stdin.end("\n");
      await until(() => look(pid)?.started === "");
      assert.equal(isRunning({ pid, host, started: "1" }, look), false);
      // Nor has it a life that a note without a start could mean.
      assert.equal(isRunning(processIn({ pid, host })), false);
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("are gone when they have ended, whatever their name", async () => {
    const child = spawn("sh", ["-c", "exit"], { stdio: "ignore" });
    await new Promise((settle) => child.once("close", settle));
    const look = await lookAtProcesses();
    const pid = child.pid ?? 0;
    assert.deepEqual([look(pid), isRunning({ pid, host, started: "1" }, look)], [undefined, false]);
  });
});
