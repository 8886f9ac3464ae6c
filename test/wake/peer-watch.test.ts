import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe } from "node:test";
import { setTimeout } from "node:timers/promises";
import { scriptPath } from "../dialogue/project.ts";
import {
  type FakeCli,
  type Machine,
  onClaude,
  request,
  response,
  thinkingGemini,
  until,
} from "./fake-cli.ts";

const short = { message_timeout_seconds: 0.5, heartbeat_seconds: 30, presence_timeout_seconds: 60 };

/** Starts `wait-for-turn` in Claude Code and comes back when it waits. */
async function waits(machine: Machine, claude: FakeCli, more: string[] = []) {
  const who = ["--session", "talk", "--participant", "claude", "--timeout", "60"];
  const words = [scriptPath("wait-for-turn"), ...who, ...more];
  const wait = claude.start({ words, mark: { CLAUDECODE: "1" }, input: "" });
  await until("it waits", () => existsSync(machine.project.path("presence", "claude.ready")));
  return wait;
}

describe("a peer that is slow, or dead", { concurrency: 4 }, () => {
  onClaude(
    "is told apart in what status, next-action and wait-for-turn say",
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
      await setTimeout(2_100);
      machine.project.say("talk", "gemini", response);
      const played = await claude.run("status", []);
      assert.doesNotMatch(played, /has ended/, "somebody without a CLI has played it since");
    },
    short,
  );

  onClaude(
    "ends a wait-for-turn at once when it dies, once; the printed line waits for its return",
    async (machine, claude) => {
      const gemini = await thinkingGemini(machine, claude);
      const wait = await waits(machine, claude);
      await setTimeout(1_000);
      assert(wait.isRunning(), "whoever lives may be thinking");
      const killed = performance.now();
      await gemini.ended();
      const { code, stderr } = await wait.done;
      assert(performance.now() - killed < 15_000, "told, but late");
      assert.equal(code, 1);
      assert.match(stderr, /^not yet: whoever ran gemini in talk has ended\n/);
      assert.match(stderr, /^gemini: its CLI has ended .*\nnext:\n.* --again 2\n$/m);
      const onwards = await waits(machine, claude, ["--again", "2"]);
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
  );

  for (const more of [[], ["--follow"]]) {
    onClaude(
      `no longer waits by a wait-for-turn ${more.join("")} that it left running, and has read nothing`,
      async (machine, claude) => {
        await claude.say("talk", request);
        await waits(machine, claude, more);
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
    );
  }
});
