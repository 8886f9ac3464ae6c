import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";
import { claudeRules, geminiPolicy } from "../../scripts-src/pack/permission-rules.ts";
import { makeScratchFolder } from "../scratch-folder.ts";

/** Where a skill that came alone may lie, and its scripts with it. */
const placesOf = (skill: string) =>
  [".claude", ".agents"].map((home) => `${home}/skills/${skill}/scripts`);

const rules = skillNames
  .flatMap((skill) => [`Skill(${skill})`, ...claudeRules([skill], placesOf(skill))])
  // In what is given by `--settings` Claude Code takes the slash nowhere.
  .map((rule) => rule.replace("Edit(/", "Edit("));

const folder = makeScratchFolder();

/** What lets a client run the scripts of skills that came alone and write drafts, and nothing else. */
export const narrow = {
  claude: ["--settings", JSON.stringify({ permissions: { allow: rules } })],
  gemini: skillNames.flatMap((skill) => {
    const path = join(folder, `${skill}.toml`);
    writeFileSync(path, `${geminiPolicy([skill], `.agents/skills/${skill}/scripts`)}\n`);
    return ["--policy", path];
  }),
};
