import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { type ClientName, clientNames } from "./client.ts";
import { Colleague } from "./colleague.ts";
import { narrow } from "./permissions.ts";
import { describeClients } from "./stage.ts";
import { colleagueOf, eventsOf } from "./talk.ts";
import { makeVoices } from "./voices.ts";

const refusals = {
  claude: /This command requires approval/,
  gemini: /Tool "run_shell_command" not found/,
};

function lines(client: ClientName, scripts: string) {
  const names = client === "claude" ? ["claude", "gemini"] : ["gemini", "claude"];
  const participants = names.map((name) => `--participant ${name}`).join(" ");
  const send = `append-event.cjs --participant ${client} --message .consulta/drafts/1.json`;
  return {
    init: { run: `node ${scripts}/init.cjs --topic 'A or B?' --session talk ${participants}` },
    send: { run: `node ${scripts}/${send}` },
  };
}

const message = {
  type: "REQUEST",
  question_or_proposal: { content: 'Is `a` $(b) better? It\'s "open".' },
};

await describeClients("Permission to run the scripts of the skill", (onStage) => {
  for (const client of clientNames) {
    const flags = narrow[client];

    it(
      `lets ${client} send a message from a file with ${flags.join(" ")}`,
      onStage(async (stage) => {
        const { init, send } = lines(client, stage.addSkill(client, "consulta"));
        const draft = join(stage.project, ".consulta/drafts/1.json");
        const write = { write: draft, text: JSON.stringify(message) };
        const [opened, , sent] = await stage.take(client, flags, [init, write, send]);
        assert.match(opened ?? "", /opened session talk/);
        assert.match(sent ?? "", /appended seq 2/);
      }),
    );

    it(
      `lets ${client} run nothing when it is not given`,
      onStage(async (stage) => {
        const { init } = lines(client, stage.addSkill(client, "consulta"));
        const [output] = await stage.take(client, [], [init]);
        assert.match(output ?? "", refusals[client]);
        assert(!existsSync(join(stage.project, ".consulta")));
      }),
    );

    it(
      `leaves ${client} its turn when it may not take it, and lets it take it later`,
      onStage(async (stage) => {
        const scripts = stage.addSkill(client, "consulta");
        const colleague = new Colleague(stage, colleagueOf[client], "talk", makeVoices().claude);
        await colleague.opens("A or B?", client);
        const before = eventsOf(stage);
        const look = { run: `node ${scripts}/next-action.cjs --participant ${client}` };
        const [refused] = await stage.take(client, [], [look]);
        assert.match(refused ?? "", refusals[client]);
        assert.equal(eventsOf(stage), before);
        const [permitted] = await stage.take(client, flags, [look]);
        assert.match(permitted ?? "", /session talk: YOUR TURN/);
      }),
    );
  }
});
