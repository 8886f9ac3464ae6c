import type { SettingsCli } from "../clis/hook-entries.ts";
import { projectScripts } from "../clis/opencode-plugin.ts";
import { type SkillName, skillNames } from "../clis/skill-names.ts";

/**
 * What each CLI may run and write without asking: the scripts that an agent needs, each by its name,
 * and the drafts. The one source of the skills' and slash commands' allowed-tools, of the settings
 * that `install` writes and of the policy of Gemini CLI. Nothing here starts a program or writes
 * outside of a session: `consult`, `install`, `advise`, `audit`, `doctor`, `hook`, a board's
 * `init` and the brain's delegate always ask, and `decide`, `verdict` and `step-in`, which are the user's words.
 * `check` runs nothing but what the user's own settings list.
 */

const session = [
  ...["next-action", "append-event", "wait-for-turn", "close"],
  ...["report", "status", "validate"],
];
/** A hook may name it, whichever skill's copy it runs. */
const store = "brain store";

/** By skill: a script, or a script with the word that its command line begins with. */
const scriptsOf: Readonly<Record<SkillName, readonly string[]>> = {
  consulta: ["init --topic", ...session, "check", "profile", "journal", store],
  collaborate: ["init --folder", "init --objective", "init --session", ...session, store],
  "share-findings": [
    ...["register", "post", "ready", "poll", "read-all"],
    ...["next-action", "report", "status", "validate", store],
  ],
  brain: ["store", "retrieve", "list", "status", "event", "suggest"].map((it) => `brain ${it}`),
};

/** One rule for each script, whichever skills run it. */
function scriptsOfAll(skills: readonly SkillName[]): string[] {
  return [...new Set(skills.flatMap((skill) => scriptsOf[skill]))];
}

/**
 * Files that no program takes for its code, and none below a folder or behind `..`. With the slash Claude Code
 * counts from the folder where it was started, without it from where its shell is.
 */
const drafts = ["Edit(/.consulta/drafts/*.json)", "Edit(/.consulta/drafts/*.md)"];

/** Rules of Claude Code for skills whose scripts lie in these folders. */
export function claudeRules(skills: readonly SkillName[], folders: readonly string[]): string[] {
  const lines = folders.flatMap((folder) => scriptsOfAll(skills).map((it) => ruleFor(folder, it)));
  return [...lines, ...drafts];
}

function ruleFor(folder: string, line: string): string {
  const [script, ...words] = line.split(" ");
  return `Bash(${["node", `${folder}/${script}.cjs`, ...words].join(" ")} *)`;
}

/** The file with the policy that the settings of Gemini CLI name. */
export const policyFile = ".gemini/consulta-policy.toml";

/**
 * The policy of skills for Gemini CLI. Patterns see the arguments as JSON, with the character 0 on
 * both sides of each top-level pair: nothing inside of a value can look like one.
 */
export function geminiPolicy(skills: readonly SkillName[], scripts = projectScripts): string {
  const lines = scriptsOfAll(skills).map((it) => it.replace(" ", "\\.cjs "));
  const commands = lines.map((it) => (it.includes(" ") ? it : `${it}\\.cjs`)).join("|");
  const folder = scripts.replaceAll(".", "\\.");
  return [
    "# What Gemini CLI may do without asking: load these skills, run these scripts from the project's root",
    "# folder, write drafts.",
    rule('"activate_skill"', `\\x00"name":"(${skills.join("|")})"\\x00`),
    rule(
      '"run_shell_command"',
      `^\\{(?!.*\\x00"dir_path":)\\x00"command":"node ${folder}/(${commands})[ "]`,
    ),
    rule(
      '["write_file", "replace"]',
      '\\x00"file_path":"(?![^"]*\\.\\.)[^"]*\\.consulta/drafts/[^"/\\\\]+\\.(json|md)"\\x00',
    ),
  ].join("\n");
}

function rule(toolName: string, argsPattern: string): string {
  return `
[[rule]]
toolName = ${toolName}
argsPattern = '${argsPattern}'
decision = "allow"
priority = 100
`.trimEnd();
}

/** In which list of its settings each CLI keeps what it may do, and what the CLI takes where there is none. */
export interface EntryList {
  readonly path: readonly string[];
  readonly defaults: readonly string[];
}

export const entryLists: Readonly<Record<SettingsCli, EntryList>> = {
  claude: { path: ["permissions", "allow"], defaults: [] },
  gemini: { path: ["policyPaths"], defaults: ["~/.gemini/policies"] },
  // It runs them in its sandbox, where it asks for nothing.
  codex: { path: [], defaults: [] },
};

export function entriesFor(cli: SettingsCli, skills: readonly SkillName[]): string[] {
  if (cli === "gemini") return [policyFile];
  if (cli === "codex") return [];
  return [...skills.map((it) => `Skill(${it})`), ...claudeRules(skills, [projectScripts])];
}

/** Whether an entry of some settings is one that a version of ours may have put there. */
export function isOwnEntry(entry: unknown): boolean {
  if (typeof entry !== "string") return false;
  return ownScript.test(entry) || otherEntries.includes(entry);
}

const ownScript = new RegExp(
  String.raw`^Bash\(node ${projectScripts.replaceAll(".", "\\.")}/[a-z-]+\.cjs (?:(?:--)?[a-z]+ )?\*\)$`,
);
const otherEntries = [policyFile, ...drafts, ...skillNames.map((it) => `Skill(${it})`)];
