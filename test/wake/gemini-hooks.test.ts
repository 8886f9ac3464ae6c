import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe } from "node:test";
import { recordOf, scriptPath } from "../dialogue/project.ts";
import {
  checkQuiet,
  type FakeCli,
  given,
  nothing,
  onGemini,
  request,
  response,
  turnIn,
  waiting,
} from "./fake-cli.ts";

const turn = turnIn("talk", "gemini");

/** Why a stop of the model is blocked. */
async function reasonOf(hooked: ReturnType<FakeCli["hook"]>): Promise<string> {
  const { code, stdout, stderr } = await hooked;
  assert.deepEqual([code, stderr], [0, ""]);
  const { decision, reason, ...rest } = recordOf(stdout);
  assert.deepEqual([decision, rest], ["block", {}]);
  return String(reason);
}

describe("the hooks of Gemini CLI", { concurrency: 3 }, () => {
  onGemini("send a model on by JSON, twice, then rest", async (_machine, gemini) => {
    for (const reason of [turn, /^Consulta: you still have the turn in session talk\./])
      assert.match(await reasonOf(gemini.hook("AfterAgent")), reason);
    await checkQuiet(gemini, "AfterAgent");
  });

  onGemini("wait, and end when a person interrupts", async (machine, gemini) => {
    await gemini.say("talk", request);
    const interrupted = await waiting(machine, gemini, "AfterAgent", "gemini");
    interrupted.kill("SIGTERM");
    assert.deepEqual(await given(interrupted.done), nothing);
    const hook = await waiting(machine, gemini, "AfterAgent", "gemini");
    await (await machine.start("claude")).say("talk", response);
    assert.match(await reasonOf(hook.done), turn);
  });

  onGemini("tell the next prompt what an interruption lost", async (_machine, gemini) => {
    const prompt = (text: string) => ({ fields: { prompt: text } });
    await gemini.hook("SessionStart");
    const reason = await reasonOf(gemini.hook("AfterAgent"));
    await checkQuiet(gemini, "BeforeAgent", prompt(reason));
    await gemini.hook("AfterAgent");
    const told = await gemini.told("BeforeAgent", prompt("Go on"));
    assert.match(told, /open sessions .*\nsession talk/);
    await checkQuiet(gemini, "BeforeAgent", prompt("Go on"));
  });

  onGemini("tell a new conversation with its first prompt", async (_machine, gemini) => {
    for (const event of ["SessionStart", "PreCompress"]) {
      await checkQuiet(gemini, event, { fields: { trigger: "manual" } });
      assert.match(
        await gemini.told("BeforeAgent"),
        /^Consulta: open sessions .*\nsession talk \(dialogue\): your turn\. Run: node/,
      );
      await checkQuiet(gemini, "BeforeAgent");
    }
    // It says that before each request, and seldom compresses anything.
    await gemini.hook("PreCompress", { fields: { trigger: "auto" } });
    await checkQuiet(gemini, "BeforeAgent");
  });

  onGemini("wait again in a conversation that is resumed", async (machine, gemini) => {
    await gemini.say("talk", request);
    await gemini.ended();
    const resumed = await machine.start("gemini");
    await resumed.hook("SessionStart", { fields: { source: "resume" } });
    assert.match(await resumed.told("BeforeAgent"), /session talk/);
    const hook = await waiting(machine, resumed, "AfterAgent", "gemini");
    await (await machine.start("claude")).say("talk", response);
    assert.match(await reasonOf(hook.done), turn);
  });

  onGemini("know the CLI through shells in between", async (machine, gemini) => {
    const line = `${process.execPath} ${scriptPath("next-action")} --session talk; true`;
    const shell = { command: "sh", words: ["-c", `bash -c '${line}; true'; true`] };
    await gemini.start({ ...shell, mark: { GEMINI_CLI: "1" }, input: "" }).done;
    const seats = recordOf(readFileSync(machine.seatFile(gemini), "utf8"))["seats"];
    assert(Array.isArray(seats) && seats.length === 1);
    const words = ["-c", `${process.execPath} ${scriptPath("hook")} gemini; true`];
    assert.match(await reasonOf(gemini.hook("AfterAgent", { command: "sh", words })), turn);
  });
});
