import { dirname, join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { mainCheckout } from "./main-checkout.ts";
import { findWorkspace, projectFolder, type Workspace } from "./workspace.ts";

/** Whether a project has a brain: each with a workspace, unless its config says no. */
export function isBrainOn(workspace: Workspace): boolean {
  return switchedOffIn(workspace) === undefined;
}

/** The config that says that there is to be none: its own, or for a worktree that of the main checkout. */
export function switchedOffIn({ root, config }: Workspace): string | undefined {
  if (!config.brain) return join(root, "config.json");
  const main = brainRoot(root);
  const isOff = main !== root && isBrainOff(dirname(main));
  return isOff ? join(main, "config.json") : undefined;
}

/** Whether a project's config says that it is to have none; one that cannot be read does not. */
export function isBrainOff(project: string): boolean {
  try {
    return !isBrainOn(findWorkspace(project));
  } catch (cause) {
    if (cause instanceof ConsultaError) return false;
    throw cause;
  }
}

/**
 * The `.consulta` folder whose brain serves a workspace: its own, or for a worktree that of the main
 * checkout, which outlives it. It may have to be made.
 */
export function brainRoot(root: string): string {
  const main = mainCheckout(dirname(root));
  return main === undefined ? root : join(projectFolder(main), ".consulta");
}
