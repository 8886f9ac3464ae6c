import assert from "node:assert/strict";
import { it } from "node:test";
import { inOrder } from "./scripted-model.ts";
import { describeClients } from "./stage.ts";

await describeClients("Gemini CLI", (onStage) => {
  it(
    "offers the skill to its model and loads it by activate_skill",
    onStage(async (stage) => {
      stage.addSkill("gemini", "consulta");
      const script = inOrder({ activate: "consulta" }, { say: "Loaded." });
      const model = await stage.model("gemini", script);
      const ran = await stage.gemini("Ask a second agent", "--approval-mode", "yolo");
      stage.checkEndedWell(ran);
      const [first, second] = model.turns();
      assert.match(first?.context ?? "", /<name>consulta<\/name>/);
      assert.match(second?.latest ?? "", /<activated_skill[\s\S]*You and a peer \(another/);
    }),
  );

  it(
    "expands /consulta-claude with the user's words",
    onStage(async (stage) => {
      stage.addCommands();
      const model = await stage.model("gemini", inOrder({ say: "Understood." }));
      stage.checkEndedWell(await stage.gemini("/consulta-claude --listen"));
      assert.match(
        model.turns()[0]?.latest ?? "",
        /You are gemini, your peer is claude[\s\S]*<request>\n--listen\n<\/request>/,
      );
    }),
  );
});
