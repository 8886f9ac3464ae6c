import { dirname, join } from "node:path";
import { ConsultaError } from "../core/errors.ts";
import { brainRoot } from "./brain-place.ts";
import { findWorkspace, type Workspace } from "./workspace.ts";

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
