import { join } from "node:path";
import { isStringArray } from "../base/json.ts";
import { type HookedCli, hookedClis } from "../clis/hook-entries.ts";
import { type SkillName, skillNames } from "../clis/skill-names.ts";
import { existsSync } from "../files/disk.ts";
import { type Diagnosis, fix, jsonObjectAt, note, ok, type Patient, valueIn } from "./diagnosis.ts";
import { skillFolders } from "./pack.ts";
import { entriesFor, entryLists } from "./permission-rules.ts";
import { localSettings, sharedSettings } from "./plan-settings.ts";

const words = {
  claude: {
    free: "Claude Code runs the scripts without asking",
    asks: "Claude Code asks before it runs a script outside of a skill's own steps",
  },
  gemini: {
    free: "Gemini CLI runs the scripts without asking",
    asks: "Gemini CLI asks before it loads a skill or runs a script, and rejects it when nobody can answer",
  },
};

/**
 * Whether the settings of each CLI have the rules that `install` writes, which an unattended agent
 * needs. What rules of the user come to, only the CLI knows.
 */
export function checkPermissions(patient: Patient): Diagnosis[] {
  return hookedClis.map((cli) => {
    const skills = skillNames.filter((name) =>
      existsSync(join(patient.project, skillFolders[cli], name, "SKILL.md")),
    );
    const { free, asks } = words[cli];
    if (skills.length > 0 && hasRules(patient, cli, skills)) return ok(free);
    const text = `${asks}, unless a rule of yours permits it`;
    const command = patient.line("install", "--permissions");
    // Where no skill is in the project there is nothing to permit yet.
    return skills.length === 0 ? note(text, command) : fix(text, command);
  });
}

function hasRules({ project }: Patient, cli: HookedCli, skills: readonly SkillName[]): boolean {
  const present = [...sharedSettings, localSettings]
    .filter((file) => file.cli === cli)
    .map(({ path }) => valueIn(jsonObjectAt(join(project, path)), ...entryLists[cli].path))
    .flatMap((rules) => (isStringArray(rules) ? rules : []));
  return entriesFor(cli, skills).every((rule) => present.includes(rule));
}
