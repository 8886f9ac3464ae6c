import assert from "node:assert/strict";
import { brain, describeBrain, requestsWith, rests, until } from "./brain-stage.ts";
import { type ClientName, clientNames } from "./client.ts";
import type { Stage } from "./stage.ts";
import { hears } from "./talk.ts";
import { terminalFault } from "./terminal.ts";

/** A window in which one thing was said; the hooks have started the brain. */
async function open(stage: Stage, client: ClientName, node: string) {
  stage.node = node;
  await stage.install();
  const model = await stage.model(client, () => ({ say: "The quokka lexer is next." }));
  const window = await stage.window(client);
  await window.type("We call the parser zanzibar");
  await window.shows(/quokka lexer/);
  return { model, window };
}

await describeBrain(
  "The brain of a client in a window",
  (play) => {
    play("claude: is woken by each event, also after a person spoke", async ({ stage, node }) => {
      const { model, window } = await open(stage, "claude", node);
      await rests(stage);
      await brain(stage, "event", "The okapi build is red");
      await model.until("with the first", hears(/okapi build is red/), 1);
      await rests(stage);
      await brain(stage, "event", "The okapi build is green");
      await model.until("with the second", hears(/okapi build is green/), 2);
      await rests(stage);
      await window.interrupt();
      await window.type("Unrelated: name a capital");
      await model.until("with the prompt", hears(/Unrelated/), 3);
      await rests(stage);
      await brain(stage, "event", "The okapi build is blue");
      await model.until("with the third", hears(/okapi build is blue/), 4);
      for (const colour of ["red", "green", "blue"]) {
        assert.equal(requestsWith(model, new RegExp(`okapi build is ${colour}`)).length, 1);
      }
      window.close();
      await until("its hooks have ended", () => stage.processes().length === 1);
    });

    play("gemini: is told of an event with the next prompt", async ({ stage, node }) => {
      const { model, window } = await open(stage, "gemini", node);
      await brain(stage, "event", "The okapi build is red");
      await window.type("Unrelated: name a capital");
      const { since } = await model.until("with the prompt", hears(/Unrelated/), 1);
      assert.match(since, /okapi build is red/);
      window.close();
      await until("it has ended", () => stage.processes().length === 1);
    });

    for (const client of clientNames) {
      play(
        `${client}: is given back where it stood after /clear, once`,
        async ({ stage, node }) => {
          const { model, window } = await open(stage, client, node);
          await window.type("/clear");
          await window.loses(/quokka lexer/);
          await window.type("Unrelated: name a capital");
          await model.until("with the prompt", hears(/Unrelated/), 1);
          await window.type("Another capital please");
          await model.until("with the next prompt", hears(/Another/), 2);
          assert.deepEqual(requestsWith(model, /\[brain [\s\S]*zanzibar/), [1]);
          assert.deepEqual(requestsWith(model, /\[brain [\s\S]*quokka lexer/), [1]);
          window.close();
          await until("it has ended", () => stage.processes().length === 1);
        },
      );
    }
  },
  terminalFault,
);
