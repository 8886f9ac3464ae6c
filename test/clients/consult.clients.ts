import assert from "node:assert/strict";
import { it } from "node:test";
import type { ScriptedModel } from "./scripted-model.ts";
import { describeClients } from "./stage.ts";
import { inWords, makeVoices } from "./voices.ts";

const question = "Should we store sessions in SQLite or in files?";

/** Every turn after the first one knows what the model said in the turn before. */
function checkResumed(model: ScriptedModel): void {
  const [first, ...others] = model.turns();
  assert.doesNotMatch(first?.context ?? "", /I looked, turn/);
  for (const [index, { context }] of others.entries()) {
    assert.match(context, new RegExp(`I looked, turn ${index}\\.`));
  }
}

await describeClients("consult with both clients", (onStage) => {
  it(
    "takes a question to consensus, each client in one conversation that may only read",
    onStage(async (stage) => {
      const voices = makeVoices();
      const claude = await stage.model("claude", inWords(voices.claude));
      const gemini = await stage.model("gemini", inWords(voices.gemini));
      const ran = await stage.script("consult", [question], 300_000);
      stage.checkEndedWell(ran);
      assert.match(ran.stdout, /\*\*CONSENSUS\*\*/);
      assert.match(ran.stdout, /3 rounds, 6 messages/);
      for (const model of [claude, gemini]) checkResumed(model);
      assert.equal(claude.turns().length, 2);
      assert.equal(gemini.turns().length, 3);
      // The client always offers a place for tools that it loads later; none of them is allowed.
      const offered = claude.turns()[0]?.tools.filter((name) => name !== "DeferredToolPlaceholder");
      assert.deepEqual(offered?.toSorted(), ["Glob", "Grep", "Read"]);
      assert(!gemini.turns()[0]?.tools.includes("run_shell_command"));
    }),
  );
});
