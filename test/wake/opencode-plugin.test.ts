import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Machine, response } from "./fake-cli.ts";
import { FakeOpenCode, onOpenCode, textIn, turn } from "./fake-opencode.ts";

describe("the plugin of OpenCode", { concurrency: 3 }, () => {
  onOpenCode(
    "prompts the idle conversation, as its person chose",
    async (code, machine, claude) => {
      await code.waits();
      await claude.say("talk", response);
      const prompt = await code.prompted(1);
      assert.match(textIn(prompt), turn);
      assert.deepEqual([prompt["id"], prompt["agent"]], ["ses_new", "plan"]);
      assert.equal(await code.told(textIn(prompt)), "", "its own line says it all");
      assert.equal(machine.failure(), "");
    },
  );

  it("does nothing in a turn of consult", async () => {
    const machine = new Machine();
    const code = new FakeOpenCode(machine, { environment: { CONSULTA_FOLDER: "/x" } });
    assert.deepEqual(await code.hooks, []);
    code.end();
    machine.close();
  });

  it("says that an OpenCode is too old to be woken, and leaves it alone", async () => {
    const machine = new Machine();
    const code = new FakeOpenCode(machine, { version: "old" });
    assert.deepEqual(await code.hooks, []);
    assert.match(
      machine.failure(),
      /this OpenCode is too old: its plugins cannot prompt it; update/,
    );
    code.end();
    machine.close();
  });
});
