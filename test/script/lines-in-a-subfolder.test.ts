import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { claudeRules } from "../../scripts-src/pack/permission-rules.ts";
import { Machine, repository } from "../install/machine.ts";
import { runTyped } from "../typed-line.ts";

const scripts = ".claude/skills/consulta/scripts";
const rules = claudeRules(["consulta"], [scripts]).flatMap(
  (rule) => /^Bash\((.*)\*\)$/.exec(rule)?.[1] ?? [],
);
/** What no rule allows is asked for everywhere. */
const asked = /(?:consult|decide|step-in)\.cjs/;

/** Claude Code's agent, in a shell that is in a subfolder of the project and goes where it is told. */
class Agent extends Machine {
  readonly subfolder = join(this.project, "packages/an app");
  #folder = this.subfolder;

  constructor() {
    super();
    const skill = join(this.project, ".claude/skills/consulta");
    cpSync(join(repository, "skills/consulta"), skill, { recursive: true });
    mkdirSync(this.subfolder, { recursive: true });
    mkdirSync(join(this.project, ".git"));
  }

  types(line: string, input = ""): string {
    const place = { cwd: this.#folder, env: { ...this.environment, CLAUDECODE: "1" } };
    const { stdout, stderr } =
      input === ""
        ? runTyped(line, place)
        : spawnSync("/bin/bash", ["-c", line], { ...place, encoding: "utf8", input });
    if (line.startsWith("cd ")) this.#folder = this.project;
    return `${stdout}${stderr}`;
  }

  /** Runs a script from the subfolder, by its whole path: nobody printed that. */
  runs(words: string, input = ""): string {
    this.#folder = this.subfolder;
    return this.types(`node ${join(this.project, scripts, words)}`, input);
  }

  opens(): string {
    return this.runs(
      "init.cjs --topic 'A or B?' --session talk --participant claude --participant gemini",
    );
  }

  /** The commands that a text shows: to go to the project's root, and what a rule allows there. */
  allowed(text: string): string[] {
    const found = text.match(/(?:cd \S+ && )?node \S+\.cjs[^\n`"]*/g) ?? [];
    const commands = found.filter((line) => !asked.test(line));
    for (const command of commands) {
      const back = this.#folder === this.project ? "" : `cd ${this.project} && `;
      assert(command.startsWith(back), text);
      const bare = command.slice(back.length);
      assert(
        rules.some((rule) => `${bare} `.startsWith(rule)),
        `no rule allows ${bare}`,
      );
    }
    return commands;
  }

  /** Types the first of them. */
  goesOn(text: string): string {
    const [command] = this.allowed(text);
    assert(command, text);
    return this.types(command);
  }
}

describe("what is printed in a subfolder of the project", () => {
  it("is what the rules allow, from turn to turn", () => {
    const agent = new Agent();
    assert.match(agent.goesOn(agent.opens()), /YOUR TURN/);
    const turn = agent.runs("next-action.cjs --participant claude");
    const [, file = ""] = /^write it to (.+), then run:$/m.exec(turn) ?? [];
    assert.equal(join(file, ".."), join(agent.project, ".consulta/drafts"));
    const question = { content: "A or B?" };
    writeFileSync(file, JSON.stringify({ type: "REQUEST", question_or_proposal: question }));
    const sent = agent.goesOn(turn.slice(turn.indexOf("then run:")));
    assert.match(sent, /appended seq 2/);
    const [wait = ""] = agent.allowed(sent);
    const waited = agent.types(wait.replace("--timeout 240", "--timeout 1"));
    assert.match(waited, /no turn yet/);
    assert.match(agent.goesOn(waited), /--again 3/);
  });

  it("names a folder as it was meant where it was typed", () => {
    const agent = new Agent();
    const terms = "--objective Agree --completion 'It is agreed'";
    const who = "--participant claude --participant gemini";
    const opened = agent.runs(`init.cjs --folder docs/api ${terms} ${who}`);
    assert.match(opened, /--folder 'packages\/an app\/docs\/api'/);
    assert.match(agent.goesOn(opened), /proposal owner: claude/);
    const made = agent.runs("init.cjs 'the board' 2");
    const [register = ""] = made.match(/cd .*register\.cjs .*/) ?? [];
    assert.match(agent.types(register.replace("NAME", "claude")), /Registered: claude/);
  });

  it("is so in what a hook says, and after a mistyped option", () => {
    const agent = new Agent();
    agent.opens();
    writeFileSync(join(agent.project, ".consulta/config.json"), '{"brain": false}');
    const event = { hook_event_name: "SessionStart", source: "startup", session_id: "1" };
    const told = agent.runs(
      "run.cjs hook claude",
      JSON.stringify({ ...event, cwd: agent.subfolder }),
    );
    assert.match(agent.goesOn(told), /session talk: YOUR TURN/);
    assert.match(agent.goesOn(agent.runs("next-action.cjs --sesion talk")), /^Usage: next-action /);
  });

  it("leaves a project of its own below where it is", () => {
    const agent = new Agent();
    mkdirSync(join(agent.subfolder, ".git"));
    assert.match(agent.opens(), /^node \/\S+next-action\.cjs --session talk/m);
  });
});
