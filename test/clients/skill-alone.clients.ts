import assert from "node:assert/strict";
import { join } from "node:path";
import type { SkillName } from "../../scripts-src/clis/skill-names.ts";
import { stepsOf, type Step as Typed } from "../skill/skill-text.ts";
import { describeBrain } from "./brain-stage.ts";
import { type ClientName, clientNames } from "./client.ts";
import { narrow } from "./permissions.ts";
import type { Mind, Step } from "./scripted-model.ts";
import { describeClients, type Stage } from "./stage.ts";

/** Costs money, deletes, or makes a folder outside of the project: its user is asked, and it is not run here. */
const asksItsUser = /\/consult\.cjs|\/init\.cjs ~\/boards|brain\.cjs (?:forget|process|search)/;

/** What a client says instead of running a command, and a script that rejects it. */
const rejected = /requires approval|blocked by policy|not permitted|permission to|^error: /im;

/** What a model types that has read nothing but this SKILL.md, in its order. */
function typedFrom(skill: SkillName): Typed[] {
  const steps = stepsOf(`skills/${skill}/SKILL.md`);
  assert(steps.length >= 3, `${skill} has only ${steps.length} commands`);
  return steps.filter(({ line }) => !asksItsUser.test(line));
}

/** Claude Code is told where the skill lies; nobody waits for a peer here. */
function movesFor(stage: Stage, client: ClientName, skill: SkillName): (Step | Mind)[] {
  // The texts name the one place that a project has for all skills, and what to put for it.
  let folder = `.agents/skills/${skill}`;
  const begin: Mind[] = client === "gemini" ? [() => ({ activate: skill })] : [];
  const steps = typedFrom(skill).flatMap(({ line, files }): Mind[] => [
    ...files.map(
      ([path, text]): Mind =>
        () => ({ write: join(stage.project, path), text }),
    ),
    ({ context }) => {
      const [, own] = /Claude Code: `(\/.+?)`/.exec(context) ?? [];
      if (client === "claude" && own !== undefined) folder = own;
      const command = line.replaceAll(".agents/skills/consulta", folder);
      return { run: command.replace("--timeout 240", "--timeout 1") };
    },
  ]);
  return [...begin, ...steps];
}

async function followsAlone(stage: Stage, client: ClientName, skill: SkillName): Promise<string[]> {
  stage.addSkill(client, skill);
  const flags = client === "claude" ? [] : narrow.gemini;
  const prompt = client === "claude" ? `/${skill} Begin` : "Begin";
  const told = await stage.take(client, flags, movesFor(stage, client, skill), prompt);
  for (const text of told) assert.doesNotMatch(text, rejected);
  return told;
}

const works: Readonly<Record<Exclude<SkillName, "brain">, RegExp>> = {
  consulta: /opened session [\s\S]*session should-we-store-sessions-in: /,
  collaborate: /Initialized[\s\S]*appended seq 2: proposal_submitted[\s\S]*validation passed/,
  "share-findings": /Registered: alice \(1\/1 agents\)[\s\S]*01-blank-line[\s\S]*all-ready/,
};

await describeClients("A model that was given one SKILL.md and nothing else", (play) => {
  for (const [skill, said] of Object.entries(works))
    for (const client of clientNames)
      play(`does every step of ${skill} in ${client}, none rejected`, async (stage) => {
        const name = skill === "consulta" || skill === "collaborate" ? skill : "share-findings";
        const board = join(stage.environment()["HOME"] ?? "", "boards/lost-rows");
        if (name === "share-findings")
          stage.checkEndedWell(await stage.script("init", [board, "1", "900"]));
        assert.match((await followsAlone(stage, client, name)).join("\n"), said);
      });
});

await describeBrain("A model that was given the SKILL.md of the memory alone", (play) => {
  for (const client of clientNames)
    play(`does every step in ${client}, and no command is rejected`, async ({ stage, node }) => {
      stage.node = node;
      const told = (await followsAlone(stage, client, "brain")).join("\n");
      assert.match(told, /stored "deploy\/staging" \(new\)[\s\S]*memory "deploy\/staging"/);
    });
});
