import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draft, scriptPath } from "../dialogue/project.ts";
import { type CliName, type FakeCli, onMachine, request } from "./fake-cli.ts";

const endTurn = /^next: end your turn; a hook will wake you$/m;
const waitCommand = /^next:\nnode \S+wait-for-turn\.cjs .*--session talk /m;

/** What the scripts say to who waits: all of them the same. */
async function told(cli: FakeCli): Promise<string[]> {
  const wait = ["--session", "talk", "--timeout", "0.1", "--participant", "claude"];
  const waited = cli.start({
    words: [scriptPath("wait-for-turn"), ...wait],
    mark: { CLAUDECODE: "1" },
    input: "",
  });
  return [await cli.next("talk", "claude"), (await waited.done).stderr];
}

const prompts: Record<CliName, string> = { claude: "UserPromptSubmit", gemini: "BeforeAgent" };

describe("next: of a script", { concurrency: 3 }, () => {
  for (const name of ["claude", "gemini"] as const) {
    it(
      `has ${name} end its turn where a hook has run in it, else wait with a command`,
      onMachine(name, async (machine, cli) => {
        assert.match(await cli.say("talk", request), waitCommand);
        assert.match(await cli.next("talk"), waitCommand);
        await cli.hook(prompts[name]);
        assert.match(await cli.next("talk"), endTurn);
        assert.doesNotMatch(await cli.next("talk"), /wait-for-turn/);
        const other = await machine.start(name);
        assert.match(await other.next("talk"), waitCommand);
      }),
    );
  }

  it(
    "is the same of append-event, next-action and a wait that was in vain",
    onMachine("claude", async (_, claude) => {
      await claude.hook("UserPromptSubmit");
      assert.match(await claude.say("talk", request), endTurn);
      for (const text of await told(claude)) {
        assert.match(text, endTurn);
        assert.doesNotMatch(text, /wait-for-turn/);
      }
    }),
  );

  it(
    "is the command where the config lets no hook wait",
    onMachine(
      "claude",
      async (_, claude) => {
        await claude.hook("UserPromptSubmit");
        assert.match(await claude.say("talk", request), waitCommand);
        for (const text of await told(claude)) assert.match(text, /^next:\nnode /m);
      },
      { hook_wait_seconds: 0 },
    ),
  );

  it(
    "is the command once the hook has waited to its limit, until something changes",
    onMachine(
      "claude",
      async (machine, claude) => {
        await claude.hook("UserPromptSubmit");
        await claude.say("talk", request);
        const { stderr } = await claude.hook("Stop");
        assert.match(stderr, /has waited for/);
        assert.match(await claude.next("talk"), waitCommand);
        const gemini = await machine.start("gemini");
        await gemini.say("talk", draft("RESPONSE", "Files."));
        assert.match((await claude.hook("Stop")).stderr, /you have the turn/);
        await claude.say("talk", draft("EVALUATE", "Why files?"));
        assert.match(await claude.next("talk"), endTurn);
      },
      { hook_wait_seconds: 0.5 },
    ),
  );
});
