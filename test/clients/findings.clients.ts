import assert from "node:assert/strict";
import { join } from "node:path";
import { clientNames } from "./client.ts";
import { narrow } from "./permissions.ts";
import { inOrder } from "./scripted-model.ts";
import { describeClients } from "./stage.ts";

const titles = { claude: "A blank line ends the import", gemini: "Partner B has none" };

/** With backticks, which Gemini CLI takes in a file only. */
function reportOn(title: string): string {
  return [
    `# ${title}`,
    "## Working Directories",
    "- . -- the project",
    "## Files Modified",
    "- none",
    "## Files Investigated (not modified)",
    "- `shop: src/parse.ts` -- the loop that reads rows",
    "## Summary",
    `${title}, as far as I saw.`,
  ].join("\n");
}

/** The steps of the skill for one agent; its last words are what the others titles. */
function shares(project: string, scripts: string, board: string, name: string, title: string) {
  const file = `.consulta/drafts/${name}-1.md`;
  const script = (words: string) => ({ run: `node ${scripts}/${words}` });
  return inOrder(
    script(`register.cjs ${board} ${name}`),
    { write: join(project, file), text: `${reportOn(title)}\n` },
    script(`post.cjs ${board} ${name} '${title}' --file ${file}`),
    script(`ready.cjs ${board} ${name} --strict`),
    script(`poll.cjs ${board} ${name} --wait --timeout 60`),
    script(`read-all.cjs ${board} ${name}`),
    ({ latest }) => ({ say: latest }),
  );
}

await describeClients("A findings board of Claude Code and Gemini CLI", (play) => {
  play("gives each what the other has found", async (stage) => {
    const board = join(stage.project, "..", "board");
    const scripts = {
      claude: stage.addSkill("claude", "share-findings"),
      gemini: stage.addSkill("gemini", "share-findings"),
    };
    const { project } = stage;
    // A board lies outside of the project, so its user makes it, or is asked.
    const about = ["--about", "The nightly import loses rows"];
    stage.checkEndedWell(await stage.script("init", [board, "2", "900", ...about]));
    await stage.model("claude", shares(project, scripts.claude, board, "alice", titles.claude));
    await stage.model("gemini", shares(project, scripts.gemini, board, "bob", titles.gemini));
    const [alice, bob] = await Promise.all([
      // What the skill itself permits is enough.
      stage.claude("/share-findings with 2 agents"),
      stage.gemini("Share your findings", ...narrow.gemini),
    ]);
    for (const ran of [alice, bob]) stage.checkEndedWell(ran);
    assert.match(alice.stdout, new RegExp(titles.gemini));
    assert.match(bob.stdout, new RegExp(titles.claude));
  });

  play("takes both headless to the report by consult", async (stage) => {
    for (const client of clientNames) {
      const report = `\`\`\`\`markdown\n${reportOn(titles[client])}\n\`\`\`\``;
      await stage.model(client, inOrder({ say: `I looked.\n\n${report}` }));
    }
    const who = ["--kind", "findings", "--participants", "alice=claude,bob=gemini"];
    const ran = await stage.script("consult", [...who, "Where are rows lost?"]);
    stage.checkEndedWell(ran);
    for (const title of Object.values(titles)) assert.match(ran.stdout, new RegExp(title));
  });
});
