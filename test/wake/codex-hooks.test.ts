import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { handoverPath } from "../../scripts-src/clis/cli-registry.ts";
import { recordOf, scriptPath } from "../dialogue/project.ts";
import {
  checkQuiet,
  type FakeCli,
  given,
  type Machine,
  nothing,
  onCodex,
  request,
  response,
  turnIn,
  waiting,
} from "./fake-cli.ts";

const turn = turnIn("talk", "codex");
const endTurn = /^next: end your turn; a hook will wake you$/m;
const waitCommand = /^next:\nnode \S+wait-for-turn\.cjs .*--session talk /m;

/** Why a stop of the model is blocked. */
async function reasonOf(hooked: ReturnType<FakeCli["hook"]>): Promise<string> {
  const { code, stdout, stderr } = await hooked;
  assert.deepEqual([code, stderr], [0, ""]);
  const { decision, reason, ...rest } = recordOf(stdout);
  assert.deepEqual([decision, rest], ["block", {}]);
  return String(reason);
}

const seats = (machine: Machine, { conversation }: FakeCli, ending: string) =>
  join(machine.home, ".consulta", "seats", `${conversation}${ending}`);

const roleFile = (machine: Machine, codex: FakeCli) =>
  handoverPath(machine.project.path(), codex.conversation);

/** It has asked claude, in a window in which hooks run, and its scripts have said for whom. */
async function asks(codex: FakeCli): Promise<void> {
  await codex.hook("SessionStart");
  await codex.say("talk", request);
}

describe("the hooks of Codex", { concurrency: 3 }, () => {
  onCodex("send a model on by JSON, twice, then rest", async (_machine, codex) => {
    await codex.hook("SessionStart");
    await codex.next("talk");
    for (const reason of [turn, /^Consulta: you still have the turn in session talk\./])
      assert.match(await reasonOf(codex.hook("Stop")), reason);
    await checkQuiet(codex, "Stop");
  });

  onCodex("wait for an answer, and end when a person interrupts", async (machine, codex) => {
    await asks(codex);
    const interrupted = await waiting(machine, codex, "Stop", "codex");
    interrupted.kill("SIGTERM");
    assert.deepEqual(await given(interrupted.done), nothing);
    const hook = await waiting(machine, codex, "Stop", "codex");
    const claude = await machine.start("claude");
    await claude.say("talk", response);
    assert.match(await reasonOf(hook.done), turn);
  });

  onCodex("tell the next prompt and the next tool what came meanwhile", async (machine, codex) => {
    await asks(codex);
    const claude = await machine.start("claude");
    await claude.say("talk", response);
    assert.match(await codex.told("PostToolUse"), turn);
    for (const event of ["PostToolUse", "UserPromptSubmit"]) await checkQuiet(codex, event);
  });

  onCodex("tell a conversation that was cleared what is open", async (machine, codex) => {
    await asks(codex);
    const another = { session_id: "another-thread" };
    const begun = await codex.told("SessionStart", { fields: { ...another, source: "clear" } });
    assert.match(begun, /session talk \(dialogue\): waiting/);
    const env = { CODEX_THREAD_ID: another.session_id };
    await codex.run("next-action", ["--session", "talk"], "", { env });
    const hook = codex.fire("Stop", { fields: another });
    await (await machine.start("claude")).say("talk", response);
    assert.match(await reasonOf(hook.done), turn);
  });

  onCodex("wait in the window in which the conversation is resumed", async (machine, codex) => {
    await asks(codex);
    await codex.ended();
    const resumed = await machine.start("codex");
    const fields = { session_id: codex.conversation };
    const begun = await resumed.told("SessionStart", { fields: { ...fields, source: "resume" } });
    assert.match(begun, /session talk/);
    const hook = resumed.fire("Stop", { fields });
    await (await machine.start("claude")).say("talk", response);
    assert.match(await reasonOf(hook.done), turn);
  });

  onCodex("wait in no window but that whose scripts take part", async (machine, codex) => {
    await asks(codex);
    const other = await machine.start("codex");
    await other.hook("SessionStart");
    await checkQuiet(other, "Stop");
    assert.equal(existsSync(roleFile(machine, other)), false);
  });

  onCodex("are promised no more once they are taken out", async (machine, codex) => {
    await asks(codex);
    assert.match(await codex.next("talk"), endTurn);
    // One without a role here may be another project's.
    const other = await machine.start("codex");
    await other.hook("SessionStart");
    const words = ["--into", machine.project.folder, "--remove", "--hooks"];
    const env = { PATH: process.env["PATH"], HOME: machine.home };
    execFileSync(process.execPath, [scriptPath("install"), ...words], { env, stdio: "ignore" });
    assert.match(await codex.next("talk"), waitCommand);
    assert(existsSync(seats(machine, other, ".hook.json")));
    // Those of this process run on until it ends, and say so.
    await codex.hook("UserPromptSubmit");
    assert.match(await codex.next("talk"), endTurn);
  });

  onCodex("believe no role that no script of this user left", async (machine, codex) => {
    await asks(codex);
    const left = readFileSync(roleFile(machine, codex), "utf8");
    const other = await machine.start("codex");
    // Signed for another conversation, and not signed at all.
    for (const text of [left, left.slice(left.indexOf("\n") + 1)]) {
      writeFileSync(roleFile(machine, other), text);
      await other.hook("SessionStart");
      assert.equal(existsSync(seats(machine, other, ".json")), false);
    }
  });

  onCodex("take no name of a conversation for a path", async (machine, codex) => {
    await codex.hook("SessionStart", { fields: { session_id: "../../sessions/talk/x" } });
    assert.equal(machine.failure(), "");
    assert(!existsSync(join(machine.project.path("sessions", "talk"), "x.roles")));
  });
});

describe("next: of a script in Codex", { concurrency: 3 }, () => {
  onCodex("has it end its turn where a hook has run in it", async (machine, codex) => {
    assert.match(await codex.say("talk", request), waitCommand);
    await codex.hook("UserPromptSubmit");
    assert.match(await codex.next("talk"), endTurn);
    assert.match(await (await machine.start("codex")).next("talk"), waitCommand);
  });
});
