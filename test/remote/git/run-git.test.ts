import assert from "node:assert/strict";
import { it } from "node:test";
import { faultIn, runProgram } from "../../../scripts-src/remote/git/run-git.ts";

it("what git says of a failure is told, and not how far it had come", () => {
  const counted = "remote: Enumerating objects: 5, done.\nremote: Counting objects:  40% (2/5)\r";
  const received = "Receiving objects:  60% (3/5)\r";
  assert.equal(faultIn(`${counted}${received}fatal: early EOF\n`), "fatal: early EOF");
  assert.equal(faultIn(`${counted}remote: Disk full.\nfatal: x\n`), "remote: Disk full.");
  assert.equal(faultIn(counted), "git said nothing");
});

const run = (line: string, limits: { timeoutMs: number; silentMs?: number }) => {
  const call = { folder: ".", environment: process.env, input: "", ...limits };
  return runProgram("sh", ["-c", line], call);
};

const skip = process.platform === "win32" && "needs a shell";
it("who tells of progress is waited for, and neither for ever nor in silence", {
  skip,
}, async () => {
  const tells = "for i in 1 2 3 4 5; do echo $i >&2; sleep 0.3; done";
  const limits = { timeoutMs: 20_000, silentMs: 1_000 };
  assert.equal((await run(tells, limits)).exitCode, 0);
  assert.equal((await run("sleep 10", limits)).exitCode, undefined);
  assert.equal((await run(tells, { timeoutMs: 700 })).exitCode, undefined);
});

it("what it leaves running is not waited for, and what it said is heard", { skip }, async () => {
  const { exitCode, stderr } = await run("sleep 20 >/dev/null & echo said >&2; exit 3", {
    timeoutMs: 5_000,
  });
  assert.deepEqual([exitCode, stderr], [3, "said\n"]);
});
