import { ConsultaError } from "../core/errors.ts";
import { findWorkspace, type Workspace } from "./workspace.ts";

/** Whether a project has a brain: each with a workspace, unless its config says no. */
export function isBrainOn({ config }: Workspace): boolean {
  return config.brain;
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
