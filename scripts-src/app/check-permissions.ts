import { existsSync } from "node:fs";
import { join } from "node:path";
import { isStringArray } from "../core/json.ts";
import { at, type Diagnosis, note, ok, type Patient, settingsAt } from "./diagnosis.ts";

/** Whether each CLI lets the scripts run without asking, which an unattended agent needs. */
export function checkPermissions(patient: Patient): Diagnosis[] {
  const claude = allowed(patient, claudeFiles, "permissions", "allow");
  const gemini = allowed(patient, geminiFiles, "tools", "allowed");
  return [
    /^Bash(?:\((?:node|\*)\b.*\)|$)/m.test(claude.join("\n"))
      ? ok("Claude Code runs the scripts without asking")
      : note(
          "Claude Code asks before it runs a script outside of a skill's own steps",
          'add to .claude/settings.json: {"permissions":{"allow":["Skill(consulta)",' +
            '"Bash(node .claude/skills/consulta/scripts/*)","Edit(.consulta/drafts/**)"]}}',
        ),
    // `tools.allowed` would do as well, but refuses every command that it does not name.
    hasPolicy(patient) || /^run_shell_command(?:\(node\b.*\)|$)/m.test(gemini.join("\n"))
      ? ok("Gemini CLI runs the scripts without asking")
      : note(
          "Gemini CLI asks before it loads a skill or runs a script, and refuses when nobody can answer",
          "write the consulta.toml of references/workspace.md, in the consulta skill, to ~/.gemini/policies/",
        ),
  ];
}

function hasPolicy({ home }: Patient): boolean {
  return existsSync(join(home, ".gemini", "policies", "consulta.toml"));
}

const claudeFiles = [".claude/settings.json", ".claude/settings.local.json"];
const geminiFiles = [".gemini/settings.json"];

function allowed({ project, home }: Patient, files: readonly string[], ...path: string[]) {
  return [project, home]
    .flatMap((root) => files.map((file) => at(settingsAt(join(root, file)), ...path)))
    .flatMap((rules) => (isStringArray(rules) ? rules : []));
}
