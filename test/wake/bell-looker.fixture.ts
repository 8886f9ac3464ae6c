/**
 * Looks, each time it is told to, as a hook does that begins then: counts what was rung, and hangs the bell of the
 * CLI `process.env.CLAUDE_PID`. What the look saw is named in the bell, as the folder of a session that is nowhere.
 */
import "./dies-at-bell.fixture.ts";
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { brainForHooks } from "../../scripts-src/brain/brain-for-hooks.ts";
import { findWorkspace } from "../../scripts-src/session/workspace/workspace.ts";
import { hangBell } from "../../scripts-src/wake/bell.ts";
import type { HookCall } from "../../scripts-src/wake/hook-call.ts";

const [log = "", news = ""] = process.argv.slice(2);
const project = process.cwd();
const workspace = findWorkspace(project);
assert(workspace);

const call: HookCall = {
  ...{ cli: "claude", event: "PostToolUse", moment: "tool", input: {} },
  ...{ startedIn: project, home: homedir() },
  process: { pid: Number(process.env["CLAUDE_PID"]), host: "", started: "", cli: "claude" },
  ...{ workspace, root: workspace.root, project, memory: brainForHooks },
};

process.on("message", async () => {
  Object.defineProperty(performance, "timeOrigin", { value: Date.now(), configurable: true });
  await pause();
  const events = statSync(log).size;
  await pause();
  const told = statSync(news).size;
  await pause();
  const folders = [dirname(log), join("/seen", String(events), String(told))];
  hangBell(call, { roles: [], folders, isWhole: true, takesPart: false, hasRival: false });
  process.send?.("hung");
});
process.on("disconnect", () => process.exit());

/** Short as a rule; a machine that sleeps, or is at its limit, takes longer than a bell has slack. */
async function pause(): Promise<void> {
  await sleep(Math.random() < 0.02 ? 2_000 : Math.random() * 4);
}
