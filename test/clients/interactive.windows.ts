import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { type ClientName, clientNames } from "./client.ts";
import { Colleague } from "./colleague.ts";
import { follows } from "./follow.ts";
import { type Process, until } from "./processes.ts";
import type { Mind, ScriptedModel } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import { asksToBegin, colleagueOf, hears, openingLine, sent } from "./talk.ts";
import { showsReport, type Terminal, terminalFault } from "./terminal.ts";
import { makeVoices } from "./voices.ts";

const entered = hears(/appended seq \d+: message_sent/);

interface Talk {
  readonly model: ScriptedModel;
  readonly window: Terminal;
  readonly colleague: Colleague;
}

/** A window whose client has asked its colleague in the session `talk`, and is idle. */
async function ask(stage: Stage, client: ClientName, wrap = (mind: Mind) => mind): Promise<Talk> {
  const begin = openingLine(client, await stage.install());
  // Whoever asks has the voice of Claude, whoever answers that of Gemini.
  const voices = makeVoices();
  const model = await stage.model(client, wrap(follows({ begin, voice: voices.claude })));
  const window = await stage.window(client);
  await window.type(`${asksToBegin} about SQLite or files`);
  await model.until("after the question was sent", sent(1));
  const colleague = new Colleague(stage, colleagueOf[client], "talk", voices.gemini);
  return { model, window, colleague };
}

function setConfig(stage: Stage, config: object): void {
  const folder = join(stage.project, ".consulta");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
}

/** The colleague sends what is left of its messages, and the window shows the report. */
async function goOn({ model, window, colleague }: Talk, answersLeft: number): Promise<void> {
  for (let count = 0; count < answersLeft; count += 1) {
    const before = model.turns().length;
    await colleague.answers();
    await model.until("after the next message was sent", entered, before);
  }
  await showsReport(window);
  assert.deepEqual(model.faults, []);
}

await describeClients(
  "A client in a window",
  (play) => {
    for (const client of clientNames) {
      play(`${client}: is woken when idle, interrupted, and goes on`, async (stage) => {
        const talk = await ask(stage, client);
        const { model, window, colleague } = talk;
        await colleague.answers();
        await model.until("after the answer was sent", sent(2));
        await window.shows(/I sent it and wait/);
        await window.interrupt();
        await window.type("Unrelated: name the capital of France");
        await window.shows(/You asked: Unrelated: name the capital/);
        await goOn(talk, 1);
      });

      play(`${client}: wakes only the window that holds the seat`, async (stage) => {
        const begin = `node ${projectScripts}/next-action.cjs --session talk`;
        const second = follows({ begin, voice: makeVoices().claude });
        const isSecond = /Unrelated: the second window/;
        const { model, colleague } = await ask(stage, client, (first) => (seen) => {
          return isSecond.test(seen.context) ? second(seen) : first(seen);
        });
        const other = await stage.window(client);
        await other.type("Unrelated: the second window");
        await other.shows(/You asked: Unrelated/);
        await colleague.answers();
        await model.until("after the answer was sent", sent(2));
        await sleep(2_000);
        const turnsOf = () => model.turns().filter(({ context }) => isSecond.test(context));
        assert.equal(turnsOf().length, 1);
        await other.interrupt();
        const looking = model.turns().length;
        await other.type(`${asksToBegin}: go on here`);
        await model.until("in which the second one looks", hears(/session talk: /), looking);
        await other.shows(/It is not my turn/);
        const before = model.turns().length;
        await colleague.answers();
        await model.until("after the agreement was sent", entered, before);
        await sleep(2_000);
        const woken = model.turns().slice(before);
        assert(woken.length > 0);
        assert(woken.every(({ context }) => isSecond.test(context)));
      });

      play(`${client}: is killed in mid-turn, started again, and goes on`, async (stage) => {
        let strike = () => {};
        const struck = new Promise<void>((done) => {
          strike = done;
        });
        let isStruck = false;
        const talk = await ask(stage, client, (mind) => (seen) => {
          if (isStruck || !/talk: YOUR TURN[\s\S]*Files, if/.test(seen.latest)) return mind(seen);
          isStruck = true;
          strike();
          return new Promise<never>(() => {});
        });
        await talk.colleague.answers();
        await struck;
        await stage.kill(talk.window);
        const window = await stage.window(client);
        const before = talk.model.turns().length;
        await window.type("Go on where you were");
        await talk.model.until("after the answer was sent", entered, before);
        await goOn({ ...talk, window }, 1);
      });

      play(`${client}: is closed while it waits, opened again, and goes on`, async (stage) => {
        const talk = await ask(stage, client);
        await talk.window.shows(/I sent it and wait/);
        const isHook = ({ command }: Process) => command.includes(`hook ${client}`);
        await until("it waits", () => stage.processes().some(isHook));
        talk.window.close();
        await until("its hook has ended", () => !stage.processes().some(isHook));
        await talk.colleague.answers();
        const window = await stage.window(client);
        const before = talk.model.turns().length;
        await window.type("Go on");
        await talk.model.until("after the answer was sent", entered, before);
        await goOn({ ...talk, window }, 1);
      });

      play(`${client}: goes on after its service has failed in mid-turn`, async (stage) => {
        let failures = 0;
        const talk = await ask(stage, client, (mind) => (seen) => {
          const isHit = failures < 1 && /talk: YOUR TURN[\s\S]*Files, if/.test(seen.latest);
          if (!isHit) return mind(seen);
          failures += 1;
          return { fail: client === "claude" ? 529 : 500 };
        });
        await goOn(talk, 2);
        assert.equal(failures, 1);
      });

      play(`${client}: is told what is open after the conversation was cleared`, async (stage) => {
        const talk = await ask(stage, client);
        await talk.window.shows(/I sent it and wait/);
        await talk.window.interrupt();
        await talk.window.type("/clear");
        await talk.window.loses(/I sent it and wait/);
        const before = talk.model.turns().length;
        await talk.colleague.answers();
        await talk.window.type("Go on");
        await talk.model.until("after the answer was sent", entered, before);
        const [fresh] = talk.model.turns().slice(before);
        assert.doesNotMatch(fresh?.context ?? "", /opened session talk/);
      });

      play(`${client}: is told at the next prompt what came after Esc`, async (stage) => {
        const talk = await ask(stage, client);
        await talk.window.shows(/I sent it and wait/);
        await talk.window.interrupt();
        const before = talk.model.turns().length;
        await talk.colleague.answers();
        await talk.window.type("Go on");
        await talk.model.until("after the answer was sent", entered, before);
        await goOn(talk, 1);
      });

      play(
        `${client}: lets a colleague think, and is told of its death and return`,
        async (stage) => {
          const other = colleagueOf[client];
          const patienceMs = 2_000;
          setConfig(stage, { message_timeout_seconds: patienceMs / 1_000 });
          const talk = await ask(stage, client);
          const begin = `node ${projectScripts}/next-action.cjs --session talk`;
          const follow = follows({ begin, voice: makeVoices().gemini });
          const reads = hears(/talk: YOUR TURN/);
          let isThinking = true;
          const theirs = await stage.model(other, (seen) =>
            isThinking && reads(seen) ? new Promise<never>(() => {}) : follow(seen),
          );
          const window = await stage.window(other);
          await window.type(`${asksToBegin} to go on`);
          await theirs.until("in which it reads its turn", reads);
          const before = talk.model.turns().length;
          await sleep(3 * patienceMs + 500);
          assert.equal(talk.model.turns().length, before, "whoever thinks is not dead");
          await stage.kill(window);
          const killedMs = Date.now();
          await talk.model.until("about the death", hears(/its CLI has ended/), before);
          assert(Date.now() - killedMs < 6_000, `told after ${Date.now() - killedMs} ms`);
          isThinking = false;
          await talk.window.shows(/There is nothing to do/);
          const told = talk.model.turns().length;
          const returned = await stage.window(other);
          await returned.type(`${asksToBegin} to go on`);
          await talk.model.until("woken by the answer", hears(/you have the turn/), told);
          for (const it of [talk.window, returned]) await showsReport(it);
          assert.deepEqual(stage.faults(), []);
        },
      );
    }

    play("claude: is told what is open after the conversation was compacted", async (stage) => {
      const summarizes = /inside <summary><\/summary> tags|an <analysis> block/;
      const talk = await ask(stage, "claude", (mind) => (seen) => {
        const said = { say: "<summary>The user asks for an opinion.</summary>" };
        return summarizes.test(seen.since) ? said : mind(seen);
      });
      await talk.window.shows(/I sent it and wait/);
      await talk.window.type("/compact");
      await talk.window.shows(/Compacted/);
      const before = talk.model.turns().length;
      await talk.window.type("Unrelated: go on");
      const { since } = await talk.model.until("after it", hears(/Unrelated/), before);
      assert.match(
        since,
        /SessionStart hook [\s\S]*session talk \(dialogue\): waiting for your peer/,
      );
      await goOn(talk, 2);
    });
  },
  terminalFault,
);
