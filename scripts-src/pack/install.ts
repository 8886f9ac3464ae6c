import { dirname, join } from "node:path";
import type { SkillName } from "../clis/skill-names.ts";
import { namesIn } from "../files/atomic-file.ts";
import { diskFailure, isErrno } from "../files/disk.ts";
import { checkOwnWorkspace } from "../files/ownership.ts";
import {
  realPlace,
  removeProjectFile,
  removeProjectFolder,
  writeFault,
  writeProjectFile,
} from "../files/project-file.ts";
import { guardFolder } from "../files/safe-open.ts";
import { ensureFolder } from "../files/safe-path.ts";
import { keepUntracked } from "../session/workspace/workspace.ts";
import { type Pack, textAt } from "./pack.ts";
import { geminiPolicy, policyFile } from "./permission-rules.ts";
import {
  type CopyPlan,
  type FileChange,
  foreignScripts,
  ownSkills,
  planCopies,
  planRemoval,
} from "./plan-copies.ts";
import { planPlugin } from "./plan-plugin.ts";
import {
  localSettings,
  type PlanFault,
  planSettings,
  type SettingsChange,
  settingsFiles,
} from "./plan-settings.ts";

/** Without hooks and rules an install brings copies alone, and a removal takes out all. */
export interface InstallWish {
  /** Also the entries for the CLIs' own hooks, with the rules; for a removal: nothing but them. */
  readonly hooks: boolean;
  /** Also what the CLIs may do without asking; for a removal: nothing but that. */
  readonly rules: boolean;
  readonly remove: boolean;
}

/** What would be done; nothing is, while there is a fault. Settings that their CLI ignores stay as they are. */
export interface Plan {
  readonly files: readonly FileChange[];
  readonly settings: readonly SettingsChange[];
  readonly notes: readonly string[];
  readonly faults: readonly PlanFault[];
  readonly ignored: readonly PlanFault[];
}

/**
 * What an install or removal would change; writes nothing.
 * @throws ConsultaError REFUSED when others may write to the workspace.
 */
export function planInstall(pack: Pack, project: string, wish: InstallWish): Plan {
  checkOwnWorkspace(join(project, ".consulta"));
  const { hooks, rules, remove } = wish;
  const isPlain = !hooks && !rules;
  const copies = copiesFor(pack, project, wish);
  const isArming = !remove && !isPlain;
  const skills = isArming ? ownSkills(pack, project, copies.changes) : [];
  // Hooks came with rules, and go with them.
  const wanted = remove
    ? { hooks: rules && !hooks ? undefined : false, skills: [] }
    : { hooks: hooks || undefined, skills: isArming ? skills : undefined };
  const edited = remove ? [...settingsFiles, localSettings] : settingsFiles;
  const edits = edited.map((file) => planSettings(file, project, wanted));
  const plugin = planPlugin(project, wanted.hooks);
  const changes = [...copies.changes, ...policyChange(project, remove, skills), ...plugin.changes];
  const faults = [
    ...plugin.faults,
    ...(isArming ? foreignScripts(pack, project, copies.changes) : []),
    ...edits.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
    ...changes.flatMap(({ path }) => {
      const reason = writeFault(project, path);
      return reason === undefined ? [] : [{ path, reason }];
    }),
  ];
  // Where one folder is a link to another, two paths are one file.
  const places = changes.map((it) => [realPlace(project, it.path), it] as const);
  const files = [...new Map(places).values()];
  const settings = edits.flatMap(({ change }) => (change === undefined ? [] : [change]));
  const ignored = edits.flatMap((it) => it.ignored ?? []);
  return { files, settings, notes: copies.notes, faults, ignored };
}

/** The rules for Gemini CLI are a file of their own, which its settings name. */
function policyChange(
  project: string,
  remove: boolean,
  skills: readonly SkillName[],
): FileChange[] {
  const present = textAt(join(project, policyFile));
  if (remove) return present ? [{ path: policyFile, content: undefined, runs: false }] : [];
  if (skills.length === 0) return [];
  const content = Buffer.from(`${geminiPolicy(skills)}\n`);
  return present?.equals(content) ? [] : [{ path: policyFile, content, runs: false }];
}

function copiesFor(pack: Pack, project: string, { remove, hooks, rules }: InstallWish): CopyPlan {
  if (!remove) return planCopies(pack, project);
  return hooks || rules ? { changes: [], notes: [] } : planRemoval(pack, project);
}

/**
 * Does what was planned. An install that is cut short can be run again, or taken back.
 * @throws ConsultaError UNAVAILABLE when the disk is full or refuses.
 */
export async function applyPlan(project: string, { files, settings }: Plan): Promise<void> {
  guardFolder(project);
  if (files.some(({ path, content }) => path.startsWith(".consulta/") && content !== undefined))
    await keepUntracked(ensureFolder(project, ".consulta"));
  for (const { path, content, runs } of files) put(realPlace(project, path), content, runs);
  for (const { path, after } of settings)
    put(realPlace(project, path), after === "" ? undefined : after, false);
  const gone = [
    ...files.filter(({ content }) => content === undefined),
    ...settings.filter(({ after }) => after === ""),
  ].map(({ path }) => path);
  if (gone.some((path) => path.startsWith(".consulta/"))) tidyWorkspace(project);
  for (const folder of [...new Set(gone.flatMap(foldersAbove))].sort().reverse()) {
    // A link on the way leads to folders that are not ours.
    const isOurs = writeFault(project, `${folder}/x`) === undefined;
    if (isOurs) removeIfEmpty(realPlace(project, folder));
  }
}

/** Without a session in it, a workspace holds nothing but what git shall not see. */
function tidyWorkspace(project: string): void {
  const folder = join(project, ".consulta");
  removeIfEmpty(join(folder, "scripts"));
  const [only, ...more] = namesIn(folder);
  if (only === ".gitignore" && more.length === 0) put(join(folder, ".gitignore"), undefined, false);
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [...foldersAbove(folder), folder];
}

function put(path: string, content: string | Uint8Array | undefined, runs: boolean): void {
  try {
    if (content === undefined) removeProjectFile(path);
    else writeProjectFile(path, content, runs);
  } catch (error) {
    throw diskFailure(error, `remove ${path}`);
  }
}

function removeIfEmpty(folder: string): void {
  try {
    removeProjectFolder(folder);
  } catch (error) {
    if (!isErrno(error, "ENOTEMPTY", "EEXIST", "ENOTDIR", "ENOENT"))
      throw diskFailure(error, `remove ${folder}`);
  }
}
