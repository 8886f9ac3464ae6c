import { dirname, join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { realpathSync } from "../store/disk.ts";
import { inWorktrees, mainCheckout } from "./main-checkout.ts";
import {
  findWorkspace,
  isInWorkspace,
  openWorkspace,
  projectFolder,
  type Workspace,
} from "./workspace.ts";

/**
 * The `.consulta` folder whose brain serves a workspace: its own, or for a worktree that of the main
 * checkout, which outlives it. It may have to be made.
 */
export function brainRoot(root: string): string {
  const main = mainCheckout(dirname(root));
  return main === undefined ? root : join(projectFolder(main), ".consulta");
}

/**
 * The workspace whose brain serves this one, made where it is missing.
 * @throws ConsultaError as `openWorkspace`.
 */
export async function brainWorkspace(workspace: Workspace): Promise<Workspace> {
  const root = brainRoot(workspace.root);
  return root === workspace.root ? workspace : openWorkspace(dirname(root), false);
}

/** The other workspaces that a workspace's brain serves: those in the worktrees of its repository. */
export function servedElsewhere({ project }: Workspace): Workspace[] {
  const root = join(realpathSync(project), ".consulta");
  return inWorktrees(project).flatMap((folder) => {
    const found = workspaceIn(folder);
    return found !== undefined && brainRoot(found.root) === root ? [found] : [];
  });
}

/** One that cannot be used hides no other. */
function workspaceIn(folder: string): Workspace | undefined {
  try {
    return isInWorkspace(folder) ? findWorkspace(folder) : undefined;
  } catch (cause) {
    if (cause instanceof ConsultaError) return undefined;
    throw cause;
  }
}
