import { basename, dirname, join, resolve } from "node:path";
import { parse } from "jsonc-parser";
import { ConsultaError, refused } from "../base/errors.ts";
import { isRecord, valueIn } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { shellWord } from "../base/quote-text.ts";
import { skillNames } from "../clis/skill-names.ts";
import { readFileIfPresent } from "../files/atomic-file.ts";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "../files/disk.ts";

/** What the running script came with: a checkout, a plugin, an extension, or skills alone. */
export interface Pack {
  /** The folder with the running scripts. */
  readonly scripts: string;
  /** The folder of a whole pack; undefined for skills that were installed without the rest. */
  readonly root: string | undefined;
  /** The skills by name, with their folders. */
  readonly skills: ReadonlyMap<string, string>;
}

/** Where `install` puts the texts of skills for each CLI. */
export const skillFolders = {
  claude: ".claude/skills",
  gemini: ".agents/skills",
  codex: ".agents/skills",
} as const;

/** All folders where CLIs look for the skills of a project, in the order in which our skills search them. */
export const skillHomes = [".agents/skills", ".claude/skills", ".gemini/skills"];

/** The folders of slash commands, in a pack and in a project. */
export const commandFolders = [".claude/commands", ".gemini/commands"] as const;

/**
 * The folder of a project, by default the one where the script runs. Links on the way to it are the user's own;
 * those inside of it are not followed.
 * @throws ConsultaError REFUSED when it is not there.
 */
export function projectAt(path = process.cwd()): string {
  const folder = resolve(path);
  try {
    return realpathSync(folder);
  } catch (cause) {
    const way = "make it first, or name another";
    throw refused(`there is no folder ${folder}: ${way}`, { cause });
  }
}

/** What a script belongs to, from its own path. */
export function packOf(script: string): Pack {
  const scripts = dirname(realpathSync(script));
  const skillsFolder = skillsBeside(scripts);
  if (skillsFolder === undefined) return { scripts, root: undefined, skills: new Map() };
  const found = skillNames
    .map((name) => [name, join(skillsFolder, name)] as const)
    .filter(([, folder]) => existsSync(join(folder, "SKILL.md")));
  const root = dirname(skillsFolder);
  // The manifest tells a pack from a project that happens to have a skills folder.
  const isWhole = existsSync(join(root, ".claude-plugin/marketplace.json"));
  return { scripts, root: isWhole ? root : undefined, skills: new Map(found) };
}

/** The folder with the skills of a pack whose scripts are in this one. */
function skillsBeside(scripts: string): string | undefined {
  const above = dirname(scripts);
  const isSkill = basename(scripts) === "scripts" && existsSync(join(above, "SKILL.md"));
  // From skills/NAME/scripts, and from dist.
  const candidates = [...(isSkill ? [dirname(above)] : []), join(above, "skills")];
  return candidates.find((folder) =>
    skillNames.some((name) => existsSync(join(folder, name, "SKILL.md"))),
  );
}

/** The relative paths of all files in a folder, with slashes, sorted; none when there is no folder. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}

/** Whether `npx skills` put a skill there, of which it keeps a record. */
export function isKeptByOthers(skill: string, project: string): boolean {
  return recordOf(skill, join(project, "skills-lock.json")) !== undefined;
}

/** What brings a skill up to date that `npx skills` put there: its `update` passes over what came from a folder. */
export function updateOf(skill: string, root: string, whose: "project" | "user"): string {
  const [file, option] =
    whose === "user" ? [".agents/.skill-lock.json", " -g"] : ["skills-lock.json", ""];
  const { source, sourceType } = recordOf(skill, join(root, file)) ?? {};
  return sourceType === "local" && typeof source === "string"
    ? `npx skills add ${shellWord(source)}${option}`
    : `npx skills update${option}`;
}

function recordOf(skill: string, file: string): Readonly<Record<string, unknown>> | undefined {
  const record = valueIn(jsonObjectAt(file), "skills", skill);
  return isRecord(record) ? record : undefined;
}

/** What a file says: a checkout may have given its lines the ends of Windows. Undefined where there is none. */
export function textAt(path: string): Buffer | undefined {
  if (statSync(path)?.isFile() !== true) return undefined;
  const bytes = readFileSync(path);
  if (!bytes.includes("\r\n")) return bytes;
  return Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
}

/** The most of one file that is looked at: far more than settings have. */
const settingsBytes = 16 * limits.messageBytes;

/** What a CLI keeps in a JSON file, comments allowed; empty where there is none or it is unreadable, also to that CLI. */
export function jsonObjectAt(path: string): Record<string, unknown> {
  return jsonFileAt(path).object;
}

/** The same, and the text of it. */
export function jsonFileAt(path: string): { text: string; object: Record<string, unknown> } {
  try {
    const text = existsSync(path) ? (readFileIfPresent(path, settingsBytes) ?? "") : "";
    const value: unknown = parse(text);
    return { text, object: isRecord(value) ? value : {} };
  } catch (cause) {
    // A link to settings elsewhere, no permission, nested without end: nothing is known or claimed.
    if (cause instanceof ConsultaError || cause instanceof RangeError)
      return { text: "", object: {} };
    throw cause;
  }
}
