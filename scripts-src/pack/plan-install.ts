import { dirname, join, relative } from "node:path";
import { type SkillName, skillNames } from "../clis/skill-names.ts";
import { existsSync, realpathSync, statSync } from "../files/disk.ts";
import { sha256 } from "../files/hash.ts";
import { fileStatus } from "../files/project-file.ts";
import { bundleHolder } from "../script/launch.ts";
import { workspaceFiles } from "../session/workspace/workspace-files.ts";
import type { InstalledPack } from "./installed.ts";
import {
  commandFolders,
  differingFile,
  fileAt,
  filesBelow,
  isBundle,
  type Pack,
  skillFiles,
  skillFolders,
  skillHomes,
  textAt,
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
  /** What becomes ours, with hashes. */
  readonly files: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** Which copies of skills and slash commands are to be made or brought up to date. */
export function planCopies(
  pack: Pack,
  project: string,
  record: InstalledPack | undefined,
): CopyPlan {
  if (pack.root !== undefined && realpathSync(pack.root) === realpathSync(project)) {
    const note = "this is the pack itself: its skills and slash commands need no copies";
    return { changes: [], files: {}, notes: [note] };
  }
  const plans = [
    ...skillPlans(pack, project, record),
    ...commandPlans(pack, project, record),
    planOriginals(project, record),
  ];
  return {
    changes: plans.flatMap(({ changes }) => changes),
    files: Object.assign({}, ...plans.map(({ files }) => files)),
    notes: [...plans.flatMap(({ notes }) => notes), ...whatIsMissing(pack, record)],
  };
}

/** What an installed skill cannot bring along, unless an earlier install of the whole pack did. */
function whatIsMissing({ root, skills }: Pack, record: InstalledPack | undefined): string[] {
  const present = Object.keys(record?.files ?? {});
  const isThere = commandFolders.every((it) => present.some((path) => path.startsWith(`${it}/`)));
  if (root !== undefined || (isThere && skills.size === skillNames.length)) return [];
  const names = [...skills.keys()].join(", ") || "none";
  return [
    `this script came with these skills: ${names}; slash commands and the rest are in the repository: ` +
      "run its dist/install.cjs",
  ];
}

function skillPlans(pack: Pack, project: string, record: InstalledPack | undefined): CopyPlan[] {
  const holder = pack.skills.get(bundleHolder);
  return Object.values(skillFolders).flatMap((home) => {
    const isHeld =
      holder !== undefined &&
      whyKept(holder, `${home}/${bundleHolder}`, project, record) === undefined;
    return [...pack.skills].map(([name, source]) => {
      const target = `${home}/${name}`;
      const kept = whyKept(source, target, project, record);
      if (kept !== undefined) return { changes: [], files: {}, notes: kept === "" ? [] : [kept] };
      const isShared =
        isHeld && name !== bundleHolder && !hasForeignBundle(target, project, record);
      const paths = skillFiles(source).filter((path) => !(isShared && isBundle(path)));
      return planFolder(source, paths, target, project, record);
    });
  });
}

/** A bundle that somebody changed or made stays, and a skill that has one runs no other. */
function hasForeignBundle(
  target: string,
  project: string,
  record: InstalledPack | undefined,
): boolean {
  return filesBelow(join(project, target))
    .filter(isBundle)
    .map((path) => `${target}/${path}`)
    .some((path) => hashOfFile(join(project, path)) !== record?.files[path]);
}

/** Why a skill that is there stays as it is: "" when it is ours already; undefined when it may change. */
function whyKept(
  source: string,
  target: string,
  project: string,
  record: InstalledPack | undefined,
): string | undefined {
  const place = join(project, target);
  const status = fileStatus(place);
  if (status === undefined) return undefined;
  const isThere = existsSync(place);
  if (isThere && realpathSync(place) === realpathSync(source)) return "";
  if (status.isSymbolicLink()) return isThere ? "" : `kept ${target}: a link that leads nowhere`;
  const isRecorded = Object.keys(record?.files ?? {}).some((it) => it.startsWith(`${target}/`));
  if (isRecorded || differingFile(source, place, skillFiles(source)) === undefined)
    return undefined;
  return (
    `kept ${target}: another copy that install did not make; update it the way it came, ` +
    "such as npx skills update, or move it away"
  );
}

function commandPlans(pack: Pack, project: string, record: InstalledPack | undefined): CopyPlan[] {
  const { root } = pack;
  if (root === undefined) return [];
  return commandFolders.map((folder) => {
    const source = join(root, folder);
    return planFolder(source, filesBelow(source), folder, project, record);
  });
}

/** A copy of these files, without those that somebody has changed or made. */
function planFolder(
  source: string,
  paths: readonly string[],
  target: string,
  project: string,
  record: InstalledPack | undefined,
): CopyPlan {
  const changes: FileChange[] = [];
  const files: Record<string, string> = {};
  const notes: string[] = [];
  for (const name of paths) {
    const path = `${target}/${name}`;
    const place = fileAt(source, name);
    const content = textAt(place);
    const known = record?.files[path];
    const present = hashOfFile(join(project, path));
    const hash = sha256(content);
    if (present === hash) continue;
    if (present !== undefined && present !== known) {
      notes.push(`kept ${path}: it was changed, or made by somebody else`);
      continue;
    }
    files[path] = hash;
    changes.push({ path, content, runs: isRunnable(place) });
  }
  return { changes: [...changes, ...outdated(paths, target, project, record)], files, notes };
}

/** What a colleague with the original files looks for before it begins; it stops without them. */
export const originals = Object.entries(workspaceFiles)
  .filter(([name]) => name === "PROTOCOL.md" || name.startsWith("scripts/"))
  .map(([name, text]) => [`.consulta/${name}`, Buffer.from(text)] as const);

function planOriginals(project: string, record: InstalledPack | undefined): CopyPlan {
  const changes: FileChange[] = [];
  const files: Record<string, string> = {};
  for (const [path, content] of originals) {
    const present = hashOfFile(join(project, path));
    const hash = sha256(content);
    // What somebody else put there, the originals' own perhaps, serves as well.
    if (present === hash || (present !== undefined && present !== record?.files[path])) continue;
    files[path] = hash;
    changes.push({ path, content, runs: path.endsWith(".sh") });
  }
  return { changes, files, notes: [] };
}

/** Files of an older version that this one has no more. */
function outdated(
  paths: readonly string[],
  target: string,
  project: string,
  record: InstalledPack | undefined,
): FileChange[] {
  return Object.entries(record?.files ?? {})
    .filter(([path]) => path.startsWith(`${target}/`))
    .filter(([path]) => !paths.includes(path.slice(target.length + 1)))
    .filter(([path, hash]) => hashOfFile(join(project, path)) === hash)
    .map(([path]) => ({ path, content: undefined, runs: false }));
}

function isRunnable(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o100) !== 0;
}

/** Takes out the copies that are as they were made. */
export function planRemoval(project: string, record: InstalledPack | undefined): CopyPlan {
  const changes: FileChange[] = [];
  const notes: string[] = [];
  for (const [path, hash] of Object.entries(record?.files ?? {})) {
    const present = hashOfFile(join(project, path));
    if (present === hash) changes.push({ path, content: undefined, runs: false });
    else if (present !== undefined) notes.push(`kept ${path}: it was changed since`);
  }
  if (record === undefined) notes.push("no copies were made here by install");
  return { changes, files: {}, notes };
}

/** Undefined when there is no regular file, whatever there is else. */
export function hashOfFile(path: string): string | undefined {
  return fileStatus(path)?.isFile() === true ? sha256(textAt(path)) : undefined;
}

/** The folders on the way to these files that are not there yet, outer ones first. */
export function foldersToMake(project: string, paths: readonly string[]): string[] {
  const missing = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      if (!existsSync(join(project, folder))) missing.add(folder);
    }
  }
  return [...missing].sort();
}

/** The skills that a CLI has in the project afterwards. */
export function skillsAt(
  project: string,
  skills: string,
  changes: readonly FileChange[],
): SkillName[] {
  return skillNames.filter(
    (name) =>
      existsSync(join(project, skills, name)) ||
      changes.some(({ path }) => path.startsWith(`${skills}/${name}/`)),
  );
}

/** The skills that would not be this pack's afterwards: neither hooks nor rules may run what they hold. */
export function foreignSkills(
  { skills }: Pack,
  project: string,
  changes: readonly FileChange[],
): PlanFault[] {
  const changed = new Set(changes.map(({ path }) => path));
  const isWritten = (home: string, name: string, path: string): boolean => {
    const own = `${home}/${name}/${path}`;
    const isShared = isBundle(path) && !existsSync(join(project, own));
    return changed.has(own) || (isShared && changed.has(`${home}/${bundleHolder}/${path}`));
  };
  return skillHomes.flatMap((home) =>
    skillNames.flatMap((name) => {
      const path = `${home}/${name}`;
      if (fileStatus(join(project, path)) === undefined) return [];
      const other = foreignFile(skills.get(name), join(project, path), (it) =>
        isWritten(home, name, it),
      );
      if (other === undefined) return [];
      const reason = `${other} in it is not this pack's, and hooks or rules would let it run`;
      return [{ path, reason: `${reason}; look at it, remove it and run this again` }];
    }),
  );
}

function foreignFile(
  source: string | undefined,
  place: string,
  isWritten: (path: string) => boolean,
): string | undefined {
  if (source === undefined) return "SKILL.md";
  const kept = skillFiles(source).filter((path) => !isWritten(path));
  return differingFile(source, place, kept);
}

/** Where the hooks of a CLI find their script; undefined when that is not below the project. */
export function hookFolder(
  pack: Pack,
  project: string,
  skills: string,
  changes: readonly FileChange[],
): string | undefined {
  const copies = [...pack.skills.keys()].map((name) => `${skills}/${name}/scripts`);
  const copy = copies.find(
    (folder) =>
      existsSync(join(project, folder)) ||
      changes.some(({ path }) => path.startsWith(`${folder}/`)),
  );
  if (copy !== undefined) return copy;
  const own = relative(realpathSync(project), pack.scripts).replaceAll("\\", "/");
  return own.startsWith("..") || /^[A-Za-z]:/.test(own) ? undefined : own;
}
