import { hostname } from "node:os";
import { brainPath, canRunBrain, readEndpoint } from "../brain/endpoint.ts";
import { isRunning } from "../clis/is-running.ts";
import { existsSync } from "../files/disk.ts";
import type { HookCall } from "./hook-call.ts";
import { hookEventOf } from "./rules/hook-events.ts";

/** Whether a brain of this workspace seems to run; only then is the client loaded. */
export function mayBrainRun(root: string): boolean {
  const folder = brainPath(root);
  const endpoint = existsSync(folder) ? readEndpoint(folder) : undefined;
  return endpoint !== undefined && isRunning({ pid: endpoint.pid, host: hostname() }) !== false;
}

/** Whether the brain wants to know of this event at all. */
export function isForBrain({ workspace, input }: HookCall): boolean {
  // The brain does not restore the context of a subagent.
  return workspace?.config.brain === true && !("agent_id" in input);
}

/** Whether there is a brain to ask, or to start for this event; a cheap check for every hook. */
export function isBrainRunning(call: HookCall): boolean {
  const { cli, event, workspace } = call;
  if (workspace === undefined || !isForBrain(call)) return false;
  const mayStart = hookEventOf(cli, event)?.mayStart === true && canRunBrain(process.versions.node);
  return mayStart || mayBrainRun(workspace.root);
}
