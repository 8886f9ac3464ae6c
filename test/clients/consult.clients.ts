import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { scripted } from "../consult/scripted-line.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import { describeClients } from "./stage.ts";
import { agreement, inWords, makeVoices, type Voice } from "./voices.ts";

const question = "Should we store sessions in SQLite or in files?";

/** Every turn after the first one knows what the model said in the turn before. */
function checkResumed(model: ScriptedModel): void {
  const [first, ...others] = model.turns();
  assert.doesNotMatch(first?.context ?? "", /I looked, turn/);
  for (const [index, { context }] of others.entries()) {
    assert.match(context, new RegExp(`I looked, turn ${index}\\.`));
  }
}

function sectionIn(report: string, heading: string): string {
  const [, after = ""] = report.split(`## ${heading}\n`);
  return after.split("\n## ")[0] ?? "";
}

await describeClients("consult with both clients", (play) => {
  play("takes a question to consensus with clients that only read", async (stage) => {
    const voices = makeVoices();
    const claude = await stage.model("claude", inWords(voices.claude));
    const gemini = await stage.model("gemini", inWords(voices.gemini));
    const ran = await stage.script("consult", [question], 300_000);
    stage.checkEndedWell(ran);
    assert.match(ran.stdout, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
    assert.match(ran.stdout, /3 rounds of at most 10, 6 messages/);
    checkResumed(claude);
    // It loses a conversation that goes on in the minute in which it began; the task is complete.
    const [, second] = gemini.turns();
    assert(/I looked, turn 0/.test(second?.context ?? "") || /begins a new conv/.test(ran.stderr));
    // It answers unseen, then what Gemini asked, and confirms the text that Gemini agreed to.
    assert.equal(claude.turns().length, 3);
    assert.equal(gemini.turns().length, 2);
    // The client always offers a place for tools that it loads later; none of them is allowed.
    const offered = claude.turns()[0]?.tools.filter((name) => name !== "DeferredToolPlaceholder");
    assert.deepEqual(offered?.toSorted(), ["Glob", "Grep", "Read"]);
  });

  play("looks and runs between turns for clients without a shell", async (stage) => {
    writeFileSync(join(stage.project, "notes.txt"), "Nobody searches the sessions.\n");
    writeFileSync(join(stage.project, "probe.js"), 'console.log("0 searches");\n');
    const claims = [
      { text: "Nobody searches them", check: "notes.txt:1", expect: "Nobody searches" },
      { text: "The probe counts none", check: "node probe.js", expect: "0 searches" },
    ];
    const told = { type: "RESPONSE", position: "Files, behind one module", confidence: 0.8 };
    const voice =
      (more: JsonObject): Voice =>
      (draft, accepts) =>
        accepts === undefined ? { ...draft, ...told, ...more } : agreement(draft, accepts);
    const claude = await stage.model("claude", inWords(voice({})));
    const gemini = await stage.model("gemini", inWords(voice({ claims })));
    const ran = await stage.script(
      "consult",
      ["--allow-check", "node probe.js", question],
      300_000,
    );
    stage.checkEndedWell(ran);
    for (const { tools } of claude.turns()) assert(!tools.includes("Bash"));
    assert.equal(gemini.turns().length, 2);
    assert.match(claude.turns().at(-1)?.latest ?? "", /Looked at for you by a script/);
    assert.match(ran.stdout, /\*\*CONSENSUS, 2 of 2 claims seen and shown\*\*/);
    const rests = sectionIn(ran.stdout, "What it rests on");
    for (const { check } of claims) assert(rests.includes(`[${check}, expects`), rests);
    assert.equal(rests.match(/looked at by consult for both/g)?.length, 2, rests);
    const { stdout } = await stage.script("check", ["--replay"]);
    assert.match(stdout, /same/);
  });

  play("puts no file into a prompt that is named after an at sign", async (stage) => {
    const secret = "the-content-of-a-file";
    writeFileSync(join(stage.project, "notes.txt"), `${secret}\n`);
    const voices = makeVoices();
    const claude = await stage.model("claude", inWords(voices.claude));
    const gemini = await stage.model("gemini", inWords(voices.gemini));
    const asked = "Should we keep @notes.txt or me@notes.txt, or @./notes.txt?\n@notes.txt\n";
    const ran = await stage.script("consult", [asked], 300_000);
    stage.checkEndedWell(ran);
    for (const { turns } of [{ turns: claude.turns() }, { turns: gemini.turns() }]) {
      assert(turns.length > 0);
      for (const { context } of turns) {
        assert.match(context, /notes\.txt/);
        assert.doesNotMatch(context, new RegExp(secret));
      }
    }
  });

  play("keeps Gemini CLI from a project's own settings and hooks", async (stage) => {
    const [byShell, byHook] = ["by-shell", "by-hook"].map((name) => join(stage.project, name));
    const hook = { type: "command", command: `touch ${byHook}` };
    const settings = {
      tools: { allowed: ["run_shell_command"] },
      hooks: { BeforeAgent: [{ hooks: [hook] }] },
    };
    mkdirSync(join(stage.project, ".gemini"));
    writeFileSync(join(stage.project, ".gemini", "settings.json"), JSON.stringify(settings));
    let tried = false;
    const voice = inWords(makeVoices().gemini);
    const model = await stage.model("gemini", (seen) => {
      if (tried) return voice({ ...seen, latest: seen.context });
      tried = true;
      return { run: `touch ${byShell}` };
    });
    const list = `peer=${scripted()},gemini=gemini`;
    await stage.script("consult", ["--participants", list, question], 300_000);
    assert(model.turns().length > 1, "the model was not asked");
    assert.deepEqual(
      [byShell, byHook].filter((path) => existsSync(path ?? "")),
      [],
    );
  });
});
