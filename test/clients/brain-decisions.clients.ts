import assert from "node:assert/strict";
import { addMemories, describeBrain, requestsWith } from "./brain-stage.ts";
import { clientNames } from "./client.ts";
import { Colleague } from "./colleague.ts";
import type { Stage } from "./stage.ts";
import { makeVoices } from "./voices.ts";

const topic = "SQLite or files for the sessions?";
/** What fills the draft of the consensus. */
const decision =
  /\[brain [^\n]*memory "consulta\/talk[^\n]*from consulta[\s\S]*Nobody searches them/;

/** A dialogue of five messages that ends with a decision. */
async function decide(stage: Stage): Promise<void> {
  const voices = makeVoices();
  const asker = new Colleague(stage, "claude", "talk", voices.claude);
  const answerer = new Colleague(stage, "gemini", "talk", voices.gemini);
  await asker.opens(topic, "gemini");
  for (const who of [answerer, asker, answerer, asker]) await who.answers();
}

await describeBrain("What a dialogue has decided", (play) => {
  play("is given to either client as the subject comes up, and named", async ({ stage, node }) => {
    stage.node = node;
    await stage.install();
    await decide(stage);
    await addMemories(stage);
    for (const client of clientNames) {
      const model = await stage.model(client, () => ({ say: "Files, then." }));
      stage.checkEndedWell(await stage[client]("Do we keep sessions in SQLite or in files?"));
      assert.deepEqual(requestsWith(model, decision), [0], client);
    }
    const again = ["--topic", topic, "--session", "again"];
    const names = clientNames.flatMap((name) => ["--participant", name]);
    await stage.script("init", [...again, ...names]);
    const { stdout } = await stage.script("next-action", ["--participant", "claude"]);
    assert.match(stdout, /earlier decision[\s\S]*Nobody searches them/);
  });
});
