import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { draft } from "../dialogue/project.ts";
import { type BrainMachine, type HookedSession, withBrain } from "./brain-machine.ts";
import { given, type Running } from "./fake-cli.ts";

const nothing = { code: 0, stdout: "", stderr: "" };
const attended = { CLAUDE_CODE_ENTRYPOINT: "cli" };

/** Waits until so many hooks are connected; one more is the connection that asks. */
async function connected(machine: BrainMachine, count: number): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if ((await machine.ask("brain.status"))["connections"] === count + 1) return;
    await sleep(25);
  }
  assert.fail(`never ${count} connected`);
}

/** Starts a Stop hook and comes back when it holds a connection to the brain. */
async function waiting(machine: BrainMachine, session: HookedSession): Promise<Running> {
  const hook = session.fire("Stop", { last_assistant_message: "Done." }, attended);
  await connected(machine, 1);
  // The wait begins behind the save, on the same connection.
  await sleep(300);
  assert(hook.isRunning(), "the hook waits");
  return hook;
}

describe("the Stop hook with a brain", { concurrency: 3 }, () => {
  it(
    "wakes an idle model with the news for it, once",
    withBrain(async (machine, session) => {
      const hook = await waiting(machine, session("one"));
      await machine.ask("event.publish", { text: "for another", session: "two" });
      await machine.ask("event.publish", { text: "the build is red", source: "ci" });
      const { code, stdout, stderr } = await hook.done;
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(
        stderr,
        /^\[brain \w+: news from ci, just now; [^\n]*\n\| the build is red\n\[brain/,
      );
      const tool = { tool_name: "Bash" };
      assert.equal(await session("one").told("PostToolUse", tool), "");
      await machine.ask("event.publish", { text: "later", source: "ci", session: "one" });
      const again = await session("one").hook("Stop", {}, attended);
      assert.equal(again.code, 2);
      assert.match(again.stderr, /\n\| later\n/);
    }),
  );

  it(
    "does not wait for news where nobody sits at the session, nor in Gemini CLI",
    withBrain(async (machine, session) => {
      await machine.ask("event.publish", { text: "news", session: "one" });
      const headless = { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" };
      assert.deepEqual(await given(session("one").hook("Stop", {}, headless)), nothing);
      assert.deepEqual(await given(session("two", "gemini").hook("AfterAgent", {})), nothing);
    }),
  );

  it(
    "gives way to a newer one of the same CLI, and ends with its limit",
    withBrain(
      async (machine, session) => {
        const first = await waiting(machine, session("one"));
        const second = session("one").fire("Stop", {}, attended);
        assert.deepEqual(await given(first.done), nothing);
        assert(second.isRunning());
        const { code, tookMs } = await second.done;
        assert.equal(code, 0);
        assert(tookMs > 2_500 && tookMs < 9_000, String(tookMs));
      },
      { hook_wait_seconds: 3 },
    ),
  );

  it(
    "rings for a session of Consulta while it waits for news, and the news are there later",
    withBrain(async (machine, session) => {
      const [claude, gemini] = [session("one").cli, session("two", "gemini").cli];
      await claude.open("talk");
      await claude.say("talk", draft("REQUEST", "SQLite or files?"));
      const hook = await waiting(machine, session("one"));
      assert(existsSync(machine.project.path("presence", "claude.ready")));
      await gemini.say("talk", draft("RESPONSE", "Files."));
      const { code, stderr } = await hook.done;
      assert.equal(code, 2);
      assert.match(stderr, /^Consulta: you have the turn in session talk\.[^\n]*\n$/);
      await machine.ask("event.publish", { text: "the build is red" });
      assert.match(await session("one").told("PostToolUse", {}), /\n\| the build is red\n/);
    }),
  );

  it(
    "goes on waiting when the brain dies, and hears of news from the next one",
    withBrain(async (machine, session) => {
      const hook = await waiting(machine, session("one"));
      machine.signal("SIGKILL");
      await sleep(200);
      assert(hook.isRunning());
      await machine.serve();
      await connected(machine, 1);
      await machine.ask("event.publish", { text: "the build is red" });
      const { code, stderr } = await hook.done;
      assert.equal(code, 2);
      assert.match(stderr, /\n\| the build is red\n/);
    }),
  );

  it(
    "ends when its CLI has gone, and what came then is given to the next session",
    withBrain(async (machine, session) => {
      const one = session("one");
      await waiting(machine, one);
      one.cli.end();
      await connected(machine, 0);
      await machine.ask("event.publish", { text: "the build is red" });
      assert.match(await session("two", "gemini").told("AfterTool", {}), /\n\| the build is red\n/);
    }),
  );
});
