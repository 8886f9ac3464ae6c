import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { recordOf } from "../dialogue/project.ts";
import { onMachine, request, response, thinkingGemini } from "./fake-cli.ts";
import { gone, turnIn, waiting } from "./stop-hook.ts";

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe("the Stop hook of Claude Code, for long", { concurrency: 3 }, () => {
  it(
    "says when it has waited too long, once, and then waits no more until something changes",
    onMachine(
      "claude",
      async (machine, claude) => {
        const gemini = await thinkingGemini(machine, claude);
        const { code, stderr, tookMs } = await claude.hook("Stop");
        assert.equal(code, 2);
        assert(tookMs > 3_000 && tookMs < 20_000, `${tookMs} ms`);
        assert.match(
          stderr,
          /^Consulta: gemini has the turn in session talk, and claude has waited for 3 s\. Tell the user.*: node \S+consult\.cjs --session talk; or send ESCALATE\. Once something has changed there, your next stop waits again\.\n$/,
        );
        const again = await claude.hook("Stop");
        assert.deepEqual([again.code, again.stderr], [0, ""]);
        assert(again.tookMs < 3_000, "it does not wait again");
        await gemini.say("talk", response);
        assert.match((await claude.hook("Stop")).stderr, turnIn("talk"));
      },
      { hook_wait_seconds: 3 },
    ),
  );

  it(
    "waits for a colleague that thinks for long, tells at once that its CLI was killed, and waits on",
    onMachine(
      "claude",
      async (machine, claude) => {
        const gemini = await thinkingGemini(machine, claude);
        const hook = await waiting(machine, claude);
        await setTimeout(1_600);
        assert(hook.isRunning(), "whoever lives may be thinking");
        await gemini.ended();
        const killed = performance.now();
        const { code, stderr } = await hook.done;
        assert(performance.now() - killed < 15_000, "told, but late");
        assert.equal(code, 2);
        assert.match(stderr, gone);
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
    ),
  );

  it(
    "tells of the silence of a colleague that nobody knows a process of, and not while its hooks run",
    onMachine(
      "claude",
      async (machine, claude) => {
        await claude.say("talk", request);
        const gemini = await machine.start("gemini");
        const hook = await waiting(machine, claude);
        for (let calls = 0; calls < 8; calls += 1) {
          await gemini.hook("AfterTool");
          await setTimeout(500);
        }
        assert(hook.isRunning(), "its tools are at work");
        const { code, stderr } = await hook.done;
        assert.equal(code, 2);
        assert.match(
          stderr,
          /^Consulta: gemini has the turn in session talk and gave no sign for a /,
        );
        const next = await waiting(machine, claude);
        await gemini.say("talk", response);
        assert.match((await next.done).stderr, turnIn("talk"));
      },
      { message_timeout_seconds: 3.5 },
    ),
  );

  it(
    "waits on for a colleague that is silent, as long as its CLI lives",
    onMachine(
      "claude",
      async (machine, claude) => {
        const gemini = await thinkingGemini(machine, claude);
        const hook = await waiting(machine, claude);
        await setTimeout(2_500);
        assert(hook.isRunning());
        await gemini.say("talk", response);
        assert.match((await hook.done).stderr, turnIn("talk"));
      },
      { message_timeout_seconds: 0 },
    ),
  );

  it(
    "waits on for a colleague whose CLI has its seat on another host, where nobody can tell",
    onMachine(
      "claude",
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
        writeFileSync(path, text.replace(/"at":"[^"]+"/, `"at":"${daysAgo(2)}"`));
        assert.match((await hook.done).stderr, /gave no sign for a while/);
        await claude.hook("SessionStart");
        assert(existsSync(path), "it may come back within a month");
        writeFileSync(path, text.replace(/"at":"[^"]+"/, `"at":"${daysAgo(31)}"`));
        await claude.hook("SessionStart");
        assert(!existsSync(path));
      },
      { message_timeout_seconds: 0.5 },
    ),
  );
});
