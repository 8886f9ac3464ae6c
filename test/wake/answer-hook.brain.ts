import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cliFacts } from "../../scripts-src/clis/hook-entries.ts";
import { scriptPath } from "../dialogue/project.ts";
import { BrainMachine, HookedSession, withBrain } from "./brain-machine.ts";
import { contextIn, given, nothing, until } from "./fake-cli.ts";

/** A machine without a brain. */
function withoutBrain(
  play: (machine: BrainMachine, session: HookedSession) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const machine = new BrainMachine();
    try {
      await play(machine, new HookedSession(machine, await machine.start("claude"), "one"));
    } finally {
      machine.close();
    }
  };
}

describe("hooks", { concurrency: 3 }, () => {
  it(
    "start a brain where this Node can run one, one brain for all, and use it at once or soon",
    withoutBrain(async (machine, session) => {
      await Promise.all(
        ["one", "two", "three"].map((source) => session.told("SessionStart", { source })),
      );
      for (let tries = 0; tries < 400 && machine.endpoint() === undefined; tries += 1)
        await sleep(25);
      await session.told("UserPromptSubmit", { prompt: "go on" });
      const ids = Object(await machine.ask("brain.status"))["sessions"];
      assert.equal(ids[0].session, "one");
      assert(!existsSync(join(machine.folder, "started-in-vain")));
      assert.equal(machine.failure(), "");
    }),
  );

  it(
    "start none for a tool, at the end, or where the config says so",
    withoutBrain(async (machine, session) => {
      for (const event of ["PostToolUse", "Stop", "PostCompact", "SessionEnd"])
        assert.deepEqual(await given(session.hook(event)), nothing);
      writeFileSync(machine.project.path("config.json"), '{"brain": false}');
      for (const { event } of cliFacts.claude.events)
        assert.deepEqual(await given(session.hook(event, { prompt: "hello" })), nothing);
      assert(!existsSync(machine.folder));
    }),
  );

  it(
    "do not start one again for ten minutes when it did not come",
    withoutBrain(async (machine, session) => {
      mkdirSync(join(machine.folder, "brain.db"), { recursive: true });
      // Each one that does not come says why in its log.
      const log = join(machine.folder, "brain.log");
      const tries = () =>
        existsSync(log) ? readFileSync(log, "utf8").split(" failed: ").length - 1 : 0;
      assert.equal(await session.told("SessionStart"), "");
      await until("it was tried", () => tries() === 1);
      const { tookMs } = await session.hook("UserPromptSubmit", { prompt: "hello" });
      assert(tookMs < 2_000);
      await sleep(500);
      assert.equal(tries(), 1);
      // A clock that was set back leaves a time to come.
      for (const [index, minutes] of [-11, 11].entries()) {
        const then = new Date(Date.now() + minutes * 60_000);
        utimesSync(join(machine.folder, "started-in-vain"), then, then);
        await session.told("UserPromptSubmit", { prompt: "hello" });
        await until("it was tried again", () => tries() === 2 + index);
      }
    }),
  );

  it(
    "of an older Node talk to a brain that runs",
    withBrain(async (machine) => {
      const old = new HookedSession(
        machine,
        await machine.start("claude"),
        "old",
        process.execPath,
      );
      await machine.ask("event.publish", { text: "the build is red" });
      assert.match(await old.told("PostToolUse"), /\n\| the build is red\n/);
    }),
  );

  it(
    "have no brain inside a delegate and inside consult",
    withBrain(async (machine, session) => {
      await machine.ask("event.publish", { text: "the build is red" });
      const one = session("one");
      for (const name of ["CONSULTA_BRAIN_CHILD", "CONSULTA_FOLDER"])
        for (const { event } of cliFacts.claude.events)
          assert.deepEqual(
            await given(one.hook(event, { prompt: "hi" }, { [name]: "1" })),
            nothing,
          );
      assert.deepEqual((await machine.ask("brain.status"))["sessions"], []);
      assert.match(await one.told("PostToolUse"), /\n\| the build is red\n/);
    }),
  );

  it(
    "give again what could not be printed",
    withBrain(async (machine, session) => {
      await machine.ask("event.publish", { text: "the build is red" });
      const one = session("one");
      const line = `"${process.execPath}" "${scriptPath("hook")}" claude > /dev/full`;
      const fields = { session_id: "one", transcript_path: one.transcript };
      const lost = await one.cli.hook("PostToolUse", {
        command: "sh",
        words: ["-c", line],
        fields,
      });
      assert.deepEqual([lost.code, lost.stderr], [0, ""]);
      assert.match(machine.takeFailure(), /PostToolUse: .*write the output/);
      assert.match(await one.told("PostToolUse"), /\n\| the build is red\n/);
    }),
  );

  it(
    "end in time when the brain hangs, and when it is killed while it is asked",
    withBrain(async (machine, session) => {
      const one = session("one");
      one.uses(1_670 * 95);
      machine.signal("SIGSTOP");
      for (const [event, mostMs] of [
        ["SessionEnd", 1_800],
        ["PostToolUse", 3_000],
      ] as const) {
        const hooked = await one.hook(event);
        assert.deepEqual([hooked.code, hooked.stdout, hooked.stderr], [0, "", ""]);
        assert(hooked.tookMs < mostMs, `${event}: ${hooked.tookMs}`);
      }
      const hook = one.fire("PostToolUse");
      await sleep(400);
      machine.signal("SIGKILL");
      assert.deepEqual(await given(hook.done), nothing);
    }),
  );

  it(
    "stay below what Claude Code lets in, with everything at once",
    withBrain(
      async (machine, session) => {
        const long = "words and more words ".repeat(2_000);
        const before = session("before");
        await before.told("UserPromptSubmit", { prompt: long });
        await before.hook("Stop", { last_assistant_message: long });
        await before.told("PostCompact", { compact_summary: long });
        for (let count = 0; count < 5; count += 1)
          await machine.ask("event.publish", { text: `${count} ${"x".repeat(4_000)}` });
        const one = session("one");
        for (let count = 0; count < 16; count += 1)
          await one.cli.open(`${"storage-".repeat(7)}${count}`);
        one.uses(1_670 * 99);
        const fields = { source: "startup", context_tokens: 1_670 * 99 };
        const text = contextIn(await one.hook("SessionStart", fields), "SessionStart");
        assert(text.length < 10_000 && text.length > 7_000, String(text.length));
        assert.match(text, /^Consulta: open sessions/);
        assert.match(text, /and \d+ more: node /);
        assert.match(text, /where the session before this one stood/);
        assert.match(text, /may be wrong/);
      },
      { max_concurrent_sessions: 30 },
    ),
  );
});
