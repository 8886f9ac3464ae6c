import assert from "node:assert/strict";
import type { Ran } from "./client.ts";
import { narrow } from "./permissions.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import { escalating, inCommands, makeVoices, type Voice } from "./voices.ts";

interface Played {
  readonly runs: readonly Ran[];
  readonly claude: ScriptedModel;
  readonly gemini: ScriptedModel;
}

/**
 * Both clients at once, each by its slash command and permitted no more than it needs; their models
 * type what the scripts print.
 */
async function talk(stage: Stage, voices: { claude: Voice; gemini: Voice }): Promise<Played> {
  stage.addCommands();
  const own = stage.addSkill("claude", "consulta");
  const names = "--participant claude --participant gemini";
  const ask = `node ${own}/init.cjs --topic 'SQLite or files?' --session talk ${names}`;
  const others = stage.addSkill("gemini", "consulta");
  const listen = `node ${others}/wait-for-turn.cjs --participant gemini --timeout 60`;
  const claude = await stage.model("claude", inCommands(ask, voices.claude, stage.project));
  const gemini = await stage.model("gemini", inCommands(listen, voices.gemini, stage.project));
  const runs = await Promise.all([
    // What the slash command itself permits is enough.
    stage.claude("/consulta-gemini SQLite or files?"),
    stage.gemini("/consulta-claude --listen", ...narrow.gemini),
  ]);
  for (const ran of runs) stage.checkEndedWell(ran);
  assert.match(claude.turns()[0]?.context ?? "", /You are `claude`, your peer is `gemini`/);
  assert.match(gemini.turns()[0]?.latest ?? "", /You are gemini, your peer is claude/);
  return { runs, claude, gemini };
}

await describeClients("A dialogue between Claude Code and Gemini CLI", (play) => {
  play("reaches consensus and the report by the commands that the scripts print", async (stage) => {
    const { runs, claude, gemini } = await talk(stage, makeVoices());
    for (const { stdout } of runs) {
      assert.match(stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
      assert.match(stdout, /3 rounds of at most 10, 5 messages/);
    }
    assert.deepEqual([claude.turns().length, gemini.turns().length], [12, 9]);
  });

  play("ends with the user's decision when a side escalates", async (stage) => {
    const { runs } = await talk(stage, { ...makeVoices(), gemini: escalating });
    for (const { stdout } of runs) {
      assert.match(stdout, /ESCALATED: user_decision \(\\{0,2}"May this cost money\?/);
    }
  });
});
