import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { response, until } from "./fake-cli.ts";
import { onOpenCode, textIn, turn } from "./fake-opencode.ts";

describe("the plugin of OpenCode", { concurrency: 3 }, () => {
  onOpenCode("prompts once more where no turn begins", async (code, machine, claude) => {
    await code.call("deaf", 1);
    await code.waits();
    await claude.say("talk", response);
    await until("both prompts", () => code.prompts.length === 2);
    await code.call("deaf", 2);
    code.fire("session.idle");
    await until("the reason", () => machine.failure() !== "");
    assert.match(machine.failure(), /hook opencode .*accepted a prompt twice, and began no turn/);
    assert.equal(code.prompts.length, 4);
  });

  onOpenCode("keeps why a prompt was refused, and counts it as not told", async (...given) => {
    const [code, machine, claude] = given;
    await code.call("deaf", -1);
    await code.waits();
    await claude.say("talk", response);
    const refused = /OpenCode did not take a prompt: \{"name":"NotFoundError"\}/;
    for (let count = 1; count < 4; count += 1) {
      await until(`reason ${count}`, () => machine.failure() !== "");
      assert.match(machine.takeFailure(), refused);
      assert.match(textIn(await code.prompted(count)), turn);
      if (count === 3) await code.call("deaf", 0);
      code.fire("session.idle");
    }
    assert.match(textIn(await code.prompted(4)), turn);
  });

  onOpenCode("loses nothing to a person who prompts meanwhile", async (code, machine, claude) => {
    await code.waits();
    assert.equal(await code.told("What is 2 + 2?"), "");
    const ready = machine.project.path("presence", "opencode.ready");
    await until("the wait is over", () => !existsSync(ready));
    await claude.say("talk", response);
    assert.match(await code.toldByTool(), turn);
    assert.equal(await code.toldByTool(), "");
    code.fire("session.idle");
    assert.match(textIn(await code.prompted(1)), turn);
  });

  onOpenCode("leaves it to the person after an interruption", async (code, _machine, claude) => {
    code.fire("session.error", { error: { name: "MessageAbortedError" } });
    code.starts();
    for (const _ of ["", "again"]) code.fire("session.idle");
    await claude.say("talk", response);
    await sleep(1_000);
    assert.deepEqual([code.starts(), code.prompts.length], [0, 0]);
    assert.match(await code.told("Go on"), turn);
  });

  onOpenCode("tells a conversation that is new or compacted what is open", async (code) => {
    const open = /^Consulta: open sessions .*\nsession talk \(dialogue\): waiting for your peer/;
    assert.match(await code.told("Hello", "ses_old"), open);
    assert.equal(await code.told("Hello again", "ses_old"), "");
    await code.call("event", [
      { event: { type: "session.compacted", properties: { sessionID: "ses_old" } } },
    ]);
    assert.match((await code.toldByTool("ses_old")).trim(), open);
    assert.equal(await code.told("Go on", "ses_old"), "");
  });

  onOpenCode("says nothing to a subagent", async (code, _machine, claude) => {
    await claude.say("talk", response);
    code.starts();
    assert.equal(await code.told("Look at it", "ses_child"), "");
    assert.equal(await code.toldByTool("ses_child"), "");
    code.fire("session.idle", {}, "ses_child");
    await sleep(500);
    assert.equal(code.starts(), 0);
  });

  onOpenCode("starts no Node where nothing rings", async (code, _machine, claude) => {
    await sleep(1_200);
    await code.toldByTool();
    code.starts();
    for (let count = 0; count < 3; count += 1) assert.equal(await code.toldByTool(), "");
    assert.equal(code.starts(), 0);
    await claude.say("talk", response);
    assert.match(await code.toldByTool(), turn);
    assert(code.starts() > 0);
  });

  onOpenCode("is believed by the scripts that its model runs", async (code) => {
    const words = ["--session", "talk", "--participant", "opencode"];
    assert.match(await code.run("next-action", words), /next: end your turn/i);
  });
});
