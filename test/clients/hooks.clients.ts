import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { skillFolders } from "../../scripts-src/pack/pack.ts";
import { type ClientName, clientNames } from "./client.ts";
import { Colleague } from "./colleague.ts";
import { follows } from "./follow.ts";
import { narrow } from "./permissions.ts";
import { killProcesses, type Process } from "./processes.ts";
import { inOrder, type Mind, type Step } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import {
  asksToBegin,
  colleagueOf,
  eventsOf,
  hears,
  makeTalker,
  openingLine,
  sent,
} from "./talk.ts";
import { makeVoices, type Voice } from "./voices.ts";

const promptEvents = { claude: "UserPromptSubmit", gemini: "BeforeAgent" };

/** Takes all hooks but one out of the settings of the project. */
function keepOnly(stage: Stage, client: ClientName, event: string): void {
  const path = join(stage.project, `.${client}/settings.json`);
  const settings = JSON.parse(readFileSync(path, "utf8"));
  const hooks = { [event]: settings.hooks[event] };
  writeFileSync(path, JSON.stringify({ ...settings, hooks }));
}

/** A client that runs headless and asks its colleague, whose answers come from outside. */
async function ask(stage: Stage, client: ClientName, voices: { own: Voice; others: Voice }) {
  const begin = openingLine(client, await stage.install());
  const model = await stage.model(client, follows({ begin, voice: voices.own }));
  const colleague = new Colleague(stage, colleagueOf[client], "talk", voices.others);
  const ran = stage[client](`${asksToBegin}: SQLite or files?`, ...narrow[client]);
  await Promise.race([model.until("after the question", sent(1)), ran]);
  return { model, colleague, ran };
}

await describeClients("The hooks of the clients, headless", (play) => {
  for (const client of clientNames) {
    play(`${client}: waits when its turn ends, and goes on to the report`, async (stage) => {
      const { claude: own, gemini: others } = makeVoices();
      const { model, colleague, ran } = await ask(stage, client, { own, others });
      await colleague.answers();
      await model.until("after the answer", sent(2));
      await colleague.answers();
      const ended = await ran;
      stage.checkEndedWell(ended);
      assert.match(ended.stdout, /CONSENSUS/);
    });

    play(`${client}: is woken more than eight times in a row`, async (stage) => {
      const voices = {
        own: makeTalker("one", stage.project),
        others: makeTalker("other", stage.project),
      };
      const { model, colleague, ran } = await ask(stage, client, voices);
      for (let round = 1; round <= 10; round += 1) {
        await Promise.race([model.until("after its message", sent(round)), ran]);
        await colleague.answers();
      }
      stage.checkEndedWell(await ran);
      assert.match(eventsOf(stage), /max_rounds/);
    });

    play(
      `${client}: tells a fresh conversation what is open, and later what is new`,
      async (stage) => {
        await stage.install();
        const { claude: voice } = makeVoices();
        const opens = async (session: string) => {
          const colleague = new Colleague(stage, colleagueOf[client], session, voice);
          await colleague.opens("SQLite or files?", client);
        };
        const model = await stage.model(client, () => ({ say: "Seen." }));
        await opens("talk");
        stage.checkEndedWell(await stage[client]("What is 2 + 2?"));
        await opens("walk");
        const resume = client === "claude" ? ["--continue"] : ["--resume", "latest"];
        stage.checkEndedWell(await stage[client]("And 3 + 3?", ...resume));
        const [fresh, resumed] = model.turns();
        assert.match(fresh?.since ?? "", /session talk .*Run: node \S*next-action\.cjs/);
        assert.match(resumed?.since ?? "", /session walk.*Run: node \S*next-action\.cjs/);
      },
    );

    play(`${client}: adds nothing to a prompt when no session wants anything`, async (stage) => {
      await stage.install();
      const model = await stage.model(client, () => ({ say: "Four." }));
      const startMs = performance.now();
      stage.checkEndedWell(await stage[client]("What is 2 + 2?"));
      assert.doesNotMatch(model.turns()[0]?.context ?? "", /Consulta: /);
      assert.equal(model.turns().length, 1);
      assert(performance.now() - startMs < 60_000);
    });

    play(`${client}: says whose turn it is by ${promptEvents[client]} alone`, async (stage) => {
      await stage.install();
      keepOnly(stage, client, promptEvents[client]);
      const { claude: voice } = makeVoices();
      const colleague = new Colleague(stage, colleagueOf[client], "talk", voice);
      await colleague.opens("SQLite or files?", client);
      const model = await stage.model(client, () => ({ say: "Seen." }));
      stage.checkEndedWell(await stage[client]("What is 2 + 2?"));
      const told = /Consulta: you have the turn in session talk\. Run: node \S*next-action\.cjs/;
      assert.match(model.turns()[0]?.since ?? "", told);
    });
  }

  play("gemini: fires no hook in a folder that it does not trust", async (stage) => {
    await stage.install();
    stage.isTrusted = false;
    const colleague = new Colleague(stage, "claude", "talk", makeVoices().claude);
    await colleague.opens("SQLite or files?", "gemini");
    const model = await stage.model("gemini", () => ({ say: "Four." }));
    assert.equal((await stage.gemini("What is 2 + 2?")).exitCode, 55);
    assert.equal(model.requests.length, 0);
    stage.checkEndedWell(await stage.gemini("What is 2 + 2?", "--skip-trust"));
    assert.doesNotMatch(model.turns()[0]?.context ?? "", /Consulta: /);
    const { stdout } = await stage.script("doctor", []);
    assert.match(stdout, /hooks of Gemini CLI: .*gemini runs them once it trusts this folder/);
  });

  play("claude: is woken by the Monitor tool, without hooks", async (stage) => {
    const scripts = stage.addSkill("claude", "consulta");
    const voices = makeVoices();
    const model = await stage.model("claude", watches(scripts, voices.claude));
    const colleague = new Colleague(stage, "gemini", "talk", voices.gemini);
    const ran = stage.claude(`${asksToBegin}: SQLite or files?`, ...narrow.claude);
    for (const count of [1, 2]) {
      await Promise.race([model.until("after its message", sent(count)), ran]);
      await colleague.answers();
    }
    await Promise.race([model.until("that shows the report", hears(/^\*\*CONSENSUS/m)), ran]);
    // The tool watches to its own deadline, and the client waits for the tool.
    const isWatch = ({ command }: Process) => command.includes(" --follow");
    killProcesses(stage.processes().filter(isWatch));
    stage.checkEndedWell(await ran);
    assert.match(eventsOf(stage), /"summary":"AGREE to gemini"/);
  });

  play("gemini: says nothing of hooks whose script is not there", async (stage) => {
    await stage.install();
    rmSync(join(stage.project, skillFolders.gemini), { recursive: true });
    await stage.model("gemini", inOrder({ say: "Hello." }));
    const ran = await stage.gemini("Say hello");
    stage.checkEndedWell(ran);
    assert.match(ran.stdout, /Hello\./);
    assert.doesNotMatch(ran.stderr, /Hook\(s\)|failed|Cannot find/);
  });
});

/** After its first message it watches its mail with the Monitor tool, and looks at each line of it. */
function watches(scripts: string, voice: Voice): Mind {
  const follow = follows({ begin: openingLine("claude", scripts), voice });
  const at = "--session talk --participant claude";
  const command = `node ${scripts}/wait-for-turn.cjs ${at} --follow`;
  const watch = { command, description: "mail of the session", timeout_ms: 120_000 };
  const begin: Step[] = [
    { call: "ToolSearch", input: { query: "select:Monitor" } },
    { call: "Monitor", input: watch },
    { say: "I watch my mail." },
  ];
  let isBegun = false;
  return async (seen) => {
    if (isBegun && begin.length > 0) return begin.shift() ?? { say: "" };
    if (!seen.called && /NEW:/.test(seen.since)) {
      return { run: `node ${scripts}/next-action.cjs ${at}` };
    }
    const step = await follow(seen);
    if (isBegun || !sent(1)(seen)) return step;
    isBegun = true;
    return begin.shift() ?? step;
  };
}
