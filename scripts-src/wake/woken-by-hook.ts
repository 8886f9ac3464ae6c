import { cliProcess, isInCli } from "../clis/cli-process.ts";
import { realpathSync } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import type { NextAction } from "../session/next-action.ts";
import type { Place } from "../session/place.ts";
import { readMemory, toldOf } from "./hook-state.ts";

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
