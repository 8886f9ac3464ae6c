import { dirname, join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { realpathSync } from "../../files/disk.ts";
import { brainRoot } from "../../session/workspace/brain-switch.ts";
import { inWorktrees } from "../../session/workspace/main-checkout.ts";
import {
  findWorkspace,
  isInWorkspace,
  openWorkspace,
  type Workspace,
} from "../../session/workspace/workspace.ts";

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
