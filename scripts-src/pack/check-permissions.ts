import { join } from "node:path";
import { isStringArray } from "../base/json.ts";
import { type HookedCli, hookedClis } from "../clis/hook-entries.ts";
import { type SkillName, skillNames } from "../clis/skill-names.ts";
import { namesIn } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import {
  type Diagnosis,
  fileText,
  fix,
  jsonObjectAt,
  note,
  ok,
  type Patient,
  valueIn,
} from "./diagnosis.ts";
import { skillFolders } from "./pack.ts";
import { entriesFor, entryLists, policyFile } from "./permission-rules.ts";

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

const settingsFiles = {
  claude: [".claude/settings.json", ".claude/settings.local.json"],
  gemini: [".gemini/settings.json"],
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
    if (isPermitted[cli](patient, skills)) return ok(free);
    const text = `${asks}, unless a rule of yours permits it`;
    const command = patient.line("install", "--permissions");
    // Where no skill is in the project there is nothing to permit yet.
    return skills.length === 0 ? note(text, command) : fix(text, command);
  });
}

const isPermitted: Record<HookedCli, (patient: Patient, skills: SkillName[]) => boolean> = {
  claude: (patient, skills) => {
    const rules = rulesOf(patient, "claude");
    const isOpen = rules.some((rule) => rule === "Bash" || rule === "Bash(*)");
    const wanted = entriesFor("claude", skills);
    return isOpen || (skills.length > 0 && wanted.every((rule) => rules.includes(rule)));
  },
  gemini: (patient, skills) =>
    skills.length > 0 && skills.every((skill) => hasPolicy(patient, skill)),
};

/** Named by the settings and there, or among the user's own. */
function hasPolicy(patient: Patient, skill: SkillName): boolean {
  const file = `${skillFolders.gemini}/${skill}/${policyFile}`;
  const isNamed = rulesOf(patient, "gemini").includes(file);
  const isThere = isNamed && existsSync(join(patient.project, file));
  return (
    isThere || ownPolicies(patient).some(({ text }) => text.includes(`/skills/${skill}/scripts/(`))
  );
}

/** The user's own policies that name a skill of ours. */
function ownPolicies({ home }: Patient): { path: string; text: string }[] {
  const folder = join(home, ".gemini", "policies");
  if (!existsSync(folder)) return [];
  const paths = namesIn(folder)
    .filter((name) => name.endsWith(".toml"))
    .map((name) => join(folder, name));
  return paths.flatMap((path) => {
    const text = fileText(path) ?? "";
    return text.includes("skills/") ? [{ path, text }] : [];
  });
}

function rulesOf({ project, home }: Patient, cli: HookedCli): string[] {
  const files = [project, home].flatMap((root) => settingsFiles[cli].map((it) => join(root, it)));
  return files
    .map((file) => valueIn(jsonObjectAt(file), ...entryLists[cli]))
    .flatMap((rules) => (isStringArray(rules) ? rules : []));
}
