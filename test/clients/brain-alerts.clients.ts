import assert from "node:assert/strict";
import {
  alertWords,
  describeBrain,
  goesOn,
  hooksEnd,
  looksAtFile,
  models,
  requestsWith,
  serveBrain,
  summarizes,
} from "./brain-stage.ts";
import { type ClientName, clientNames } from "./client.ts";
import type { Mind, ScriptedModel, Seen } from "./scripted-model.ts";
import type { Stage } from "./stage.ts";

/** How full the context is after each answer, in percent of what the client compacts at. */
const walk = [89.2, 91.0, 91.6, 95.8, 96.4, 88.6, 91.6, 60, 91.6];
/**
 * A request learns what the answer before it has filled; with Claude Code the one after that does,
 * whose hook runs beside the conversation while a tool's result is already on its way.
 */
const expected = {
  claude: { memory_full: [3, 9], hallucination_risk: [5] },
  gemini: { memory_full: [2, 9], hallucination_risk: [4] },
};
/** A tool that takes a while, as most do: Claude Code writes down the answer that calls it meanwhile. */
const works = { call: "Bash", input: { command: "sleep 0.5", description: "Work" } };
const mayWork = ["--allowedTools", "Bash(sleep:*)"];
const toolOf = (client: ClientName, stage: Stage, count: number) =>
  client === "claude" ? works : looksAtFile(stage, count);

/** A prompt waits for its hook, and is a turn of its own: there a rise after a small fall is told again. */
const atPrompts = { memory_full: [2, 7, 9], hallucination_risk: [4] };

/** A model whose so-many-th answer fills its context as the walk says. */
async function walker(stage: Stage, client: ClientName, mind: Mind): Promise<ScriptedModel> {
  const { tokensMax } = models[client];
  const model = await stage.model(client, async (seen) => {
    if (client === "claude") await hooksEnd(stage);
    model.tokens = Math.round((tokensMax * (walk[seen.count] ?? 50)) / 100);
    return mind(seen);
  });
  return model;
}

function alertsIn(model: ScriptedModel) {
  const { memory_full, hallucination_risk } = alertWords;
  return {
    memory_full: requestsWith(model, memory_full),
    hallucination_risk: requestsWith(model, hallucination_risk),
  };
}

await describeBrain("Alerts of a full context", (play) => {
  for (const client of clientNames) {
    play(
      `${client}: come in mid-turn, each once a rise, and at the next prompt`,
      async ({ stage, node }) => {
        await stage.install();
        await serveBrain(stage, node);
        const last = walk.length - 1;
        const model = await walker(stage, client, ({ count }) =>
          count < last ? toolOf(client, stage, count) : { say: "That was all." },
        );
        const flags = [...models[client].flags, ...(client === "claude" ? mayWork : [])];
        stage.checkEndedWell(await stage[client]("Count", ...flags));
        stage.checkEndedWell(await stage[client]("Go on", ...flags, ...goesOn[client]));
        assert.deepEqual(alertsIn(model), expected[client]);
        const [first = -1] = expected[client].memory_full;
        assert.match(model.turns()[first]?.since ?? "", /Your context is 91 % full/);
      },
    );
  }

  play("claude: come with the next prompt after each rise, once", async ({ stage, node }) => {
    await stage.install();
    await serveBrain(stage, node);
    const model = await walker(stage, "claude", () => ({ say: "Noted." }));
    const conversation = stage.conversation(...models.claude.flags);
    for (const percent of [...walk, 0]) await conversation.say(`Say something of ${percent}`);
    await conversation.end();
    assert.deepEqual(alertsIn(model), atPrompts);
  });

  play("claude: are not given to a subagent, but to who called it", async ({ stage, node }) => {
    await stage.install();
    await serveBrain(stage, node);
    const isSub = ({ context }: Seen) => /Count the files/.test(context) && !isMain(context);
    const isMain = (context: string) => /Have them counted/.test(context);
    const input = { description: "Count", prompt: "Count the files", subagent_type: "claude" };
    let looks = 0;
    const model = await stage.model("claude", async (seen) => {
      if (isSub(seen)) return seen.called ? { say: "Three." } : looksAtFile(stage, 3);
      if (seen.count === 0) return { call: "Agent", input };
      await hooksEnd(stage);
      looks += 1;
      return looks === 1 ? works : { say: "Good." };
    });
    model.tokens = Math.round(models.claude.tokensMax * 0.91);
    const flags = ["--allowedTools", "Agent,Bash(sleep:*)", ...models.claude.flags];
    stage.checkEndedWell(await stage.claude("Have them counted", ...flags));
    const told = model.turns().filter(({ since }) => alertWords.memory_full.test(since));
    assert.equal(told.length, 1);
    assert(told.every((seen) => !isSub(seen)));
    assert(model.turns().filter(isSub).length >= 2);
  });

  play("claude: are given again after a compaction, and none at it", async ({ stage, node }) => {
    await stage.install();
    await serveBrain(stage, node);
    const fills = [50, 97, 98, 100, 3, 97, 50, 40];
    const model = await stage.model("claude", async ({ count, since }) => {
      await hooksEnd(stage);
      model.tokens = Math.round((models.claude.tokensMax * (fills[count] ?? 40)) / 100);
      if (summarizes.test(since)) return { say: "<summary>We count.</summary>" };
      return count < fills.length ? works : { say: "That was all." };
    });
    stage.checkEndedWell(await stage.claude("Count", ...models.claude.flags, ...mayWork));
    // The request for a summary repeats what came before it.
    assert.deepEqual(requestsWith(model, summarizes), [4]);
    const { memory_full, hallucination_risk } = alertsIn(model);
    for (const given of [memory_full, hallucination_risk]) {
      assert.deepEqual(
        given.filter((index) => index !== 4),
        [3, 7],
      );
    }
  });
});
