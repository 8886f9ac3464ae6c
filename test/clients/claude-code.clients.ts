import assert from "node:assert/strict";
import { it } from "node:test";
import { inOrder } from "./scripted-model.ts";
import { describeClients } from "./stage.ts";

await describeClients("Claude Code", (onStage) => {
  it(
    "offers the skill to its model",
    onStage(async (stage) => {
      stage.addSkill("claude", "consulta");
      const model = await stage.model("claude", inOrder({ say: "Hello." }));
      stage.checkEndedWell(await stage.claude("Hi"));
      assert.match(
        model.turns()[0]?.context ?? "",
        /consulta: Settle a question with another AI agent/,
      );
    }),
  );

  it(
    "loads the skill that its model asks for",
    onStage(async (stage) => {
      stage.addSkill("claude", "consulta");
      const model = await stage.model(
        "claude",
        inOrder({ activate: "consulta" }, { say: "Loaded." }),
      );
      const flags = ["--allowedTools", "Skill(consulta)"];
      stage.checkEndedWell(await stage.claude("Ask a second agent", ...flags));
      assert.match(model.turns()[1]?.context ?? "", /You and a peer \(another AI CLI/);
    }),
  );

  it(
    "loads the skill for /consulta with the user's words",
    onStage(async (stage) => {
      stage.addSkill("claude", "consulta");
      const model = await stage.model("claude", inOrder({ say: "Loaded." }));
      stage.checkEndedWell(await stage.claude("/consulta SQLite or files?"));
      const context = model.turns()[0]?.context ?? "";
      assert.match(context, /You and a peer \(another AI CLI/);
      assert.match(context, /SQLite or files\?/);
      assert.match(context, /Base directory for this skill: .*\.claude\/skills\/consulta/);
    }),
  );

  it(
    "expands /consulta-gemini with the user's words",
    onStage(async (stage) => {
      stage.addCommands();
      const model = await stage.model("claude", inOrder({ say: "Understood." }));
      stage.checkEndedWell(await stage.claude("/consulta-gemini SQLite or files?"));
      assert.match(
        model.turns()[0]?.context ?? "",
        /You are `claude`, your peer is `gemini`[\s\S]*<request>\nSQLite or files\?\n<\/request>/,
      );
    }),
  );
});
