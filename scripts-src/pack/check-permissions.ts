import { join } from "node:path";
import { isStringArray } from "../base/json.ts";
import { type SkillName, skillNames } from "../clis/skill-names.ts";
import { namesIn } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import {
  at,
  type Diagnosis,
  fix,
  note,
  ok,
  type Patient,
  settingsAt,
  textAt,
} from "./diagnosis.ts";
import { skillFolders } from "./pack.ts";
import { agentCommands, policyFile } from "./permission-rules.ts";

/** Whether each CLI lets the scripts run without asking, which an unattended agent needs, and no more. */
export function checkPermissions(patient: Patient): Diagnosis[] {
  return [claudeDiagnosis(patient), geminiDiagnosis(patient)];
}

/** What a rule that is too wide would let a model run: a file that it wrote itself. */
const escapes = [
  "",
  "/.agents/skills/consulta/scripts/../../../..",
  "/.claude/skills/consulta/scripts/../../../..",
].map((way) => `node ${way === "" ? "" : `${way.slice(1)}/`}.consulta/drafts/evil.cjs`);

function claudeDiagnosis(patient: Patient): Diagnosis {
  const [deny = [], ask = [], allow = []] = ["deny", "ask", "allow"].map((kind) =>
    rulesOf(patient, claudeFiles, "permissions", kind),
  );
  const skills = skillsIn(patient, skillFolders.claude);
  const lines = linesIn(skillFolders.claude, skills);
  if (lines.some((line) => deny.some((rule) => coversInClaude(rule, line)))) {
    return fix(
      "Claude Code is forbidden to run the scripts",
      "take the rule that covers them out of permissions.deny in its settings",
    );
  }
  const wide = allow.find((rule) => /^Bash\(node\b/.test(rule) && coversAny(coversInClaude, rule));
  if (wide !== undefined) return tooWide("Claude Code", `${wide} in permissions.allow`);
  const isFree = (line: string) =>
    allow.some((rule) => coversInClaude(rule, line)) &&
    !ask.some((rule) => coversInClaude(rule, line));
  if (lines.every(isFree)) return ok("Claude Code runs the scripts without asking");
  return missing(
    skills,
    "Claude Code asks before it runs a script outside of a skill's own steps",
    patient,
  );
}

function geminiDiagnosis(patient: Patient): Diagnosis {
  const skills = skillsIn(patient, skillFolders.gemini);
  const lines = linesIn(skillFolders.gemini, skills);
  const excluded = rulesOf(patient, geminiFiles, "tools", "exclude");
  if (lines.some((line) => excluded.some((rule) => coversInGemini(rule, line)))) {
    return fix(
      "Gemini CLI is forbidden to run the scripts",
      "take the rule that covers them out of tools.exclude in its settings",
    );
  }
  const allowed = rulesOf(patient, geminiFiles, "tools", "allowed");
  const wide = allowed.find((rule) => coversAny(coversInGemini, rule) && rule.includes("(node"));
  if (wide !== undefined) return tooWide("Gemini CLI", `${wide} in tools.allowed`);
  const old = ownPolicies(patient).find(({ text }) => text.includes('scripts/"'));
  if (old !== undefined) return tooWide("Gemini CLI", old.path);
  const isFree = (line: string) => allowed.some((rule) => coversInGemini(rule, line));
  // `tools.allowed` would do as well, but refuses every command that it does not name.
  const hasPolicies = skills.length > 0 && skills.every((skill) => hasPolicy(patient, skill));
  if (hasPolicies || lines.every(isFree)) return ok("Gemini CLI runs the scripts without asking");
  return missing(
    skills,
    "Gemini CLI asks before it loads a skill or runs a script, and refuses when nobody can answer",
    patient,
  );
}

function coversAny(covers: (rule: string, line: string) => boolean, rule: string): boolean {
  return escapes.some((line) => covers(rule, line));
}

function tooWide(cli: string, rule: string): Diagnosis {
  return fix(
    `${cli} lets a model run any program by ${rule}`,
    "take it out, then: install --permissions",
  );
}

/** Where no skill is in the project there is nothing to permit yet. */
function missing(skills: readonly SkillName[], text: string, patient: Patient): Diagnosis {
  const command = patient.line("install", "--permissions");
  return skills.length === 0 ? note(text, command) : fix(text, command);
}

function skillsIn({ project }: Patient, folder: string): SkillName[] {
  return skillNames.filter((name) => existsSync(join(project, folder, name, "SKILL.md")));
}

/** What an agent runs; for the skill that people have first where there is none. */
function linesIn(folder: string, skills: readonly SkillName[]): string[] {
  return (skills.length === 0 ? (["consulta"] as const) : skills).flatMap((skill) =>
    agentCommands(skill, `${folder}/${skill}/scripts`).map((command) => `${command} talk`),
  );
}

/** `Bash`, or `Bash(PATTERN)`: a star stands for anything, and `:*` at the end for more words. */
function coversInClaude(rule: string, line: string): boolean {
  const [, pattern = rule === "Bash" ? "*" : undefined] = /^Bash\((.*)\)$/.exec(rule) ?? [];
  if (pattern === undefined) return false;
  const [first = "", ...others] = pattern.replace(/:\*$/, " *").split("*");
  const last = others.pop();
  if (last === undefined) return line === first;
  if (!line.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = line.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return line.length - last.length >= at && line.endsWith(last);
}

/** `run_shell_command`, or with the words that a command begins with. */
function coversInGemini(rule: string, line: string): boolean {
  const [, words] = /^run_shell_command\((.*)\)$/.exec(rule) ?? [];
  return words === undefined ? rule === "run_shell_command" : `${line} `.startsWith(`${words} `);
}

/** Named by the settings and there, or among the user's own. */
function hasPolicy(patient: Patient, skill: SkillName): boolean {
  const file = `${skillFolders.gemini}/${skill}/${policyFile}`;
  const isNamed = rulesOf(patient, geminiFiles, "policyPaths").includes(file);
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
    const text = textAt(path) ?? "";
    return text.includes("skills/") ? [{ path, text }] : [];
  });
}

const claudeFiles = [".claude/settings.json", ".claude/settings.local.json"];
const geminiFiles = [".gemini/settings.json"];

function rulesOf({ project, home }: Patient, files: readonly string[], ...path: string[]) {
  return [project, home]
    .flatMap((root) => files.map((file) => at(settingsAt(join(root, file)), ...path)))
    .flatMap((rules) => (isStringArray(rules) ? rules : []));
}
