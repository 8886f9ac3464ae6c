import { join } from "node:path";
import { packVersion } from "../base/pack-version.ts";
import { namesIn, writeFileAtomically } from "../files/atomic-file.ts";
import { diskFailure, isErrno } from "../files/errno.ts";
import { guardFolder } from "../files/held-folder.ts";
import { checkOwnWorkspace } from "../files/own-folder.ts";
import {
  realPlace,
  removeProjectFile,
  removeProjectFolder,
  writeFault,
  writeProjectFile,
} from "../files/project-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { keepUntracked } from "../session/workspace/workspace.ts";
import { installedIn } from "./found-install.ts";
import {
  type CliSettingsFile,
  type InstalledPack,
  localSettings,
  readInstalled,
  recordPath,
  sharedSettings,
} from "./installed.ts";
import { type Pack, skillFolders } from "./pack.ts";
import {
  type CopyPlan,
  type FileChange,
  foldersToMake,
  foreignSkills,
  hookFolder,
  planCopies,
  planRemoval,
  skillsAt,
} from "./plan-install.ts";
import {
  type PlanFault,
  planSettings,
  planSettingsRemoval,
  type SettingsChange,
  type SettingsPlan,
} from "./plan-settings.ts";

export interface InstallWish {
  /** Also the entries for the CLIs' own hooks, with the rules; for a removal: nothing but them. */
  readonly hooks: boolean;
  /** Also what the CLIs may do without asking; for a removal: nothing but that. */
  readonly rules: boolean;
  readonly remove: boolean;
  /** The user's own settings of this project, which are not shared. */
  readonly local: boolean;
}

/** What would be done; nothing is, while there is a fault. */
export interface Plan {
  readonly files: readonly FileChange[];
  readonly settings: readonly SettingsChange[];
  readonly notes: readonly string[];
  readonly faults: readonly PlanFault[];
  /** What is ours afterwards, and what was before. */
  readonly record: InstalledPack | undefined;
  readonly former: InstalledPack | undefined;
}

/**
 * What an install or removal would change; writes nothing.
 * @throws ConsultaError REFUSED when the record of an earlier install cannot be read, or others may
 * write to it.
 */
export function planInstall(pack: Pack, project: string, wish: InstallWish): Plan {
  checkOwnWorkspace(join(project, ".consulta"));
  const known = installedIn(pack, project);
  const copies = copiesFor(pack, project, wish, known);
  const { into, outOf } = settingsFor(wish);
  const edits: SettingsPlan[] = [
    ...outOf.map((file) => planSettingsRemoval(file, project, unwanted(wish), known)),
    ...into.map((file) => {
      const folder = hookFolder(pack, project, skillFolders[file.cli], copies.changes);
      const skills = skillsAt(project, skillFolders[file.cli], copies.changes);
      return planSettings(file, project, { hooks: wish.hooks, folder, skills }, known);
    }),
  ];
  const settings = edits.flatMap(({ change }) => (change === undefined ? [] : [change]));
  const paths = copies.changes.map(({ path }) => path);
  const faults = [
    ...(into.length === 0 ? [] : foreignSkills(pack, project, copies.changes)),
    ...edits.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
    ...[recordPath, ...paths].flatMap((path) => {
      const reason = writeFault(project, path);
      return reason === undefined ? [] : [{ path, reason }];
    }),
  ];
  const folders = foldersToMake(project, [
    ...writtenBy(copies),
    ...settings.map(pathOf),
    recordPath,
  ]);
  // Read again, last: another install at the same time has entered first what is found here now.
  const former = installedIn(pack, project);
  const record = packRecordAfter(wish, copies, settings, folders, former);
  // Where one folder is a link to another, two paths are one file.
  const places = copies.changes.map((it) => [realPlace(project, it.path), it] as const);
  const files = [...new Map(places).values()];
  return { files, settings, notes: copies.notes, faults, record, former };
}

/** A removal without a wish takes out all; hooks came with rules. */
function unwanted({ hooks, rules, remove }: InstallWish) {
  const isAll = remove && !hooks && !rules;
  return { hooks: hooks || isAll, rules: hooks || rules || isAll };
}

/** The hooks of a CLI stand in one file of the project: in both each event would be answered twice. */
function settingsFor({ remove, hooks, rules, local }: InstallWish) {
  const all: readonly CliSettingsFile[] = [...sharedSettings, localSettings];
  const isWanted = hooks || rules;
  const into = remove || !isWanted ? [] : local ? [localSettings] : sharedSettings;
  const isOther = ({ cli }: CliSettingsFile) => remove || into.some((it) => it.cli === cli);
  return {
    into,
    outOf: isWanted || remove ? all.filter((it) => !into.includes(it) && isOther(it)) : [],
  };
}

function copiesFor(
  pack: Pack,
  project: string,
  { remove, hooks, rules }: InstallWish,
  former: InstalledPack | undefined,
): CopyPlan {
  if (!remove) return planCopies(pack, project, former);
  if (hooks || rules) return { changes: [], files: {}, notes: [] };
  return planRemoval(project, former);
}

function packRecordAfter(
  { remove, hooks, rules }: InstallWish,
  copies: CopyPlan,
  settings: readonly SettingsChange[],
  folders: readonly string[],
  former: InstalledPack | undefined,
): InstalledPack | undefined {
  const edited = editedAfter(former?.edited, settings);
  if (remove) return former !== undefined && (hooks || rules) ? { ...former, edited } : undefined;
  if (former === undefined && copies.changes.length + settings.length === 0) return undefined;
  const gone = new Set(copies.changes.filter(({ content }) => !content).map(pathOf));
  const files = Object.entries({ ...former?.files, ...copies.files });
  return {
    version: packVersion,
    files: Object.fromEntries(files.filter(([path]) => !gone.has(path))),
    folders: [...new Set([...(former?.folders ?? []), ...folders])].sort(),
    edited,
  };
}

/** A file that changed has the record of this change, others the one that they had. */
function editedAfter(
  former: InstalledPack["edited"] = {},
  changes: readonly SettingsChange[],
): InstalledPack["edited"] {
  const kept = Object.entries(former).filter(([path]) => !changes.some((it) => it.path === path));
  const fresh = changes.flatMap(({ path, record }) => (record ? [[path, record] as const] : []));
  return Object.fromEntries([...kept, ...fresh]);
}

function writtenBy({ changes }: CopyPlan): string[] {
  return changes.filter(({ content }) => content !== undefined).map(pathOf);
}

function pathOf({ path }: { readonly path: string }): string {
  return path;
}

/**
 * Does what was planned. What is to be ours is entered first: an install that is cut short can be
 * run again, or taken back.
 * @throws ConsultaError UNAVAILABLE when the disk is full or refuses.
 */
export async function applyPlan(project: string, plan: Plan): Promise<void> {
  guardFolder(project);
  const { record, former, files, settings } = plan;
  if (record !== undefined && !isSame(record, readInstalled(project))) {
    await keepUntracked(ensureFolder(project, ".consulta"));
    writeFileAtomically(join(project, recordPath), `${JSON.stringify(record, undefined, 2)}\n`);
  }
  for (const { path, content, runs } of files) put(realPlace(project, path), content, runs);
  for (const { path, after } of settings) {
    put(realPlace(project, path), after === "" ? undefined : after, false);
  }
  if (record !== undefined) return;
  put(join(project, recordPath), undefined, false);
  const scripts = ".consulta/scripts";
  if (former?.folders.includes(scripts)) removeIfEmpty(join(project, scripts));
  if (isBare(join(project, ".consulta")))
    put(join(project, ".consulta/.gitignore"), undefined, false);
  for (const folder of [...(former?.folders ?? [])].sort().reverse()) {
    // A link on the way leads to folders that are not ours.
    const isOurs = writeFault(project, `${folder}/x`) === undefined;
    if (isOurs) removeIfEmpty(realPlace(project, folder));
  }
}

function isSame(one: InstalledPack, other: InstalledPack | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function put(path: string, content: string | Uint8Array | undefined, runs: boolean): void {
  try {
    if (content === undefined) removeProjectFile(path);
    else writeProjectFile(path, content, runs);
  } catch (error) {
    throw diskFailure(error, `remove ${path}`);
  }
}

/** Whether nothing is left that git shall not see. */
function isBare(folder: string): boolean {
  const [only, ...more] = namesIn(folder);
  return only === ".gitignore" && more.length === 0;
}

function removeIfEmpty(folder: string): void {
  try {
    removeProjectFolder(folder);
  } catch (error) {
    if (!isErrno(error, "ENOTEMPTY", "EEXIST", "ENOTDIR"))
      throw diskFailure(error, `remove ${folder}`);
  }
}
