import { dirname, join, relative, resolve, sep } from "node:path";
import { realpathSync } from "../../files/disk.ts";
import { checkoutsOf } from "./main-checkout.ts";
import { ownRepository, workspaceRoot } from "./workspace.ts";

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
