import { dirname, resolve } from "node:path";
import {
  type CliProcess,
  cliProcess,
  conversationHere,
  isForOneTurn,
  isInCli,
} from "../clis/cli-process.ts";
import {
  handRoleOver,
  type Registration,
  registerRole,
  unregisterCli,
} from "../clis/cli-registry.ts";
import { hostHere, lookAtProcesses } from "../clis/is-running.ts";
import { realpathSync } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import { readUserKey } from "../files/user-key.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { systemClock } from "../script/clock.ts";
import type { NextAction } from "../session/next-action.ts";
import type { Place } from "../session/place.ts";
import { workspaceRoot } from "../session/workspace/workspace.ts";
import { readMemory, readMemoryOf, toldOf } from "./hook-state.ts";

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
    const seat = registrationOf(folder, participant, seq);
    const conversation = conversationHere();
    const root = workspaceRoot(process.cwd());
    const cli = conversation === undefined ? await cliProcess() : undefined;
    if (cli !== undefined) registerRole(homeFolder(), cli, seat);
    if (conversation !== undefined && root !== undefined) handRoleOver(root, conversation, seat);
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
    const own: CliProcess = { pid: process.pid, host: hostHere(), started, cli: "consult" };
    for (const name of participants)
      registerRole(homeFolder(), own, registrationOf(folder, name, seq));
    return () => unregisterCli(homeFolder(), own);
  } catch {
    return () => undefined;
  }
}

function registrationOf(folder: string, participant: string, seq: number): Registration {
  return {
    folder: realpathSync.native(folder),
    participant,
    at: systemClock.now(),
    seq,
    scripts: resolve(dirname(process.argv[1] ?? ".")),
  };
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
    const memory = await memoryHere();
    if (memory === undefined) return false;
    const folder = realpathSync.native(named);
    return memory.hasRun && toldOf(memory, { folder, participant })?.alert !== "limit";
  } catch {
    // Then it waits with a command, which always works.
    return false;
  }
}

/** What the hooks of the CLI that runs this script remember; undefined where they cannot know of its roles, or wake it. */
async function memoryHere() {
  const home = homeFolder();
  const conversation = conversationHere();
  if (conversation === undefined) {
    const cli = await cliProcess();
    const words = cli?.cli === "opencode" ? lookAtProcesses()(cli.pid)?.words() : undefined;
    return cli && !isForOneTurn(words ?? []) ? readMemory(home, cli) : undefined;
  }
  const isHandedOver = workspaceRoot(process.cwd()) !== undefined && readUserKey() !== undefined;
  return isHandedOver ? readMemoryOf(home, conversation) : undefined;
}

/** The same for what `next-action` found; nobody needs to know where it is the reader's turn. */
export async function isWokenIn({ place, participant, guidance }: NextAction): Promise<boolean> {
  return guidance.turn === "theirs" && isWokenByHook(place, participant);
}
