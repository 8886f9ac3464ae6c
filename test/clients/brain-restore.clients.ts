import assert from "node:assert/strict";
import { brain, describeBrain, goesOn, hasBrain, requestsWith, summarizes } from "./brain-stage.ts";
import { until } from "./processes.ts";
import { inOrder, type Mind } from "./scripted-model.ts";
import type { Stage } from "./stage.ts";

const summary = "The user plans the move to the xylophone layout.";
const todo = "Port the gecko importer";

/** Says this, but summarizes when that is asked for. */
function says(text: string): Mind {
  return ({ since }) => ({
    say: summarizes.test(since) ? `<summary>${summary}</summary>` : text,
  });
}

/** Until the brain has the model's last words. */
async function saved(stage: Stage): Promise<void> {
  await until("the hook has started a brain", () => hasBrain(stage));
  for (;;) {
    const { snapshots } = JSON.parse(await brain(stage, "status", "--json"));
    if (snapshots.some(({ holds }: { holds: string[] }) => holds.includes("answer"))) return;
  }
}

await describeBrain("A session that has ended", (play) => {
  play("is restored once, from claude to gemini and back", async ({ stage, node }) => {
    stage.node = node;
    await stage.install();
    const task = { subject: todo, description: todo, activeForm: todo };
    const [first, done] = [
      { call: "TaskCreate", input: task },
      { say: "The quokka lexer is next." },
    ];
    await stage.model("claude", inOrder(first, done));
    stage.checkEndedWell(
      await stage.claude("We call the parser zanzibar", "--allowedTools", "TaskCreate"),
    );
    assert(hasBrain(stage), "the hook has started no brain");

    const others = [{ description: "Cut the ibis release", status: "pending" }];
    const write = { call: "write_todos", input: { todos: others } };
    const four = { say: "Four; then the ocelot index." };
    const gemini = await stage.model("gemini", inOrder(write, four, { say: "Six." }));
    stage.checkEndedWell(await stage.gemini("What is 2 + 2?", "--approval-mode", "yolo"));
    stage.checkEndedWell(await stage.gemini("And 3 + 3?", ...goesOn.gemini));
    const [fresh] = gemini.turns();
    for (const words of [/zanzibar/, /quokka lexer/, /gecko importer/]) {
      assert.match(fresh?.since ?? "", words);
      assert.deepEqual(requestsWith(gemini, words), [0]);
    }
    assert.match(fresh?.since ?? "", /the session before this one [^\n]* from claude/);

    const model = await stage.model("claude", () => ({ say: "I know." }));
    const conversation = stage.conversation();
    await conversation.say("What is 4 + 4?");
    await conversation.say("What is 5 + 5?");
    await conversation.end();
    for (const words of [/3 \+ 3/, /Six\./, /ibis release/]) {
      assert.deepEqual(requestsWith(model, words), [0], String(words));
    }
  });

  play("claude: has its words after a compaction, and after /clear", async ({ stage, node }) => {
    stage.node = node;
    await stage.install();
    const model = await stage.model("claude", says("The quokka lexer is next."));
    const conversation = stage.conversation();
    await conversation.say("We call the parser zanzibar");
    // The hook that saves runs beside the conversation, and this one has no pauses.
    await saved(stage);
    await conversation.say("/compact");
    const compacted = model.turns().length;
    await conversation.say("What is 2 + 2?");
    assert.match(model.turns()[compacted]?.since ?? "", /\[brain [\s\S]*quokka lexer[\s\S]*end\]/);
    await conversation.say("/clear");
    const cleared = model.turns().length;
    await conversation.say("What is 3 + 3?");
    await conversation.say("What is 4 + 4?");
    await conversation.end();
    const given = requestsWith(model, /xylophone layout/).filter((index) => index >= cleared);
    assert.deepEqual(given, [cleared]);
    assert.match(model.turns()[cleared]?.since ?? "", /\[brain [\s\S]*xylophone layout/);
  });
});
