import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe } from "node:test";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { filesBelow } from "../../scripts-src/pack/pack.ts";
import { type ClientName, clientNames, runProgram } from "./client.ts";
import { Colleague } from "./colleague.ts";
import { findSkillsInstaller, type SkillsInstaller, skillsInstallers } from "./install-clients.ts";
import { besides, copyExtension, copyPack, publishPack, run } from "./pack.ts";
import { narrow } from "./permissions.ts";
import { inOrder, type Step } from "./scripted-model.ts";
import { describeClients, type Stage, skillFolders } from "./stage.ts";
import { makeVoices } from "./voices.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

/** The client finds the skill, loads it, and runs a script of it for its model. */
async function usesSkill(
  stage: Stage,
  client: ClientName,
  scripts: string,
  skill = "consulta",
): Promise<void> {
  const load: Step[] = client === "gemini" ? [{ activate: "consulta" }] : [];
  const ask = { run: `node ${scripts}/status.cjs --help` };
  const model = await stage.model(client, inOrder(...load, ask, { say: "Done." }));
  const prompt = client === "claude" ? `/${skill} SQLite or files?` : "Ask a second agent";
  stage.checkEndedWell(await stage[client](prompt, ...permitted[client]));
  const turns = model.turns();
  assert.match(turns.at(-2)?.context ?? "", /You and a peer \(another AI CLI/);
  assert.match(turns.at(-1)?.latest ?? "", /List the workspace's sessions/);
}

/** Gemini CLI asks before it loads a skill, too. */
const permitted = {
  claude: narrow.claude,
  gemini: [
    "--approval-mode",
    "auto_edit",
    "--allowed-tools",
    "run_shell_command(node),activate_skill",
  ],
};

/** The model gets each sign that was typed: Gemini CLI would change some in place of `{{args}}`. */
async function expandsCommand(stage: Stage, client: ClientName, command: string): Promise<void> {
  const question = "SQLite or files?\n  At most $$5 for both,  and $& stays.";
  const model = await stage.model(client, inOrder({ say: "Understood." }));
  stage.checkEndedWell(await stage[client](`/${command} ${question}`));
  const typed = {
    claude: `<request>\n${question}\n</request>`,
    gemini: `\n\n/${command} ${question}`,
  }[client];
  const context = model.turns()[0]?.context ?? "";
  assert(context.includes(typed), context.slice(-3_000));
}

/** A conversation begins with what is open, which only a hook can have told. */
async function firesHooks(stage: Stage, client: ClientName, session = "talk"): Promise<void> {
  const other = client === "claude" ? "gemini" : "claude";
  const colleague = new Colleague(stage, other, session, makeVoices().claude);
  await colleague.opens("SQLite or files?", client);
  const model = await stage.model(client, inOrder({ say: "Seen." }));
  const ran = await stage[client]("What is 2 + 2?");
  stage.checkEndedWell(ran);
  const told = new RegExp(`session ${session} .*next-action\\.cjs`);
  assert.match(model.turns()[0]?.context ?? "", told);
  assert.doesNotMatch(ran.stderr, /Invalid hook|hook .*(?:failed|error)/i);
}

await describeClients("install", (play) => {
  play("puts skills, slash commands and hooks into a project for both clients", async (stage) => {
    stage.checkEndedWell(await stage.script("install", ["--hooks"]));
    await expandsCommand(stage, "claude", "consulta-gemini");
    for (const client of clientNames) {
      await usesSkill(stage, client, projectScripts);
      await firesHooks(stage, client, `talk-${client}`);
    }
  });
});

await describeClients("The plugin of Claude Code", (play) => {
  play("brings skill, slash commands and hooks", async (stage) => {
    const pack = copyPack(besides(stage));
    await run(stage, "claude", "plugin", "marketplace", "add", pack);
    await run(stage, "claude", "plugin", "install", "consulta@consulta");
    await expandsCommand(stage, "claude", "consulta:consulta-gemini");
    const home = stage.environment()["HOME"] ?? "";
    const plugin = join(home, ".claude/plugins/cache/consulta/consulta", version);
    assert.deepEqual(filesBelow(plugin), filesBelow(join(pack, "skills")));
    // A marketplace that is a folder is used in place.
    await usesSkill(stage, "claude", join(pack, "skills/consulta/scripts"), "consulta:consulta");
    await firesHooks(stage, "claude");
    const { stdout } = await stage.script("doctor", []);
    assert.match(stdout, /plugin of Claude Code: consulta \d/);
    assert.match(stdout, /hooks of Claude Code: set up, from (?:the )?plugin/);
  });

  play("is valid", async (stage) => {
    const pack = copyPack(besides(stage));
    const skills = join(pack, "skills");
    const { stdout } = await run(stage, "claude", "plugin", "validate", "--json", skills);
    const { success, manifest, contents } = JSON.parse(stdout);
    assert.equal(success, true);
    const told = [manifest, ...contents].flatMap(({ errors, warnings }) => [
      ...errors,
      ...warnings,
    ]);
    assert.deepEqual(told, []);
  });
});

await describeClients("The extension of Gemini CLI", (play) => {
  play("brings skill, slash commands and hooks", async (stage) => {
    const pack = copyExtension(besides(stage));
    await run(stage, "gemini", "extensions", "validate", pack);
    await run(stage, "gemini", "extensions", "install", pack, "--consent");
    const home = stage.environment()["HOME"] ?? "";
    const extension = join(home, ".gemini/extensions/consulta");
    const own = filesBelow(extension).filter((path) => !path.startsWith(".gemini-extension"));
    assert.deepEqual(own, filesBelow(pack));
    const scripts = join(extension, "skills/consulta/scripts");
    await expandsCommand(stage, "gemini", "consulta-claude");
    await usesSkill(stage, "gemini", scripts);
    await firesHooks(stage, "gemini");
    const { stdout } = await stage.script("doctor", []);
    assert.match(stdout, /extension of Gemini CLI: consulta \d/);
    assert.match(stdout, /hooks of Gemini CLI: set up, from (?:the )?extension/);
  });
});

for (const it of skillsInstallers) await describeInstaller(it);

async function describeInstaller({ version, node }: SkillsInstaller): Promise<void> {
  const installer = await findSkillsInstaller({ version, node });
  if ("missing" in installer) {
    console.error(`\n*** SKIPPED: npx skills ${version}: ${installer.missing} ***\n`);
    describe(`npx skills ${version}`, { skip: installer.missing });
    return;
  }
  const { bin } = installer;
  const skills = async (stage: Stage, ...words: string[]) => {
    const env = stage.environment();
    const path = [bin, env["PATH"]].join(delimiter);
    const own = { ...env, PATH: path, DISABLE_TELEMETRY: "1", CI: "1" };
    const ran = await runProgram(join(bin, "skills"), words, stage.project, own);
    assert.equal(ran.exitCode, 0, `${ran.stdout}\n${ran.stderr}`);
  };
  const agents = ["-a", "claude-code", "gemini-cli", "codex"];
  await describeClients(`npx skills ${version}`, (play) => {
    const pack = filesBelow("skills/consulta");
    const installed = (stage: Stage) => filesBelow(join(stage.project, ".agents/skills/consulta"));

    play("installs from a local path what both clients find and run", async (stage) => {
      await skills(stage, "add", copyPack(besides(stage)), "-y", ...agents);
      assert.deepEqual(installed(stage), pack);
      assert(lstatSync(join(stage.project, ".claude/skills/consulta")).isSymbolicLink());
      assert(!existsSync(join(stage.project, ".claude/commands")));
      for (const client of clientNames) {
        await usesSkill(stage, client, `${skillFolders[client]}/consulta/scripts`);
      }
      const { stdout } = await stage.script("doctor", []);
      assert.match(stdout, /\.agents\/skills\/share-findings in this project: consulta \d/);
    });

    play("installs the same from a repository, and updates it", async (stage) => {
      await skills(stage, "add", publishPack(besides(stage)), "-y", ...agents);
      assert.deepEqual(installed(stage), pack);
      const scripts = ".agents/skills/consulta/scripts";
      writeFileSync(join(stage.project, scripts, "left-over.txt"), "");
      const colleague = new Colleague(stage, "gemini", "talk", makeVoices().claude);
      mkdirSync(join(stage.project, ".git"));
      await colleague.opens("SQLite or files?", "claude");
      await skills(stage, "update", "-y", "-p");
      const status = await run(stage, process.execPath, `${scripts}/status.cjs`);
      assert.match(status.stdout, /talk: dialogue/);
    });
  });
}
