import { existsSync } from "../files/disk.ts";
import type { ContextMemory, HookCall, MemoryAnswer } from "../wake/hook-call.ts";
import { bellPath, brainPath, endpointPath, runningEndpoint } from "./endpoint.ts";
import { hookEvents } from "./rules/hook-report.ts";

/** The brain of a project as the hooks of its CLIs see it; all but a cheap look is loaded when there is one to ask. */
export const brainForHooks: ContextMemory = {
  listens: ({ config }) => config.brain,
  files: (root) => [bellPath(brainPath(root)), endpointPath(brainPath(root))],
  isDue: (call) => isWanted(call) && mayRun(call.root ?? ""),
  tell,
};

function mayRun(root: string): boolean {
  const folder = brainPath(root);
  return existsSync(folder) && runningEndpoint(folder) !== undefined;
}

/** The brain does not restore the context of a subagent. */
function isWanted({ workspace, input }: HookCall): boolean {
  return workspace?.config.brain === true && !("agent_id" in input);
}

async function tell(call: HookCall): Promise<MemoryAnswer | undefined> {
  const { moment, workspace } = call;
  if (workspace === undefined || !isWanted(call)) return undefined;
  if (hookEvents[moment].mayStart !== true && !mayRun(workspace.root)) return undefined;
  return (await import("./client/tell-brain.ts")).tellBrain(call, workspace);
}
