import { basename, dirname, join } from "node:path";
import { ConsultaError, refused } from "../../base/errors.ts";
import { parseStrictJson } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { readLimits } from "../../clis/user-settings.ts";
import {
  createFileExclusively,
  isHollow,
  namesIn,
  readFileIfPresent,
  writeFileAtomically,
} from "../../files/atomic-file.ts";
import { existsSync, orNothing } from "../../files/disk.ts";
import { homeOrNone, isHome } from "../../files/home-folder.ts";
import {
  checkOwnWorkspace,
  isOpenToAll,
  isOwnWith,
  readOwnFile,
  type SharingFault,
  sharingFault,
} from "../../files/ownership.ts";
import { ensureFolder, safeJoin } from "../../files/safe-path.ts";
import {
  type Config,
  type ConfigLimits,
  defaultConfig,
  defaultConfigText,
  parseConfig,
} from "../../protocol/config.ts";
import { inWorktreeOf, mainCheckout } from "./main-checkout.ts";

/** A project's `.consulta/` folder with its config (DESIGN section 6). */
export interface Workspace {
  /** The `.consulta` folder itself. */
  readonly root: string;
  /**
   * The folder that holds it, or for who works in a worktree the same folder there: paths in messages are
   * relative to this.
   */
  readonly project: string;
  readonly config: Config;
}

const folderName = ".consulta";

/** What every workspace has; the watchers are those that a colleague with the original files starts. */
const furniture = [
  ...["PROTOCOL.md", ".gitignore"],
  ...["scripts/watcher.sh", "scripts/watcher.ps1", "scripts/wait-for-message.sh"],
];

/**
 * The workspace of `start` or of the nearest folder above it; of a worktree that of the main checkout.
 * @throws ConsultaError REFUSED when there is none, when others may write to it, or when its config is
 * wrong.
 */
export function findWorkspace(start: string): Workspace {
  const found = holderOf(start);
  if (found !== undefined) return readWorkspace(found);
  throw refused(
    `no ${folderName} folder in ${start} or above; go to your project's folder or give --workspace DIR; init makes a new one`,
  );
}

/**
 * As `findWorkspace`; where there is none, one is made at the repository's root. `/` and the user's home get one
 * only where `isNamed` says that the user named that folder.
 * @throws ConsultaError REFUSED when others may write to it, and as `findWorkspace`.
 */
export async function openWorkspace(start: string, isNamed: boolean): Promise<Workspace> {
  const main = mainCheckout(start);
  const found = holderOf(start) ?? standsFor(start, newProject(main ?? start, isNamed), main);
  checkOwnWorkspace(safeJoin(found.holder, folderName));
  const root = ensureFolder(found.holder, folderName);
  const isWhole = ["config.json", ...furniture].every((name) => !isLost(join(root, name)));
  if (!isWhole) await furnish(root);
  return readWorkspace(found);
}

/** Where a workspace is made for `start`. Dotfiles make a repository of a home, but no project. */
function newProject(start: string, isNamed: boolean): string {
  const repository = ownRepository(start);
  if (repository !== undefined) return repository;
  if (isNamed || !isTooWide(start)) return start;
  throw refused(
    `${start} is no project: go to your project's folder, or name one with --workspace DIR`,
  );
}

/** The caller's repository that `start` is in; a home, or what anybody may write to, is none. */
export function ownRepository(start: string): string | undefined {
  // Another user's `.git` above makes no project: git itself would not believe it.
  const found = folderAbove(start, (it) => isRepository(it) && isOwnWith(it, ".git"));
  return found !== undefined && !isTooWide(found) ? found : undefined;
}

function isTooWide(folder: string): boolean {
  return dirname(folder) === folder || isHome(folder) || isOpenToAll(folder);
}

/** Whether a file is missing, or a power cut took what it held. */
function isLost(path: string): boolean {
  return isHollow(readFileIfPresent(path, limits.messageBytes) ?? "");
}

/** Writes what a fresh workspace lacks; it replaces nothing that holds anything. */
async function furnish(root: string): Promise<void> {
  // Texts that only a bundle can hold: what runs from its sources, as a test does, may do without.
  const { workspaceFiles } = await import("./workspace-template.ts");
  for (const [name, text] of Object.entries(workspaceFiles)) {
    const path = join(ensureFolder(root, ...name.split("/").slice(0, -1)), basename(name));
    if (!createFileExclusively(path, text) && isLost(path)) writeFileAtomically(path, text);
  }
}

/** Keeps what is written into a `.consulta` folder, workspace or not, out of the project's history. */
export async function keepUntracked(root: string): Promise<void> {
  const path = join(root, ".gitignore");
  if (existsSync(path)) return;
  const { workspaceFiles } = await import("./workspace-template.ts");
  createFileExclusively(path, workspaceFiles[".gitignore"] ?? "");
}

/** A folder below `.consulta`, which keeps itself out of the project's history where that does not. */
export function ensureUntracked(root: string, name: string): string {
  const folder = ensureFolder(dirname(root), basename(root), name);
  if (!existsSync(join(root, ".gitignore"))) {
    createFileExclusively(join(folder, ".gitignore"), "*\n");
  }
  return folder;
}

/** What lets others put something into the workspace of `start`, if there is one. */
export function workspaceFault(start: string): SharingFault | undefined {
  const found = holderOf(start);
  return found && sharingFault(join(found.holder, folderName));
}

/**
 * The project that `start` is in: the folder that holds its workspace, else its repository, else `start`; for a
 * worktree that of the main checkout.
 */
export function projectFolder(start: string): string {
  const found = holderOf(start)?.holder;
  return found ?? folderAbove(mainCheckout(start) ?? start, isRepository) ?? start;
}

/** What is the `project` of the workspace of `start`, also where that is refused; undefined without one. */
export function workspaceProject(start: string): string | undefined {
  return holderOf(start)?.project;
}

/** Whether there is a workspace, also one that is refused. */
export function isInWorkspace(start: string): boolean {
  return holderOf(start) !== undefined;
}

/**
 * The `.consulta` folder of the workspace that `start` is in, also where its config is wrong; undefined
 * also where others may write to it.
 */
export function workspaceRoot(start: string): string | undefined {
  const found = holderOf(start);
  const root = found && join(found.holder, folderName);
  return root !== undefined && sharingFault(root) === undefined ? root : undefined;
}

/** The folder that holds a workspace, and the `project` of the workspace. */
type Holder = Pick<Workspace, "project"> & { readonly holder: string };

/**
 * The folder that holds the workspace of `start`. Worktrees come and go, and agents in several of them talk to each
 * other: what is kept is in the main checkout.
 */
function holderOf(start: string): Holder | undefined {
  const main = mainCheckout(start);
  const holder = folderAbove(main ?? start, holdsWorkspace);
  return holder === undefined ? undefined : standsFor(start, holder, main);
}

function standsFor(start: string, holder: string, main: string | undefined): Holder {
  return { holder, project: main === undefined ? holder : inWorktreeOf(start, holder) };
}

/** `start` or the nearest folder above it that is wanted. */
function folderAbove(start: string, isWanted: (folder: string) => boolean): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isWanted(folder)) return folder;
    // A repository is a project of its own: what is above it is somebody else's.
    if (dirname(folder) === folder || isRepository(folder)) return undefined;
  }
}

function isRepository(folder: string): boolean {
  return existsSync(join(folder, ".git"));
}

/**
 * The user's own settings and seats lie in `~/.consulta`, and drafts also where there is no workspace:
 * that alone makes none.
 */
function holdsWorkspace(folder: string): boolean {
  const root = join(folder, folderName);
  if (!existsSync(root)) return false;
  if (["config.json", "sessions"].some((name) => existsSync(join(root, name)))) return true;
  return !isHome(folder) && !holdsOnlyDrafts(root);
}

function holdsOnlyDrafts(root: string): boolean {
  const names = existsSync(join(root, "drafts")) ? namesIn(root) : [];
  return names.includes("drafts") && names.every((name) => ["drafts", ".gitignore"].includes(name));
}

function readWorkspace({ holder, project }: Holder): Workspace {
  const root = safeJoin(holder, folderName);
  checkOwnWorkspace(root);
  return { root, project, config: readConfig(root) };
}

function readConfig(root: string): Config {
  const text = readFileIfPresent(join(root, "config.json"), limits.messageBytes) ?? "";
  // Empty or all zeros is what a power cut leaves. Most never change it, and the defaults need no check: no user's
  // limits forbid them.
  if (isHollow(text) || text === defaultConfigText()) return defaultConfig;
  const value = parseStrictJson(text, "config.json");
  try {
    return parseConfig(value, ownLimits());
  } catch (cause) {
    if (!(cause instanceof ConsultaError) || own.failure === undefined) throw cause;
    throw new ConsultaError(cause.code, `${cause.message} (${own.failure})`, { cause });
  }
}

/** Whether a project has its brain turned off; a config that cannot be read turns nothing off. */
export function isBrainOff(project: string): boolean {
  return orNothing(() => findWorkspace(project).config.brain) === false;
}

let own: { limits: ConfigLimits; failure?: string } = { limits: {} };

/** How far the user lets projects go; see `readOwnLimits`. */
export function ownLimits(): ConfigLimits {
  return own.limits;
}

/**
 * Reads the section `limits` of the user's own settings, once in a process. Never fails: a project that needs it
 * is refused with the reason.
 */
export async function readOwnLimits(): Promise<void> {
  try {
    if (mayHaveOwn("limits")) own = { limits: await readLimits(process.env) };
  } catch (cause) {
    if (!(cause instanceof ConsultaError)) throw cause;
    own = { limits: {}, failure: cause.message };
  }
}

/**
 * Whether the user's own settings may have a section. Most users have none, and pay for no YAML.
 * @throws ConsultaError where others can write to the file.
 */
export function mayHaveOwn(section: string): boolean {
  const home = homeOrNone();
  const text = home && readOwnFile(join(home, ".consulta", "config.yaml"), limits.messageBytes);
  return text?.includes(section) === true;
}
