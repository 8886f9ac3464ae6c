import { watch } from "chokidar";
export type Stop = () => Promise<void>;

/** Intervals between calls that come without a change. */
const beatIntervals = 10;

/**
 * Looks at a folder again and again and calls `onChange` when something in it changed. Loads its
 * library only here: polling is rare, and loading costs time at every start.
 */
export async function pollFolder(
  folder: string,
  onChange: () => void,
  intervalMs: number,
): Promise<Stop> {
  const options = { usePolling: true, interval: intervalMs, binaryInterval: intervalMs, depth: 0 };
  const watcher = watch(folder, { ...options, ignoreInitial: true });
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
