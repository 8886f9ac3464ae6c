import { join } from "node:path";
import { isStringArray } from "../core/json.ts";
import { skillNames } from "../core/skill-names.ts";
import { existsSync } from "../store/disk.ts";
import { at, type Diagnosis, fix, note, ok, type Patient, settingsAt } from "./diagnosis.ts";

/** Whether each CLI lets the scripts run without asking, which an unattended agent needs. */
export function checkPermissions(patient: Patient): Diagnosis[] {
  return [claudeDiagnosis(patient), geminiDiagnosis(patient)];
}

function claudeDiagnosis(patient: Patient): Diagnosis {
  const [deny = [], ask = [], allow = []] = ["deny", "ask", "allow"].map((kind) =>
    rulesOf(patient, claudeFiles, "permissions", kind),
  );
  const lines = linesIn(".claude/skills/consulta/scripts");
  if (lines.some((line) => deny.some((rule) => coversInClaude(rule, line)))) {
    return fix(
      "Claude Code is forbidden to run the scripts",
      "take the rule that covers them out of permissions.deny in its settings",
    );
  }
  const isFree = (line: string) =>
    allow.some((rule) => coversInClaude(rule, line)) &&
    !ask.some((rule) => coversInClaude(rule, line));
  if (lines.every(isFree)) return ok("Claude Code runs the scripts without asking");
  return note(
    "Claude Code asks before it runs a script outside of a skill's own steps",
    `add to .claude/settings.json: ${JSON.stringify({ permissions: { allow: claudeRules } })}`,
  );
}

function geminiDiagnosis(patient: Patient): Diagnosis {
  const lines = linesIn(".agents/skills/consulta/scripts");
  const excluded = rulesOf(patient, geminiFiles, "tools", "exclude");
  if (lines.some((line) => excluded.some((rule) => coversInGemini(rule, line)))) {
    return fix(
      "Gemini CLI is forbidden to run the scripts",
      "take the rule that covers them out of tools.exclude in its settings",
    );
  }
  const allowed = rulesOf(patient, geminiFiles, "tools", "allowed");
  const isFree = (line: string) => allowed.some((rule) => coversInGemini(rule, line));
  // `tools.allowed` would do as well, but refuses every command that it does not name.
  if (hasPolicy(patient) || lines.every(isFree))
    return ok("Gemini CLI runs the scripts without asking");
  return note(
    "Gemini CLI asks before it loads a skill or runs a script, and refuses when nobody can answer",
    "write the consulta.toml of references/workspace.md, in the consulta skill, to ~/.gemini/policies/",
  );
}

const claudeRules = [
  ...skillNames.flatMap((name) => [
    `Skill(${name})`,
    `Bash(node .claude/skills/${name}/scripts/*)`,
  ]),
  "Edit(.consulta/drafts/**)",
];

/** What an agent runs in each of its turns. */
function linesIn(scripts: string): string[] {
  return ["next-action", "append-event", "wait-for-turn"].map(
    (name) => `node ${scripts}/${name}.cjs --session talk`,
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

function hasPolicy({ home }: Patient): boolean {
  return existsSync(join(home, ".gemini", "policies", "consulta.toml"));
}

const claudeFiles = [".claude/settings.json", ".claude/settings.local.json"];
const geminiFiles = [".gemini/settings.json"];

function rulesOf({ project, home }: Patient, files: readonly string[], ...path: string[]) {
  return [project, home]
    .flatMap((root) => files.map((file) => at(settingsAt(join(root, file)), ...path)))
    .flatMap((rules) => (isStringArray(rules) ? rules : []));
}
