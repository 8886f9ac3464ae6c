import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { namesIn, readFileIfPresent } from "../../files/atomic-file.ts";
import { isRealFolder, realpathSync } from "../../files/disk.ts";
import { ownRepository, workspaceRoot } from "./workspace.ts";

/**
 * What is in the project that this runs in: the folder itself, the one of its workspace (else its
 * repository), and the same place in the repository's other worktrees.
 */

/** A path in the project, relative to the folder that it is in; undefined for any other. */
export function pathInProject(path: string): string | undefined {
  const real = realPathOf(resolve(path));
  const near = pathBelow([realpathSync(process.cwd())], real);
  if (near !== undefined) return near;
  const project = realpathSync(projectHere());
  return pathBelow([project], real) ?? pathBelow(worktreesWith(project).map(realPathOf), real);
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

/** The same project in the other worktrees of its repository. */
function worktreesWith(project: string): string[] {
  const repository = ownRepository(project);
  if (repository === undefined) return [];
  return worktreesOf(repository).map((it) => join(it, relative(repository, project)));
}

/**
 * The worktrees of a repository. Each must name it as it is named by it: a `.git` that came in an
 * archive could name any other repository of the user's.
 */
function worktreesOf(repository: string): string[] {
  const common = commonFolder(join(repository, ".git"));
  if (common === undefined) return [];
  const main = basename(common) === ".git" ? [dirname(common)] : [];
  const linked = orNone(() => namesIn(join(common, "worktrees"))).flatMap((name) => {
    const place = join(common, "worktrees", name);
    const git = pathIn(join(place, "gitdir"), "");
    // Any other file could lie where its writer may reach and the user's project is not.
    const isGit = git !== undefined && basename(git) === ".git";
    return isGit && pathIn(git, "gitdir: ") === place ? [dirname(git)] : [];
  });
  return [...main, ...linked];
}

/** The git folder that the worktrees of a repository share. */
function commonFolder(git: string): string | undefined {
  if (isRealFolder(git)) return realPathOf(git);
  const place = pathIn(git, "gitdir: ");
  const isLinked = place !== undefined && basename(dirname(place)) === "worktrees";
  return isLinked && pathIn(join(place, "gitdir"), "") === realPathOf(git)
    ? dirname(dirname(place))
    : undefined;
}

/** The real path that a file of git names after `start`; undefined where it names none. */
function pathIn(file: string, start: string): string | undefined {
  const [line = ""] = orNone(() => [readFileIfPresent(file, limits.gitFileBytes) ?? ""]);
  if (!line.startsWith(start) || line.trim() === "") return undefined;
  return realPathOf(resolve(dirname(file), line.slice(start.length).trim()));
}

/** What cannot be read names nothing. */
function orNone(read: () => string[]): string[] {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ConsultaError) return [];
    throw cause;
  }
}
