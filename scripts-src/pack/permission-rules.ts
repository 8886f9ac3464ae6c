import type { HookedCli } from "../clis/hook-entries.ts";
import { type SkillName, skillNames } from "../clis/skill-names.ts";

/**
 * What each CLI may run and write without asking: the scripts that an agent needs, each by its name,
 * and the drafts. The one source of the skills' and slash commands' allowed-tools, of the settings
 * that `install` writes and of the policies of Gemini CLI. Nothing here starts a program or writes
 * outside of a session: `consult`, `install`, `advise`, `doctor`, `hook`, a board's `init` and the brain's
 * delegate always ask, and `decide`, `verdict` and `step-in`, which are the user's words. `check` runs nothing
 * but what the user's own settings list.
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

/**
 * Files that no program takes for its code, and none below a folder or behind `..`. With the slash Claude Code
 * counts from the folder where it was started, without it from where its shell is; it takes the slash
 * nowhere in a file that is given by `--settings`.
 */
const drafts = [".consulta/drafts/*.json", ".consulta/drafts/*.md"];

/** Rules of Claude Code for a skill whose scripts lie in these folders. */
export function claudeRules(
  skill: SkillName,
  folders: readonly string[],
  root: "/" | "" = "/",
): string[] {
  const lines = folders.flatMap((folder) => scriptsOf[skill].map((it) => ruleFor(folder, it)));
  return [...lines, ...drafts.map((it) => `Edit(${root}${it})`)];
}

function ruleFor(folder: string, line: string): string {
  const [script, ...words] = line.split(" ");
  return `Bash(${["node", `${folder}/${script}.cjs`, ...words].join(" ")} *)`;
}

/** What settings keep for good, to be given by `--settings`: the skill as well, which the model calls by itself. */
export function claudeSettings(skill: SkillName): string {
  const allow = claudeSettingsRules([skill], "");
  return JSON.stringify({ permissions: { allow } }, undefined, 2);
}

function claudeSettingsRules(present: readonly SkillName[], root: "/" | ""): string[] {
  const rules = present.flatMap((skill) => [
    `Skill(${skill})`,
    ...claudeRules(
      skill,
      [".claude", ".agents"].map((place) => scriptsBelow(place, skill)),
      root,
    ),
  ]);
  return [...new Set(rules)];
}

export function scriptsBelow(place: string, skill: SkillName): string {
  return `${place}/skills/${skill}/scripts`;
}

/** Where each skill keeps the policy that Gemini CLI is pointed to, and settings for Claude Code. */
export const policyFile = "references/gemini-policy.toml";
export const settingsFile = "references/claude-settings.json";

/**
 * The policy of a skill for Gemini CLI. Patterns see the arguments as JSON, with the character 0 on
 * both sides of each top-level pair: nothing inside of a value can look like one.
 */
export function geminiPolicy(skill: SkillName): string {
  const lines = scriptsOf[skill].map((it) => it.replace(" ", "\\.cjs "));
  const commands = lines.map((it) => (it.includes(" ") ? it : `${it}\\.cjs`)).join("|");
  const folder = `\\.(agents|gemini)/skills/${skill}/scripts`;
  return [
    `# What Gemini CLI may do for the skill ${skill} without asking: load it, run these of its scripts from`,
    "# the project's root folder, write drafts. Name this file in policyPaths, or copy it to ~/.gemini/policies.",
    rule('"activate_skill"', `\\x00"name":"${skill}"\\x00`),
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

/** The value that a project's settings of Gemini CLI get: naming any replaces the user's own folder. */
function policyPaths(present: readonly SkillName[]): string[] {
  const own = present.map((skill) => `.agents/skills/${skill}/${policyFile}`);
  return ["~/.gemini/policies", ...own];
}

/** Whether an entry of some settings is one that a version of ours may have put there. */
export function isOwnEntry(entry: unknown): entry is string {
  return typeof entry === "string" && (ownRule.test(entry) || ownPolicy.test(entry));
}

const skills = `(?:${skillNames.join("|")})`;
const ownScript = String.raw`node \.(?:claude|agents)/skills/${skills}/scripts/[a-z-]+\.cjs`;
const ownRule = new RegExp(
  String.raw`^(?:Skill\(${skills}\)|Edit\(/?\.consulta/drafts/\*\.(?:json|md)\)|` +
    String.raw`Bash\(${ownScript} (?:(?:--)?[a-z]+ )?\*\))$`,
);
const ownPolicy = new RegExp(
  String.raw`^(?:~/\.gemini/policies|\.agents/skills/${skills}/references/gemini-policy\.toml)$`,
);

/** In which list of its settings each CLI keeps such entries. */
export const entryLists = {
  claude: ["permissions", "allow"],
  gemini: ["policyPaths"],
} as const satisfies Record<HookedCli, readonly string[]>;

export function entriesFor(cli: HookedCli, present: readonly SkillName[]): string[] {
  return cli === "claude" ? claudeSettingsRules(present, "/") : policyPaths(present);
}
