import { type WatchOptions, watchFolder } from "../../files/watch-folder.ts";

export interface WaitOptions {
  /** Folders whose changes may end the wait; called again after every check, because there may be new ones. */
  folders(): readonly string[];
  readonly pollIntervalMs: number;
  /** Undefined waits without limit. */
  readonly timeoutMs: number | undefined;
  readonly heartbeatMs: number;
  /**
   * Looks at the state. "done" ends the wait; a number asks for another check after at most so many
   * milliseconds; undefined asks for one after the next change.
   */
  check(): Promise<"done" | number | undefined>;
  heartbeat(): void;
  /** Called once before the first check, and when signals end the wait, with a function that asks for another one at any time. */
  begin?(checkAgain: () => void): void | Promise<void>;
}

/** How a wait ended; a signal is named by its number. */
export type WaitEnd = "done" | "timeout" | { signal: number };

/**
 * Waits until `check` is satisfied. It checks once after the watch is set up and then after every
 * change: always the state, never the change itself, so that no earlier change is missed. Nothing of
 * it keeps the process alive afterwards.
 */
export async function waitUntil(waiting: WaitOptions): Promise<WaitEnd> {
  let wake: () => void = () => undefined;
  let changed = false;
  const checkAgain = () => {
    changed = true;
    wake();
  };
  const deadline =
    waiting.timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + waiting.timeoutMs;
  const timeoutTimer =
    waiting.timeoutMs === undefined ? undefined : timer(checkAgain, waiting.timeoutMs);
  let checkTimer: NodeJS.Timeout | undefined;
  const signals = listenForSignals(checkAgain);
  let failure: unknown;
  const beat = setInterval(() => {
    try {
      waiting.heartbeat();
    } catch (cause) {
      failure = cause;
    }
    checkAgain();
  }, waiting.heartbeatMs);
  const watched = new WatchedFolders(checkAgain, { pollIntervalMs: waiting.pollIntervalMs });
  try {
    await waiting.begin?.(checkAgain);
    await watched.add(waiting.folders());
    for (;;) {
      changed = false;
      if (failure !== undefined) throw failure;
      const answer = await waiting.check();
      if (answer === "done") return "done";
      if (signals.caught() !== undefined) return { signal: signals.caught() ?? 0 };
      if (Date.now() >= deadline) return "timeout";
      clearTimeout(checkTimer);
      if (answer !== undefined) checkTimer = timer(checkAgain, answer);
      // A new folder may have changed before it was watched: check once more.
      if (await watched.add(waiting.folders())) continue;
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    clearInterval(beat);
    clearTimeout(timeoutTimer);
    clearTimeout(checkTimer);
    signals.stop();
    await watched.stop();
  }
}

function timer(onTime: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(onTime, Math.min(ms, 2 ** 31 - 1));
}

/** Folders that are watched, each once. */
class WatchedFolders {
  readonly #stops = new Map<string, () => Promise<void>>();
  readonly #onChange: () => void;
  readonly #options: WatchOptions;

  constructor(onChange: () => void, options: WatchOptions) {
    this.#onChange = onChange;
    this.#options = options;
  }

  /** Watches the folders that are new; returns whether there were any. */
  async add(folders: readonly string[]): Promise<boolean> {
    const fresh = folders.filter((folder) => !this.#stops.has(folder));
    for (const folder of fresh) {
      this.#stops.set(folder, await watchFolder(folder, this.#onChange, this.#options));
    }
    return fresh.length > 0;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#stops.values()].map((stop) => stop()));
  }
}

/** Notes the signals that end a process. Such a handler keeps the process alive, so the wait must end. */
function listenForSignals(onSignal: () => void): { caught(): number | undefined; stop(): void } {
  const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
  let caught: number | undefined;
  const handlers = Object.entries(numbers).map(([name, number]) => {
    const handler = () => {
      caught = number;
      onSignal();
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
