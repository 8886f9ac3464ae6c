import { hostname } from "node:os";
import type { HookedCli } from "./hook-entries.ts";
import { lookAtProcesses, type ProcessLook, processesAbove } from "./is-running.ts";

/** A running CLI, or a run of `consult`, which plays all participants of its session. */
export interface CliProcess {
  readonly pid: number;
  readonly host: string;
  /** Empty where nobody can tell; see `ProcessName`. */
  readonly started: string;
  readonly cli: HookedCli | "consult";
}

/** By what tells which one it is: on macOS each look at the processes starts one. */
const found = new Map<string, Promise<CliProcess | undefined>>();

/**
 * The running AI CLI that started this process; undefined where none did, or none can be told.
 * Claude Code names its process; elsewhere, and where one CLI runs inside another, it is the nearest
 * process above that is no shell.
 */
export function cliProcess(hook?: HookedCli): Promise<CliProcess | undefined> {
  const { CLAUDE_PID, CLAUDECODE, GEMINI_CLI } = process.env;
  const key = JSON.stringify([hook, CLAUDE_PID, CLAUDECODE, GEMINI_CLI]);
  const cli = found.get(key) ?? findCliProcess(hook);
  found.set(key, cli);
  return cli;
}

async function findCliProcess(hook: HookedCli | undefined): Promise<CliProcess | undefined> {
  const { CLAUDE_PID, CLAUDECODE, GEMINI_CLI } = process.env;
  const inClaude = CLAUDECODE !== undefined && GEMINI_CLI === undefined;
  const isNamed = /^\d+$/.test(CLAUDE_PID ?? "") && (hook === "claude" || (!hook && inClaude));
  const look = lookAtProcesses();
  const pid = isNamed ? Number(CLAUDE_PID) : nearestNoShell(look);
  const status = pid === undefined ? undefined : look(pid);
  // Windows tells nothing about processes.
  if (pid === undefined || (status === undefined && process.platform !== "win32")) return undefined;
  const isClaude = GEMINI_CLI === undefined || pid === Number(CLAUDE_PID);
  const cli = hook ?? (isClaude ? "claude" : "gemini");
  return { pid, host: hostname(), started: status?.started ?? "", cli };
}

/** Whether a CLI with hooks runs this script, and no turn of `consult`, which wakes its own. */
export function isInCli(): boolean {
  const { CLAUDECODE, GEMINI_CLI, CONSULTA_FOLDER } = process.env;
  return (CLAUDECODE ?? GEMINI_CLI) !== undefined && CONSULTA_FOLDER === undefined;
}

/** Also what stands between a CLI and the command that its model wrote. */
const shells = /^-?(?:(?:ba|z|da|k|mk|a|fi|c|tc)?sh|pwsh|timeout|xargs|time)$/;

function nearestNoShell(look: ProcessLook): number | undefined {
  for (const { pid, name } of processesAbove(look)) if (!shells.test(name)) return pid;
  return undefined;
}
