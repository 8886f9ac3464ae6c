import { watchFolder } from "../store/watch-folder.ts";

export interface Waiting {
  /** Folders whose changes may end the wait. */
  readonly folders: readonly string[];
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
}

/** How a wait ended; a signal is named by its number. */
export type WaitEnd = "done" | "timeout" | { signal: number };

/**
 * Waits until `check` is satisfied. Looks once after the watch is set up and then after every
 * change: at the state, never at the change itself, so that nothing that came before is missed.
 * Afterwards nothing keeps the process alive.
 */
export async function waitUntil(waiting: Waiting): Promise<WaitEnd> {
  const timers = new Set<NodeJS.Timeout>();
  let wake: () => void = () => undefined;
  let changed = false;
  const notice = () => {
    changed = true;
    wake();
  };
  const after = (ms: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      notice();
    }, ms);
    timers.add(timer);
  };
  const deadline =
    waiting.timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + waiting.timeoutMs;
  if (waiting.timeoutMs !== undefined) after(Math.min(waiting.timeoutMs, 2 ** 31 - 1));
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
  const options = { pollIntervalMs: waiting.pollIntervalMs };
  const stops: (() => Promise<void>)[] = [];
  try {
    for (const folder of waiting.folders) stops.push(await watchFolder(folder, notice, options));
    for (;;) {
      changed = false;
      if (failure !== undefined) throw failure;
      const found = await waiting.check();
      if (found === "done") return "done";
      if (signals.caught() !== undefined) return { signal: signals.caught() ?? 0 };
      if (Date.now() >= deadline) return "timeout";
      if (found !== undefined) after(found);
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    clearInterval(beat);
    for (const timer of timers) clearTimeout(timer);
    signals.stop();
    await Promise.all(stops.map((stop) => stop()));
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
