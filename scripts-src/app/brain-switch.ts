import type { Workspace } from "./workspace.ts";

/** Whether a project has a brain: each with a workspace, unless its config says no. */
export function isBrainOn({ config }: Workspace): boolean {
  return config.brain;
}
