import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { type CliProcess, cliProcess, isInCli } from "../clis/cli-process.ts";
import { registerRole, unregisterCli } from "../clis/cli-registry.ts";
import { lookAtProcesses } from "../clis/is-running.ts";
import { realpathSync } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { systemClock } from "../script/clock.ts";
import type { NextAction } from "../session/next-action.ts";
import type { Place } from "../session/place.ts";
import { readMemory, toldOf } from "./hook-state.ts";

/**
 * Registers the CLI that runs this script for the participant, so that its hooks know for whom to
 * wait. Does nothing outside a CLI, or in a turn of `consult`, which runs its participants itself.
 * Never fails: without a registration the hooks are silent, and all else works.
 */
export async function registerCli(
  { folder }: Place,
  participant: string,
  { seq }: Pick<SessionStatus, "seq">,
): Promise<void> {
  if (!isInCli()) return;
  try {
    const cli = await cliProcess();
    if (cli !== undefined) register(cli, folder, participant, seq);
  } catch {
    return;
  }
}

/**
 * Registers this run of `consult` for all participants that it runs, so that no other CLI is woken for them
 * meanwhile; returns the function that undoes it. Never fails.
 */
export async function registerForAll(
  { folder }: Place,
  participants: Iterable<string>,
  { seq }: SessionStatus,
): Promise<() => void> {
  try {
    const started = lookAtProcesses()(process.pid)?.started ?? "";
    const own: CliProcess = { pid: process.pid, host: hostname(), started, cli: "consult" };
    for (const name of participants) register(own, folder, name, seq);
    return () => unregisterCli(homeFolder(), own);
  } catch {
    return () => undefined;
  }
}

function register(cli: CliProcess, folder: string, participant: string, seq: number): void {
  registerRole(homeFolder(), cli, {
    folder: realpathSync.native(folder),
    participant,
    at: systemClock.now(),
    seq,
    scripts: resolve(dirname(process.argv[1] ?? ".")),
  });
}

/**
 * Whether a hook wakes the agent that runs this script when it ends its turn now: a hook of ours has
 * run in this very process of its CLI, hooks may wait here, and the last one has not given up.
 */
export async function isWokenByHook(
  { folder: named, config }: Place,
  participant: string,
): Promise<boolean> {
  if (!isInCli() || config.hook_wait_seconds === 0) return false;
  try {
    const cli = await cliProcess();
    if (cli === undefined) return false;
    const memory = readMemory(homeFolder(), cli);
    const folder = realpathSync.native(named);
    return memory.hasRun && toldOf(memory, { folder, participant })?.alert !== "limit";
  } catch {
    // Then it waits with a command, which always works.
    return false;
  }
}

/** The same for what `next-action` found; nobody needs to know where it is the reader's turn. */
export async function isWokenIn({ place, participant, guidance }: NextAction): Promise<boolean> {
  return guidance.turn === "theirs" && isWokenByHook(place, participant);
}
