import { join } from "node:path";
import { pluginFile, pluginText } from "../clis/opencode-plugin.ts";
import { textAt } from "./pack.ts";
import type { FileChange } from "./plan-copies.ts";
import type { PlanFault } from "./plan-settings.ts";

/** Which plugin is there: ours never changes, so that what was changed is another's. */
export function pluginAt(path: string): "none" | "ours" | "foreign" {
  const text = textAt(path)?.toString();
  if (text === undefined) return "none";
  return text === pluginText ? "ours" : "foreign";
}

/** How it comes with the hooks, and goes with them; undefined leaves it. */
export function planPlugin(project: string, hooks: boolean | undefined) {
  const found = pluginAt(join(project, pluginFile));
  const reason = "it is none of ours, and ours has this name: rename it and run this again";
  const faults: PlanFault[] =
    found === "foreign" && hooks === true ? [{ path: pluginFile, reason }] : [];
  const isDone = hooks === undefined || found !== (hooks ? "none" : "ours");
  const content = hooks === true ? Buffer.from(pluginText) : undefined;
  const changes: FileChange[] = isDone ? [] : [{ path: pluginFile, content, runs: false }];
  return { changes, faults };
}
