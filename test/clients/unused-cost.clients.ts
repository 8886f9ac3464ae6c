import assert from "node:assert/strict";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { inOrder } from "./scripted-model.ts";
import { describeClients } from "./stage.ts";

/** The first thing that a client tells its model in a project with the whole pack. */
function characters(offers: readonly string[]): number {
  assert.equal(offers.length, skillNames.length, offers.join("\n"));
  return offers.join("").length;
}

await describeClients("The pack, installed and not used", (play) => {
  play("costs the model of Claude Code four short lines", async (stage) => {
    await stage.install();
    const model = await stage.model("claude", inOrder({ say: "Hello." }));
    stage.checkEndedWell(await stage.claude("Hi"));
    const context = model.turns()[0]?.context ?? "";
    const lines = skillNames.flatMap(
      (name) => new RegExp(`^- ${name}: .*$`, "m").exec(context) ?? [],
    );
    assert(characters(lines) <= 600, lines.join("\n"));
    assert.doesNotMatch(context, /consulta-(?:gemini|collaborate|findings|brain)/);
  });

  play("costs the model of Gemini CLI four short descriptions", async (stage) => {
    await stage.install();
    const model = await stage.model("gemini", inOrder({ say: "Hello." }));
    stage.checkEndedWell(await stage.gemini("Hi", "--approval-mode", "yolo"));
    const context = model.turns()[0]?.context ?? "";
    const offers = skillNames.flatMap((name) => {
      const offer = new RegExp(`<name>(${name})</name>\\s*<description>(.*?)</description>`);
      const [, ...texts] = offer.exec(context) ?? [];
      return texts.length === 0 ? [] : [texts.join("")];
    });
    assert(characters(offers) <= 600, offers.join("\n"));
    assert.doesNotMatch(context, /or listen for its messages with --listen/);
  });

  for (const [line, told] of [
    ["/consulta-gemini SQLite or files?", /your peer is `gemini`[\s\S]*SQLite or files\?/],
    ["/consulta-collaborate the sync API", /Use the collaborate skill[\s\S]*the sync API/],
    ["/consulta-findings lost rows", /Use the share-findings skill[\s\S]*lost rows/],
    ["/consulta-memory how do we deploy", /Use the brain skill[\s\S]*how do we deploy/],
  ] as const) {
    play(`expands ${line} in Claude Code all the same`, async (stage) => {
      await stage.install();
      const model = await stage.model("claude", inOrder({ say: "Understood." }));
      stage.checkEndedWell(await stage.claude(line));
      assert.match(model.turns()[0]?.context ?? "", told);
    });
  }
});
