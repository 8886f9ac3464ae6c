import { dirname, join } from "node:path";
import { projectScripts } from "../clis/opencode-plugin.ts";
import { type SkillName, skillNames } from "../clis/skill-names.ts";
import { existsSync, lstatSync, realpathSync, statSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { bundleFile, sqliteFile } from "../script/launch.ts";
import { workspaceFiles } from "../session/workspace/workspace-template.ts";
import {
  commandFolders,
  filesBelow,
  isKeptByOthers,
  type Pack,
  skillFolders,
  skillHomes,
  textAt,
  updateOf,
} from "./pack.ts";
import type { PlanFault } from "./plan-settings.ts";

/** One file to write or, without content, to remove. */
export interface FileChange {
  readonly path: string;
  readonly content: Uint8Array | undefined;
  readonly runs: boolean;
}

export interface CopyPlan {
  readonly changes: readonly FileChange[];
  readonly notes: readonly string[];
}

/** A file of the pack, and where a project has it. */
interface Copy {
  readonly path: string;
  readonly source: string;
}

/** Files that go together, all or none: of a skill, or one slash command. */
interface Part {
  readonly skill?: string;
  readonly copies: readonly Copy[];
  /** Why nothing is written there; "" where there is nothing to tell. */
  readonly kept: string | undefined;
}

/** Which copies of skills and slash commands are to be made or brought up to date. */
export function planCopies(pack: Pack, project: string): CopyPlan {
  if (isPackItself(pack, project)) {
    const note = "this is the pack itself: its skills and slash commands need no copies";
    return { changes: [], notes: [note] };
  }
  const parts = partsOf(pack, project);
  const copies = parts.filter(({ kept }) => kept === undefined).flatMap((part) => part.copies);
  return {
    changes: [
      ...copies.flatMap((copy) => changeFor(copy, project)),
      ...(scriptsPart(pack, project).kept === undefined ? strayScripts(pack, project) : []),
      ...originals.flatMap(([path, content]) =>
        // What somebody else put there, the originals' own perhaps, serves as well.
        existsSync(join(project, path)) ? [] : [{ path, content, runs: path.endsWith(".sh") }],
      ),
    ],
    notes: [
      ...parts.flatMap(({ kept }) => (kept ? [kept] : [])),
      ...otherBuilds(pack, project),
      ...whatIsMissing(pack),
    ],
  };
}

/** Scripts that a skill has of its own, as one copied by hand has: all skills run those of one, wherever it is. */
function otherBuilds(pack: Pack, project: string): string[] {
  const wanted = textAt(join(sharedScripts(pack), bundleFile));
  const found = skillHomes
    .flatMap((home) => skillNames.map((name) => ({ name, folder: `${home}/${name}/scripts` })))
    .filter(({ name, folder }) => {
      if (isKeptByOthers(name, project) || isLinked([{ path: folder }], project)) return false;
      const bundle = textAt(join(project, folder, bundleFile));
      return folder !== projectScripts && bundle !== undefined && !wanted?.equals(bundle);
    })
    .map(({ folder }) => folder);
  if (found.length === 0) return [];
  const reason = `of another build, and not needed beside ${projectScripts}; remove them`;
  return [`kept ${found.join(", ")}: ${reason}`];
}

function isPackItself({ root }: Pack, project: string): boolean {
  return root !== undefined && realpathSync(root) === realpathSync(project);
}

function whatIsMissing({ root, skills }: Pack): string[] {
  if (root !== undefined) return [];
  const names = [...skills.keys()].join(", ") || "none";
  return [
    `this script came with these skills: ${names}; slash commands and the rest are in the repository: ` +
      "run its dist/install.cjs",
  ];
}

/** The texts of each skill for each CLI, slash commands, and the scripts, once. */
function partsOf(pack: Pack, project: string): Part[] {
  const { root, skills } = pack;
  const texts = [...new Set(Object.values(skillFolders))].flatMap((home) =>
    [...skills].map(([name, source]): Part => {
      const folder = `${home}/${name}`;
      const paths = filesBelow(source).filter((path) => !path.startsWith("scripts/"));
      const kept = whyKept(name, source, folder, project);
      return { skill: name, copies: copiesOf(source, folder, paths), kept };
    }),
  );
  const commands = commandFolders.flatMap((folder) => {
    const source = join(root ?? "", folder);
    const names = root === undefined ? [] : filesBelow(source);
    return copiesOf(source, folder, names).map((copy): Part => {
      const isForeign =
        existsSync(join(project, copy.path)) && !namesOurs(join(project, copy.path));
      const kept = isForeign ? `kept ${copy.path}: it is none of ours` : undefined;
      return { copies: [copy], kept };
    });
  });
  return [...texts, ...commands, scriptsPart(pack, project)];
}

function scriptsPart(pack: Pack, project: string): Part {
  const source = sharedScripts(pack);
  const sqlite = join(pack.skills.get("brain") ?? "", "scripts", sqliteFile);
  const copies = copiesOf(source, projectScripts, filesBelow(source)).flatMap((copy) => {
    if (!copy.path.endsWith(sqliteFile)) return [copy];
    // That of another skill leads to the skill `brain`, which has no scripts in a project.
    return existsSync(sqlite) ? [{ ...copy, source: sqlite }] : [];
  });
  const isKept =
    isSamePlace(source, join(project, projectScripts)) ||
    whyKept(holder, dirname(source), dirname(projectScripts), project) !== undefined;
  return { skill: holder, copies, kept: isKept ? "" : undefined };
}

/** The skill `consulta` has the scripts that all skills name; another that came alone has its own. */
function sharedScripts(pack: Pack): string {
  return holderScripts(pack) ?? pack.scripts;
}

function holderScripts({ skills }: Pack): string | undefined {
  const folder = join(skills.get(holder) ?? "", "scripts");
  return skills.has(holder) && existsSync(folder) ? folder : undefined;
}

const holder = "consulta";

function copiesOf(source: string, folder: string, paths: readonly string[]): Copy[] {
  return paths.map((path) => ({ path: `${folder}/${path}`, source: join(source, path) }));
}

/** Why a skill that is there stays as it is. */
function whyKept(
  skill: string,
  source: string,
  target: string,
  project: string,
): string | undefined {
  const place = join(project, target);
  const status = lstatSync(place);
  if (status === undefined) return undefined;
  if (isSamePlace(source, place)) return "";
  if (status.isSymbolicLink())
    return existsSync(place) ? "" : `kept ${target}: a link that leads nowhere`;
  if (isKeptByOthers(skill, project))
    return `kept ${target}: ${updateOf(skill, project, "project")} brings it up to date`;
  const isOurs = !existsSync(join(place, "SKILL.md")) || namesOurs(join(place, "SKILL.md"));
  return isOurs ? undefined : `kept ${target}: a skill that is none of ours has its name`;
}

function isSamePlace(one: string, other: string): boolean {
  return existsSync(other) && realpathSync(one) === realpathSync(other);
}

/** Whether a text is one of ours, of whatever version: each names scripts of ours. */
function namesOurs(path: string): boolean {
  return /skills\/(?:consulta|collaborate|share-findings|brain)\/scripts\//.test(
    textAt(path)?.toString() ?? "",
  );
}

function changeFor({ path, source }: Copy, project: string): FileChange[] {
  const content = textAt(source);
  if (content === undefined || textAt(join(project, path))?.equals(content) === true) return [];
  const runs = ((statSync(source)?.mode ?? 0) & 0o100) !== 0;
  return [{ path, content, runs }];
}

/** Scripts beside ours that this version does not have: an older one's, or what came with the project. */
function strayScripts(pack: Pack, project: string): FileChange[] {
  // A skill that came alone has its own scripts, and not those of the others.
  if (holderScripts(pack) === undefined) return [];
  const own = new Set(filesBelow(sharedScripts(pack)));
  return filesBelow(join(project, projectScripts))
    .filter((name) => name.endsWith(".cjs") && !own.has(name))
    .map((name) => ({ path: `${projectScripts}/${name}`, content: undefined, runs: false }));
}

/** What a colleague with the original files looks for before it begins; it stops without them. */
const originals = Object.entries(workspaceFiles)
  .filter(([name]) => name === "PROTOCOL.md" || name.startsWith("scripts/"))
  .map(([name, text]) => [`.consulta/${name}`, Buffer.from(text)] as const);

/** Takes out the copies that are as this version makes them. */
export function planRemoval(pack: Pack, project: string): CopyPlan {
  if (isPackItself(pack, project)) return { changes: [], notes: ["this is the pack itself"] };
  const parts = partsOf(pack, project);
  const isOther = ({ skill, copies }: Part) =>
    skill !== undefined && (isKeptByOthers(skill, project) || isLinked(copies, project));
  const copies = parts.filter((part) => !isOther(part)).flatMap((part) => part.copies);
  const found = [
    ...copies.map(({ path, source }) => [path, textAt(source)] as const),
    ...originals,
  ].filter(([path]) => lstatSync(join(project, path))?.isFile() === true);
  const isSame = ([path, text]: (typeof found)[number]) =>
    // No line of a script is its user's.
    path.startsWith(projectScripts) || textAt(join(project, path))?.equals(text ?? Buffer.of());
  const changed = found.filter((it) => !isSame(it)).map(([path]) => path);
  const gone = found.filter(isSame).map(([path]) => path);
  return {
    changes: [
      ...gone.map((path) => ({ path, content: undefined, runs: false })),
      ...(gone.length === 0 ? [] : strayScripts(pack, project)),
    ],
    notes: [
      ...changed.map((path) => `kept ${path}: it was changed, or is of another version`),
      ...(gone.length === 0 ? ["no copies of this version are here"] : []),
      ...whatIsMissing(pack),
    ],
  };
}

/** A skill's folder that is a link leads to files that are not the project's. */
function isLinked(copies: readonly { readonly path: string }[], project: string): boolean {
  const folders = new Set(copies.map(({ path }) => path.split("/").slice(0, 3).join("/")));
  return [...folders].some((it) => lstatSync(join(project, it))?.isSymbolicLink() === true);
}

/** Scripts that would not be this pack's afterwards: neither hooks nor rules may run them. */
export function foreignScripts(
  pack: Pack,
  project: string,
  changes: readonly FileChange[],
): PlanFault[] {
  if (isPackItself(pack, project)) {
    const reason = "this is the pack itself; hooks and rules are for the projects that use it";
    return [{ path: ".", reason }];
  }
  const source = sharedScripts(pack);
  const isWritten = (path: string) => changes.some((it) => it.path === path);
  const other = filesBelow(source)
    .map((name) => [name, `${projectScripts}/${name}`] as const)
    .find(([name, path]) => {
      const wanted = textAt(join(source, name)) ?? Buffer.of();
      const found = textAt(join(project, path));
      // Of SQLite that is elsewhere in the pack it has the digest, and a project may be without it.
      const isOurs =
        found === undefined
          ? name === sqliteFile
          : found.equals(wanted) || wanted.includes(sha256(found));
      return !isWritten(path) && !isOurs;
    });
  if (other === undefined) return [];
  const reason = `${other[0]} in it is not this pack's, and hooks or rules would let it run`;
  const way = isKeptByOthers(holder, project)
    ? `${updateOf(holder, project, "project")} brings it up to date`
    : "look at it, remove it and run this again";
  return [{ path: projectScripts, reason: `${reason}; ${way}` }];
}

/** The skills that a CLI finds in the project afterwards and that are this pack's, wherever it looks. */
export function ownSkills(
  { skills }: Pack,
  project: string,
  changes: readonly FileChange[],
): SkillName[] {
  return skillNames.filter((name) => {
    const wanted = textAt(join(skills.get(name) ?? "", "SKILL.md"));
    const found = skillHomes.flatMap((home) => {
      const path = `${home}/${name}/SKILL.md`;
      const written = changes.find((it) => it.path === path)?.content;
      return written ?? textAt(join(project, path)) ?? [];
    });
    return found.length > 0 && found.every((text) => wanted?.equals(text));
  });
}
