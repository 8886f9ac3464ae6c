import assert from "node:assert/strict";
import { addMemories, brainLine, describeBrain, goesOn, requestsWith } from "./brain-stage.ts";
import { type ClientName, clientNames } from "./client.ts";
import { narrow } from "./permissions.ts";
import type { Stage } from "./stage.ts";
import { colleagueOf } from "./talk.ts";

const memory =
  "Releases of the billing service go through the quetzal pipeline, never on a Friday.";
const store = `store billing/release '${memory}'`;
const offTopic = "Rename the variable counter in the parser";
const onTopic = "How do I release the billing service?";

/** A conversation in three prompts. */
async function converse(stage: Stage, client: ClientName): Promise<void> {
  if (client === "gemini") {
    stage.checkEndedWell(await stage.gemini(offTopic));
    stage.checkEndedWell(await stage.gemini(onTopic, ...goesOn.gemini));
    stage.checkEndedWell(await stage.gemini(onTopic, ...goesOn.gemini));
    return;
  }
  const conversation = stage.conversation();
  for (const prompt of [offTopic, onTopic, onTopic]) await conversation.say(prompt);
  await conversation.end();
}

await describeBrain("A memory that one client's model stores", (play) => {
  for (const client of clientNames) {
    const other = colleagueOf[client];
    play(
      `${client}: is given to ${other} as its subject comes up, once`,
      async ({ stage, node }) => {
        stage.node = node;
        await stage.install();
        const steps = [{ run: brainLine(store) }];
        const flags = narrow[client];
        const [printed = ""] = await stage.take(client, flags, steps, "Keep what I told you");
        assert.match(printed, /stored "billing\/release" \(new\)/);
        await addMemories(stage);
        const model = await stage.model(other, () => ({ say: "I see." }));
        await converse(stage, other);
        assert.deepEqual(requestsWith(model, /quetzal/), [1]);
        const given = new RegExp(`memory "billing/release" from ${client}[^\\n]*quoted data`);
        assert.match(model.turns()[1]?.since ?? "", given);
      },
    );
  }
});
