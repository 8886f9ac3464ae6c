import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { refused } from "../base/errors.ts";
import { isSafeName, parseSessionId } from "../base/names.ts";
import { visibleText } from "../base/visible-text.ts";
import { existsSync, isFolder, realpathSync } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import { checkOwnWorkspace } from "../files/ownership.ts";
import { guardFolder } from "../files/safe-open.ts";
import { safeJoin } from "../files/safe-path.ts";
import { type Config, defaultConfig } from "../protocol/config.ts";
import { checkoutsOf } from "./workspace/main-checkout.ts";
import {
  findWorkspace,
  ownRepository,
  type Workspace,
  workspaceProject,
  workspaceRoot,
} from "./workspace/workspace.ts";

/** Where a session lives: in a workspace, or in a folder of its own that the user named. */
export interface Place {
  /** What people call the session: its name in the workspace, or its folder as they gave it. */
  readonly id: string;
  readonly folder: string;
  readonly workspace: Workspace | undefined;
  readonly config: Config;
}

/** In a session's folder, what waits for an event to be stored: texts for documents, tries, registrations. */
export const pendingFolder = ".additions";

/**
 * In a session's folder: its log is kept on a store that machines share. The file holds a key, and
 * ~/.consulta/stores/KEY/entry.json says where the store is.
 */
export const storeMark = ".store";

export function hasStore(folder: string): boolean {
  return existsSync(join(folder, storeMark));
}

/** The place of a session of a workspace. */
export function placeIn(workspace: Workspace, id: string): Place {
  const folder = safeJoin(workspace.root, "sessions", parseSessionId(id));
  checkOwnWorkspace(workspace.root, id);
  return { id, folder, workspace, config: workspace.config };
}

/**
 * The place of the session in a folder that the user named; a folder below `.consulta/sessions`
 * belongs to that workspace.
 * @throws ConsultaError REFUSED when there is no such folder.
 */
export function placeAt(path: string): Place {
  const named = absolutePath(path);
  if (!isFolder(named)) {
    throw refused(
      `missing protocol.json in ${visibleText(named)}: there is no such folder; is the path right? (init makes a new one)`,
    );
  }
  return placeOfFolder(realpathSync(named));
}

/** The place of a session that is to begin in a folder, which may have to be made. */
export function placeToMake(path: string): Place {
  const named = absolutePath(path);
  return placeOfFolder(existsSync(named) ? realpathSync(named) : named);
}

function placeOfFolder(folder: string): Place {
  const [id, sessions] = [basename(folder), dirname(folder)];
  const inWorkspace =
    basename(sessions) === "sessions" && basename(dirname(sessions)) === ".consulta";
  if (inWorkspace && isSafeName(id)) {
    const workspace = workspaceWith(dirname(sessions));
    if (workspace !== undefined) return placeIn(workspace, id);
  }
  guardFolder(folder);
  // The folder was named: a workspace above it that others may write to is none to it.
  const isBelow = workspaceRoot(folder) !== undefined;
  const config = isBelow ? findWorkspace(folder).config : defaultConfig;
  return { id: folder, folder, workspace: undefined, config };
}

/** The workspace of that folder; undefined for one in a worktree, where git brings it and nobody uses it. */
function workspaceWith(root: string): Workspace | undefined {
  const isHere = workspaceRoot(process.cwd()) === root;
  const workspace = findWorkspace(isHere ? process.cwd() : dirname(root));
  return workspace.root === root ? workspace : undefined;
}

/** A path as a shell would read it, also where `~` came through in quotes. */
export function absolutePath(path: string): string {
  return resolve(path === "~" || path.startsWith("~/") ? join(homeFolder(), path.slice(1)) : path);
}

/** The project of the reader of a session: its workspace's, else the one they are in. */
export function readersProject({ workspace }: Place): string {
  if (workspace !== undefined) return workspace.project;
  const here = process.cwd();
  return (workspaceRoot(here) && workspaceProject(here)) ?? here;
}

/**
 * A path in the project that this runs in, relative to the folder that it is in; undefined for any other. In the
 * project are the folder itself, the one of its workspace (else its repository), and the same place in the
 * repository's other worktrees.
 */
export function pathInProject(path: string): string | undefined {
  const real = realPathOf(resolve(path));
  const near = pathBelow([realpathSync(process.cwd())], real);
  if (near !== undefined) return near;
  const project = realpathSync(projectHere());
  return pathBelow([project], real) ?? pathBelow(inCheckouts(project).map(realPathOf), real);
}

function projectHere(): string {
  const root = workspaceRoot(process.cwd());
  return root === undefined ? (ownRepository(process.cwd()) ?? process.cwd()) : dirname(root);
}

function pathBelow(folders: readonly string[], path: string): string | undefined {
  const folder = folders.find((it) => path === it || path.startsWith(it.replace(/[/\\]*$/, sep)));
  return folder === undefined ? undefined : relative(folder, path);
}

/** Where a path leads, through links; what is not there yet, below what is. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : resolve(realPathOf(above), relative(above, path));
  }
}

/** The same project in all checkouts of its repository, itself among them; none where it has no repository. */
function inCheckouts(project: string): string[] {
  const repository = ownRepository(project);
  if (repository === undefined) return [];
  return checkoutsOf(repository).map((it) => join(it, relative(repository, project)));
}
