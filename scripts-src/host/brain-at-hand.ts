import { hostname } from "node:os";
import { join } from "node:path";
import { brainRoot } from "../app/brain-place.ts";
import { isBrainOn } from "../app/brain-switch.ts";
import { lives } from "../app/process-life.ts";
import { readEndpoint } from "../brain/brain-folder.ts";
import { momentOf } from "../core/brain/hook-moments.ts";
import { canRunBrain } from "../core/brain/node-version.ts";
import { existsSync } from "../store/disk.ts";
import type { HookCall } from "./hook-call.ts";

/** Whether a brain of this workspace seems to run: where it is dead, no way to it is even loaded. */
export function mayBrainRun(root: string): boolean {
  const folder = join(brainRoot(root), "brain");
  const endpoint = existsSync(folder) ? readEndpoint(folder) : undefined;
  return endpoint !== undefined && lives({ pid: endpoint.pid, host: hostname() }) !== false;
}

/** Whether the brain wants to hear of this at all. */
export function isForBrain({ workspace, input }: HookCall): boolean {
  // A subagent has a context of its own, which nobody restores.
  return workspace !== undefined && isBrainOn(workspace) && !("agent_id" in input);
}

/** Whether there is a brain that can be asked; costs next to nothing where not. */
export function isBrainAtHand(call: HookCall): boolean {
  const { cli, event, workspace } = call;
  if (workspace === undefined || !isForBrain(call)) return false;
  const mayStart = momentOf(cli, event)?.mayStart === true && canStartBrain();
  return mayStart || mayBrainRun(workspace.root);
}

export function canStartBrain(): boolean {
  return canRunBrain(process.versions.node);
}
