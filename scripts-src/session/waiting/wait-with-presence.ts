import { systemClock } from "../../script/clock.ts";
import { announcePresence, leave, touchPresence } from "./presence.ts";
import { type WaitEnd, type Waiting, waitUntil } from "./wait-until.ts";

/**
 * Waits while the presence file at `path` says that `agent` listens; the file goes when the wait ends,
 * however it ends. Without a path nothing says so.
 */
export async function waitWithPresence(
  agent: string,
  path: string | undefined,
  waiting: Omit<Waiting, "heartbeat">,
): Promise<WaitEnd> {
  if (path === undefined) return waitUntil({ ...waiting, heartbeat: () => undefined });
  try {
    return await waitUntil({
      ...waiting,
      // Only once a signal can end the wait: one that came before would leave the file behind.
      begin(notice) {
        announcePresence(path, agent, systemClock.now());
        return waiting.begin?.(notice);
      },
      heartbeat: () => touchPresence(path, agent, systemClock.now()),
    });
  } finally {
    leave(path);
  }
}
