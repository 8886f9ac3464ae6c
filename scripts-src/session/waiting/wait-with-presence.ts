import { orNothing } from "../../files/errno.ts";
import { systemClock } from "../../script/clock.ts";
import { announcePresence, leave, touchPresence } from "./presence.ts";
import { type WaitEnd, type WaitOptions, waitUntil } from "./wait-until.ts";

/**
 * Waits while the presence file at `path` says that `agent` listens; the file goes when the wait ends,
 * however it ends. Without a path nothing says so; where `isOptional`, nothing does either in a folder
 * that cannot be written.
 */
export async function waitWithPresence(
  agent: string,
  path: string | undefined,
  waiting: Omit<WaitOptions, "heartbeat">,
  isOptional = false,
): Promise<WaitEnd> {
  if (path === undefined) return waitUntil({ ...waiting, heartbeat: () => undefined });
  const tell = isOptional ? orNothing : (act: () => void) => act();
  try {
    return await waitUntil({
      ...waiting,
      // Only once a signal can end the wait: one that came before would leave the file behind.
      begin(notice) {
        tell(() => announcePresence(path, agent, systemClock.now()));
        return waiting.begin?.(notice);
      },
      heartbeat: () => tell(() => touchPresence(path, agent, systemClock.now())),
    });
  } finally {
    leave(path);
  }
}
