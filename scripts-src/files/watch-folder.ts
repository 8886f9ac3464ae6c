import { existsSync, type FSWatcher, statfsSync, watch } from "node:fs";
import { errnoOf } from "./errno.ts";
import { pollFolder, type Stop } from "./poll-folder.ts";

export interface WatchOptions {
  /** How often to look where the system does not tell of changes. */
  readonly pollIntervalMs?: number;
}

/** NFS, SMB, CIFS, SMB2, FUSE and 9p: what another machine changes there raises no event here. */
const remoteFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997]);

/**
 * Calls `onChange` whenever something in a folder changes, perhaps more often, and returns the
 * function that stops it. Polls where the system does not tell of changes. A folder that vanishes
 * or is missing is one more change, and then silence.
 */
export async function watchFolder(
  folder: string,
  onChange: () => void,
  { pollIntervalMs = 3_000 }: WatchOptions = {},
): Promise<Stop> {
  let stopped = false;
  let stopPolling: Promise<Stop> | undefined;
  const startPolling = () => {
    if (!stopped) stopPolling ??= pollFolder(folder, onChange, pollIntervalMs);
  };
  if (!existsSync(folder)) {
    queueMicrotask(onChange);
    return async () => {};
  }
  const watcher = isRemote(folder) ? undefined : tryWatch(folder, onChange, startPolling);
  if (watcher === undefined) startPolling();
  await stopPolling;
  return async () => {
    stopped = true;
    watcher?.close();
    await (await stopPolling)?.();
  };
}

function isRemote(folder: string): boolean {
  try {
    return remoteFileSystems.has(Number(statfsSync(folder).type) >>> 0);
  } catch {
    // Some systems cannot tell; fs.watch itself fails if it has to.
    return false;
  }
}

/** Undefined when the system cannot watch this folder: no watches left, not supported, missing. */
function tryWatch(
  folder: string,
  onChange: () => void,
  onFailure: () => void,
): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: true }, onChange);
    watcher.on("error", () => {
      watcher.close();
      onChange();
      if (existsSync(folder)) onFailure();
    });
    return watcher;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
