import { basename, dirname, join } from "node:path";
import { skillNames } from "../clis/skill-names.ts";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "../files/disk.ts";
import { chunkHolder } from "../script/launch.ts";

/** What the running script came with: a checkout, a plugin, an extension, or skills alone. */
export interface Pack {
  /** The folder with the running scripts. */
  readonly scripts: string;
  /** The folder of a whole pack; undefined for skills that were installed without the rest. */
  readonly root: string | undefined;
  /** The skills by name, with their folders. */
  readonly skills: ReadonlyMap<string, string>;
}

/** Where each CLI looks for the skills of a project. */
export const skillFolders = { claude: ".claude/skills", gemini: ".agents/skills" } as const;

/** Where each CLI and the skills themselves look, in the order in which the skills do. */
export const skillHomes = [".agents/skills", ".claude/skills", ".gemini/skills"];

/** Where slash commands lie, in a pack as in a project. */
export const commandFolders = [".claude/commands", ".gemini/commands"] as const;

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

/** `skills/NAME/scripts`, `dist` and `.consulta/scripts` of a pack all lead to its skills. */
function skillsBeside(scripts: string): string | undefined {
  const above = dirname(scripts);
  const isSkill = basename(scripts) === "scripts" && existsSync(join(above, "SKILL.md"));
  const places = [...(isSkill ? [dirname(above)] : []), join(above, "skills")];
  const all = [...places, join(dirname(above), "skills")];
  return all.find((folder) =>
    skillNames.some((name) => existsSync(join(folder, name, "SKILL.md"))),
  );
}

/** The files below a folder, by their paths with slashes, sorted; none where there is no folder. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
}

/** Whether a file is of those that an installed skill may leave to the skill that holds the chunks. */
export function isChunk(path: string): boolean {
  return path.startsWith("scripts/chunks/");
}

/** The files of a skill, its chunks among them wherever they are. */
export function skillFiles(skill: string): string[] {
  const own = filesBelow(skill);
  if (own.some(isChunk)) return own;
  return [...own, ...filesBelow(join(skill, "..", chunkHolder)).filter(isChunk)].sort();
}

/** Where a file of a skill, or of another folder, is. */
export function fileAt(folder: string, path: string): string {
  const own = join(folder, path);
  return isChunk(path) && !existsSync(own) ? join(folder, "..", chunkHolder, path) : own;
}

/** The first of a folder's files that another place does not hold byte for byte; undefined for a copy. */
export function differingFile(
  source: string,
  place: string,
  paths: readonly string[] = filesBelow(source),
): string | undefined {
  return paths.find((path) => {
    const other = fileAt(place, path);
    const isFile = statSync(other, { throwIfNoEntry: false })?.isFile() === true;
    return !isFile || !readFileSync(fileAt(source, path)).equals(readFileSync(other));
  });
}
