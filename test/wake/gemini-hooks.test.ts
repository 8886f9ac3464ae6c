import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { draft, recordOf, scriptPath } from "../dialogue/project.ts";
import { contextIn, given, onMachine, until } from "./fake-cli.ts";

const nothing = { code: 0, stdout: "", stderr: "" };
const turn =
  /^Consulta: you have the turn in session talk\. Run: node \S+\/next-action\.cjs --session talk --participant gemini$/;

describe("the hooks of Gemini CLI", { concurrency: 3 }, () => {
  it(
    "send a model on that has the turn, in JSON, twice, and then let it rest",
    onMachine("gemini", async (_machine, gemini) => {
      for (const reason of [turn, /^Consulta: you still have the turn in session talk\./]) {
        const { code, stdout, stderr } = await gemini.hook("AfterAgent");
        assert.deepEqual([code, stderr], [0, ""]);
        const { decision, reason: said, ...rest } = recordOf(stdout);
        assert.deepEqual([decision, rest], ["block", {}]);
        assert.match(String(said), reason);
      }
      assert.deepEqual(await given(gemini.hook("AfterAgent")), nothing);
    }),
  );

  it(
    "wait for the colleague, and end at once when a person interrupts",
    onMachine("gemini", async (machine, gemini) => {
      await gemini.say("talk", draft("REQUEST", "SQLite or files?"));
      const presence = machine.project.path("presence", "gemini.ready");
      const interrupted = gemini.fire("AfterAgent");
      await until("it waits", () => existsSync(presence));
      interrupted.kill("SIGTERM");
      assert.deepEqual(await given(interrupted.done), nothing);
      const hook = gemini.fire("AfterAgent");
      await until("it waits again", () => existsSync(presence));
      const claude = await machine.start("claude");
      await claude.say("talk", draft("RESPONSE", "Files."));
      const { code, stdout } = await hook.done;
      assert.equal(code, 0);
      assert.match(String(recordOf(stdout)["reason"]), turn);
    }),
  );

  it(
    "tell the next prompt what a ring has said that was lost to an interruption",
    onMachine("gemini", async (_machine, gemini) => {
      const prompt = (text: string) => gemini.hook("BeforeAgent", { fields: { prompt: text } });
      await gemini.hook("SessionStart");
      const { reason } = recordOf((await gemini.hook("AfterAgent")).stdout);
      assert.deepEqual(await given(prompt(String(reason))), nothing, "its own line");
      await gemini.hook("AfterAgent");
      assert.match(
        contextIn(await prompt("Go on"), "BeforeAgent"),
        /open sessions .*\nsession talk/,
      );
      assert.deepEqual(await given(prompt("Go on")), nothing);
    }),
  );

  it(
    "put nothing before a conversation that begins, and all open sessions before its first prompt",
    onMachine("gemini", async (_machine, gemini) => {
      for (const event of ["SessionStart", "PreCompress"]) {
        const fields = { trigger: "manual" };
        assert.deepEqual(await given(gemini.hook(event, { fields })), nothing);
        assert.match(
          contextIn(await gemini.hook("BeforeAgent"), "BeforeAgent"),
          /^Consulta: open sessions .*\nsession talk \(dialogue\): your turn\. Run: node/,
        );
        assert.deepEqual(await given(gemini.hook("BeforeAgent")), nothing);
      }
      // It says that before each request, and seldom compresses anything.
      await gemini.hook("PreCompress", { fields: { trigger: "auto" } });
      assert.deepEqual(await given(gemini.hook("BeforeAgent")), nothing);
    }),
  );

  it(
    "wait again after a restart that goes on with the conversation",
    onMachine("gemini", async (machine, gemini) => {
      await gemini.say("talk", draft("REQUEST", "SQLite or files?"));
      await gemini.ended();
      const resumed = await machine.start("gemini");
      await resumed.hook("SessionStart", { fields: { source: "resume" } });
      assert.match(contextIn(await resumed.hook("BeforeAgent"), "BeforeAgent"), /session talk/);
      const hook = resumed.fire("AfterAgent");
      await until("it waits", () => existsSync(machine.project.path("presence", "gemini.ready")));
      await (await machine.start("claude")).say("talk", draft("RESPONSE", "Files."));
      assert.match(String(recordOf((await hook.done).stdout)["reason"]), turn);
    }),
  );

  it(
    "know the CLI through the shells between it and a script",
    onMachine("gemini", async (machine, gemini) => {
      const words = [process.execPath, scriptPath("next-action"), "--session", "talk"];
      const line = `${words.join(" ")}; true`;
      const shell = { command: "sh", words: ["-c", `bash -c '${line}; true'; true`] };
      await gemini.start({ ...shell, mark: { GEMINI_CLI: "1" }, input: "" }).done;
      const seats = recordOf(readFileSync(machine.seatFile(gemini), "utf8"))["seats"];
      assert(Array.isArray(seats) && seats.length === 1);
      const hook = {
        command: "sh",
        words: ["-c", `${process.execPath} ${scriptPath("hook")} gemini; true`],
      };
      const { stdout } = await gemini.hook("AfterAgent", hook);
      assert.match(String(recordOf(stdout)["reason"]), turn);
    }),
  );
});
