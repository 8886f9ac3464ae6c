import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { Colleague } from "./colleague.ts";
import { follows } from "./follow.ts";
import { killProcesses } from "./processes.ts";
import { summarizes } from "./responses-wire.ts";
import type { Mind, ScriptedModel } from "./scripted-model.ts";
import { describeClients, type Stage, trustHooks } from "./stage.ts";
import { asksToBegin, eventsOf, hears, sent } from "./talk.ts";
import { showsReport, type Terminal, terminalFault } from "./terminal.ts";
import { makeVoices } from "./voices.ts";

const entered = hears(/appended seq \d+: message_sent/);
const waits = /I sent it and wait/;

interface Talk {
  readonly model: ScriptedModel;
  readonly window: Terminal;
  readonly colleague: Colleague;
}

/** A window in which Codex has asked claude in the session `talk`, and is idle. */
async function ask(stage: Stage, questions: 1 | 2 = 1, wrap = (it: Mind) => it): Promise<Talk> {
  mkdirSync(join(stage.project, ".git"));
  const names = "--participant codex --participant claude";
  const scripts = await stage.install();
  const begin = `node ${scripts}/init.cjs --topic 'SQLite or files?' --session talk ${names}`;
  const voices = makeVoices(questions);
  const model = await stage.model("codex", wrap(follows({ begin, voice: voices.claude })));
  const window = await stage.window("codex");
  await window.type(`${asksToBegin} about SQLite or files`);
  await trustHooks(window);
  await model.until("after the question was sent", sent(1));
  await window.shows(waits);
  const colleague = new Colleague(stage, "claude", "talk", voices.gemini);
  return { model, window, colleague };
}

/** The colleague answers so often, and each time the idle model takes its turn. */
async function goOn({ model, colleague }: Talk, answers: number): Promise<void> {
  for (let count = 0; count < answers; count += 1) {
    const before = model.turns().length;
    await colleague.answers();
    await model.until("after the next message was sent", entered, before);
  }
}

await describeClients(
  "Codex in a window",
  (play) => {
    play("is woken three times running while idle, to the report", async (stage) => {
      const talk = await ask(stage, 2);
      await goOn(talk, 3);
      await showsReport(talk.window);
      assert.deepEqual(stage.faults(), []);
    });

    play("is told at the next prompt what came after Esc, and is woken again", async (stage) => {
      const talk = await ask(stage, 2);
      const { model, window, colleague } = talk;
      await window.interrupt();
      await window.shows(/interrupted/);
      assert(!stage.processes().some(({ command }) => / hook codex/.test(command)));
      const before = model.turns().length;
      await colleague.answers();
      await sleep(2_000);
      assert.equal(model.turns().length, before, "nobody wakes it after Esc");
      await window.type("Go on");
      await model.until("after the answer was sent", entered, before);
      await goOn(talk, 2);
      await showsReport(window);
    });

    play("goes on in the background when its terminal is closed", async (stage) => {
      const talk = await ask(stage);
      talk.window.close();
      await goOn(talk, 2);
      await talk.model.until("that shows the report", hears(/CONSENSUS/));
      assert.match(eventsOf(stage), /"summary":"AGREE to claude"/);
    });

    play("is told what is open after /clear, and is woken there", async (stage) => {
      const talk = await ask(stage, 2);
      const { model, window, colleague } = talk;
      await window.interrupt();
      await window.type("/clear");
      await window.loses(waits);
      const before = model.turns().length;
      await colleague.answers();
      await window.type("Go on");
      await model.until("after the answer was sent", entered, before);
      const [fresh] = model.turns().slice(before);
      assert.match(
        fresh?.since ?? "",
        /open sessions .*[\s\S]*session talk \(dialogue\): your turn/,
      );
      assert.doesNotMatch(fresh?.context ?? "", /opened session talk/);
      await goOn(talk, 2);
      await showsReport(window);
    });

    play("is told what is open after the conversation was compacted", async (stage) => {
      // What its user said stays in the conversation, and is asked no more.
      const after = follows({ voice: makeVoices().claude });
      let isCompacted = false;
      const talk = await ask(stage, 1, (mind) => (seen) => {
        if (!summarizes.test(seen.since)) return isCompacted ? after(seen) : mind(seen);
        isCompacted = true;
        return { say: "The user asks for an opinion." };
      });
      const { model, window } = talk;
      await window.interrupt();
      await window.type("/compact");
      await window.shows(/compacted/i);
      const before = model.turns().length;
      await window.type("Unrelated: go on");
      const { since } = await model.until("after it", hears(/Unrelated/), before);
      assert.match(since, /session talk \(dialogue\): waiting for your peer/);
      await goOn(talk, 2);
    });

    play("is killed with its server in mid-turn, started again, and goes on", async (stage) => {
      let isStruck = false;
      let strike = () => {};
      const struck = new Promise<void>((done) => {
        strike = done;
      });
      const talk = await ask(stage, 1, (mind) => (seen) => {
        if (isStruck || !/talk: YOUR TURN[\s\S]*Files, if/.test(seen.latest)) return mind(seen);
        isStruck = true;
        strike();
        return new Promise<never>(() => {});
      });
      await talk.colleague.answers();
      await struck;
      killProcesses(stage.processes().filter(({ command }) => /codex/.test(command)));
      await sleep(500);
      const window = await stage.window("codex");
      const before = talk.model.turns().length;
      await window.type("Go on where you were");
      await talk.model.until("after the answer was sent", entered, before);
      await goOn(talk, 1);
      await showsReport(window);
    });

    play("wakes of two windows, which share a server, the one that takes part", async (stage) => {
      const isSecond = /Unrelated: the second window/;
      const begin = `node ${projectScripts}/next-action.cjs --session talk`;
      const second = follows({ begin, voice: makeVoices().claude });
      const talk = await ask(stage, 1, (first) => (seen) => {
        return isSecond.test(seen.context) ? second(seen) : first(seen);
      });
      const other = await stage.window("codex");
      await other.type("Unrelated: the second window");
      await other.shows(/You asked: Unrelated/);
      await goOn(talk, 1);
      await sleep(2_000);
      const turns = talk.model.turns().filter(({ context }) => isSecond.test(context));
      assert.equal(turns.length, 1, turns.at(-1)?.since);
      await goOn(talk, 1);
      await showsReport(talk.window);
    });
  },
  terminalFault,
  ["codex"],
);
