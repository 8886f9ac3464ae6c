import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type BrainMachine, type HookedSession, withBrain } from "./brain-machine.ts";
import { given, nothing, type Running, request, response, until } from "./fake-cli.ts";

const attended = { CLAUDE_CODE_ENTRYPOINT: "cli" };
/** No wait ends by its limit unless that is what the test is about. */
const long = { hook_wait_seconds: 1_800 };
/** Nothing here is judged by how long it took: a test that hangs ends then. */
const patienceMs = 120_000;
/** A hook is silent where the brain is too slow for it; what is due comes at a later event. */
const triesMax = 20;

/** Waits until so many hooks are connected; one more is the connection that asks. */
async function connected(
  machine: BrainMachine,
  count: number,
  isVain: () => boolean = () => false,
): Promise<boolean> {
  const endMs = performance.now() + patienceMs;
  while ((await machine.ask("brain.status"))["connections"] !== count + 1) {
    if (isVain()) return false;
    assert(performance.now() < endMs, `never ${count} connected`);
    await sleep(25);
  }
  return true;
}

/** Starts a Stop hook and comes back when it holds a connection to the brain. */
async function waiting(machine: BrainMachine, session: HookedSession): Promise<Running> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const hook = session.fire("Stop", { last_assistant_message: "Done." }, attended);
    if (!(await connected(machine, 1, () => !hook.isRunning()))) continue;
    // The wait begins behind the save, on the same connection.
    await sleep(300);
    if (hook.isRunning()) return hook;
  }
  return assert.fail("no hook waits");
}

/** Does the same until it has an effect. */
async function untilTold<T>(act: () => Promise<T>, has: (result: T) => boolean): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const result = await act();
    if (has(result) || tries === triesMax) return result;
  }
}

const toldAtLast = (session: HookedSession, event: string) =>
  untilTold(
    () => session.told(event, {}),
    (text) => text !== "",
  );

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
      const again = await untilTold(
        () => session("one").hook("Stop", {}, attended),
        ({ code: ended }) => ended !== 0,
      );
      assert.equal(again.code, 2);
      assert.match(again.stderr, /\n\| later\n/);
    }, long),
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
    "rings for a session of Consulta while it waits for news, and the news are there later",
    withBrain(async (machine, session) => {
      const [claude, gemini] = [session("one").cli, session("two", "gemini").cli];
      await claude.open("talk");
      await claude.say("talk", request);
      const hook = await waiting(machine, session("one"));
      const presence = machine.project.path("presence", "claude.ready");
      await until("it is present", () => existsSync(presence));
      await gemini.say("talk", response);
      const { code, stderr } = await hook.done;
      assert.equal(code, 2);
      assert.match(stderr, /^Consulta: you have the turn in session talk\.[^\n]*\n$/);
      await machine.ask("event.publish", { text: "the build is red" });
      assert.match(await toldAtLast(session("one"), "PostToolUse"), /\n\| the build is red\n/);
    }, long),
  );

  it(
    "ends when its CLI has gone, and what came then is given to the next session",
    withBrain(async (machine, session) => {
      const one = session("one");
      await waiting(machine, one);
      one.cli.end();
      await connected(machine, 0);
      await machine.ask("event.publish", { text: "the build is red" });
      const told = await toldAtLast(session("two", "gemini"), "AfterTool");
      assert.match(told, /\n\| the build is red\n/);
    }, long),
  );
});
