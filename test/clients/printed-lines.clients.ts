import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectScripts } from "../../scripts-src/clis/opencode-plugin.ts";
import { stepsOf } from "../skill/skill-text.ts";
import { type ClientName, clientNames } from "./client.ts";
import { Colleague } from "./colleague.ts";
import { narrow } from "./permissions.ts";
import type { Mind, Step } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";
import { colleagueOf, eventsOf } from "./talk.ts";
import { makeVoices, printedIn } from "./voices.ts";

/**
 * The lines of the skill, and those that the scripts print, as a user's client takes them when it may
 * run the scripts, write drafts, and nothing else.
 */
const defaultFolder = ".agents/skills/consulta";
const [begin = { line: "" }] = stepsOf("skills/consulta/SKILL.md");
const words = 'Is `a` $(b) better? It\'s "open".';

/** The skill where `npx skills add` puts it: in one place, with a link for Claude Code. */
function addSkill(stage: Stage): void {
  stage.addSkill("gemini", "consulta");
  const link = join(stage.project, ".claude/skills/consulta");
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync("../../.agents/skills/consulta", link);
}

/** Makes the project a repository, in which the drafts are ignored. */
function addRepository(stage: Stage): void {
  execFileSync("git", ["init", "--quiet", stage.project]);
}

/** The session `talk`, begun by this client, seen by its next-action. */
function opened(client: ClientName, scripts: string): Step[] {
  const names = client === "claude" ? ["claude", "gemini"] : ["gemini", "claude"];
  const who = names.map((name) => `--participant ${name}`).join(" ");
  return [
    { run: `node ${scripts}/init.cjs --topic "A or B?" --session talk ${who}` },
    { run: `node ${scripts}/next-action.cjs --participant ${client}` },
  ];
}

/** Writes the printed draft with these words in it; then `send` types the printed line. */
function draftAndSend(stage: Stage, message: (draft: object) => unknown) {
  let [command, path] = ["", ""];
  const write: Mind = ({ latest }) => {
    const printed = printedIn(latest);
    [command, path] = [printed.command, join(stage.project, printed.file)];
    return { write: path, text: JSON.stringify(message(printed.draft)) };
  };
  const send: Mind = () => ({ run: command });
  return { write, send, path: () => path };
}

const withWords = (draft: object) => ({ ...draft, question_or_proposal: { content: words } });

const refusals = {
  claude: /This command requires approval/,
  gemini: /Tool "run_shell_command" not found/,
};

/** Puts another text into a file with the client's own tool for that. */
function replace(client: ClientName, path: string, old_string: string, new_string: string): Step {
  const input = { file_path: path, old_string, new_string };
  return client === "claude"
    ? { call: "Edit", input }
    : { call: "replace", input: { ...input, instruction: "Mend the type of the message" } };
}

await describeClients("Lines to type", (play) => {
  for (const client of clientNames) {
    play(`find the scripts in ${client} as SKILL.md has them`, async (stage) => {
      addSkill(stage);
      const moves = [{ activate: "consulta" }, { run: begin.line }];
      const [loaded = "", output = ""] = await stage.take(client, narrow[client], moves);
      assert.match(loaded, client === "claude" ? /Launching skill: / : /<activated_skill/);
      assert.match(output, /opened session should-we-store-sessions-in/);
    });

    play(`send a message from ${client} that no command line could hold`, async (stage) => {
      addRepository(stage);
      const scripts = stage.addSkill(client, "consulta");
      const { write, send } = draftAndSend(stage, withWords);
      const moves = [...opened(client, scripts), write, send];
      const sent = (await stage.take(client, narrow[client], moves)).at(-1) ?? "";
      assert.match(sent, /appended seq 2/);
      assert(eventsOf(stage).includes(JSON.stringify(words).slice(1, -1)));
    });

    play(`run in ${client} only with permission, and leave it the turn`, async (stage) => {
      const scripts = stage.addSkill(client, "consulta");
      const [init, look] = opened(client, scripts);
      assert(init && look);
      const [output] = await stage.take(client, [], [init]);
      assert.match(output ?? "", refusals[client]);
      assert(!existsSync(join(stage.project, ".consulta")));
      const colleague = new Colleague(stage, colleagueOf[client], "talk", makeVoices().claude);
      await colleague.opens("A or B?", client);
      const before = eventsOf(stage);
      const [refused] = await stage.take(client, [], [look]);
      assert.match(refused ?? "", refusals[client]);
      assert.equal(eventsOf(stage), before);
      const [permitted] = await stage.take(client, narrow[client], [look]);
      assert.match(permitted ?? "", /session talk: YOUR TURN/);
    });

    play(`send from ${client} what was refused once, when its file is mended`, async (stage) => {
      addRepository(stage);
      const scripts = stage.addSkill(client, "consulta");
      const wrong = (draft: object) => ({ ...draft, type: "GUESS" });
      const { write, send, path } = draftAndSend(stage, wrong);
      const mend: Mind = () => replace(client, path(), "GUESS", "REQUEST");
      const moves = [...opened(client, scripts), write, send, mend, send];
      const told = await stage.take(client, narrow[client], moves);
      const [refused = "", , sent = ""] = told.slice(3);
      assert.match(refused, /GUESS/);
      assert.match(sent, /appended seq 2/);
    });
  }

  play("run in Claude Code after /consulta, wherever the skill lies", async (stage) => {
    stage.addSkill("claude", "consulta");
    const { write, send } = draftAndSend(stage, withWords);
    const first: Mind = ({ context }) => {
      const [, folder = ""] = /Claude Code: `(.+?)`/.exec(context) ?? [];
      assert.match(folder, /^\/.*\.claude\/skills\/consulta$/);
      return { run: begin.line.replace(defaultFolder, folder) };
    };
    const next: Mind = ({ latest }) => ({ run: /next:\n(.+)/.exec(latest)?.[1] ?? "" });
    const moves = [first, next, write, send];
    const told = await stage.take("claude", [], moves, "/consulta A or B?");
    assert.match(told.at(-1) ?? "", /appended seq 2/);
  });

  play("run in Claude Code whose shell is in a subfolder", async (stage) => {
    // Without hooks: nobody waits at the end for the turn of a session that has begun.
    stage.checkEndedWell(await stage.script("install", ["--permissions"]));
    const scripts = join(stage.project, projectScripts);
    const subfolder = join(stage.project, "packages/an app");
    mkdirSync(subfolder, { recursive: true });
    // What a hook tells it there, or a command that its user has allowed once.
    const [begun = "", turn = ""] = opened("claude", scripts).map((step) =>
      execFileSync("/bin/sh", ["-c", "run" in step ? step.run : ""], {
        cwd: subfolder,
        env: { ...stage.environment(), CLAUDECODE: "1" },
        encoding: "utf8",
      }),
    );
    const [, next = ""] = /next:\n(.+)/.exec(begun) ?? [];
    const { file, draft, command } = printedIn(turn);
    const write = { write: file, text: JSON.stringify(withWords(draft)) };
    const leave = { run: "cd 'packages/an app'" };
    const moves = [leave, { run: next }, leave, write, { run: command }];
    const told = await stage.take("claude", [], moves);
    assert.match(told[1] ?? "", /session talk: YOUR TURN/);
    assert.match(told.at(-1) ?? "", /appended seq 2/);
  });

  play("wait in Gemini CLI as long as it takes", async (stage) => {
    const scripts = stage.addSkill("gemini", "consulta");
    const first = { run: `node ${scripts}/wait-for-turn.cjs --participant gemini --timeout 1` };
    const again: Mind = ({ latest }) => ({ run: /next:\n(.+)/.exec(latest)?.[1] ?? "" });
    const waits = [first, again, again, again, again, again];
    const told = await stage.take("gemini", narrow.gemini, waits);
    assert.equal(told.filter((output) => output.includes("no turn yet")).length, 6);
    assert.match(told.at(-1) ?? "", /--again 7/);
  });
});
