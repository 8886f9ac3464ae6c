import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Colleague } from "./colleague.ts";
import { follows } from "./follow.ts";
import { until } from "./processes.ts";
import type { Mind, ScriptedModel } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import { asksToBegin, hears, sent } from "./talk.ts";
import { type Terminal, terminalFault } from "./terminal.ts";
import { makeVoices } from "./voices.ts";

const entered = hears(/appended seq \d+: message_sent/);
const waits = /I sent it and wait/;
const isHook = ({ command }: { command: string }) => / hook opencode/.test(command);

interface Talk {
  readonly model: ScriptedModel;
  readonly window: Terminal;
  readonly colleague: Colleague;
}

/** A window in which OpenCode has asked claude in the session `talk`, and is idle. */
async function ask(stage: Stage, questions: 1 | 2 = 1, wrap = (it: Mind) => it): Promise<Talk> {
  const names = "--participant opencode --participant claude";
  const scripts = await stage.install();
  const begin = `node ${scripts}/init.cjs --topic 'SQLite or files?' --session talk ${names}`;
  const voices = makeVoices(questions);
  const model = await stage.model("opencode", wrap(follows({ begin, voice: voices.claude })));
  const window = await stage.window("opencode");
  await window.type(`${asksToBegin} about SQLite or files`);
  await model.until("after the question was sent", sent(1));
  await window.shows(waits);
  return { model, window, colleague: new Colleague(stage, "claude", "talk", voices.gemini) };
}

/** The colleague answers so often, and each time the idle model takes its turn. */
async function goOn({ model, colleague }: Talk, answers: number): Promise<void> {
  for (let count = 0; count < answers; count += 1) {
    const before = model.turns().length;
    await colleague.answers();
    await model.until("after the next message was sent", entered, before);
  }
}

/** A turn that never ends: the model stops to think once it has read the answer. */
function stuck() {
  let strike = () => {};
  const struck = new Promise<void>((done) => {
    strike = done;
  });
  let isStruck = false;
  const wrap =
    (mind: Mind): Mind =>
    (seen) => {
      if (isStruck || !/talk: YOUR TURN[\s\S]*Files, if/.test(seen.latest)) return mind(seen);
      isStruck = true;
      strike();
      return new Promise<never>(() => {});
    };
  return { struck, wrap };
}

await describeClients(
  "OpenCode in a window",
  (play) => {
    play("is woken three times running while idle, to the report", async (stage) => {
      const talk = await ask(stage, 2);
      await goOn(talk, 3);
      await talk.model.until("that shows the report", hears(/CONSENSUS/));
      assert.deepEqual(stage.faults(), []);
    });

    play("takes a prompt while it waits, and is woken after that", async (stage) => {
      const talk = await ask(stage);
      await talk.window.type("Unrelated: name the capital of France");
      await talk.window.shows(/You asked: Unrelated: name the capital/);
      await goOn(talk, 2);
      await talk.model.until("that shows the report", hears(/CONSENSUS/));
    });

    play("is told at the next prompt after an interrupted turn", async (stage) => {
      const { struck, wrap } = stuck();
      const talk = await ask(stage, 1, wrap);
      await talk.colleague.answers();
      await struck;
      const before = talk.model.turns().length;
      await talk.window.press("Escape");
      await talk.window.press("Escape");
      await talk.window.shows(/interrupted/i);
      await sleep(2_000);
      assert.equal(talk.model.turns().length, before, "nobody wakes it after Esc");
      await talk.window.type("Go on");
      await talk.model.until("after the answer was sent", entered, before);
      await goOn(talk, 1);
    });

    play("is told what is open in a new conversation, and is woken there", async (stage) => {
      const talk = await ask(stage);
      await talk.window.type("/new");
      await talk.window.press("Enter");
      await talk.window.loses(waits);
      const before = talk.model.turns().length;
      await talk.window.type("Unrelated: begin anew");
      const { since, context } = await talk.model.until("the first", hears(/begin anew/), before);
      assert.match(since, /open sessions .*[\s\S]*session talk \(dialogue\): waiting for/);
      assert.doesNotMatch(context, /opened session talk/);
      await talk.window.shows(/You asked: Unrelated: begin anew/);
      await goOn(talk, 2);
      const woken = talk.model.turns().slice(before);
      assert(woken.every((seen) => /begin anew/.test(seen.context)));
    });

    play("is told what is open after the conversation was compacted", async (stage) => {
      const talk = await ask(stage);
      const { model, window } = talk;
      await window.type("/compact");
      await window.press("Enter");
      // Its model is asked for a summary, and says so.
      await window.shows(/There is nothing to do/);
      const before = model.turns().length;
      await window.type("Unrelated: go on");
      const { since } = await model.until("after it", hears(/Unrelated/), before);
      assert.match(since, /session talk \(dialogue\): waiting for your peer/);
      await goOn(talk, 2);
    });

    play("is killed in mid-turn, started again, and goes on", async (stage) => {
      const { struck, wrap } = stuck();
      const talk = await ask(stage, 1, wrap);
      await talk.colleague.answers();
      await struck;
      await stage.kill(talk.window);
      const window = await stage.window("opencode");
      const before = talk.model.turns().length;
      await window.type("Go on where you were");
      await talk.model.until("after the answer was sent", entered, before);
      await goOn({ ...talk, window }, 1);
    });

    play("takes its hook with it when its terminal is closed, and loses nothing", async (stage) => {
      const talk = await ask(stage);
      await until("it waits", () => stage.processes().some(isHook));
      talk.window.close();
      await until("its hook has ended", () => !stage.processes().some(isHook));
      await talk.colleague.answers();
      const window = await stage.window("opencode");
      const before = talk.model.turns().length;
      await window.type("Go on");
      await talk.model.until("after the answer was sent", entered, before);
      await goOn({ ...talk, window }, 1);
    });
  },
  terminalFault,
  ["opencode"],
);
