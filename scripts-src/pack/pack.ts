import { basename, dirname, join } from "node:path";
import { skillNames } from "../clis/skill-names.ts";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "../files/disk.ts";
import { bundleFile, bundleHolder } from "../script/launch.ts";

/** What the running script came with: a checkout, a plugin, an extension, or skills alone. */
export interface Pack {
  /** The folder with the running scripts. */
  readonly scripts: string;
  /** The folder of a whole pack; undefined for skills that were installed without the rest. */
  readonly root: string | undefined;
  /** The skills by name, with their folders. */
  readonly skills: ReadonlyMap<string, string>;
}

/** Where `install` puts skills for each CLI. */
export const skillFolders = { claude: ".claude/skills", gemini: ".agents/skills" } as const;

/** All folders where CLIs look for the skills of a project, in the order in which our skills search them. */
export const skillHomes = [".agents/skills", ".claude/skills", ".gemini/skills"];

/** The folders of slash commands, in a pack and in a project. */
export const commandFolders = [".claude/commands", ".gemini/commands"] as const;

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
  const candidates = [
    // From skills/NAME/scripts, from dist, and from .consulta/scripts.
    ...(isSkill ? [dirname(above)] : []),
    join(above, "skills"),
    join(dirname(above), "skills"),
  ];
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

/** Whether a file of a skill is the bundle, which in an installed project only one skill holds. */
export function isBundle(path: string): boolean {
  return path === `scripts/${bundleFile}`;
}

/** The files of a skill; the bundle is listed as its own also when another skill holds it. */
export function skillFiles(skill: string): string[] {
  const own = filesBelow(skill);
  if (own.some(isBundle)) return own;
  return [...own, ...filesBelow(join(skill, "..", bundleHolder)).filter(isBundle)].sort();
}

/** The real path of a file that `skillFiles` or `filesBelow` lists. */
export function fileAt(folder: string, path: string): string {
  const own = join(folder, path);
  return isBundle(path) && !existsSync(own) ? join(folder, "..", bundleHolder, path) : own;
}

/** What a file says: a checkout may have given its lines the ends of Windows. */
export function textAt(path: string): Buffer {
  const bytes = readFileSync(path);
  if (!bytes.includes("\r\n")) return bytes;
  return Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
}

/** Keeps the line ends of a skill in a checkout; it is nothing that a CLI reads, and its user may change it. */
const attributes = ".gitattributes";

/** The first file of `source` of which `place` does not say the same; undefined when it is a copy. */
export function differingFile(
  source: string,
  place: string,
  paths: readonly string[] = filesBelow(source),
): string | undefined {
  return paths.find((path) => {
    if (path === attributes) return false;
    const other = fileAt(place, path);
    const isFile = statSync(other, { throwIfNoEntry: false })?.isFile() === true;
    return !isFile || !textAt(fileAt(source, path)).equals(textAt(other));
  });
}
