import assert from "node:assert/strict";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { setTimeout } from "node:timers/promises";
import { recordOf } from "../dialogue/project.ts";
import { onClaude, request, response, thinkingGemini, turnIn, waiting } from "./fake-cli.ts";

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

describe("the Stop hook of Claude Code, for long", { concurrency: 3 }, () => {
  onClaude(
    "says when it has waited too long, once, and then waits no more until something changes",
    async (machine, claude) => {
      const gemini = await thinkingGemini(machine, claude);
      const { code, stderr, tookMs } = await claude.hook("Stop");
      assert.equal(code, 2);
      assert(tookMs > 6_000 && tookMs < 30_000, `${tookMs} ms`);
      assert.match(
        stderr,
        /^Consulta: gemini has the turn in session talk, and claude has waited for 6 s\. Tell the user.*: node \S+consult\.cjs --session talk; or send ESCALATE\. Once something has changed there, your next stop waits again\.\n$/,
      );
      const again = await claude.hook("Stop");
      assert.deepEqual([again.code, again.stderr], [0, ""]);
      assert(again.tookMs < 6_000, "it does not wait again");
      await gemini.say("talk", response);
      assert.match((await claude.hook("Stop")).stderr, turnIn("talk"));
    },
    { hook_wait_seconds: 6 },
  );

  onClaude(
    "waits on for a silent peer as long as its CLI lives, and after it told that this has ended",
    async (machine, claude) => {
      const gemini = await thinkingGemini(machine, claude);
      const hook = await waiting(machine, claude);
      await setTimeout(1_600);
      assert(hook.isRunning(), "whoever lives may be thinking");
      await gemini.ended();
      assert.match((await hook.done).stderr, /its CLI has ended/);
      const next = await waiting(machine, claude);
      await setTimeout(1_600);
      assert(next.isRunning(), "what was told once is no news");
      const again = await machine.start("gemini");
      await again.next("talk");
      await again.say("talk", response);
      assert.match((await next.done).stderr, turnIn("talk"));
      assert.equal(machine.failure(), "");
    },
    { message_timeout_seconds: 0.5, heartbeat_seconds: 30, presence_timeout_seconds: 60 },
  );

  onClaude(
    "tells of the silence of a peer that nobody knows a process of",
    async (machine, claude) => {
      const gemini = await machine.start("gemini");
      await claude.say("talk", request);
      const { code, stderr } = await (await waiting(machine, claude)).done;
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^Consulta: gemini has the turn in session talk and gave no sign for a /,
      );
      const next = await waiting(machine, claude);
      await gemini.say("talk", response);
      assert.match((await next.done).stderr, turnIn("talk"));
    },
    { message_timeout_seconds: 8, hook_wait_seconds: 120 },
  );

  onClaude(
    "waits on for a peer whose CLI is registered on another host, where nobody can tell",
    async (machine, claude) => {
      await claude.say("talk", request);
      const seat = recordOf(readFileSync(machine.seatFile(claude), "utf8"));
      const gemini = JSON.stringify({ ...seat, pid: 1, host: "elsewhere" });
      const path = join(machine.home, ".consulta", "seats", "1.json");
      const text = gemini.replace('"participant":"claude"', '"participant":"gemini"');
      writeFileSync(path, text);
      const hook = await waiting(machine, claude);
      await setTimeout(1_600);
      assert(hook.isRunning());
      // It did nothing for two days: a container that was thrown away.
      writeFileSync(path, text.replace(/"at":"[^"]+"/, `"at":"${daysAgo(2).toISOString()}"`));
      assert.match((await hook.done).stderr, /gave no sign for a while/);
      await claude.hook("SessionStart");
      assert(existsSync(path), "it may come back within a month");
      utimesSync(path, daysAgo(31), daysAgo(31));
      await claude.hook("SessionStart");
      assert(!existsSync(path));
    },
    { message_timeout_seconds: 0.5 },
  );
});
