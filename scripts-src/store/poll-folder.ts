export type Stop = () => Promise<void>;

/**
 * Looks at a folder again and again and calls `onChange` when something in it changed. Loads its
 * library only here: polling is rare, and loading costs time at every start.
 */
export async function pollFolder(
  folder: string,
  onChange: () => void,
  intervalMs: number,
): Promise<Stop> {
  const { watch } = await import("chokidar");
  const options = { usePolling: true, interval: intervalMs, binaryInterval: intervalMs, depth: 0 };
  const watcher = watch(folder, { ...options, ignoreInitial: true });
  watcher.on("all", onChange).on("error", onChange);
  await new Promise<void>((resolve) => watcher.once("ready", resolve));
  return () => watcher.close();
}
