import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import {
  brain,
  describeBrain,
  goesOn,
  hooksEnd,
  looksAtFile,
  requestsWith,
  rests,
  serveBrain,
  setConfig,
} from "./brain-stage.ts";
import { clientNames } from "./client.ts";
import { hears } from "./talk.ts";
import { terminalFault } from "./terminal.ts";

const news = "The okapi build is red";
const isNews = /\[brain [^\n]*news from person[\s\S]*The okapi build is red/;

await describeBrain("An event from outside", (play) => {
  for (const client of clientNames) {
    play(`${client}: is in the same turn when it comes in its middle`, async ({ stage, node }) => {
      await stage.install();
      await serveBrain(stage, node);
      const model = await stage.model(client, async ({ count }) => {
        if (client === "claude") await hooksEnd(stage);
        if (count === 1) await brain(stage, "event", news);
        return count < 4 ? looksAtFile(stage, count) : { say: "That was all." };
      });
      stage.checkEndedWell(await stage[client]("Count"));
      // The hook of Claude Code runs while a tool's result is already on its way.
      assert.deepEqual(requestsWith(model, isNews), [client === "claude" ? 3 : 2]);
    });

    play(`${client}: is in the next request of a headless client`, async ({ stage, node }) => {
      await stage.install();
      await serveBrain(stage, node);
      const model = await stage.model(client, () => ({ say: "I see." }));
      const first = await stage[client]("What is 2 + 2?");
      stage.checkEndedWell(first);
      assert(first.elapsedMs < 30_000, `it took ${first.elapsedMs} ms`);
      await brain(stage, "event", news);
      stage.checkEndedWell(await stage[client]("What is 3 + 3?", ...goesOn[client]));
      assert.deepEqual(requestsWith(model, isNews), [1]);
      // A conversation that goes on has its past.
      assert.deepEqual(requestsWith(model, /the session before this one/), []);
    });
  }

  play("claude: waits for the next prompt as soon as a hook is full", async ({ stage, node }) => {
    await stage.install();
    await serveBrain(stage, node);
    const model = await stage.model("claude", () => ({ say: "Zanzibar. ".repeat(1_000) }));
    stage.checkEndedWell(await stage.claude("Where to? ".repeat(1_000)));
    const texts = ["red", "green", "blue"].map((colour) => `It is ${colour}. `.repeat(300));
    for (const text of texts) await brain(stage, "event", text.trim());
    const conversation = stage.conversation();
    for (const prompt of ["One", "Two", "Three", "Four"]) await conversation.say(prompt);
    await conversation.end();
    const given = ["red", "green", "blue"].map((colour) => {
      return requestsWith(model, new RegExp(`It is ${colour}`));
    });
    assert.deepEqual(
      given.map(({ length }) => length),
      [1, 1, 1],
    );
    assert.deepEqual(requestsWith(model, /the session before this one/), [1]);
    assert(model.turns().every(({ context }) => !/persisted-output/.test(context)));
  });
});

await describeBrain(
  "An event from outside, in a terminal where nobody is",
  (play) => {
    play("claude: wakes the idle model, once", async ({ stage, node }) => {
      await stage.install();
      await serveBrain(stage, node);
      const model = await stage.model("claude", () => ({ say: "I see." }));
      model.patienceMs = 30_000;
      const window = await stage.window("claude", "What is 2 + 2?");
      await model.until("with the prompt", hears(/2 \+ 2/));
      await rests(stage);
      await brain(stage, "event", news);
      const { since } = await model.until("with the event", hears(isNews), 1);
      assert.match(since, /NOT USER INPUT/);
      await rests(stage);
      assert.equal(model.turns().length, 2);
      window.close();
    });

    play("claude: leaves no hook waiting with the brain off", async ({ stage, node }) => {
      stage.node = node;
      await stage.install();
      setConfig(stage, { brain: false });
      const model = await stage.model("claude", () => ({ say: "I see." }));
      const window = await stage.window("claude", "What is 2 + 2?");
      await model.until("with the prompt", hears(/2 \+ 2/));
      await sleep(1_500);
      const left = stage
        .processes()
        .filter(({ command }) => /run\.cjs hook|brain\.cjs/.test(command));
      assert.deepEqual(left, []);
      window.close();
    });
  },
  terminalFault,
);
