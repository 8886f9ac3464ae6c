import { cliFacts, type HookedCli, hostClis } from "./hook-entries.ts";
import { hostHere, lookAtProcesses, type ProcessLook, processesAbove } from "./is-running.ts";

/** A running CLI, or a run of `consult`, which plays all participants of its session. */
export interface CliProcess {
  readonly pid: number;
  readonly host: string;
  /** Empty where nobody can tell; see `ProcessName`. */
  readonly started: string;
  readonly cli: HookedCli | "consult";
  /** Of a CLI whose conversations share a process, the one that is meant. */
  readonly conversation?: string;
}

/** In a turn of `consult`, and in a CLI that the brain runs, a hook does nothing. */
export const insideOurs = ["CONSULTA_FOLDER", "CONSULTA_BRAIN_CHILD"];

/** Whether the words with which OpenCode was started are for one turn: nothing wakes it after that. */
export function isForOneTurn(words: readonly string[]): boolean {
  return words.slice(1).includes("run");
}

/** By what tells which one it is: on macOS each look at the processes starts one. */
const found = new Map<string, Promise<CliProcess | undefined>>();

/**
 * The running AI CLI that started this process; undefined where none did, or none can be told.
 * Claude Code names its process; elsewhere, and where one CLI runs inside another, it is the nearest
 * process above that is no shell.
 */
export function cliProcess(hook?: HookedCli): Promise<CliProcess | undefined> {
  const key = JSON.stringify([hook, process.env["CLAUDE_PID"], hostClis()]);
  const cli = found.get(key) ?? findCliProcess(hook);
  found.set(key, cli);
  return cli;
}

async function findCliProcess(hook: HookedCli | undefined): Promise<CliProcess | undefined> {
  const { CLAUDE_PID } = process.env;
  const hosts = hostClis();
  const isClaude = (hook ?? (hosts.length > 1 ? undefined : hosts[0])) === "claude";
  const isNamed = /^\d+$/.test(CLAUDE_PID ?? "") && isClaude;
  const look = lookAtProcesses();
  const pid = isNamed ? Number(CLAUDE_PID) : nearestNoShell(look);
  const status = pid === undefined ? undefined : look(pid);
  // Windows tells nothing about processes.
  if (pid === undefined || (status === undefined && process.platform !== "win32")) return undefined;
  const inner = pid === Number(CLAUDE_PID) ? "claude" : hosts.find((it) => it !== "claude");
  const cli = hook ?? inner ?? "claude";
  return { pid, host: hostHere(), started: status?.started ?? "", cli };
}

/** The conversation that runs this script, in a CLI whose conversations are told apart by it; undefined elsewhere. */
export function conversationHere(): string | undefined {
  const [cli, ...others] = hostClis();
  if (cli === undefined || others.length > 0 || !cliFacts[cli].isByConversation) return undefined;
  const conversation = process.env[cliFacts[cli].conversation ?? ""] ?? "";
  return isConversation(conversation) ? conversation : undefined;
}

/** Whether it is the name of a conversation that a file can have; `bell.sh` asks the same. */
export function isConversation(name: unknown): name is string {
  return typeof name === "string" && /^[0-9A-Za-z-]{8,44}$/.test(name);
}

/** Whether a CLI with hooks runs this script, and no turn of `consult`, which wakes its own. */
export function isInCli(): boolean {
  return hostClis().length > 0 && process.env["CONSULTA_FOLDER"] === undefined;
}

/** Also what stands between a CLI and the command that its model wrote. */
const shells = /^-?(?:(?:ba|z|da|k|mk|a|fi|c|tc)?sh|pwsh|timeout|xargs|time)$/;

function nearestNoShell(look: ProcessLook): number | undefined {
  for (const { pid, name } of processesAbove(look)) if (!shells.test(name)) return pid;
  return undefined;
}
