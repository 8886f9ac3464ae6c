import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  addMemories,
  alertWords,
  brain,
  describeBrain,
  isBrain,
  requestsWith,
  rests,
  serveBrain,
} from "./brain-stage.ts";
import { clientNames } from "./client.ts";
import { killProcesses, until } from "./processes.ts";
import { type Stage, trustHooks, type WindowClient } from "./stage.ts";
import { hears } from "./talk.ts";
import { type Terminal, terminalFault } from "./terminal.ts";

/** A window in which one thing was said; the hooks have started the brain, unless it ran before. */
async function open(stage: Stage, client: WindowClient, node: string, isServed = false) {
  stage.node = node;
  if (client === "codex") mkdirSync(join(stage.project, ".git"));
  await stage.install();
  if (isServed) await serveBrain(stage, node);
  const model = await stage.model(client, ({ count }) => ({
    say: `The quokka lexer is next (${count}).`,
  }));
  const window = await stage.window(client);
  await window.type("We call the parser zanzibar");
  if (client === "codex") await trustHooks(window);
  await window.shows(/quokka lexer/);
  // Codex takes no command while a hook runs.
  const isHook = / hook codex/;
  await until("none runs", () => !stage.processes().some((it) => isHook.test(it.command)));
  await sleep(1_000);
  return { model, window };
}

/** Closes the window; Codex leaves a server that it shares. */
async function close(stage: Stage, window: Terminal): Promise<void> {
  window.close();
  killProcesses(stage.processes().filter(({ command }) => /codex/.test(command)));
  await until("it has ended", () => stage.processes().length === 1);
}

const memory =
  "Releases of the billing service go through the quetzal pipeline, never on a Friday.";
/** An answer that fills the window of a model so far that its CLI will compact it soon. */
const almostFull = { codex: 236_000, opencode: 183_000 };

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

    for (const client of [...clientNames, "codex"] as const) {
      play(
        `${client}: is given back where it stood after /clear, once`,
        async ({ stage, node }) => {
          // A turn of Codex is over before a brain has started.
          const { model, window } = await open(stage, client, node, client === "codex");
          await window.type("/clear");
          await window.loses(/quokka lexer/);
          await window.type("Unrelated: name a capital");
          await model.until("with the prompt", hears(/Unrelated/), 1);
          await window.type("Another capital please");
          await model.until("with the next prompt", hears(/Another/), 2);
          assert.deepEqual(requestsWith(model, /\[brain [\s\S]*zanzibar/), [1]);
          assert.deepEqual(requestsWith(model, /\[brain [\s\S]*quokka lexer/), [1]);
          await close(stage, window);
        },
      );
    }

    for (const client of ["codex", "opencode"] as const) {
      play(`${client}: is given memories, warned, and told of news`, async ({ stage, node }) => {
        const { model, window } = await open(stage, client, node);
        await until("a hook has started a brain", () => stage.processes().some(isBrain));
        await brain(stage, "store", "billing/release", memory);
        await addMemories(stage);
        const say = async (prompt: string, count: number) => {
          await window.type(prompt);
          const { since } = await model.until(`with ${prompt}`, hears(new RegExp(prompt)), count);
          await window.shows(new RegExp(`next \\(${count}\\)`));
          return since;
        };
        assert.match(await say("How to release the billing service", 1), /quetzal pipeline/);
        model.tokens = almostFull[client];
        assert.doesNotMatch(await say("Name a capital", 2), /quetzal/);
        assert.match(await say("Another capital", 3), alertWords.memory_full);
        await brain(stage, "event", "The okapi build is red");
        const isNews = /news from person[\s\S]*okapi build is red/;
        if (client === "codex") assert.match(await say("One more", 4), isNews);
        else await model.until("woken by the event", hears(isNews), 4);
        for (const words of [/quetzal/, alertWords.memory_full, isNews])
          assert.equal(requestsWith(model, words).length, 1, String(words));
        await close(stage, window);
      });
    }
  },
  terminalFault,
  ["codex", "opencode"],
);
