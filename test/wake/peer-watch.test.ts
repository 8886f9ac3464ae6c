import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { scriptPath } from "../dialogue/project.ts";
import {
  type FakeCli,
  type Machine,
  onMachine,
  request,
  response,
  thinkingGemini,
  until,
} from "./fake-cli.ts";

const short = { message_timeout_seconds: 0.5, heartbeat_seconds: 30, presence_timeout_seconds: 60 };

/** Starts `wait-for-turn` in a CLI and comes back when it waits. */
async function waits(machine: Machine, cli: FakeCli, name: string, more: string[] = []) {
  const who = ["--session", "talk", "--participant", name, "--timeout", "60"];
  const mark: Record<string, string> =
    name === "claude" ? { CLAUDECODE: "1" } : { GEMINI_CLI: "1" };
  const words = [scriptPath("wait-for-turn"), ...who, ...more];
  const wait = cli.start({ words, mark, input: "" });
  await until("it waits", () => existsSync(machine.project.path("presence", `${name}.ready`)));
  return wait;
}

describe("a colleague that is slow, or dead", { concurrency: 2 }, () => {
  it(
    "is told apart in what status, next-action and wait-for-turn say",
    onMachine(
      "claude",
      async (machine, claude) => {
        const gemini = await thinkingGemini(machine, claude);
        await setTimeout(1_600);
        const slow = `${await claude.run("status", [])}${await claude.next("talk")}`;
        assert.match(slow, /^gemini: not waiting, its CLI is running$/m);
        assert.match(
          slow,
          /^your message 2 to your peer: seen .* ago, no answer yet; your peer's CLI is running$/m,
        );
        assert.doesNotMatch(slow, /OVERDUE|may have vanished|has ended/);
        await gemini.ended();
        const ended = new RegExp(
          `^gemini: its CLI has ended \\(pid ${gemini.pid} is gone\\): ask the user to open its CLI here again and to go on there, or run the session headless: node \\S+consult\\.cjs --session talk$`,
          "m",
        );
        for (const said of [await claude.run("status", []), await claude.next("talk")])
          assert.match(said, ended);
        assert.match(await claude.next("talk"), /^OVERDUE \(more than 0\.5 s\): your message 2 /m);
      },
      short,
    ),
  );

  it(
    "ends a wait-for-turn at once when it dies, once; the printed line waits for its return",
    onMachine(
      "claude",
      async (machine, claude) => {
        const gemini = await thinkingGemini(machine, claude);
        const wait = await waits(machine, claude, "claude");
        await setTimeout(1_000);
        assert(wait.isRunning(), "whoever lives may be thinking");
        const killed = performance.now();
        await gemini.ended();
        const { code, stderr } = await wait.done;
        assert(performance.now() - killed < 15_000, "told, but late");
        assert.equal(code, 1);
        assert.match(stderr, /^not yet: whoever ran gemini in talk has ended\n/);
        assert.match(stderr, /^gemini: its CLI has ended .*\nnext:\n.* --again 2\n$/m);
        const onwards = await waits(machine, claude, "claude", ["--again", "2"]);
        await setTimeout(1_500);
        assert(onwards.isRunning(), "what was told is no news");
        const again = await machine.start("gemini");
        await again.next("talk");
        await again.say("talk", response);
        const woken = await onwards.done;
        assert.equal(woken.code, 0);
        assert.match(woken.stdout, /^ready: claude has the turn in talk\n/);
      },
      short,
    ),
  );

  for (const more of [[], ["--follow"]]) {
    it(
      `no longer waits by a wait-for-turn ${more.join("")} that it left running, and has read nothing`,
      onMachine(
        "claude",
        async (machine, claude) => {
          await claude.say("talk", request);
          await waits(machine, claude, "claude", more);
          await claude.ended();
          const presence = machine.project.path("presence", "claude.ready");
          await until("it has left", () => !existsSync(presence));
          await (await machine.start("gemini")).say("talk", response);
          await setTimeout(300);
          const read = machine.project
            .events("talk")
            .filter(({ event, from }) => event === "in_turn" && from === "claude");
          assert.deepEqual(read, []);
        },
        short,
      ),
    );
  }

  it(
    "is not taken for dead when somebody without a CLI has played it since",
    onMachine("claude", async (machine, claude) => {
      const gemini = await thinkingGemini(machine, claude);
      await gemini.ended();
      await setTimeout(2_100);
      machine.project.say("talk", "gemini", response);
      assert.doesNotMatch(await claude.run("status", []), /has ended/);
    }),
  );
});
