import { dirname, join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { mainCheckout } from "./main-checkout.ts";
import { findWorkspace, projectFolder, type Workspace } from "./workspace.ts";

/** Whether a project with a workspace has a brain: it does unless a config turns it off. */
export function isBrainOn(workspace: Workspace): boolean {
  return configTurningBrainOff(workspace) === undefined;
}

/**
 * The config file that turns the brain off; undefined when none does. The brain of a worktree is that
 * of the main checkout, so the config there may turn it off too.
 */
export function configTurningBrainOff({ root, config }: Workspace): string | undefined {
  if (!config.brain) return join(root, "config.json");
  const main = brainRoot(root);
  const isOff = main !== root && isBrainOff(dirname(main));
  return isOff ? join(main, "config.json") : undefined;
}

/** Whether a project has its brain turned off; a config that cannot be read turns nothing off. */
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
 * checkout, which outlives the worktree. The folder may not exist yet.
 */
export function brainRoot(root: string): string {
  const main = mainCheckout(dirname(root));
  return main === undefined ? root : join(projectFolder(main), ".consulta");
}
