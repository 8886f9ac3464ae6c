import { type WatchOptions, watchFolder } from "../../files/watch-folder.ts";

export interface Waiting {
  /** Folders whose changes may end the wait; asked again after every look, for new ones. */
  folders(): readonly string[];
  readonly pollIntervalMs: number;
  /** Undefined waits without limit. */
  readonly timeoutMs: number | undefined;
  readonly heartbeatMs: number;
  /**
   * Looks at the state: "done" ends the wait; a number asks for another look after so many
   * milliseconds whatever happens; undefined waits for the next change.
   */
  check(): Promise<"done" | number | undefined>;
  heartbeat(): void;
  /** Told before the first look, and when signals end the wait, how to ask for one otherwise. */
  begin?(notice: () => void): void | Promise<void>;
}

/** How a wait ended; a signal is named by its number. */
export type WaitEnd = "done" | "timeout" | { signal: number };

/**
 * Waits until `check` is satisfied. Looks once after the watch is set up and then after every
 * change: at the state, never at the change itself, so that nothing that came before is missed.
 * Afterwards nothing keeps the process alive.
 */
export async function waitUntil(waiting: Waiting): Promise<WaitEnd> {
  let wake: () => void = () => undefined;
  let changed = false;
  const notice = () => {
    changed = true;
    wake();
  };
  const deadline =
    waiting.timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + waiting.timeoutMs;
  const end = waiting.timeoutMs === undefined ? undefined : timer(notice, waiting.timeoutMs);
  let look: NodeJS.Timeout | undefined;
  const signals = listenForSignals(notice);
  let failure: unknown;
  const beat = setInterval(() => {
    try {
      waiting.heartbeat();
    } catch (cause) {
      failure = cause;
    }
    notice();
  }, waiting.heartbeatMs);
  const watched = new WatchedFolders(notice, { pollIntervalMs: waiting.pollIntervalMs });
  try {
    await waiting.begin?.(notice);
    await watched.add(waiting.folders());
    for (;;) {
      changed = false;
      if (failure !== undefined) throw failure;
      const found = await waiting.check();
      if (found === "done") return "done";
      if (signals.caught() !== undefined) return { signal: signals.caught() ?? 0 };
      if (Date.now() >= deadline) return "timeout";
      clearTimeout(look);
      if (found !== undefined) look = timer(notice, found);
      // What happened in a new folder before it was watched, another look finds.
      if (await watched.add(waiting.folders())) continue;
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    clearInterval(beat);
    clearTimeout(end);
    clearTimeout(look);
    signals.stop();
    await watched.stop();
  }
}

function timer(notice: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(notice, Math.min(ms, 2 ** 31 - 1));
}

/** Folders that are watched, each once. */
class WatchedFolders {
  readonly #stops = new Map<string, () => Promise<void>>();
  readonly #notice: () => void;
  readonly #options: WatchOptions;

  constructor(notice: () => void, options: WatchOptions) {
    this.#notice = notice;
    this.#options = options;
  }

  /** Watches those that are new; true when there were any. */
  async add(folders: readonly string[]): Promise<boolean> {
    const fresh = folders.filter((folder) => !this.#stops.has(folder));
    for (const folder of fresh) {
      this.#stops.set(folder, await watchFolder(folder, this.#notice, this.#options));
    }
    return fresh.length > 0;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#stops.values()].map((stop) => stop()));
  }
}

/** A handler that only took notice would make a process that survives SIGTERM: the wait then ends. */
function listenForSignals(notice: () => void): { caught(): number | undefined; stop(): void } {
  const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
  let caught: number | undefined;
  const handlers = Object.entries(numbers).map(([name, number]) => {
    const handler = () => {
      caught = number;
      notice();
    };
    process.on(name, handler);
    return () => process.off(name, handler);
  });
  return {
    caught: () => caught,
    stop: () => {
      for (const off of handlers) off();
    },
  };
}
