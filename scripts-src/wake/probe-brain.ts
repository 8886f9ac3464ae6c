import { hostname } from "node:os";
import { join } from "node:path";
import { readEndpoint } from "../brain/brain-folder.ts";
import { canRunBrain } from "../brain/rules/node-version.ts";
import { lives } from "../clis/process-life.ts";
import { existsSync } from "../files/disk.ts";
import { brainRoot, isBrainOn } from "../session/workspace/brain-switch.ts";
import type { HookCall } from "./hook-call.ts";
import { hookEventOf } from "./rules/hook-events.ts";

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
export function isBrainRunning(call: HookCall): boolean {
  const { cli, event, workspace } = call;
  if (workspace === undefined || !isForBrain(call)) return false;
  const mayStart = hookEventOf(cli, event)?.mayStart === true && canStartBrain();
  return mayStart || mayBrainRun(workspace.root);
}

export function canStartBrain(): boolean {
  return canRunBrain(process.versions.node);
}
