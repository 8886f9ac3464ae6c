import { existsSync, type FSWatcher, statfsSync, watch } from "node:fs";
import { watch as pollByLibrary } from "chokidar";
import { errnoOf, orNothing } from "./disk.ts";

export type Stop = () => Promise<void>;

/** Intervals between calls that come without a change, where a folder is polled. */
const beatIntervals = 10;

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
  pollIntervalMs = 3_000,
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
  // Some systems cannot tell; fs.watch itself fails if it has to.
  const type = orNothing(() => statfsSync(folder).type);
  return type !== undefined && remoteFileSystems.has(Number(type) >>> 0);
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

/** Looks at a folder again and again and calls `onChange` when something in it changed. */
export async function pollFolder(
  folder: string,
  onChange: () => void,
  intervalMs: number,
): Promise<Stop> {
  const options = { usePolling: true, interval: intervalMs, binaryInterval: intervalMs, depth: 0 };
  const watcher = pollByLibrary(folder, { ...options, ignoreInitial: true });
  watcher.on("all", onChange).on("error", onChange);
  await new Promise<void>((resolve) => watcher.once("ready", resolve));
  // The library says it is ready before its first look at each file is done: a change in between
  // goes unseen, and a file that was new then stays unseen. A late wake beats none.
  const beat = setInterval(onChange, beatIntervals * intervalMs);
  return async () => {
    clearInterval(beat);
    await watcher.close();
  };
}
