import assert from "node:assert/strict";
import { describe } from "node:test";
import { draft, scriptPath } from "../dialogue/project.ts";
import { type FakeCli, onClaude, onGemini, request, response } from "./fake-cli.ts";

const endTurn = /^next: end your turn; a hook will wake you$/m;
const waitCommand = /^next:\nnode \S+wait-for-turn\.cjs .*--session talk /m;

/** What a wait that was in vain says comes next. */
async function waitInVain(cli: FakeCli): Promise<string> {
  const words = ["--session", "talk", "--timeout", "0.1", "--participant", "claude"];
  const call = { words: [scriptPath("wait-for-turn"), ...words], mark: { CLAUDECODE: "1" } };
  return (await cli.start({ ...call, input: "" }).done).stderr;
}

describe("next: of a script", { concurrency: 3 }, () => {
  for (const [on, name, prompt] of [
    [onClaude, "claude", "UserPromptSubmit"],
    [onGemini, "gemini", "BeforeAgent"],
  ] as const) {
    on(
      `has ${name} end its turn where a hook has run in it, else wait with a command`,
      async (machine, cli) => {
        assert.match(await cli.say("talk", request), waitCommand);
        assert.match(await cli.next("talk"), waitCommand);
        await cli.hook(prompt);
        assert.match(await cli.next("talk"), endTurn);
        assert.doesNotMatch(await cli.next("talk"), /wait-for-turn/);
        const other = await machine.start(name);
        assert.match(await other.next("talk"), waitCommand);
      },
    );
  }

  onClaude("is the same of append-event and a vain wait", async (_machine, claude) => {
    await claude.hook("UserPromptSubmit");
    for (const text of [await claude.say("talk", request), await waitInVain(claude)]) {
      assert.match(text, endTurn);
      assert.doesNotMatch(text, /wait-for-turn/);
    }
  });

  onClaude(
    "is the command where the config lets no hook wait, which then still wakes for the turn",
    async (machine, claude) => {
      await claude.hook("UserPromptSubmit");
      for (const text of [await claude.say("talk", request), await claude.next("talk")])
        assert.match(text, waitCommand);
      assert.equal((await claude.hook("Stop")).code, 0);
      await (await machine.start("gemini")).say("talk", response);
      assert.equal((await claude.hook("Stop")).code, 2);
    },
    { hook_wait_seconds: 0 },
  );

  onClaude(
    "is the command once the hook has waited to its limit, until something changes",
    async (machine, claude) => {
      await claude.hook("UserPromptSubmit");
      await claude.say("talk", request);
      assert.match((await claude.hook("Stop")).stderr, /has waited for/);
      assert.match(await claude.next("talk"), waitCommand);
      await (await machine.start("gemini")).say("talk", response);
      assert.match((await claude.hook("Stop")).stderr, /you have the turn/);
      await claude.say("talk", draft("EVALUATE", "Why files?"));
      assert.match(await claude.next("talk"), endTurn);
    },
    { hook_wait_seconds: 0.5 },
  );
});
