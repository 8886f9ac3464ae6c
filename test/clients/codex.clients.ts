import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Colleague } from "./colleague.ts";
import { follows } from "./follow.ts";
import { besides, copyPack, run } from "./pack.ts";
import { inOrder } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import { asksToBegin, eventsOf, sent } from "./talk.ts";
import { makeVoices } from "./voices.ts";

/** What a person does once with /hooks, for a run that nobody is at. */
const trusted = "--dangerously-bypass-hook-trust";

function opening(scripts: string): string {
  const names = "--participant codex --participant claude";
  return `node ${scripts}/init.cjs --topic 'SQLite or files?' --session talk ${names}`;
}

/** Codex counts as its project the folder with .git, else the one in which it was started. */
async function installed(stage: Stage): Promise<string> {
  mkdirSync(join(stage.project, ".git"));
  return stage.install();
}

await describeClients(
  "Codex, headless",
  (play) => {
    play("waits when its turn ends, in its sandbox, and goes on to the report", async (stage) => {
      const begin = opening(await installed(stage));
      const voices = makeVoices();
      const model = await stage.model("codex", follows({ begin, voice: voices.claude }));
      const colleague = new Colleague(stage, "claude", "talk", voices.gemini);
      const ran = stage.codex(`${asksToBegin}: SQLite or files?`, trusted);
      await Promise.race([model.until("after the question", sent(1)), ran]);
      await colleague.answers();
      await Promise.race([model.until("after the answer", sent(2)), ran]);
      await colleague.answers();
      const ended = await ran;
      stage.checkEndedWell(ended);
      assert.match(ended.stdout, /CONSENSUS/);
      assert.match(eventsOf(stage), /"from":"codex"/);
    });

    play("is told in a fresh conversation what is open", async (stage) => {
      await installed(stage);
      const colleague = new Colleague(stage, "claude", "talk", makeVoices().claude);
      await colleague.opens("SQLite or files?", "codex");
      const model = await stage.model("codex", () => ({ say: "Seen." }));
      stage.checkEndedWell(await stage.codex("What is 2 + 2?", trusted));
      const told = /session talk .*Run: node \S*next-action\.cjs/;
      assert.match(model.turns()[0]?.since ?? "", told);
    });

    play("runs no hook that was not trusted, and doctor says so", async (stage) => {
      await installed(stage);
      const colleague = new Colleague(stage, "claude", "talk", makeVoices().claude);
      await colleague.opens("SQLite or files?", "codex");
      const model = await stage.model("codex", () => ({ say: "Four." }));
      stage.checkEndedWell(await stage.codex("What is 2 + 2?"));
      assert.doesNotMatch(model.turns()[0]?.context ?? "", /Consulta: /);
      const { stdout } = await stage.script("doctor", []);
      assert.match(
        stdout,
        /^FIX {2}Codex does not trust these hooks of ours, .*: .*stop.* -> codex, in .*\/hooks/m,
      );
    });

    play("finds skills and hooks of the plugin", async (stage) => {
      const pack = copyPack(besides(stage));
      await run(stage, "codex", "plugin", "marketplace", "add", pack);
      await run(stage, "codex", "plugin", "add", "consulta@consulta");
      const { version } = JSON.parse(readFileSync("package.json", "utf8"));
      const home = stage.environment()["HOME"] ?? "";
      const scripts = join(
        home,
        ".codex/plugins/cache/consulta/consulta",
        version,
        "consulta/scripts",
      );
      const colleague = new Colleague(stage, "claude", "talk", makeVoices().claude);
      await colleague.opens("SQLite or files?", "codex");
      const ask = { run: `node ${scripts}/status.cjs` };
      const model = await stage.model("codex", inOrder(ask, { say: "Done." }));
      stage.checkEndedWell(await stage.codex("Where does it stand?", trusted));
      const [first, second] = model.turns();
      assert.match(first?.context ?? "", /consulta:consulta/);
      assert.match(first?.since ?? "", /session talk .*Run: node \S*next-action\.cjs/);
      assert.match(second?.latest ?? "", /talk: dialogue/);
      const { stdout } = await stage.script("doctor", []);
      assert.match(stdout, /plugin of Codex: consulta \d/);
    });
  },
  () => undefined,
  ["codex"],
);
