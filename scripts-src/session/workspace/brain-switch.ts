import { ConsultaError } from "../../base/errors.ts";
import { findWorkspace } from "./workspace.ts";

/** Whether a project has its brain turned off; a config that cannot be read turns nothing off. */
export function isBrainOff(project: string): boolean {
  try {
    return !findWorkspace(project).config.brain;
  } catch (cause) {
    if (cause instanceof ConsultaError) return false;
    throw cause;
  }
}
